"""A user's own `.pyx`, compiled into a folder of the cache that is named by what it holds."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import ModuleType

from bpe_lab.support.files import cache_folder, write_file

INCLUDED = Path(__file__).resolve().parents[1] / "stages"
"""Where Cython looks for what a `.pyx` includes, besides its own folder."""

KEPT = 10
"""Builds in the cache."""

PROGRAM = """\
import sys
from Cython.Build import cythonize
from setuptools import Extension, setup
name, included = sys.argv.pop(), sys.argv.pop()
module = Extension(name, [name + ".pyx"], language="c++", extra_compile_args=["-O3", "-std=c++17"])
made = cythonize([module], include_path=[included], language_level=3, emit_linenums=True)
setup(name=name, ext_modules=made, script_args=["-q", "build_ext", "--inplace"])
"""
"""What compiles a module, in the folder that it lies in."""


@cache  # Cython refuses to load a module twice
def load_compiled(module_file: Path) -> ModuleType:
    """Return a compiled module; it is found by its file, so an earlier one is not in its way."""
    name = module_file.name.partition(".")[0]
    spec = importlib.util.spec_from_file_location(name, module_file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled_module(file: Path) -> Path:
    """Return the compiled module of a `.pyx`, in the cache; it is compiled when it has changed.

    :param file: the source; its stem is the name of the module. It may include a `.pxi` beside it.
    :raises ImportError: Cython or a compiler is missing, or says that the source is not right.
    """
    if missing := [one for one in ("Cython", "setuptools") if not importlib.util.find_spec(one)]:
        raise ImportError(
            f"{file.name} cannot be compiled without {' and '.join(missing)}: "
            f"pip install {' '.join(missing).lower()}"
        )
    sources = {one.name: one.read_bytes() for one in [file, *sorted(file.parent.glob("*.pxi"))]}
    parts = [*sources.values(), *(one.read_bytes() for one in sorted(INCLUDED.glob("*.pxi")))]
    made_by = f"{PROGRAM}{sys.version}{file.stem}".encode()
    digest = hashlib.sha256(b"\0".join([made_by, *parts])).hexdigest()[:16]
    module = cache_folder() / "compiled" / digest / f"{file.stem}{EXTENSION_SUFFIXES[0]}"
    if module.exists():
        with suppress(OSError):  # it may be another user's
            os.utime(module.parent)  # what was used last is kept longest
        return module
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources.items():
            Path(folder, name).write_bytes(source)
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(INCLUDED), file.stem],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        if done.returncode:
            reason = _first_error(Path(folder), file.name, done.stdout)
            raise ImportError(f"{file.name} does not compile: {reason}")
        write_file(module, Path(folder, module.name).read_bytes())
    _forget_oldest(module.parents[1])
    return module


def _forget_oldest(builds: Path) -> None:
    """Delete all builds but the last ones used; what cannot be deleted stays."""
    with suppress(OSError):  # another process deletes, too
        newest_first = sorted(builds.iterdir(), key=lambda one: one.stat().st_mtime, reverse=True)
        for build in newest_first[KEPT:]:
            shutil.rmtree(build, ignore_errors=True)


def _first_error(folder: Path, name: str, printed: str) -> str:
    """Return what the compiler says first of the files in a folder, and the line that it names."""
    sources = {
        one.name: one.read_text(encoding="utf-8", errors="replace").splitlines()
        for one in folder.glob("*.p[xy][ix]")
    }
    if missing := re.search(r"'([^'\n]+)' not found$", printed, re.M):  # Cython names no line
        printed += "".join(
            f"\n{file}:{number}: {missing[0]}"
            for file, lines in sources.items()
            for number, line in enumerate(lines, 1)
            if missing[1] in line
        )
    files = "|".join(map(re.escape, sources))
    found = re.search(rf"^({files}):(\d+):(?:\d+:)? *(?:error: )?(?!warning)(.*)$", printed, re.M)
    if found is None:  # there is no compiler, or it does not find a header
        lines = printed.strip().splitlines()
        return next((line for line in lines if "error: " in line), lines[-1] if lines else "killed")
    file, number, reason = found.groups()
    # Where it expected more, it names the line after the last one.
    lines = sources[file][: int(number)]
    line = lines[-1].strip() if lines else ""
    return f"line {number}{f' of {file}' * (file != name)}, `{line}`: {reason}"
