"""Runs a trainer that is not ours: a file in its own interpreter, a function, or a command.

Each runs in a process of its own (`bench/child.py`), within limits of time and memory.
"""

import json
import re
import shlex
import sys
import tempfile
from ast import literal_eval
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab.bench.child import (
    Child,
    ChildEnded,
    ChildError,
    ChildRaised,
    ChildTimeout,
    how_it_ended,
)
from bpe_lab.results.numbers import size_in_words
from bpe_lab.support.columns import as_code
from bpe_lab.support.user_errors import in_a_line, place_in_words
from bpe_lab.trials import trainer_program
from bpe_lab.trials.outcome import Outcome, outcome_of
from bpe_lab.trials.result_files import read_result
from bpe_lab.trials.smallest import MOST_SHOWN, kept, literal
from bpe_lab.trials.texts import Text

IMPORTS = ("ModuleNotFoundError", "ImportError", "PackageNotFoundError")
"""Errors of an interpreter that lacks what a project needs, or the project itself: each package of
the course asks for its own version."""

NAME_PYTHON = "name the interpreter that has it, as --python ../mine/.venv/bin/python"

IMPORT_SECONDS = 60.0  # torch takes some of them

MEMORY = 4_000_000_000  # bytes that it may take

NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}


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
    """What a trainer made of a text, and needed for it.

    :param seconds: of the whole job.
    :param peak: of the memory of its largest process, in bytes; None: not known.
    :param lines: of its own code, most time first; () where they were not measured.
    """

    outcome: Outcome
    seconds: float
    peak: float | None = None
    lines: Sequence[Line] = ()


class CannotRunError(ValueError):
    """A trainer cannot be run at all; says why, and the remedy."""


class Trainer:
    """A trainer that can be run, in a process that serves many texts.

    :param form: how it is called, as `trainer_program.form` has it; a command has none.
    :param child: its process.
    :param function: trains; a function of this process, or a place of `Child.call`.
    """

    name: str
    form: str
    child: Child
    function: str | Callable[..., Any] = f"{trainer_program.__file__}:train"
    folder: tempfile.TemporaryDirectory[str] | None = None

    def begin(self) -> None:
        """Start its process, if that is not there."""

    def run(self, text: Text, seconds: float, again: bool = False) -> Outcome:
        """Return what it makes of a text within so many seconds.

        :param again: the file has the name and the folder of the text before, else new ones.
        """
        return self._run(text, seconds, again=again).outcome

    def measure(self, text: Text, seconds: float) -> Measured:
        """Return what it makes of a text as the first one of its process, and what it needs."""
        self.child.restart()
        return self._run(text, seconds, measure=True)

    def call(self, text: Text) -> list[str]:
        """Return statements that give it a text; of Python where it is no command."""
        content, file = literal(text.content), "t.txt"
        write = f'open("t.txt", "wb").write({content})'
        if len(content) > MOST_SHOWN:
            file, write = kept(text.content), f"# {content[:MOST_SHOWN]} ..."
        return [
            write,
            self.form.format(path=f'"{file}"', size=text.vocab_size, specials=_json(text)),
        ]

    def close(self) -> None:
        """End it and all that it started."""
        self.child.close()
        self._drop_folder()

    def _run(
        self, text: Text, seconds: float, again: bool = False, measure: bool = False
    ) -> Measured:
        self.begin()
        if not (self.folder and again):  # what it leaves beside a text is not there for the next
            self._drop_folder()
            self.folder = tempfile.TemporaryDirectory(
                prefix="bpe-lab-try-", ignore_cleanup_errors=True
            )
        file = Path(self.folder.name, "text.txt")
        file.write_bytes(text.content)
        try:
            return self._train(text, file, seconds, measure)
        except ChildError as error:
            return Measured(self._failed(error, seconds), seconds)

    def _failed(self, error: ChildError, seconds: float) -> Outcome:
        said, memory = how_it_failed(error, seconds), self.child.memory
        if isinstance(error, ChildTimeout):
            return Outcome(failed="endless", said=said, place=f"{error.place}")
        if isinstance(error, ChildEnded):
            return Outcome(failed="error", said=said, place=error.how)
        assert isinstance(error, ChildRaised)
        if error.type == "MemoryError" and memory:
            said += f" (it may take {size_in_words(memory)}: --memory)"
        place = f"{error.place.file}:{error.place.line}" if error.place else ""
        return Outcome(failed="error", said=said, place=f"{error.type} {place}")

    def _drop_folder(self) -> None:
        if self.folder:
            self.folder.cleanup()

    def _train(self, text: Text, file: Path, seconds: float, measure: bool) -> Measured:
        given = {"path": str(file), "size": text.vocab_size, "specials": [*text.special_tokens]}
        result = self.child.call(self.function, given, seconds, measure)
        facts = self.child.facts
        lines = [Line(*line) for line in facts.get("lines", ())]
        outcome = outcome_of(literal_eval(result), text.special_tokens)
        return Measured(outcome, facts["seconds"], 1e6 * facts["peak_rss_mb"], lines)


def parted(place: str) -> tuple[str, str]:
    """Return the file or module of a place, and the name in it, "" for none.

    >>> parted("mine.py"), parted("mine.py:learn"), parted("mine.bpe:Trainer")
    (('mine.py', ''), ('mine.py', 'learn'), ('mine.bpe', 'Trainer'))
    """
    named, _, name = place.rpartition(":")
    return (named, name) if named and not place.endswith((".py", ".pyx")) else (place, "")


