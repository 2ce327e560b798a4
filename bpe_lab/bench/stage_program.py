"""The program `ext/tests/one_stage.cpp`: one stage or counter on one text, without Python.

It is compiled on first use, with the flags of the build, and kept in the cache folder.
"""

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.corpora import cache_folder
from bpe_lab.support.files import folder_aside

SOURCES = Path(bpe_lab.__file__).resolve().parents[1] / "ext"
"""In a checkout; an ordinary install has no sources."""

SOURCE = SOURCES / "tests" / "one_stage.cpp"

SIMULATOR = "valgrind"


def lacking() -> list[str]:
    """Return what the program and its simulated runs need and is missing, with its remedy."""
    cxx = _compiler()[0]
    needed = {
        f"{SIMULATOR} (Debian, Ubuntu: apt-get install valgrind)": shutil.which(SIMULATOR),
        f"the C++ compiler {cxx} (Debian, Ubuntu: apt-get install g++)": shutil.which(cxx),
        "the sources in ext/ (work in a checkout, installed by make install)": SOURCE.is_file(),
    }
    return [name for name, present in needed.items() if not present]


def _compiler() -> list[str]:
    """Return the command of the C++ compiler: `CXX` of the environment, else c++."""
    return shlex.split(os.environ.get("CXX", "")) or ["c++"]


def _flags() -> list[str]:
    """Return the compiler's flags: the same as for `bpe_lab.native`."""
    from bpe_lab import native

    common = ["-DNDEBUG", "-fvisibility=hidden", "-fPIC", "-pthread"]
    openmp = ["-fopenmp"] if native.openmp_version() else []
    return [*native.flags().split(), *common, *openmp]


def stage_program() -> Path:
    """Return the program; it is compiled again when sources, compiler, flags or `regex` change."""
    compiler = run([*_compiler(), "--version"]).splitlines()[0]
    made_of = [compiler, *_flags(), version("regex"), platform_of_python()]
    for source in sorted([*SOURCES.glob("*.[ch]pp"), SOURCE, SOURCES / "unicode_classes.py"]):
        made_of += [source.name, hashlib.sha256(source.read_bytes()).hexdigest()]
    digest = hashlib.sha256("\n".join(made_of).encode()).hexdigest()[:12]
    program = cache_folder() / f"one_stage-{digest}"
    if not program.exists():
        with folder_aside(program) as folder:
            built, header = folder / program.name, folder / "unicode_classes.hpp"
            run([sys.executable, str(SOURCES / "unicode_classes.py"), str(header)])
            parts = [SOURCE, SOURCES / "counter.cpp", SOURCES / "stages.cpp"]
            files = [f"-I{folder}", f"-I{SOURCES}", *map(str, parts), "-o", str(built)]
            run([*_compiler(), *_flags(), *files])
            built.replace(program)
    return program


def platform_of_python() -> str:
    """Return system and processor; not the kernel, because a new kernel needs no new program."""
    return f"{sys.platform} {platform.machine()}"


def run(words: Sequence[str], *, called: str = "", **how: Any) -> str:
    """Run a command and return its output; fail with the first line about an error."""
    done: subprocess.CompletedProcess[str] = subprocess.run(
        words, capture_output=True, text=True, check=False, **how
    )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        reason = next((line for line in lines if "error" in line), lines[-1]).strip()
        raise RuntimeError(f"{called or Path(words[0]).name} failed: {reason}")
    return done.stdout
