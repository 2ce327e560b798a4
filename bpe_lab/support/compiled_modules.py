"""A user's own `.pyx`, compiled into a folder of the cache that is named by what it holds."""

import hashlib
import re
import subprocess
import sys
import tempfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from bpe_lab.support.files import cache_folder, write_file

INCLUDED = Path(__file__).resolve().parents[1] / "stages"
"""Where Cython looks for what a `.pyx` includes, besides its own folder."""

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


def compiled_module(file: Path) -> Path:
    """Return the compiled module of a `.pyx`, in the cache; it is compiled when it has changed.

    :param file: the source; its stem is the name of the module. It may include a `.pxi` beside it.
    :raises ImportError: Cython or a compiler is missing, or says that the source is not right.
    """
    sources = {one.name: one.read_bytes() for one in [file, *sorted(file.parent.glob("*.pxi"))]}
    parts = [*sources.values(), *(one.read_bytes() for one in sorted(INCLUDED.glob("*.pxi")))]
    made_by = f"{PROGRAM}{sys.version}{file.stem}".encode()
    digest = hashlib.sha256(b"\0".join([made_by, *parts])).hexdigest()[:16]
    module = cache_folder() / "compiled" / digest / f"{file.stem}{EXTENSION_SUFFIXES[0]}"
    if module.exists():
        return module
    with tempfile.TemporaryDirectory() as folder:
        for name, source in sources.items():
            Path(folder, name).write_bytes(source)
        words = [sys.executable, "-c", PROGRAM, str(INCLUDED), file.stem]
        done = subprocess.run(words, cwd=folder, capture_output=True, encoding="utf-8")
        if done.returncode:
            reason = _first_error(sources, file.name, done.stdout + done.stderr)
            raise ImportError(f"{file.name} does not compile: {reason}")
        write_file(module, Path(folder, module.name).read_bytes())
    return module


def _first_error(sources: dict[str, bytes], name: str, printed: str) -> str:
    """Return what Cython or the compiler says first of the sources, and the line that it names."""
    files = "|".join(map(re.escape, sources))
    found = re.search(rf"^({files}):(\d+):(?:\d+:)? *(?:error: )?(?!warning)(.*)$", printed, re.M)
    if found is None:  # there is no compiler, or it does not find a file
        said = re.search(r"'[^'%\n]+' not found|.*rror: .*", printed)
        return said[0] if said else "killed"
    file, number, reason = found.groups()
    # Where it expected more, it names the line after the last one.
    lines = sources[file].decode(errors="replace").splitlines()[: int(number)]
    return f"line {number}{f' of {file}' * (file != name)}, `{lines[-1].strip()}`: {reason}"
