"""Whether what a reader names is a trainer or a stage, without running it."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from bpe_lab.trials.trainer_program import NAMES, ROLES

METHODS = {"count_pairs", "select", "update"}
"""Of a stage."""


def parted(place: str) -> tuple[str, str]:
    """Return the file or module of a place, and the name in it, "" for none.

    >>> parted("mine.py"), parted("mine.py:learn"), parted("mine.bpe:Trainer")
    (('mine.py', ''), ('mine.py', 'learn'), ('mine.bpe', 'Trainer'))
    """
    named, _, name = place.rpartition(":")
    return (named, name) if named and not place.endswith(".py") else (place, "")


def is_trainer(place: str) -> bool:
    """Tell whether a place names a trainer; what is neither counts as a stage.

    :param place: "file.py", "file.py:name" or "module:name".

    >>> is_trainer("bpe_lab.stages.template:MyStage"), is_trainer("mine.module:train_bpe")
    (False, True)
    """
    named, name = parted(place)
    is_file = named.endswith(".py")
    try:
        body = ast.parse((Path(named) if is_file else _file_of(named)).read_bytes()).body
    except (OSError, SyntaxError, ValueError):
        if is_file:
            return False  # it is refused in the same words as a stage
        body = []
    body = [*_statements(body)]
    of_lab = any("bpe_lab" in (getattr(one, "module", None) or "") for one in body)
    if name:
        found = [one for one in body if getattr(one, "name", None) == name.partition(".")[0]]
        if found or is_file:
            return not any(_is_stage(one, of_lab) for one in found)
        return not name.rpartition(".")[2][:1].isupper()
    names = {name for one in body for name in _names(one)}
    return bool(names & {*NAMES, "*"}) or any(
        _takes_all(one) or _trains(one) or _inherits(one, of_lab) for one in body
    )


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements of a module, with those behind an `if` or in a `try`."""
    for one in body:
        yield one
        if isinstance(one, ast.If | ast.Try):
            inside = [*one.body, *one.orelse]
            for handler in getattr(one, "handlers", []):
                inside += handler.body
            yield from _statements(inside)


def _is_stage(one: ast.stmt, of_lab: bool) -> bool:
    """Whether it is a class with a method of a stage, or one that may inherit them from ours."""
    if not isinstance(one, ast.ClassDef) or _trains(one):
        return False
    return bool(_methods(one) & METHODS) or (of_lab and bool(one.bases))


def _inherits(one: ast.stmt, of_lab: bool) -> bool:
    """Whether it is a class that may inherit `train`."""
    return isinstance(one, ast.ClassDef) and bool(one.bases) and not _is_stage(one, of_lab)


def _file_of(module: str) -> Path:
    """Return the file of a module, which is not imported; one that does not exist if none does."""
    files = (
        Path(folder, module.replace(".", "/") + end)
        for folder in (".", "src", *sys.path)
        for end in (".py", "/__init__.py")
    )
    return next((file for file in files if file.is_file()), Path(f"{module}.py"))


def _trains(one: ast.stmt) -> bool:
    """Whether it is a class with a method `train`, and none of a stage's."""
    if not isinstance(one, ast.ClassDef):
        return False
    return "train" in _methods(one) and not _methods(one) & METHODS


def _methods(one: ast.ClassDef) -> set[str]:
    return {each.name for each in one.body if isinstance(each, ast.FunctionDef)}


def _names(one: ast.stmt) -> list[str]:
    if isinstance(one, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in one.names]
    if isinstance(one, ast.Assign | ast.AnnAssign):
        targets = one.targets if isinstance(one, ast.Assign) else [one.target]
        return [target.id for target in targets if isinstance(target, ast.Name)]
    return [one.name] if isinstance(one, ast.FunctionDef) else []


def _takes_all(one: ast.stmt) -> bool:
    """Whether a function takes the size of a vocabulary and special tokens."""
    if not isinstance(one, ast.FunctionDef):
        return False
    taken = {
        argument.arg for argument in (*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs)
    }
    return all(taken & {*ROLES[role].split()} for role in ("size", "specials"))
