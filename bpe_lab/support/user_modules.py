"""A user's own stage, named as "file.py:name" or "module:name"."""

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from bpe_lab.support.compiled_modules import compiled_module, load_compiled
from bpe_lab.support.time_limit import OutOfTime, TimeLimit
from bpe_lab.support.user_errors import error_place, in_a_line

IMPORT_SECONDS = 60.0
"""For the import of a module: torch takes some of them."""


@contextlib.contextmanager
def import_limit(place: str) -> Iterator[None]:
    """End the import of a stage that does not end by itself."""
    try:
        with TimeLimit(IMPORT_SECONDS):
            yield
    except OutOfTime as error:
        reason = f"was still being imported after {IMPORT_SECONDS:g} seconds{error_place(error)}"
        raise ImportError(f"stage {place!r} {reason}") from None


def module_place(place: str, kind: str) -> str:
    """Return "module:name" for either form, and add its folder to the search path, as the last one:
    a file named `random.py` there must not replace Python's. A `.pyx` stays as it is.
    """
    named, _, name = place.rpartition(":")
    is_file, file = named.endswith((".py", ".pyx")), Path(named).absolute()
    if is_file and not file.is_file():
        raise ValueError(f"{kind} {named!r}: there is no such file")
    if file.suffix == ".pyx":
        return place
    folder = str(file.parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    if not is_file:
        return place
    spec = None if "." in file.stem else importlib.util.find_spec(file.stem)
    if spec is None or spec.origin is None or not Path(spec.origin).samefile(file):
        reason = f"no module, or another one, is called {file.stem!r}"
        raise ValueError(f"{kind} {named!r}: {reason}: give the file another name")
    return f"{file.stem}:{name}"


def load_named(place: str, kind: str, example: str) -> object:
    """Return the object that "module:name" or "folder/file.py:name" names; a `.pyx` is compiled.

    :raises ValueError: no such file or module, or nothing of that name in it.
    :raises ImportError: the module does not compile, or fails when it is imported; says why.

    >>> load_named("os:sep", "stage", "mystage:MyStage")
    '/'
    """
    named, _, name = place.rpartition(":")
    if not name or not (named.endswith((".py", ".pyx")) or all(named.split("."))):
        raise ValueError(f"{kind} {place!r}: write file.py:name or module:name, such as {example}")
    module = load_module(place, kind)
    value: object = getattr(module, name, None)
    if value is None:
        raise ValueError(f"{kind} {place!r}: module {module.__name__!r} has no {name!r}")
    return value


def load_module(place: str, kind: str) -> ModuleType:
    """Return the module of a place, as `load_named` takes it."""
    name, place = module_place(place, kind).rpartition(":")[0], place.removesuffix(":")
    # Its error names the line: nothing is to be added.
    compiled = compiled_module(Path(name)) if name.endswith(".pyx") else None
    try:
        return load_compiled(compiled) if compiled else importlib.import_module(name)
    # Also SystemExit: a program that is not meant to be imported may exit.
    except (Exception, SystemExit) as error:
        # The module, or a package that contains it; not a module that it imports.
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent and f"{name}.".startswith(f"{absent}."):
            remedy = "begin in its folder, or name that folder in PYTHONPATH"
            raise ValueError(f"{kind} {place!r}: no module {absent!r} is found: {remedy}") from None
        reason = in_a_line(f"{type(error).__name__}: {error}")
        raise ImportError(f"{kind} {place!r}: module {name!r} fails: {reason}") from error
