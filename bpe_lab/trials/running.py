"""Runs a trainer that is not ours: in a process of its own, by a command, or by fork.

Whatever it does ends only its own process, within a limit of time and of memory, and nothing that
it started is left.
"""

import contextlib
import json
import linecache
import os
import re
import select
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, NamedTuple

from bpe_lab.support.columns import as_code
from bpe_lab.support.sizes import size_in_words
from bpe_lab.support.time_limit import OutOfTime, TimeLimit
from bpe_lab.support.user_errors import error_place, in_a_line, in_user_code, place_in_words
from bpe_lab.support.user_modules import IMPORT_SECONDS
from bpe_lab.trials import trainer_program
from bpe_lab.trials.outcome import Outcome, from_plain, outcome_of
from bpe_lab.trials.places import parted
from bpe_lab.trials.result_files import read_result
from bpe_lab.trials.texts import Text, repeated

MOST_PRINTED = 1_000_000
"""Bytes of what it prints that are kept: the last ones."""

LOOK_SECONDS = 0.05
"""Seconds between checks that its process is alive."""

LOOKS = 2
"""How often nothing must be found before all that it started has ended."""

MOST_SHOWN = 200
"""Letters of a text that are shown; a longer one is kept in a file."""

MARK = "BPE_LAB_TRIAL"
"""In the environment of each process that it starts."""

IMPORTS = ("ModuleNotFoundError", "ImportError", "PackageNotFoundError")
"""Errors of an interpreter that lacks what a project needs, or the project itself: each package of
the course asks for its own version."""


NAME_PYTHON = "name the interpreter that has it, as --python ../mine/.venv/bin/python"


class Line(NamedTuple):
    """A line of a trainer's own code, and its share of the time.

    :param file: "" where it waits for processes that it started.
    """

    file: str
    line: int
    function: str
    source: str
    share: float


class Measured(NamedTuple):
    """What a trainer needed for a text.

    :param seconds: of the whole job.
    :param peak: of the memory of its largest process, in bytes; None: not known.
    :param lines: of its own code, most time first; () where nobody can look.
    """

    outcome: Outcome
    seconds: float
    peak: int | None = None
    lines: tuple[Line, ...] = ()


class Trainer:
    """A trainer that can be run."""

    name: str
    form: str
    """How it is called, as `trainer_program.form` has it; a command has none."""

    def begin(self) -> None:
        """Start its process, if it has one and that is not there."""

    def run(self, text: Text, seconds: float, again: bool = False) -> Outcome:
        """Return what it makes of a text within so many seconds.

        :param again: the file has the name and the folder of the text before, else new ones.
        """
        raise NotImplementedError

    def measure(self, text: Text, seconds: float) -> Measured:
        """Return what it needs for a text: as the first one of its process, where it has one."""
        begun = time.perf_counter()
        outcome = self.run(text, seconds)
        return Measured(outcome, time.perf_counter() - begun)

    def call(self, text: Text) -> list[str]:
        """Return statements that give it a text; of Python where it is no command."""
        unit, count = repeated(text.content)
        content = f"{unit!r} * {count:,}".replace(",", "_") if count > 9 else repr(text.content)
        file, write = "t.txt", f'open("t.txt", "wb").write({content})'
        if len(content) > MOST_SHOWN:
            file, write = kept(text), f"# {content[:MOST_SHOWN]} ..."
        specials = json.dumps(list(text.special_tokens), ensure_ascii=False)
        return [write, self.form.format(path=f'"{file}"', size=text.vocab_size, specials=specials)]

    def restart(self) -> None:
        """End its process, if it has one: the next text is the first of a new one."""

    def close(self) -> None:
        """End it and all that it started."""

    def printed(self) -> str:
        """Return the last of what it printed."""
        return ""


def kept(text: Text) -> str:
    """Return a file with a text that is too long to be shown; it stays."""
    with tempfile.NamedTemporaryFile(prefix="bpe-lab-try-", suffix=".txt", delete=False) as file:
        file.write(text.content)
    return file.name


class CannotRunError(ValueError):
    """A trainer cannot be run at all; says why, and the remedy."""


