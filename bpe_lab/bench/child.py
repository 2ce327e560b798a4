"""Functions in a fresh process: its time, its memory, its CPUs, and its end.

Whatever a function does ends only its own process, and nothing that it started is left; the process
ends when its parent ends, however that happens (but on Linux: when its function has returned).
"""

import contextlib
import json
import linecache
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bpe_lab.bench import child_program

MARK = "BPE_LAB_CHILD"
"""In the environment of each process: what it starts in sessions of their own is found by it."""

LOOKS = 2
"""How often nothing must be found before all that it started has ended."""

LEAST_SECONDS, MOST_SECONDS = 0.001, 0.02
"""Between two looks at its memory: a tenth of the time that it has run, within these."""

MOST_PRINTED = 1_000_000
"""Bytes of what it prints that are kept."""


class Place(NamedTuple):
    """A line of the user's own code."""

    file: str
    line: int
    function: str
    source: str


class ChildError(RuntimeError):
    """A function did not return."""


class ChildTimeout(ChildError):  # noqa: N818
    """It was still at work, at `place` of its own code, and was ended."""

    def __init__(self, seconds: float, place: Place | None) -> None:
        super().__init__(f"it was ended after {seconds:g} s")
        self.place = place


class ChildRaised(ChildError):  # noqa: N818
    """It raised an exception, at `place` of its own code; a MemoryError also where it had taken
    more than it may, and was ended."""

    def __init__(self, type: str, text: str, place: Sequence[Any] | None) -> None:
        super().__init__(text or type)
        self.type, self.text = type, text
        self.place = Place(*place) if place else None


class ChildEnded(ChildError):  # noqa: N818
    """Its process ended: `how` says it in words, `last` is the last line that it printed.

    :param code: its exit code, or minus its signal; None: it lives, without a connection.
    """

    def __init__(self, code: int | None, how: str, last: str) -> None:
        super().__init__(f"it {how}" + (f": {last}" if last else ""))
        self.code, self.how, self.last = code, how, last


