"""What a user names as "module:name": a stage or a suite of a module of theirs."""

import importlib
import sys
from pathlib import Path


def find_modules_here() -> None:
    """Let modules of the current folder be imported, which a command's folder is not.

    Behind all others: a file here that is called `random.py` must not take the place of Python's.

    >>> find_modules_here()
    >>> str(Path.cwd()) in sys.path
    True
    """
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)


def load_named(place: str, kind: str, example: str) -> object:
    """Return what "module:name" names.

    :param place: "module:name".
    :param kind: what it is to be, for errors.
    :param example: a place of that kind, for errors.
    :raises ValueError: no such module, or nothing of that name in it.
    :raises ImportError: the module fails when it is imported; says why.

    >>> load_named("os:sep", "stage", "mystage:MyStage")
    '/'
    """
    module_name, _, name = place.partition(":")
    if not name or not all(module_name.split(".")) or module_name.endswith(".py"):
        raise ValueError(f"{kind} {place!r}: write module:name, such as {example}")
    try:
        module = importlib.import_module(module_name)
    # Also SystemExit: a program that was not written to be imported may end itself.
    except (Exception, SystemExit) as error:
        # The module, or a package that it lies in; not one that it imports itself.
        if isinstance(error, ModuleNotFoundError) and f"{module_name}.".startswith(
            f"{error.name}."
        ):
            raise ValueError(
                f"{kind} {place!r}: no module {error.name!r} is found: begin in the folder that it "
                "lies in, or name that folder in PYTHONPATH"
            ) from None
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise ImportError(f"{kind} {place!r}: module {module_name!r} fails: {said}") from error
    found: object = getattr(module, name, None)
    if found is None:
        file = getattr(module, "__file__", None) or "built in"
        raise ValueError(f"{kind} {place!r}: module {module_name!r} ({file}) has no {name!r}")
    return found