class _Started(Trainer):
    """A trainer in processes that are started for it.

    :param memory: bytes that it may take, 0 for no limit.
    """

    def __init__(self, memory: int) -> None:
        self.memory, self.mark, self.pid, self.peak = memory, uuid.uuid4().hex, 0, 0
        self.code: int | None = None

    def _run(self, words: Sequence[str], output: IO[bytes], **how: Any) -> None:
        environment = {**os.environ, MARK: self.mark, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
                **how,
            )
        except OSError as error:
            raise CannotRunError(f"{words[0]}: {error.strerror}") from None
        self.pid, self.code, self.peak = process.pid, None, 0
        process.returncode = 0  # it is waited for here

    def _wait(self, block: bool = False) -> int | None:
        """Return the exit code of the process, negative for a signal; None: it lives."""
        if self.code is None:
            with contextlib.suppress(ChildProcessError):
                pid, status, usage = os.wait4(self.pid, 0 if block else os.WNOHANG)
                if pid:
                    self.code = os.waitstatus_to_exitcode(status)
                    if sys.platform != "linux":  # where it may be ours, as it survives exec
                        self.peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        return self.code

    def _end(self) -> None:
        if self.pid:
            _end_all(self.pid, self.mark)
            self._wait()


class _Served(_Started):
    """A trainer behind `trainer_program.serve`, in a process that is started when it is needed.

    :param settings: for `trainer_program`.
    """

    place: str

    def __init__(self, memory: int, **settings: Any) -> None:
        super().__init__(memory)
        self.folder = tempfile.TemporaryDirectory(prefix="bpe-lab-try-", ignore_cleanup_errors=True)
        self.texts = self._new_folder()
        self.stacks = Path(self.folder.name, "stacks")
        self.settings = {**settings, "memory": memory, "stacks": str(self.stacks)}
        printed = Path(self.folder.name, "printed")
        self.output: IO[bytes] = printed.open("ab+", buffering=0)
        self.running = False
        self.libraries = trainer_program.libraries()  # until it tells its own

    def _new_folder(self) -> tempfile.TemporaryDirectory[str]:
        return tempfile.TemporaryDirectory(dir=self.folder.name, ignore_cleanup_errors=True)

    def _begin(self, channel: socket.socket, alive: int) -> None:
        raise NotImplementedError

    def _start(self) -> None:
        """Start its process, and wait until the trainer is there."""
        ours, theirs = socket.socketpair()
        alive, self.alive = os.pipe()
        try:
            self.output.truncate(0)
            self._begin(theirs, alive)
        finally:
            theirs.close()
            os.close(alive)
        self.channel, self.rest = ours, b""
        self.running = True
        answer = self._answer(IMPORT_SECONDS)
        if "name" in answer:
            self.name, self.form = answer["name"], answer["form"]
            self.libraries = answer["libraries"]
            return
        self._stop()
        if "unfit" in answer:
            raise CannotRunError(f"{self.place}: {answer['unfit']}")
        if "raised" in answer:
            raised = answer["raised"]
            what = in_a_line(raised["what"])
            reason = f"{self.place} fails when it is imported: {what}{_place(raised)}"
            if raised["type"] in IMPORTS:
                reason += f": {NAME_PYTHON}"
            raise CannotRunError(reason)
        raise CannotRunError(
            f"{self.place} was still being imported after {IMPORT_SECONDS:g} s{answer['where']}"
            if "where" in answer
            else f"{self.place}: its process {answer['ended']} at its import{self._last_words()}"
        )

    def begin(self) -> None:
        if not self.running:
            self._start()

    def run(self, text: Text, seconds: float, again: bool = False) -> Outcome:
        return self._asked(text, seconds, again)[0]

    def measure(self, text: Text, seconds: float) -> Measured:
        self.restart()
        outcome, found = self._asked(text, seconds, False, measure=True)
        if not found:
            return Measured(outcome, seconds)
        lines = tuple(Line(*line) for line in found["lines"])
        return Measured(outcome, found["seconds"], found["peak"], lines)

    def _asked(
        self, text: Text, seconds: float, again: bool, measure: bool = False
    ) -> tuple[Outcome, dict[str, Any]]:
        self.begin()
        if not again:  # what it leaves beside a text is not there for the next one
            self.texts.cleanup()
            self.texts = self._new_folder()
        file = Path(self.texts.name, "text.txt")
        file.write_bytes(text.content)
        given = (str(file), text.vocab_size, text.special_tokens)
        request = {"given": given, "measure": measure}
        with contextlib.suppress(OSError):  # it has ended: that is its answer
            self.channel.sendall(json.dumps(request).encode() + b"\n")
        answer = self._answer(seconds)
        if "made" in answer:
            made = from_plain(answer["made"])
            return outcome_of(made, text.special_tokens), answer["measured"]
        if "raised" in answer:
            return _failure(answer["raised"], self.memory), {}
        if "where" in answer:
            said = f"was still at work after {seconds:g} seconds{answer['where']}"
            if answer["taken"] > self.memory / 2:
                said += f" (it had taken {size_in_words(answer['taken'])})"
            return Outcome(failed="endless", said=said, place=answer["where"]), {}
        said = f"did not return: its process {answer['ended']}{self._last_words()}"
        return Outcome(failed="error", said=said, place=answer["ended"]), {}

    def _answer(self, seconds: float) -> dict[str, Any]:
        """Return the next answer; without one, where it was or how it ended."""
        end = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = end - time.monotonic()
            if left <= 0:
                where, taken = self._where(), self._taken()
                self._stop()
                return {"where": where, "taken": taken}
            ready, _, _ = select.select([self.channel], [], [], min(left, LOOK_SECONDS))
            more = b""
            if ready:
                with contextlib.suppress(OSError):
                    more = self.channel.recv(1 << 20)
                self.rest += more
            if not more and (ready or self._wait() is not None):
                return {"ended": self._ended()}
            if os.fstat(self.output.fileno()).st_size > MOST_PRINTED:
                self.output.truncate(0)
        line, _, self.rest = self.rest.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _ended(self) -> str:
        """Say how its process ended, after ending what is left of it."""
        end = time.monotonic() + 1.0
        while (code := self._wait()) is None and time.monotonic() < end:
            time.sleep(0.01)
        self._stop()
        return "closed its connection to bpe-lab" if code is None else how_it_ended(code)

    def _where(self) -> str:
        """Return the line of its own code in which it is, to end a sentence with."""
        if trainer_program.STACK_SIGNAL is None:
            return ""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, trainer_program.STACK_SIGNAL)
        end = time.monotonic() + 0.5
        stacks = ""
        while not stacks.endswith("\n") and time.monotonic() < end:
            time.sleep(0.02)
            stacks = self.stacks.read_text() if self.stacks.exists() else ""
        # The main thread is the last one; in each the innermost call is the first.
        for stack in reversed(stacks.split("\n\n")):
            for file, line, function in re.findall(r'File "(.+)", line (\d+) in (.+)', stack):
                if trainer_program.is_own(file, self.libraries):
                    source = linecache.getline(file, int(line)).strip()
                    return place_in_words(function, file, int(line), source)
        return ""

    def _taken(self) -> int:
        import psutil

        try:
            return int(psutil.Process(self.pid).memory_info().rss)
        except psutil.Error:
            return 0

    def _last_words(self) -> str:
        lines = self.printed().strip().splitlines()
        return f" (its last line: {as_code(lines[-1][:200])})" if lines else ""

    def printed(self) -> str:
        self.output.seek(0)
        return self.output.read().decode(errors="replace")

    def _stop(self) -> None:
        if not self.running:
            return
        self.running = False
        self._end()
        self.channel.close()
        os.close(self.alive)
        self.stacks.unlink(missing_ok=True)

    restart = _stop

    def close(self) -> None:
        self._stop()
        self.output.close()
        self.folder.cleanup()


