"""Whether what a reader names is a trainer or a stage, without running it."""

import ast
import sys
from pathlib import Path

from bpe_lab.trials.trainer_program import NAMES

METHODS = {"count_pairs", "select", "update"}
"""Of a stage."""

LAB = ("bpe_lab.stages", "bpe_lab.lessons")
"""Begin the names of modules with stages of ours."""


def parted(place: str) -> tuple[str, str]:
    """Return the file or module of a place, and the name in it, "" for none.

    >>> parted("mine.py"), parted("mine.py:learn"), parted("mine.bpe:Trainer")
    (('mine.py', ''), ('mine.py', 'learn'), ('mine.bpe', 'Trainer'))
    """
    named, _, name = place.rpartition(":")
    return (named, name) if named and not place.endswith(".py") else (place, "")


def is_trainer(place: str) -> bool:
    """Tell whether a place names a trainer: what is no stage counts as one, if it can be read.

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
    of_lab = any((getattr(one, "module", None) or "").startswith(LAB) for one in body)
    stages = [one for one in body if _is_stage(one, of_lab)]
    if name:
        found = [one for one in body if getattr(one, "name", None) == name.partition(".")[0]]
        if found or is_file:
            return not any(one in stages for one in found)
        return not name.rpartition(".")[2][:1].isupper()
    named_so = {*NAMES} & {name for one in body for name in _names(one)}
    return bool(named_so) or (bool(body) and not stages)


def _file_of(module: str) -> Path:
    """Return the file of a module, which is not imported; one that does not exist if none does."""
    files = (
        Path(folder, module.replace(".", "/") + end)
        for folder in (".", "src", *sys.path)
        for end in (".py", "/__init__.py")
    )
    return next((file for file in files if file.is_file()), Path(f"{module}.py"))


def _is_stage(one: ast.stmt, of_lab: bool) -> bool:
    """Whether it is a class with methods of a stage, or one that may inherit them from ours."""
    if not isinstance(one, ast.ClassDef):
        return False
    methods = {each.name for each in one.body if isinstance(each, ast.FunctionDef)}
    # A heap of a trainer may have one of them, and begins with no other class.
    shared = methods & METHODS
    inherits = bool(one.bases) and (of_lab or bool(shared))
    return "train" not in methods and (len(shared) > 1 or inherits)


def _names(one: ast.stmt) -> list[str]:
    if isinstance(one, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in one.names]
    if isinstance(one, ast.Assign):
        return [target.id for target in one.targets if isinstance(target, ast.Name)]
    return [one.name] if isinstance(one, ast.FunctionDef) else []
