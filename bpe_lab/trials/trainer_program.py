"""Finds and calls a trainer that is not ours, in its own interpreter: `child_program.py` loads it.

It needs the standard library only, of Python 3.8 or later, and imports nothing of bpe_lab.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from itertools import islice
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType
    from typing import Any

NAMES = ("run_train_bpe", "train_bpe")  # of a trainer: the adapter of CS336 may import the second

ROLES = {
    "path": "path input_path input file input_file filename filepath text_path corpus corpus_path",
    "size": "vocab_size vocabulary_size size n_vocab target_vocab_size",
    "specials": "special_tokens specials special",
}
"""What is given to a trainer -> names of the arguments that take it."""

ARGUMENTS = ("input_path", "vocab_size", "special_tokens")

STAGE = ("count_pairs", "select", "update")  # methods of a class that is a stage

MOST_ITEMS = 100_000  # of a list or a dict that a trainer returns; the others are not looked at


class UnfitError(Exception):
    """What is named is no trainer; says why."""


found: dict[str, Any] = {}
"""The trainer of this process."""


def find(place: str, name: str | None, folders: list[str]) -> dict[str, str]:
    """Find the trainer of a file or a module, and return its name and how it is called: a stage, in
    place of a trainer, is not."""
    name, trainer = find_trainer(load(place, folders), name)
    if _is_stage(trainer):
        return {"name": name, "form": ""}
    if not callable(trainer):
        raise UnfitError(f"{name} is neither a function nor a class: {type(trainer).__name__}")
    found["trainer"] = trainer
    return {"name": name, "form": form(name, trainer)}


def train(path: str, size: int, specials: list[str]) -> Callable[[], Any]:
    """Train with the trainer that was found."""
    return training_with(found["trainer"])(path, size, specials)


def training_with(trainer: Any) -> Callable[[str, int, list[str]], Callable[[], Any]]:
    """Return a function that trains; what it returns, made plain, is not part of its time."""

    def train(path: str, size: int, specials: list[str]) -> Callable[[], Any]:
        result = call_trainer(trainer, {"path": path, "size": size, "specials": specials})
        return lambda: plain(result)

    return train


def find_trainer(module: ModuleType, name: str | None) -> tuple[str, Any]:
    """Return the name and the object of a trainer in a module, or of a stage where it has none."""
    if name:
        if not hasattr(module, name):
            raise UnfitError(f"it has no {name!r}")
        return name, getattr(module, name)
    for known in NAMES:
        if callable(getattr(module, known, None)):
            return known, getattr(module, known)
    own = {
        name: value
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
        if (inspect.isclass(value) and hasattr(value, "train"))
        or (inspect.isfunction(value) and {"size", "specials"} <= set(dict(takes(value))))
    }
    own = own or {name: value for name, value in vars(module).items() if _is_stage(value)}
    if len(own) == 1 or any(map(_is_stage, own.values())):
        return own.popitem()
    if own:
        raise UnfitError(f"it has {' and '.join(own)}: name one, as FILE.py:{next(iter(own))}")
    arguments = ", ".join(ARGUMENTS)
    raise UnfitError(f"it has no function train_bpe({arguments}), and no class with `train`")


def _is_stage(value: Any) -> bool:
    return inspect.isclass(value) and all(hasattr(value, method) for method in STAGE)


def takes(function: Any) -> list[tuple[str, str]]:
    """Return what is given to a function, and the argument that takes it; "": it has its place.

    One that is compiled may not tell: a function takes all then, a class nothing. What is given is
    a role, or "Path" for a path where that is asked for.
    """
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return [] if inspect.isclass(function) else [(role, "") for role in ROLES]
    # `form` asks about the `train` of a class, before there is an object of it.
    rest = [each for each in parameters.values() if each.name != "self"]
    role_of = {name: role for role, names in ROLES.items() for name in names.split()}
    taken = {role_of[each.name]: each.name for each in rest[::-1] if each.name in role_of}
    needed = [each.name for each in rest if each.default is each.empty and each.kind in (0, 1)]
    if len(taken) < len(ROLES) == len(needed):
        taken = dict(zip(ROLES, needed))  # noqa: B905 - Python 3.8
    in_place = [each.name for each in rest[: len(ROLES)] if each.kind in (0, 1)]
    are_in_place = [taken.get(role) for role in ROLES] == in_place
    has_path = "path" in taken and "Path" in str(parameters[taken["path"]].annotation)
    return [
        ("Path" if role == "path" and has_path else role, "" if are_in_place else taken[role])
        for role in ROLES
        if role in taken
    ]


def call_trainer(trainer: Any, given: Mapping[str, Any]) -> Any:
    """Return what a trainer makes of a file: a function, or a class with a method `train`."""
    made = _call(trainer, given)
    if not inspect.isclass(trainer):
        return made
    result = _call(made.train, given)
    return made if result is None else result


def _call(function: Any, given: Mapping[str, Any]) -> Any:
    given, taken = {**given, "Path": Path(given["path"])}, takes(function)
    by_name = {name: given[role] for role, name in taken if name}
    return function(*(given[role] for role, name in taken if not name), **by_name)


def form(name: str, trainer: Any) -> str:
    """Return the call that `call_trainer` makes, as one would write it.

    >>> form("train_bpe", lambda vocab_size, path, specials: None)
    'train_bpe(path={path}, vocab_size={size}, specials={specials})'
    """
    made = f"{name if name.isidentifier() else 'trainer'}({_written(trainer)})"
    is_class = inspect.isclass(trainer)
    return f"{made}.train({_written(trainer.train)})" if is_class else made


def _written(function: Any) -> str:
    shown = {"Path": "Path({path})", **{role: f"{{{role}}}" for role in ROLES}}
    return ", ".join((name and f"{name}=") + shown[role] for role, name in takes(function))


def plain(value: Any) -> str:
    """Return what a trainer returned as a literal of Python; the set {"Tree"} is an object of the
    type Tree.

    >>> plain(({0: bytearray(b"a")}, [(b"a", "b")]))
    "({0: b'a'}, [(b'a', 'b')])"
    """
    return repr(_plain(value))


def _plain(value: Any, depth: int = 0) -> Any:
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, str):
        return str(value)
    if value is None or isinstance(value, bool):
        return value
    if hasattr(value, "merges") and hasattr(value, "vocab") and not hasattr(value, "items"):
        value = {name: getattr(value, name) for name in ("vocab", "merges")}
    if depth <= 4 and hasattr(value, "items"):
        items = [
            (_plain(key, depth + 1), _plain(each, depth + 1))
            for key, each in islice(value.items(), MOST_ITEMS)
        ]
        return {key if key.__hash__ else repr(key): each for key, each in items}
    if depth <= 4 and hasattr(value, "__iter__"):
        parts = [_plain(each, depth + 1) for each in islice(value, MOST_ITEMS)]
        return tuple(parts) if isinstance(value, tuple) else parts
    return int(value) if hasattr(value, "__index__") else {type(value).__name__}


def load(place: str, folders: list[str]) -> ModuleType:
    """Import a file as the module that its own project knows, or a module by its name."""
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    if not place.endswith(".py"):
        return importlib.import_module(place)
    file = Path(place)
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    if len(names) > 1:
        return importlib.import_module(".".join(names))
    spec = importlib.util.spec_from_file_location(file.stem, str(file))
    assert spec is not None and spec.loader is not None
    module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)  # for its workers
    spec.loader.exec_module(module)
    return module