class InItsInterpreter(_Served):
    """A trainer in a file or a module, in the interpreter of its own project.

    :param place: "file.py", "file.py:name", "module:name".
    :param python: its interpreter; None: this one.
    :param memory: bytes that it may take, 0 for no limit.
    """

    def __init__(self, place: str, python: Path | None = None, memory: int = 0) -> None:
        named, name = parted(place)
        self.python = str(python.absolute()) if python else sys.executable
        file = Path(named).absolute()
        self.project = _project_of(file) if named.endswith(".py") else Path.cwd()
        if named.endswith(".py") and not file.is_file():
            raise CannotRunError(f"{named}: there is no such file")
        folders = [str(self.project), str(self.project / "src")]
        self.place = place
        super().__init__(
            memory,
            place=str(file) if named.endswith(".py") else named,
            name=name or None,
            folders=[folder for folder in folders if Path(folder).is_dir()],
        )
        self.name = name or file.stem

    def _begin(self, channel: socket.socket, alive: int) -> None:
        ends = (channel.fileno(), alive)
        words = [trainer_program.__file__, *map(str, ends), json.dumps(self.settings)]
        self._run([self.python, *words], self.output, cwd=self.project, pass_fds=ends)


class Forked(_Served):
    """A function or class of this process, in a fork of it."""

    def __init__(self, trainer: Callable[..., Any], memory: int = 0) -> None:
        super().__init__(memory)
        self.trainer = trainer
        self.name = self.place = getattr(trainer, "__name__", type(trainer).__name__)

    def _begin(self, channel: socket.socket, alive: int) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        self.code, self.pid = None, os.fork()
        if self.pid:
            return
        try:  # in the child, which never comes back
            os.setsid()
            os.environ[MARK] = self.mark
            os.close(self.alive)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for source, target in ((nothing, 0), (self.output.fileno(), 1), (1, 2)):
                os.dup2(source, target)
            # A notebook's own streams send what is printed by a thread that the child has not.
            sys.stdout = os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", closefd=False)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            trainer_program.serve(
                lambda: (self.name, self.trainer), os.dup(channel.fileno()), alive, self.settings
            )
        finally:
            os._exit(0)


