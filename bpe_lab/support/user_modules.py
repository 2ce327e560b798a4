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
    """Return "module:name" for either form, and add its folder to the search path.

    A `.pyx` is no module before it is compiled: its place stays as it is.

    For a module that is the current folder, which a command does not search by itself. It comes
    after all others: a file named `random.py` there must not replace Python's. Processes that we
    start search the same folders.
    """
    named, _, name = place.rpartition(":")
    is_file, file = named.endswith((".py", ".pyx")), Path(named).absolute()
    if is_file and not file.is_file():
        raise ValueError(f"{kind} {named!r}: there is no such file")
    if file.suffix == ".pyx":
        if not file.stem.isidentifier():
            reason = f"no module can be called {file.stem!r}"
            raise ValueError(f"{kind} {named!r}: {reason}: give the file another name")
        return place
    folder = str(file.parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    if not is_file:
        return place
    module = file.stem
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):  # a dot in its name; a module without a file
        spec = None
    if spec is None or spec.origin is None or not Path(spec.origin).samefile(file):
        reason = "no module can be called" if "." in module else "another module is called"
        raise ValueError(f"{kind} {named!r}: {reason} {module!r}: give the file another name")
    return f"{module}:{name}"


def load_named(place: str, kind: str, example: str) -> object:
    """Return the object that "module:name" or "folder/file.py:name" names; a `.pyx` is compiled.

    :raises ValueError: no such file or module, or nothing of that name in it.
    :raises ImportError: the module does not compile, or fails when it is imported; says why.

    >>> load_named("os:sep", "stage", "mystage:MyStage")
    '/'
    """
    named, _, name = place.rpartition(":")
    is_file = named.endswith((".py", ".pyx"))
    if not name or not (is_file or all(named.split("."))):
        raise ValueError(f"{kind} {place!r}: write file.py:name or module:name, such as {example}")
    module = load_module(place, kind)
    value: object = getattr(module, name, None)
    if value is None:
        file = named if is_file else getattr(module, "__file__", None) or "built in"
        raise ValueError(f"{kind} {place!r}: module {module.__name__!r} ({file}) has no {name!r}")
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
            raise ValueError(
                f"{kind} {place!r}: no module {absent!r} is found: begin in the folder that it "
                "lies in, or name that folder in PYTHONPATH"
            ) from None
        reason = in_a_line(f"{type(error).__name__}: {error}")
        raise ImportError(f"{kind} {place!r}: module {name!r} fails: {reason}") from error
