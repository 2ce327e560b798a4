"""A function in its own process: its CPUs, its time, its memory, and its end.

Every process of the benchmarks is started here. It ends when its parent ends, however that happens,
and ends the processes it started itself.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

PROGRAM = Path(__file__).with_name("process_child.py")
ANSWER = '{"made": '
"""Begins the line that it answers with."""

SECONDS_TO_STOP = 5.0
SAMPLE_SECONDS = 0.02

MOST_LETTERS = 2_000
"""Of the line in which a process says why it failed: it may be of foreign code."""


class Child:
    """A function that runs in a fresh process, which ends when the `with` block is left.

    The function is "module:function", or "/folder/file.py:function": the process of a file imports
    nothing of bpe_lab. It finds every module that we find: our `sys.path` comes after its own. It
    may use `cpus` of our CPUs, after the first `first_cpu`; None: all.

    >>> with Child("os.path:basename", {"p": "texts/corpus.txt"}) as child:
    ...     child.result()
    'corpus.txt'
    """

    facts: dict[str, Any]
    """Facts about the process after its end: fields of `Record`."""

    def __init__(
        self,
        function: str,
        params: Mapping[str, Any],
        *,
        cpus: int | None = None,
        first_cpu: int = 0,
        environment: Mapping[str, str] = MappingProxyType({}),
        watch_memory: bool = False,
    ) -> None:
        folders = [str(Path(folder).absolute()) for folder in sys.path]
        request = json.dumps({"function": function, "params": dict(params), "folders": folders})
        with contextlib.ExitStack() as stack:
            # Files, not pipes: workers of a killed child would keep the pipes open.
            self.output = stack.enter_context(tempfile.TemporaryFile())
            self.errors = stack.enter_context(tempfile.TemporaryFile())
            # The end of its input tells it that we were killed: we never write.
            until, alive = os.pipe()
            for end in (alive, until):
                stack.callback(os.close, end)
            # The same clock in all processes.
            self.begun, self.cpu_before = time.monotonic(), _children_seconds()
            self.stolen_before = _stolen_seconds()
            with pinned(cpus, first_cpu):
                # Its own session: Ctrl-C reaches the child only through us, and once.
                self.process = subprocess.Popen(
                    [sys.executable, "-P", str(PROGRAM), request],
                    stdin=until,
                    stdout=self.output,
                    stderr=self.errors,
                    env={**os.environ, **environment},
                    start_new_session=True,
                )
            stack.callback(self._end)
            self.memory = PeakMemory(self.process.pid) if watch_memory else None
            if self.memory:
                stack.enter_context(self.memory)
            self.stack = stack.pop_all()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def result(self, time_limit: float | None = None) -> Any:
        """Wait for the function, for `time_limit` seconds, and return what it returned."""
        try:
            code = self.process.wait(time_limit)
        except subprocess.TimeoutExpired:
            _end_group(self.process)
            self.process.wait()
            self.facts = self._seen()
            raise TimeoutError(f"it was ended after {time_limit} s") from None
        if code:
            # Processes it started may still live.
            _end_group(self.process)
            reason = _read_lines(self.errors) or [f"it ended with code {code}"]
            raise RuntimeError(reason[-1][:MOST_LETTERS])
        # Some print while they work, some at their end.
        lines = [line for line in _read_lines(self.output) if line.startswith(ANSWER)]
        if not lines:
            raise RuntimeError("it ended and returned nothing")
        answer = json.loads(lines[-1])
        # Its own figures are more exact than those seen from outside.
        self.facts = self._seen() | answer["facts"]
        self.facts["process_seconds"] = self.facts.pop("clock") - self.begun
        if self.memory and self.facts["anonymous_mb"] is not None:
            # A short peak can fall between two samples.
            seen = self.memory.anonymous_mb or 0.0
            self.facts["peak_anonymous_mb"] = max(seen, self.facts["anonymous_mb"])
        return answer["made"]

    def _seen(self) -> dict[str, Any]:
        """Return what could be seen of the process from outside."""
        return {
            "utc": datetime.now(UTC).isoformat(timespec="seconds"),
            "cpu_seconds": _children_seconds() - self.cpu_before,
            "process_seconds": time.monotonic() - self.begun,
            "steal_seconds": _stolen_seconds() - self.stolen_before,
            "peak_rss_mb": self.memory and self.memory.resident_mb,
            "anonymous_mb": None,
            **({"peak_anonymous_mb": self.memory.anonymous_mb} if self.memory else {}),
        }

    def _end(self) -> None:
        """End it, unless it has ended; give it time to clean up."""
        if self.process.poll() is not None:
            return
        try:
            if sys.platform != "win32":
                self.process.send_signal(signal.SIGINT)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(SECONDS_TO_STOP)
        finally:
            # Also after a second signal: no process may be left that still uses the machine.
            _end_group(self.process)
            self.process.wait()


def _children_seconds() -> float:
    """Return the processor time of the processes that were started here and have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _stolen_seconds() -> float:
    """Return the seconds that the host has taken from our processors; 0 where it does not say."""
    try:
        words = Path("/proc/stat").read_text().split(maxsplit=9)
        return int(words[8]) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0


def _end_group(process: subprocess.Popen[Any]) -> None:
    """End a process and all that it started, if they are still there."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    # PermissionError: macOS raises it for processes that have ended.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _read_lines(file: IO[bytes]) -> list[str]:
    """Return the lines that a child process wrote to a file, without empty ones at the end."""
    file.seek(0)
    return file.read().decode(errors="replace").strip().splitlines()


@contextlib.contextmanager
def pinned(n_cpus: int | None, first: int = 0) -> Iterator[None]:
    """Let this thread, and the processes it starts, run on some of our CPUs only; None: on all.

    On systems without a way to do so (macOS, Windows) it does nothing; records say how many CPUs
    there were.
    """
    if n_cpus is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    if first + n_cpus > len(before):
        raise ValueError(f"{first + n_cpus} CPUs are asked for, we may use {len(before)}")
    os.sched_setaffinity(0, sorted(before)[first : first + n_cpus])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class PeakMemory:
    """The peak memory of a process, sampled fifty times a second from outside.

    The kernel's own peak (VmHWM) also counts mapped pages of files, which the kernel can drop.
    """

    resident_mb: float | None = None
    anonymous_mb: float | None = None
    """Without pages of files; None if the system does not tell them apart."""

    def __init__(self, pid: int) -> None:
        # Imported here: measured processes load this file too, and do not need it.
        import psutil

        self.process, self.gone = psutil.Process(pid), psutil.Error
        self.over = threading.Event()
        self.watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "PeakMemory":
        self._look()
        self.watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.watcher.join()

    def _watch(self) -> None:
        while not self.over.wait(SAMPLE_SECONDS):
            self._look()

    def _look(self) -> None:
        """Take one sample, unless the process is gone."""
        with contextlib.suppress(self.gone):
            now = self.process.memory_info()
            self.resident_mb = max(now.rss / 1e6, self.resident_mb or 0.0)
            if hasattr(now, "shared"):
                anonymous = (now.rss - now.shared) / 1e6
                self.anonymous_mb = max(anonymous, self.anonymous_mb or 0.0)
