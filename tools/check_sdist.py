"""Build the sdist, install it where there is no checkout, and see that it works there.

    python tools/check_sdist.py

The sdist holds what git would hold, and nothing else. It is installed as a user installs it: pip
brings what it needs, the compiler does the rest. All happens in a temporary folder.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).resolve().parents[1]
MERGES_SHA256 = "a82f87b479a53c2b5ce9449b778acad585b374825ef48f12610b3f07efd366a5"
"""Of 1,000 ids on the corpus `stories`, as the stage `max_heap` makes them."""

WHERE = """
import bpe_lab, bpe_lab.native, sys
from pathlib import Path
package = Path(bpe_lab.__file__).parent
shipped = ["lessons/merge_player.html", "stages/template.py"]
files = [package, bpe_lab.native.__file__, bpe_lab.corpora.data_path("languages.txt")]
files = list(map(str, [*files, *(package / name for name in shipped)]))
assert all(Path(file).exists() for file in files), files
assert all(file.startswith(sys.prefix) for file in files), files
print(f"bpe_lab {bpe_lab.__version__} in a folder of its own")
"""


NOT_OPTIMISED = {"CFLAGS": "-O0", "CXXFLAGS": "-O0"}
"""What an sdist holds is checked, and that takes a third of the time; the merges are the same."""


def run(*words: str | Path, folder: Path, more: Mapping[str, str] = MappingProxyType({})) -> str:
    """Run a program that must succeed, in a folder, and return what it prints.

    Python hears nothing of other environments and folders.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**clean, "BPE_LAB_CACHE": str(folder / "cache"), **more}
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(map(str, words))}")
    return done.stdout


def committed_copy(folder: Path) -> Path:
    """Commit a copy of the checkout, as it is now, in a folder: an sdist is made of a commit.

    The checkout itself may have no git, or one that belongs to somebody else.
    """
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".git", ".venv", "build", "results"))
    author = ("-c", "user.name=sdist-check", "-c", "user.email=sdist-check@localhost")
    for words in (("init",), ("add", "--all"), (*author, "commit", "--message", "checkout")):
        run("git", *words, folder=tree)
    return tree


def built_sdist(tree: Path, folder: Path) -> Path:
    """Build the sdist of what is committed in a tree into a folder."""
    words = ("-m", "build", "--sdist", "--no-isolation", "--outdir", folder, tree)
    run(sys.executable, *words, folder=folder)
    [sdist] = folder.glob("*.tar.gz")
    return sdist


def check_files(sdist: Path, committed: Sequence[str]) -> None:
    """Check that an sdist has the files that are committed, and what says what it is.

    :raises SystemExit: one is missing, or does not belong there; names them.
    """
    with tarfile.open(sdist) as packed:
        names = {entry.name.partition("/")[2] for entry in packed if not entry.isdir()}
    if different := names ^ {*committed, "PKG-INFO"}:
        sys.exit(f"{sdist.name} differs from what is committed: {', '.join(sorted(different))}")
    print(f"{sdist.name}: {len(names)} files, {sdist.stat().st_size / 1e6:.1f} MB")


def check_installed(sdist: Path, folder: Path) -> None:
    """Install an sdist and train, in a folder with nothing in it.

    :raises SystemExit: it does not install, is not found there, or makes other merges.
    """
    programs = folder / "environment" / "bin"
    run(sys.executable, "-m", "venv", programs.parent, folder=folder)
    install = ("-m", "pip", "install", "--quiet", sdist)
    run(programs / "python", *install, folder=folder, more=NOT_OPTIMISED)
    print(run(programs / "python", "-c", WHERE, folder=folder), end="")
    print(run(programs / "bpe-lab", "doctor", folder=folder), end="")
    words = ("--vocab-size", "1000", "--quiet", "--out", "tokenizer")
    print(run(programs / "bpe-lab", "train", "--corpus", "stories", *words, folder=folder), end="")
    made = json.loads((folder / "tokenizer" / "tokenizer.bpe.json").read_text("utf-8"))
    if made["merges_sha256"] != MERGES_SHA256:
        sys.exit(f"other merges: {made['merges_sha256']} instead of {MERGES_SHA256}")


def main() -> None:
    """Run the command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = committed_copy(folder)
        committed = run("git", "ls-files", "-z", folder=tree).split("\0")[:-1]
        sdist = built_sdist(tree, folder)
        check_files(sdist, committed)
        shutil.rmtree(tree)
        check_installed(sdist, folder)
    print("sdist-check: it installs and trains where there is no checkout")


if __name__ == "__main__":
    main()
