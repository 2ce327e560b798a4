"""Whether what a reader names is a trainer or a stage, without running it."""

import ast
from pathlib import Path

from bpe_lab.trials.trainer_program import NAMES, ROLES

METHODS = {"count_pairs", "select", "update"}
"""Of a stage."""


def is_trainer(place: str) -> bool:
    """Tell whether a place names a trainer; what is neither counts as a stage.

    :param place: "file.py", "file.py:name" or "module:name".

    >>> is_trainer("bpe_lab.stages.template:MyStage"), is_trainer("mine.module:train_bpe")
    (False, True)
    """
    named, _, name = place.partition(":") if ".py:" in place else place.rpartition(":")
    if not named:
        named, name = name, ""
    if not named.endswith(".py"):
        return bool(name) and not name.rpartition(".")[2][:1].isupper()
    try:
        tree = ast.parse(Path(named).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return False  # it is refused in the same words as a stage
    if name:
        found = [one for one in tree.body if getattr(one, "name", None) == name.partition(".")[0]]
        return not any(isinstance(one, ast.ClassDef) and not _trains(one) for one in found)
    names = {name for one in tree.body for name in _names(one)}
    return bool(names & {*NAMES}) or any(_takes_all(one) or _trains(one) for one in tree.body)


def _trains(one: ast.stmt) -> bool:
    """Whether it is a class with a method `train`, and none of a stage's."""
    if not isinstance(one, ast.ClassDef):
        return False
    methods = {each.name for each in one.body if isinstance(each, ast.FunctionDef)}
    return "train" in methods and not methods & METHODS


def _names(one: ast.stmt) -> list[str]:
    if isinstance(one, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in one.names]
    if isinstance(one, ast.Assign):
        return [target.id for target in one.targets if isinstance(target, ast.Name)]
    return [one.name] if isinstance(one, ast.FunctionDef) else []


def _takes_all(one: ast.stmt) -> bool:
    """Whether a function takes the size of a vocabulary and special tokens."""
    if not isinstance(one, ast.FunctionDef):
        return False
    taken = {argument.arg for argument in (*one.args.posonlyargs, *one.args.args)}
    return all(taken & {*ROLES[role].split()} for role in ("size", "specials"))