def can_fork() -> bool:
    """Whether a function of this process may run in a fork: on Linux, begun by the main thread."""
    main = threading.current_thread() is threading.main_thread()
    return sys.platform == "linux" and main


class Here(Trainer):
    """A function or class of this process, in this process: what it does to it stays."""

    def __init__(self, trainer: Callable[..., Any]) -> None:
        self.trainer = trainer
        self.name = getattr(trainer, "__name__", type(trainer).__name__)
        self.form = trainer_program.form(self.name, trainer)

    def run(self, text: Text, seconds: float, again: bool = False) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="bpe-lab-try-") as folder:
            file = Path(folder, "text.txt")
            file.write_bytes(text.content)
            given = (str(file), text.vocab_size, list(text.special_tokens))
            try:
                # All threads have one stdout: in one of several it stays as it is.
                main = threading.current_thread() is threading.main_thread()
                with (
                    TimeLimit(seconds),
                    Path(os.devnull).open("w", encoding="utf-8") as nothing,
                    contextlib.redirect_stdout(nothing) if main else contextlib.nullcontext(),
                    warnings.catch_warnings(action="ignore"),
                ):
                    made = trainer_program.call_trainer(self.trainer, *given)
                made = from_plain(trainer_program.plain(made))
                return outcome_of(made, text.special_tokens)
            except OutOfTime as error:
                where = error_place(error) if in_user_code(error) else ""
                said = f"was still at work after {seconds:g} seconds{where}"
                return Outcome(failed="endless", said=said, place=where)
            except (Exception, SystemExit, GeneratorExit) as error:
                return _failure(trainer_program.raised(error), 0)


