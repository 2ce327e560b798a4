"""A user's own stage, named as "file.py:name", "file.pyx:name" or "module:name"."""

import importlib
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from bpe_lab.support.compiled_modules import compiled_module
from bpe_lab.support.user_errors import in_a_line


def load_named(place: str) -> object:
    """Return the object that "module:name" or "folder/file.py:name" names; a `.pyx` is compiled.

    :raises ValueError: no such file or module, or nothing of that name in it.
    :raises ImportError: the module does not compile, or fails when it is imported; says why.

    >>> load_named("os:sep")
    '/'
    """
    named, _, name = place.rpartition(":")
    value: object = getattr(load_module(named), name, None)
    if value is None:
        raise ValueError(f"stage {place!r}: {named!r} has no {name!r}")
    return value


def load_module(named: str) -> ModuleType:
    """Return the module of a file, whatever its name, or of a name that Python finds.

    What lies beside it can be imported, but comes last: a file named `random.py` there must not
    replace Python's.
    """
    file = Path(named).absolute()
    is_file = file.suffix in (".py", ".pyx")
    if is_file and not file.is_file():
        raise ValueError(f"stage {named!r}: there is no such file")
    folder = str(file.parent if is_file else Path.cwd())
    if folder not in sys.path:
        sys.path.append(folder)
        importlib.invalidate_caches()
    # Its error names the line: nothing is to be added.
    code = compiled_module(file) if file.suffix == ".pyx" else file
    try:
        return _load_file(code) if is_file else importlib.import_module(named)
    # Also SystemExit: a program that is not meant to be imported may exit.
    except (Exception, SystemExit) as error:
        # The module, or a package that contains it; not a module that it imports.
        absent = error.name if isinstance(error, ModuleNotFoundError) else None
        if absent and not is_file and f"{named}.".startswith(f"{absent}."):
            remedy = "begin in its folder, or name its file"
            raise ValueError(f"stage {named!r}: no module {absent!r} is found: {remedy}") from None
        reason = in_a_line(f"{type(error).__name__}: {error}")
        raise ImportError(f"stage {named!r} fails when it is imported: {reason}") from error


@cache  # Cython refuses to load a module twice
def _load_file(file: Path) -> ModuleType:
    name = file.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(name, module)  # where data classes and pickles look for it
    spec.loader.exec_module(module)
    return module
