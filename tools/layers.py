"""Print the rooms of the package from top to bottom: how large each is, and what it imports.

    python tools/layers.py [TREE]

A room is a folder or a file of `bpe_lab`; of `bpe_lab.bench` the rooms inside are printed, too. An
import inside a function counts, one that only a type checker sees does not. TREE is a checkout,
this one unless another is named, so that two versions can be laid side by side. Files or rooms that
import each other in a circle are named, and the exit code is 1. Which room may import which is
written down in pyproject.toml, and import-linter checks it.
"""

import argparse
import sys
import tomllib
from collections.abc import Iterable, Mapping
from importlib.machinery import PathFinder
from pathlib import Path

import grimp

PACKAGE = "bpe_lab"
DRAWN = (PACKAGE, f"{PACKAGE}.bench")
BESIDE = {"ext": ("*.hpp", "*.cpp", "*.pyx", "*.pxd", "*.py"), "tests": ("*.py",)}
"""Folders of code that is in no room, and what of them is counted."""

Imports = Mapping[str, set[str]]


def package_graph(tree: Path) -> grimp.ImportGraph:
    """Return which file of a checkout imports which.

    :param tree: the checkout.
    """
    # Before the finder of an editable install, which would answer with its own checkout.
    sys.meta_path.insert(0, PathFinder)
    sys.path.insert(0, str(tree))
    return grimp.build_graph(PACKAGE, exclude_type_checking_imports=True, cache_dir=None)


def file_imports(graph: grimp.ImportGraph) -> Imports:
    """Return for each file the files that it imports."""
    return {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}


def room_imports(files: Imports, package: str) -> Imports:
    """Return for each room of a package the other rooms that it imports.

    :param files: what each file imports.
    :param package: its children are the rooms; `__init__.py` is part of none.
    """

    def room(file: str) -> str:
        return file.removeprefix(f"{package}.").partition(".")[0]

    def inside(names: Iterable[str]) -> list[str]:
        return [name for name in names if name.startswith(f"{package}.")]

    rooms: dict[str, set[str]] = {room(file): set() for file in inside(files)}
    for file in inside(files):
        rooms[room(file)] |= {room(other) for other in inside(files[file])} - {room(file)}
    return rooms


def reached(imports: Imports) -> Imports:
    """Return for each name all that it imports, in any number of steps.

    >>> sorted(reached({"api": {"training"}, "training": {"merges"}, "merges": set()})["api"])
    ['merges', 'training']
    """
    below: dict[str, set[str]] = {}
    for name in imports:
        found: set[str] = set()
        ahead = [name]
        while ahead:
            new = imports[ahead.pop()] - found
            found |= new
            ahead += new
        below[name] = found
    return below


def circles(imports: Imports) -> list[list[str]]:
    """Return the sets of names in which each imports all others, perhaps through others.

    >>> circles({"bench": {"plots"}, "plots": {"bench", "style"}, "style": set()})
    [['bench', 'plots']]
    """
    below = reached(imports)
    found = {frozenset(other for other in below[name] if name in below[other]) for name in below}
    return sorted(sorted(circle) for circle in found if circle)


def from_top_to_bottom(imports: Imports) -> list[str]:
    """Return the names in an order in which each stands above all that it imports.

    >>> from_top_to_bottom({"merges": set(), "training": {"merges"}, "api": {"training"}})
    ['api', 'training', 'merges']
    """
    below = reached(imports)
    above = {name: sum(name in others for others in below.values()) for name in below}
    return sorted(below, key=lambda name: (above[name], -len(below[name]), name))


def written_order(tree: Path, package: str) -> list[str]:
    """Return the rooms of a package as its contract has them in pyproject.toml, [] without one.

    :param tree: the checkout.
    :param package: the package.
    """
    file = tree / "pyproject.toml"
    tool = tomllib.loads(file.read_text(encoding="utf-8"))["tool"] if file.exists() else {}
    for contract in tool.get("importlinter", {}).get("contracts", []):
        if contract.get("containers") == [package]:
            return [name.strip("() ") for line in contract["layers"] for name in line.split("|")]
    return []


def size(paths: Iterable[Path]) -> tuple[int, int]:
    """Return the number of files and of their lines."""
    lines = [len(path.read_bytes().splitlines()) for path in paths]
    return len(lines), sum(lines)


def row(name: str, paths: Iterable[Path], imported: Iterable[str] = ()) -> str:
    """Return one line of the drawing."""
    n_files, n_lines = size(paths)
    return f"{name:<18}{n_files:>6,}{n_lines:>8,}  {', '.join(imported)}".rstrip()


def drawing(tree: Path, package: str, rooms: Imports) -> list[str]:
    """Return the lines that show the rooms of a package.

    :param tree: the checkout.
    :param package: the package.
    :param rooms: what each room imports.
    """
    folder = tree.joinpath(*package.split("."))
    order = written_order(tree, package)
    if set(order) != set(rooms):
        order = from_top_to_bottom(rooms)
    lines = [f"{package:<18} files   lines  imports"]
    for name in order:
        file = folder / f"{name}.py"
        paths = [file] if file.exists() else (folder / name).rglob("*.py")
        lines.append(row(name, paths, sorted(rooms[name], key=order.index)))
    return [*lines, row("all", folder.rglob("*.py"))]


def main() -> None:
    """Run the command; the exit code is 1 if there is a circle."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", metavar="TREE", type=Path, nargs="?", default=Path())
    tree: Path = parser.parse_args().tree.resolve()
    if not (tree / PACKAGE / "__init__.py").exists():
        parser.error(f"{tree} has no {PACKAGE}: name a checkout")
    files = file_imports(package_graph(tree))
    drawn = {package: room_imports(files, package) for package in DRAWN}
    for package, rooms in drawn.items():
        print("\n".join(drawing(tree, package, rooms)), end="\n\n")
    for name, patterns in BESIDE.items():
        print(row(name, (path for pattern in patterns for path in (tree / name).rglob(pattern))))
    found = [circle for imports in (*drawn.values(), files) for circle in circles(imports)]
    for circle in found:
        print(f"a circle: {', '.join(circle)}")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