class Child:
    """A process that serves calls one after another; it starts at the first one, and again after
    it has ended.

    :param python: its interpreter, 3.8 or newer; ours finds every module that we find.
    :param cpus: how many of our CPUs it may use; None: all.
    :param environment: added to ours.
    :param memory: bytes that a call may take more than the process has before it, watched up to
        50 times a second; 0: no limit.
    :param fork: it is a fork of this process, for functions of a notebook.
    :raises ValueError: `fork`, and here that is not possible.

    >>> with Child() as child:
    ...     child.call("os.path:basename", {"p": "texts/corpus.txt"})
    'corpus.txt'
    """

    facts: dict[str, Any]
    """After a call: seconds of the function; process_seconds, with the start of the process;
    cpu_seconds; peak_rss_mb and peak_anonymous_mb of its largest process, the second without pages
    of files where the system tells that (Linux); lines, where they were measured."""

    def __init__(
        self,
        python: str | os.PathLike[str] = sys.executable,
        cwd: str | os.PathLike[str] | None = None,
        cpus: int | None = None,
        environment: Mapping[str, str] = MappingProxyType({}),
        memory: int = 0,
        fork: bool = False,
    ) -> None:
        is_main = threading.current_thread() is threading.main_thread()
        if fork and not (is_main and sys.platform in ("linux", "darwin")):
            raise ValueError("a function of this process needs Linux or macOS, and the main thread")
        self.python, self.cwd, self.memory, self.fork = os.fspath(python), cwd, memory, fork
        self.cpus, self.mark = cpus, uuid.uuid4().hex
        self.environment = {**os.environ, MARK: self.mark, **environment}
        # Files, not pipes, which what it started may keep open.
        self._output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._stacks = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115
        self._pid = 0
        self._code: int | None = None
        self._ends = contextlib.ExitStack()

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether its process was started, and has not been seen to end."""
        return bool(self._pid)

    def call(
        self,
        function: str | Callable[..., Any],
        params: Mapping[str, Any],
        seconds: float | None = None,
        measure: bool = False,
    ) -> Any:
        """Call a function and return what it returned, as JSON has it.

        :param function: "module:function" or "/folder/file.py:function", of which no package is
            imported; with `fork` also a function, the same one until `restart`.
        :param params: its arguments, by name.
        :param seconds: after which its process is ended; None: no limit.
        :param measure: note in which lines of the user's own code it spends its time.
        :raises ChildError: it did not return.
        """
        is_named = isinstance(function, str)
        request = {"function": function if is_named else "", "params": dict(params)}
        line = json.dumps({**request, "measure": measure}) + "\n"
        self._prepare()
        if not self._pid:
            self._start(None if isinstance(function, str) else function)
        self._base = next(_memory_mb(self._pid), (0.0, 0.0))[1]
        with contextlib.suppress(OSError):  # it has ended: that is its answer
            self._socket.sendall(line.encode())
        parts = [b""]
        while not parts[-1].endswith(b"\n"):
            ready, _, _ = select.select([self._socket], [], [], self._pause())
            part = b""
            if ready:
                with contextlib.suppress(OSError):
                    part = self._socket.recv(1 << 20)
                parts.append(part)
            if (ready and not part) or (not ready and self._has_ended()):
                raise self._ended()
            self._watch(seconds)
        answer = json.loads(b"".join(parts))
        self._note(**answer.pop("facts", {}))
        if "raised" in answer:
            raise ChildRaised(**answer["raised"])
        return answer["result"]

    def run(self, words: Sequence[str], seconds: float | None = None) -> int:
        """Run a program in place of a function, and return its exit code, or minus its signal.

        :raises OSError: it cannot be started.
        :raises ChildError: it did not end, or took too much memory.
        """
        self.restart()
        self._prepare()
        self._popen(words)
        while not self._has_ended():
            self._watch(seconds)
            time.sleep(self._pause())
        self._note()
        _end_group(self._pid)  # what it left; `close` ends the rest
        self._pid = 0
        assert self._code is not None
        return self._code

    def printed(self) -> str:
        """Return the last of what it has printed since it was started."""
        file = self._output.fileno()
        begin = max(0, os.fstat(file).st_size - MOST_PRINTED)
        return os.pread(file, MOST_PRINTED, begin).decode(errors="replace")

    def restart(self) -> None:
        """End its process: the next call is the first one of a new one."""
        if self._pid:
            _end_group(self._pid)
            if self.fork and self._code is None:  # it may not have its group yet
                os.kill(self._pid, signal.SIGKILL)
            self._has_ended(wait=True)
            _end_started(self.mark, self._pid)
            self._pid = 0
            self._ends.close()

    def close(self) -> None:
        """End its process and all that it started."""
        self.restart()
        _end_started(self.mark)
        self._output.close()
        self._stacks.close()

    def _prepare(self) -> None:
        self.facts, self._base, self._resident, self._anonymous = {}, 0.0, 0.0, 0.0
        self._begun = time.monotonic()  # the same clock in all processes

    def _start(self, given: Callable[..., Any] | None) -> None:
        self._ends = contextlib.ExitStack()
        self._socket, theirs = map(self._ends.enter_context, socket.socketpair())
        until, alive = os.pipe()  # its end tells the process that we have ended: we never write
        self._ends.callback(os.close, alive)
        ends = (theirs.fileno(), until, self._stacks.fileno())
        try:
            if self.fork:
                self._fork(ends, alive, given)
            else:
                folders = [os.path.abspath(folder) for folder in sys.path]  # noqa: PTH100
                words = [self.python, child_program.__file__, *map(str, ends)]
                ours = self.python == sys.executable
                self._popen([*words, json.dumps(folders if ours else [])], pass_fds=ends)
        except BaseException:
            self._ends.close()
            raise
        finally:
            theirs.close()
            os.close(until)

    def _popen(self, words: Sequence[str], **how: Any) -> None:
        self._clear(serves="pass_fds" in how)
        with pinned(self.cpus):
            process = subprocess.Popen(
                words,
                cwd=self.cwd,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=self._output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C reaches it only through us
                **how,
            )
        self._pid, process.returncode = process.pid, 0  # it is waited for here

    def _fork(self, ends: Sequence[int], alive: int, given: Callable[..., Any] | None) -> None:
        self._clear(serves=True)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        with pinned(self.cpus):
            self._pid = os.fork()
        if self._pid:
            return
        try:  # in the child, which never comes back
            os.setsid()
            os.close(alive)
            self._socket.close()
            os.environ.update(self.environment)
            os.chdir(self.cwd or ".")
            nothing = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((nothing, 0), (self._output.fileno(), 1), (1, 2)):
                os.dup2(source, target)
            # A notebook's own streams send what is printed by a thread that the child has not.
            sys.stdout, sys.stderr = (os.fdopen(end, "w", closefd=False) for end in (1, 2))
            for number in (signal.SIGINT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            child_program.serve([*map(os.dup, ends)], given)
        finally:
            os._exit(0)

    def _clear(self, serves: bool) -> None:
        self._serves, self._code, self._cpu, self._cpu_before = serves, None, 0.0, 0.0
        for file in (self._output, self._stacks):
            file.seek(0)  # for the process, too
            file.truncate()

    def _pause(self) -> float:
        return min(max((time.monotonic() - self._begun) / 10, LEAST_SECONDS), MOST_SECONDS)

    def _has_ended(self, wait: bool = False) -> bool:
        if self._code is None:
            with contextlib.suppress(ChildProcessError):
                pid, status, usage = os.wait4(self._pid, 0 if wait else os.WNOHANG)
                if pid:
                    self._code = os.waitstatus_to_exitcode(status)
                    self._cpu = usage.ru_utime + usage.ru_stime
        return self._code is not None

    def _watch(self, seconds: float | None) -> None:
        """Note its memory; end it if that is too much, or if its time is over."""
        taken = 0.0
        for resident, anonymous in _memory_mb(self._pid):
            self._resident = max(self._resident, resident)
            self._anonymous = max(self._anonymous, anonymous)
            taken = max(taken, anonymous)
        if os.fstat(self._output.fileno()).st_size > MOST_PRINTED:
            self._output.seek(0)
            self._output.truncate()
        clock = time.monotonic()
        too_much = self.memory and taken > self._base + self.memory / 1e6
        if too_much or (seconds is not None and clock > self._begun + seconds):
            place = self._where()
            self.restart()
            self._note(clock)
            if too_much:
                raise ChildRaised("MemoryError", "", place)
            assert seconds is not None
            raise ChildTimeout(seconds, place)

    def _ended(self) -> ChildEnded:
        """Say how its process ended, after ending what is left of it."""
        clock = time.monotonic()
        end = clock + 1.0
        while not self._has_ended() and time.monotonic() < end:
            time.sleep(0.01)
        code = self._code
        how = "closed its connection to bpe-lab" if code is None else how_it_ended(code)
        self.restart()
        self._note(clock)
        lines = self.printed().strip().splitlines()
        return ChildEnded(code, how, lines[-1] if lines else "")

    def _note(
        self,
        clock: float | None = None,
        cpu: float = 0.0,
        peak_rss_mb: float = 0.0,
        anonymous_mb: float | None = None,
        **facts: Any,
    ) -> None:
        """Keep the facts about a call; the figures of a process are more exact than those seen
        from outside, between which a short peak may fall."""
        cpu = cpu or self._cpu or self._cpu_before
        anonymous = max(self._anonymous, anonymous_mb or 0.0)
        self.facts = {
            "process_seconds": (clock or time.monotonic()) - self._begun,
            "cpu_seconds": cpu - self._cpu_before,
            "peak_rss_mb": max(self._resident, peak_rss_mb) or None,
            "peak_anonymous_mb": anonymous or None,
            **facts,
        }
        self._cpu_before = cpu

    def _where(self) -> Place | None:
        """Return the line of the user's own code in which it is."""
        if not self._serves:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, child_program.STACK_SIGNAL)
        stacks, end = "", time.monotonic() + 0.5
        while not stacks.endswith("\n") and time.monotonic() < end:
            time.sleep(0.02)
            stacks = os.pread(self._stacks.fileno(), 1 << 20, 0).decode(errors="replace")
        # The main thread is the last one; in each the innermost call is the first.
        for stack in reversed(stacks.split("\n\n")):
            for file, line, function in re.findall(r'File "(.+)", line (\d+) in (.+)', stack):
                if child_program.is_own(file):
                    source = linecache.getline(file, int(line)).strip()
                    return Place(file, int(line), function, source)
        return None


