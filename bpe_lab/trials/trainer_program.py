"""Finds and calls a trainer that is not ours, in its own interpreter: `child_program.py` loads it.

It needs the standard library only, of Python 3.8 or later, and imports nothing of bpe_lab.
"""

from __future__ import annotations

import contextlib
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

NAMES = ("train_bpe", "run_train_bpe")  # what a trainer is called, where no name is given

ROLES = {
    "path": "path input_path input file input_file filename filepath text_path corpus corpus_path",
    "size": "vocab_size vocabulary_size size n_vocab target_vocab_size",
    "specials": "special_tokens specials special",
}
"""What is given to a trainer -> names of the arguments that take it."""

ARGUMENTS = ("input_path", "vocab_size", "special_tokens")

MOST_ITEMS = 1_000_000  # of a list or a dict that a trainer returns; the others are not looked at


class UnfitError(Exception):
    """What is named is no trainer; says why."""


found: dict[str, Any] = {}
"""The trainer of this process."""


def find(place: str, name: str | None, folders: list[str]) -> dict[str, str]:
    """Find the trainer of a file or a module, and return its name and how it is called."""
    name, trainer = find_trainer(load(place, folders), name)
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
    """Return the name and the object of a trainer in a module."""
    if name:
        value: Any = module
        for part in name.split("."):
            if not hasattr(value, part):
                raise UnfitError(f"it has no {name!r}")
            value = getattr(value, part)
        return name, value

    def is_own(value: Any) -> bool:
        return getattr(value, "__module__", None) == module.__name__

    named = [name for name in NAMES if callable(getattr(module, name, None))]
    if named:  # rather its own than one that it imports
        named.sort(key=lambda name: not is_own(getattr(module, name)))
        return named[0], getattr(module, named[0])
    own = {
        name: value
        for name, value in vars(module).items()
        if is_own(value)
        if (inspect.isclass(value) and hasattr(value, "train"))
        or (inspect.isfunction(value) and {"size", "specials"} <= set(roles(value)))
    }
    if len(own) == 1:
        return own.popitem()
    if own:
        raise UnfitError(f"it has {' and '.join(own)}: name one, as FILE.py:{next(iter(own))}")
    arguments = ", ".join(ARGUMENTS)
    raise UnfitError(f"it has no function train_bpe({arguments}), and no class with `train`")