class FileTrainer(Trainer):
    """A trainer in a file or a module, in the interpreter of its own project.

    :param place: "file.py", "file.py:name", "module:name".
    :param python: its interpreter; None: this one.
    :param memory: bytes that it may take on top of its imports, 0 for no limit.
    """

    def __init__(self, place: str, python: Path | None = None, memory: int = 0) -> None:
        named, name = parted(place)
        file, is_file = Path(named).absolute(), named.endswith(".py")
        if is_file and not file.is_file():
            raise CannotRunError(f"{named}: there is no such file")
        project = _project_of(file) if is_file else Path.cwd()
        folders = [str(folder) for folder in (project, project / "src") if folder.is_dir()]
        where = str(file) if is_file else named
        self.named = {"place": where, "name": name or None, "folders": folders}
        self.place, self.memory = place, memory
        self.python = str(python.absolute()) if python else sys.executable
        self.child = Child(self.python, project, environment=NO_BYTECODE)
        self.name = name or file.stem

    def is_stage(self) -> bool:
        """Whether what it names is no trainer, but a stage."""
        if parted(self.place)[0].endswith(".pyx"):
            return True
        self.begin()
        return not self.form

    def begin(self) -> None:
        if not self.child.running:
            found = self.find(f"{trainer_program.__file__}:find")
            self.name, self.form = found["name"], found["form"]

    def find(self, program: str) -> Any:
        """Start its process, and return what a program finds in the file.

        :raises CannotRunError: it cannot be imported; says why.
        """
        self.child.memory = 0
        try:
            found = self.child.call(program, self.named, IMPORT_SECONDS)
        except OSError as error:
            raise CannotRunError(f"{self.python}: {error.strerror}") from None
        except ChildError as error:
            self.child.restart()
            raised = error.type if isinstance(error, ChildRaised) else ""
            why = f" cannot be imported: it {how_it_failed(error, IMPORT_SECONDS)}"
            if raised == trainer_program.UnfitError.__name__:
                why = f": {error}"
            elif raised in IMPORTS:
                why += f": {NAME_PYTHON}"
            raise CannotRunError(f"{self.place}{why}") from None
        self.child.memory = self.memory
        return found


class FunctionTrainer(Trainer):
    """A function or class of this process, in a fork of it."""

    def __init__(self, trainer: Callable[..., Any], memory: int = 0) -> None:
        self.name = getattr(trainer, "__name__", type(trainer).__name__)
        self.form = trainer_program.form(self.name, trainer)
        self.function = trainer_program.training_with(trainer)
        self.child = forked(self.name, memory)


def forked(name: str, memory: int) -> Child:
    """Return the process of a function of this one, which must be one that can be forked."""
    try:
        return Child(environment=NO_BYTECODE, memory=memory, fork=True)
    except ValueError as error:
        raise CannotRunError(f"{name}: {error}: save it in a file, and name that") from None


class CommandTrainer(Trainer):
    """A trainer in any language, started anew for each text.

    :param command: words with `{text}`, `{vocab_size}`, `{special_tokens}` (a JSON list) and
        `{out}`, the file or folder that it writes.
    :param memory: bytes that it may take, 0 for no limit.
    """

    def __init__(self, command: str, memory: int = 0) -> None:
        self.words = shlex.split(command)
        for field in ("{text}", "{out}"):
            if not any(field in word for word in self.words):
                raise CannotRunError(f"--command {command!r} lacks {field}")
        # Rather the file that an interpreter is to run.
        files = [word for word in self.words[1:] if re.fullmatch(r"[^{}\s]+\.\w+", word)]
        self.name = Path([*files, self.words[0]][0]).name
        self.child = Child(environment=NO_BYTECODE, memory=memory)

    def call(self, text: Text) -> list[str]:
        shown = f"# {literal(text.content):.{MOST_SHOWN}}"
        return [shown, shlex.join(self._filled(text, kept(text.content), "out"))]

    def _train(self, text: Text, file: Path, seconds: float, measure: bool) -> Measured:
        out = file.with_name("out")
        words = self._filled(text, str(file), str(out))
        try:
            code = self.child.run(words, seconds)
        except OSError as error:
            raise CannotRunError(f"{words[0]}: {error.strerror}") from None
        if code:
            lines = self.child.printed().strip().splitlines()
            raise ChildEnded(code, how_it_ended(code), lines[-1] if lines else "")
        facts = self.child.facts
        peak = facts["peak_rss_mb"] and 1e6 * facts["peak_rss_mb"]
        return Measured(read_result(out, text.special_tokens), facts["process_seconds"], peak)

    def _filled(self, text: Text, file: str, out: str) -> list[str]:
        given = {"{text}": file, "{out}": out, "{vocab_size}": str(text.vocab_size)}
        words = self.words
        for field, value in {**given, "{special_tokens}": _json(text)}.items():
            words = [word.replace(field, value) for word in words]
        return words


def _json(text: Text) -> str:
    return json.dumps([*text.special_tokens], ensure_ascii=False)


def how_it_failed(error: ChildError, seconds: float) -> str:
    """Say how a call that had so many seconds failed; the subject of the sentence is left out."""
    if isinstance(error, ChildEnded):
        last = f" (its last line: {as_code(error.last[:200])})" if error.last else ""
        return f"did not return: its process {error.how}{last}"
    assert isinstance(error, ChildRaised | ChildTimeout)
    place = error.place
    where = place_in_words(place.function, place.file, place.line, place.source) if place else ""
    if isinstance(error, ChildTimeout):
        return f"was still at work after {seconds:g} seconds{where}"
    what = f"{error.type}: {error.text}" if error.text else error.type
    return f"raises `{in_a_line(what)}`{where}"


def _project_of(file: Path) -> Path:
    """Return the folder of a file's project: where its `pyproject.toml` or the like lies."""
    marks = ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", ".git", "uv.lock")
    for folder in file.parents:
        if any((folder / mark).exists() for mark in marks):
            return folder
    return file.parent