def how_it_ended(code: int) -> str:
    """Say how a process ended, by its exit code, or the negative number of a signal.

    >>> how_it_ended(3), how_it_ended(-11)
    ('ended with exit code 3', 'was ended by the signal SIGSEGV')
    """
    if code >= 0:
        return f"ended with exit code {code}"
    names = {number.value: number.name for number in signal.Signals}
    return f"was ended by the signal {names.get(-code, -code)}"


@contextlib.contextmanager
def pinned(n_cpus: int | None) -> Iterator[None]:
    """Let this thread, and the processes it starts, run on some of our CPUs only; None: on all.

    Where the system has no way to do so (macOS) it does nothing.
    """
    if n_cpus is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:n_cpus])
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _memory_mb(pid: int) -> Iterator[tuple[float, float]]:
    """Yield the resident and the anonymous memory of a process, and of each that it started.

    Linux tells the peak of the first; elsewhere both are the resident memory now.
    """
    if sys.platform == "linux":
        resident, anonymous = child_program.memory_mb(pid)
        yield resident or 0.0, anonymous or 0.0
        with contextlib.suppress(OSError):
            for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
                yield from _memory_mb(int(child))
    else:
        import psutil

        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            for each in (process, *process.children(recursive=True)):
                yield (each.memory_info().rss / 1e6,) * 2


def _end_group(pid: int) -> None:
    assert pid > 0  # 0 would be our own group
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended
        os.killpg(pid, signal.SIGKILL)


def _end_started(mark: str, session: int = -1) -> None:
    """End all processes that have a mark in their environment, and all of a session."""
    import psutil

    clean = 0
    while clean < LOOKS:  # what has just begun has no environment for a moment
        ended = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if os.getsid(process.pid) == session or process.environ().get(MARK) == mark:
                    process.kill()
                    ended.append(process)
        psutil.wait_procs(ended, timeout=1.0)
        clean = 0 if ended else clean + 1
