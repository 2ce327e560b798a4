"""Compiled programs that only suites, lessons and tests need: the core without an idea, parts.

They are not part of an install: importing this package compiles them, once, in a checkout. A wheel
has none.
"""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

from bpe_lab import native


def _compiled() -> Path | None:
    """Return the folder of the modules, brought up to date by ninja, which takes milliseconds.

    :raises ImportError: a source does not compile.
    """
    above = Path(native.__file__).parents
    build = next((folder for folder in above if (folder / "build.ninja").exists()), None)
    if build is None:
        return None
    folder = build / "ext" / "experiments"
    if not list(folder.glob("pieces.*")):
        print("compiling the experiments, once: half a minute", file=sys.stderr, flush=True)
    search = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
    locked = Path(__file__).parents[2] / "tools" / "ninja"
    done = subprocess.run(
        [locked if os.name == "posix" else "ninja", "experiments"],
        cwd=build,
        env={**os.environ, "PATH": os.pathsep.join(search)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        failed = ImportError(f"the experiments do not compile: ninja -C {build} experiments")
        failed.add_note(done.stdout)
        raise failed
    return folder


if _folder := _compiled():
    __path__.append(str(_folder))
elif importlib.util.find_spec(f"{__name__}.pieces") is None:
    raise ImportError(
        "the experiments are compiled in a checkout only: clone the repository, `make install`"
    )
