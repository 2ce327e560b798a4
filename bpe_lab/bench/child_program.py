"""Calls functions that `child.py` asks for, in a process of its own: `python child_program.py FDS`.

It is run as a file by any Python from 3.8 on: it needs the standard library only, and imports
nothing of bpe_lab by itself. It reads requests, a line of JSON each, and answers each with a line.
"""

from __future__ import annotations

import contextlib
import faulthandler
import fcntl
import functools
import importlib
import importlib.util
import json
import linecache
import os
import re
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import FrameType, ModuleType
    from typing import Any

STACK_SIGNAL = signal.SIGUSR2
"""Makes this process write where it is."""

MOST_LETTERS = 2_000
"""Of what an exception says: it may be of foreign code."""

SAMPLE_SECONDS = 0.005
"""Seconds between two looks at the line that is executed."""

LAB = str(Path(__file__).absolute().parents[1])
LIBRARIES = re.compile(
    r"(site|dist)-packages[/\\]|[/\\](lib|Lib)(64)?[/\\](python|pypy)\d[\d.]*[/\\]"
)
TYPED = ("<stdin", "<ipython", "<doctest")
"""Begin the file names of code that was typed; `<string>` is what Python generates."""

WORKERS = ("multiprocessing", "concurrent", "subprocess.py")
"""In the path of a library's code that waits for other processes."""


@functools.lru_cache(maxsize=None)  # noqa: UP033 - Python 3.8
def is_own(file: str) -> bool:
    """Whether a file, as its code names it, is the user's own: no library, and not of bpe_lab.

    >>> is_own("/home/me/mine.py"), is_own(json.__file__), is_own("<string>"), is_own(__file__)
    (True, False, False, False)
    """
    if file.startswith("<"):
        return file.startswith(TYPED)
    return not (LIBRARIES.search(file) or os.path.abspath(file).startswith(LAB + os.sep))  # noqa: PTH100


def find_function(name: str, loaded: dict[str, ModuleType]) -> Any:
    """Return what "module:function" or "/folder/file.py:function" names.

    :param loaded: files that were loaded before; their packages are not imported.
    """
    place, _, function = name.rpartition(":")
    if not place.endswith(".py"):
        return getattr(importlib.import_module(place), function)
    if place not in loaded:
        spec = importlib.util.spec_from_file_location(Path(place).stem, place)
        assert spec is not None and spec.loader is not None
        loaded[place] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded[place])
    return getattr(loaded[place], function)


def describe(error: BaseException) -> dict[str, Any]:
    """Return the type and text of an exception, and the innermost line of the user's own code."""
    frames = traceback.extract_tb(error.__traceback__)
    places = [(frame.filename, frame.lineno or 0, frame.name) for frame in frames]
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno or 0, ""))
    own = [place for place in places if is_own(place[0])]
    place = [*own[-1], linecache.getline(*own[-1][:2]).strip()] if own else None
    text = " ".join(str(error).split())[:MOST_LETTERS]
    return {"type": type(error).__name__, "text": text, "place": place}


def memory_mb(process: int | str) -> tuple[float | None, float | None]:
    """Return the peak of the resident memory of a process, and its memory now without pages of
    files; None: only Linux tells it."""
    sizes: dict[bytes, float] = {}
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_bytes().splitlines():
            if line.startswith((b"VmHWM:", b"RssAnon:")):
                sizes[line.split(b":")[0]] = int(line.split()[1]) * 1024 / 1e6
    return sizes.get(b"VmHWM"), sizes.get(b"RssAnon")


def end_with_parent(alive: int) -> None:
    """End this process and all that it started when the pipe from the parent closes, on Linux."""
    if hasattr(fcntl, "F_SETSIG"):  # by the kernel, which does not need the GIL
        # With SIGTERM: the cleanup process of multiprocessing ignores it, cleans up, and ends.
        fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(alive, fcntl.F_SETSIG, signal.SIGTERM)
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([alive], [], [], 0)[0]:  # it ended before
        sys.exit()