class ByCommand(_Started):
    """A trainer in any language, started anew for each text.

    :param command: words with `{text}`, `{vocab_size}`, `{special_tokens}` (a JSON list) and
        `{out}`, the file or folder that it writes.
    :param memory: bytes that it may take, 0 for no limit.
    """

    def __init__(self, command: str, memory: int = 0) -> None:
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise CannotRunError(f"--command {command!r}: {error}") from None
        for field in ("{text}", "{out}"):
            if not any(field in word for word in self.words):
                raise CannotRunError(f"--command {command!r} lacks {field}")
        super().__init__(memory)
        self.name, self.last, self.seconds = _name_of(self.words), "", 0.0

    def run(self, text: Text, seconds: float, again: bool = False) -> Outcome:
        with tempfile.TemporaryDirectory(prefix="bpe-lab-try-") as folder:
            file, out, printed = (Path(folder, name) for name in ("text.txt", "out", "printed"))
            file.write_bytes(text.content)
            code = self._code(self.filled(text, str(file), str(out)), printed, seconds)
            self.last = printed.read_bytes()[-MOST_PRINTED:].decode(errors="replace")
            if code is None:
                said = f"was still at work after {seconds:g} seconds"
                return Outcome(failed="endless", said=said)
            if code:
                lines = self.last.strip().splitlines()
                last = f": {as_code(lines[-1][:200])}" if lines else ""
                how = how_it_ended(code)
                return Outcome(failed="error", said=how + last, place=how)
            return read_result(out, text.special_tokens)

    def measure(self, text: Text, seconds: float) -> Measured:
        outcome = self.run(text, seconds)
        return Measured(outcome, self.seconds, self.peak or None)

    def filled(self, text: Text, file: str, out: str) -> list[str]:
        given = {
            "{text}": file,
            "{vocab_size}": str(text.vocab_size),
            "{special_tokens}": json.dumps(list(text.special_tokens), ensure_ascii=False),
            "{out}": out,
        }
        pattern = re.compile("|".join(map(re.escape, given)))
        return [pattern.sub(lambda found: given[found[0]], word) for word in self.words]

    def _code(self, words: Sequence[str], printed: Path, seconds: float) -> int | None:
        """Run a command and return its exit code; None: it did not end."""
        with printed.open("wb") as output:
            begun = time.perf_counter()
            self._run(words, output, preexec_fn=lambda: trainer_program.limit_memory(self.memory))
            try:
                while self._wait() is None and time.perf_counter() < begun + seconds:
                    self.peak = max(self.peak, _peak_of(self.pid))
                    time.sleep(0.001)
                self.seconds = time.perf_counter() - begun
                return self.code
            finally:
                _end_group(self.pid)
                self._wait(block=True)

    def call(self, text: Text) -> list[str]:
        if len(text.content) > MOST_SHOWN:
            return [shlex.join(self.filled(text, kept(text), "out"))]
        words = self.filled(text, "t.txt", "out")
        special = b"%'\\"  # for printf or in quotes
        escaped = "".join(
            chr(one) if 32 <= one < 127 and one not in special else f"\\{one:03o}"
            for one in text.content
        )
        return [f"printf '{escaped}' > t.txt", shlex.join(words)]

    def close(self) -> None:
        self._end()

    def printed(self) -> str:
        return self.last


INTERPRETERS = re.compile(
    r"python[\d.]*|pypy\d?|node|deno|bun|ruby|perl|bash|sh|Rscript|julia|java"
)


def _name_of(words: Sequence[str]) -> str:
    """Return the name of the file that an interpreter is to run, else that of the program."""
    program = Path(words[0]).name
    if INTERPRETERS.fullmatch(program):
        for before, word in pairwise(words):
            if before == "-m":
                return word
            with contextlib.suppress(OSError):  # too long for a path
                if Path(word).is_file():
                    return Path(word).name
    return program


def _peak_of(pid: int) -> int:
    """Return the most memory that a process, or one that it started, had, in bytes.

    Each tells its own as long as it lives, and on Linux only; 0: none does.
    """
    started: list[str] = []
    with contextlib.suppress(OSError):
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return max([trainer_program.peak_of(pid) or 0, *map(_peak_of, map(int, started))])


def how_it_ended(code: int) -> str:
    """Say how a process ended, by its exit code, or the negative number of a signal."""
    if code >= 0:
        return f"ended with exit code {code}"
    names = {one.value: one.name for one in signal.Signals}
    return f"was ended by the signal {names.get(-code, -code)}"


def _failure(raised: Mapping[str, Any], memory: int) -> Outcome:
    said = f"raises `{in_a_line(raised['what'])}`{_place(raised)}"
    if raised["type"] == "MemoryError" and memory:
        said += f" (it may take {size_in_words(memory)}: --memory)"
    where = raised.get("place")
    place = f"{where['file']}:{where['line']}" if where else ""
    return Outcome(failed="error", said=said, place=f"{raised['type']} {place}")


def _place(raised: Mapping[str, Any]) -> str:
    if "place" not in raised:
        return ""
    where = raised["place"]
    return place_in_words(where["function"], where["file"], where["line"], where["source"])


def _project_of(file: Path) -> Path:
    """Return the folder of a file's project: where its `pyproject.toml` or the like lies."""
    marks = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", ".git", "uv.lock")
    for folder in file.parents:
        if any((folder / mark).exists() for mark in marks):
            return folder
    return file.parent


def _end_group(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _end_all(pid: int, mark: str) -> None:
    """End a process, its session, and all that have its mark in their environment."""
    import psutil

    _end_group(pid)
    clean = 0
    while clean < LOOKS:  # what has just begun has no environment for a moment
        ended = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                own = os.getsid(process.pid) == pid
                if own or process.environ().get(MARK) == mark:
                    process.kill()
                    ended.append(process)
        psutil.wait_procs(ended, timeout=1.0)
        clean = 0 if ended else clean + 1