def _is_needed(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty


def roles(function: Any) -> dict[str, inspect.Parameter]:
    """Return what a function takes, in its order: each role, and the parameter that has it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function may not tell
        return {}
    # `form` asks about the `train` of a class, before there is an object of it.
    parameters = [each for each in signature.parameters.values() if each.name != "self"]
    taken: dict[str, inspect.Parameter] = {}
    for parameter in parameters:
        for role, names in ROLES.items():
            # Rather the argument without a default.
            if parameter.name in names.split() and (role not in taken or _is_needed(parameter)):
                taken.pop(role, None)
                taken[role] = parameter
    needed = [each for each in parameters if _is_needed(each) and each.kind in (0, 1)]
    if len(taken) < 3 and len(needed) == 3:  # by their places
        taken = dict(zip(ROLES, needed))  # noqa: B905 - Python 3.8
    return taken


def call_trainer(trainer: Any, given: Mapping[str, Any]) -> Any:
    """Return what a trainer makes of a file: a function, or a class with a method `train`."""
    takes_all = True
    if inspect.isclass(trainer):
        takes_all = not roles(trainer)
        trainer = _call(trainer, given, takes_all=False)
        if not hasattr(trainer, "train"):
            return trainer
    if not hasattr(trainer, "train"):
        return _call(trainer, given)
    result = _call(trainer.train, given, takes_all)
    return trainer if result is None else result


def form(name: str, trainer: Any) -> str:
    """Return the call that `call_trainer` makes, as one would write it.

    >>> form("train_bpe", lambda vocab_size, path, specials: None)
    'train_bpe(vocab_size={size}, path={path}, specials={specials})'
    """
    name = name if all(part.isidentifier() for part in name.split(".")) else "trainer"
    takes_all = True
    if inspect.isclass(trainer):
        takes_all = not roles(trainer)
        name = f"{name}({_written(trainer, takes_all=False)})"
    elif not hasattr(trainer, "train"):
        return f"{name}({_written(trainer)})"
    if not hasattr(trainer, "train"):
        return name
    return f"{name}.train({_written(trainer.train, takes_all)})"


def _call(function: Any, given: Mapping[str, Any], takes_all: bool = True) -> Any:
    """Call a function with what it takes."""
    values = dict(given)
    if _wants_path(function):
        values["path"] = Path(values["path"])
    places, names = _taken(function, takes_all)
    by_name = {name: values[role] for name, role in names.items()}
    return function(*(values[role] for role in places), **by_name)


def _written(function: Any, takes_all: bool = True) -> str:
    """Return the arguments of a call, without their names where these are not needed."""
    shown = {role: f"{{{role}}}" for role in ROLES}
    if _wants_path(function):
        shown["path"] = "Path({path})"
    places, names = _taken(function, takes_all)
    with contextlib.suppress(TypeError, ValueError):
        if dict(inspect.signature(function).bind(*ROLES).arguments) == names:
            return ", ".join(shown.values())
    by_name = [f"{name}={shown[role]}" for name, role in names.items()]
    return ", ".join([shown[role] for role in places] + by_name)


def _wants_path(function: Any) -> bool:
    path = roles(function).get("path")
    return path is not None and "Path" in str(path.annotation)


def _taken(function: Any, takes_all: bool) -> tuple[list[str], dict[str, str]]:
    """Return which roles a function takes by place, and argument -> role for the others.

    One that does not tell takes all, or nothing; what it can take by its `**` has the course's
    names.
    """
    taken = roles(function)
    if not taken:
        return [*ROLES] if takes_all else [], {}
    places = [role for role, each in taken.items() if each.kind is each.POSITIONAL_ONLY]
    names = {each.name: role for role, each in taken.items() if role not in places}
    kinds = [each.kind for each in inspect.signature(function).parameters.values()]
    if takes_all and inspect.Parameter.VAR_KEYWORD in kinds:
        course = zip(ARGUMENTS, ROLES)  # noqa: B905 - Python 3.8
        names.update((name, role) for name, role in course if role not in taken)
    return places, names


def plain(value: Any, depth: int = 0) -> Any:
    """Return what a trainer returned as JSON has it: `b..` are bytes in hex, `s..` is a str.

    >>> plain(({0: b"a"}, [(b"a", "b")]))
    {'u': [{'d': [[0, 'b61']]}, [{'u': ['b61', 'sb']}]]}
    """
    if isinstance(value, (bytes, bytearray)):
        return "b" + bytes(value).hex()
    if isinstance(value, str):
        return "s" + value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if hasattr(value, "merges") and hasattr(value, "vocab") and not hasattr(value, "items"):
        value = {name: getattr(value, name) for name in ("vocab", "merges")}
    if depth <= 4 and hasattr(value, "items"):
        items = islice(value.items(), MOST_ITEMS)
        return {"d": [[plain(key, depth + 1), plain(each, depth + 1)] for key, each in items]}
    if depth <= 4 and hasattr(value, "__iter__"):
        parts = [plain(each, depth + 1) for each in islice(value, MOST_ITEMS)]
        return {"u": parts} if isinstance(value, tuple) else parts
    if hasattr(value, "__index__"):  # an integer of numpy
        return int(value)
    return {"t": type(value).__name__}


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
    try:
        if len(names) > 1:
            return importlib.import_module(".".join(names))
        spec = importlib.util.spec_from_file_location(file.stem, str(file))
        assert spec is not None and spec.loader is not None
        module = sys.modules[file.stem] = importlib.util.module_from_spec(spec)  # for its workers
        spec.loader.exec_module(module)
        return module
    except ImportError as error:
        # `from .common import ...` in a folder without `__init__.py`
        if "relative import" not in str(error) or len(names) > 1:
            raise
    sys.path[0] = str(folder.parent)
    return importlib.import_module(f"{folder.name}.{file.stem}")