class Sampler:
    """Looks again and again in which line of the user's code the main thread is.

    It looks by a signal: a thread would get its turn where the code gives up the GIL, and see
    nothing but those lines. What is between two looks is counted for the second one: a long call of
    compiled code is not interrupted.
    """

    def __init__(self) -> None:
        self.seen: dict[tuple[str, int, str], float] = {}

    def __enter__(self) -> Sampler:
        self.before, self.last = signal.signal(signal.SIGALRM, self.look), time.perf_counter()
        signal.setitimer(signal.ITIMER_REAL, SAMPLE_SECONDS, SAMPLE_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self.before)

    def look(self, _: int, frame: FrameType | None) -> None:
        """Note the line, and the time since the last look."""
        waits, now = False, time.perf_counter()
        while frame is not None and not is_own(frame.f_code.co_filename):
            waits = waits or any(part in frame.f_code.co_filename for part in WORKERS)
            frame = frame.f_back
        if frame is not None and frame.f_lineno is not None:  # between two lines it is in none
            code = frame.f_code
            line = ("", 0, "") if waits else (code.co_filename, frame.f_lineno, code.co_name)
            self.seen[line] = self.seen.get(line, 0.0) + now - self.last
        self.last = now

    def lines(self) -> list[list[Any]]:
        """Return [file, line, function, source, share of the time], most time first; where it waits
        for processes that it started, the file is ""."""
        rows, seconds = sorted(self.seen.items(), key=lambda row: -row[1]), sum(self.seen.values())
        return [
            [*line, linecache.getline(*line[:2]).strip() if line[0] else "", took / seconds]
            for line, took in rows
        ]


def call(
    function: Callable[..., Any], params: Mapping[str, Any], measure: bool, facts: dict[str, Any]
) -> Any:
    """Return what a function returns, and note facts about the call and this process."""
    sampler = Sampler()
    begun = time.perf_counter()
    try:
        with sampler if measure else contextlib.nullcontext():
            return function(**params)
    finally:
        facts["seconds"], facts["clock"] = time.perf_counter() - begun, time.monotonic()
        facts["cpu"] = sum(os.times()[:4])  # includes the workers that have ended
        peak, facts["anonymous_mb"] = memory_mb("self")
        unit = 1 if sys.platform == "darwin" else 1024
        who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        own, started = (unit * resource.getrusage(one).ru_maxrss / 1e6 for one in who)
        # `own` may be the peak of the process that started this one: it survives exec.
        facts["peak_rss_mb"] = max(peak or own, started)
        if measure:
            facts["lines"] = sampler.lines()


def serve(ends: list[int], given: Callable[..., Any] | None = None) -> None:
    """Answer requests until there are no more.

    :param ends: descriptors: of the requests, of the pipe that ends with the parent, and of the
        file into which it writes where it is.
    :param given: the function that is called where a request names none.
    """
    channel, alive, stacks = ends
    end_with_parent(alive)
    warnings.simplefilter("ignore")  # nobody reads them, and a test may have made errors of them
    faulthandler.register(STACK_SIGNAL, stacks)
    loaded: dict[str, ModuleType] = {}
    with os.fdopen(os.dup(channel), "w") as answers, os.fdopen(channel) as requests:
        for line in requests:
            request = json.loads(line)
            facts: dict[str, Any] = {}
            try:
                name = request["function"]
                function = find_function(name, loaded) if name else given
                result = call(function, request["params"], request["measure"], facts)  # type: ignore[arg-type]
                # The facts are those before a result that is a function is called.
                content = {"result": result() if callable(result) else result, "facts": facts}
                answer = json.dumps(content)
            except BaseException as error:
                answer = json.dumps({"raised": describe(error), "facts": facts})
                error.__traceback__ = None  # what it holds may be most of the memory
            result, content = None, {}
            sys.stdout.flush()
            sys.stderr.flush()
            answers.write(answer + "\n")
            answers.flush()


def main() -> None:
    """Serve the parent whose descriptors, and folders of modules, the arguments are."""
    *ends, folders = map(json.loads, sys.argv[1:])
    del sys.argv[1:]
    # Ours come last: a file of the user must not replace a module of the standard library.
    here = str(Path(__file__).parent)
    sys.path[:] = [*dict.fromkeys([folder for folder in sys.path if folder != here] + folders)]
    serve(ends)


# Spawned workers of a function load this file again under another name.
if __name__ == "__main__":
    main()
