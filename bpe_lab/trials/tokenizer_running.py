"""Runs a tokenizer that is not ours: of a file, in its own interpreter, or of this process."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpe_lab.bench.child import Child
from bpe_lab.trials import tokenizer_program
from bpe_lab.trials.running import CannotRunError, FileTrainer, forked, parted
from bpe_lab.trials.tokenizer_kinds import Case

PROGRAM = tokenizer_program.__file__


class OwnTokenizer:
    """A tokenizer that can be run.

    :param methods: of those that CS336 asks for.
    :param child: its process.
    :param function: what is called, a function of this process or a place of `Child.call`.
    """

    name: str
    methods: list[str]
    child: Child
    function: Callable[..., Any] | str = f"{PROGRAM}:answer"

    def begin(self) -> None:
        """Start its process, if that is not there."""

    def call(
        self, call: str, argument: Any, case: Case, seconds: float, measure: bool = False
    ) -> Any:
        """Call a method of it, with the vocabulary and the special tokens of a case.

        :raises ChildError: it did not return.
        """
        self.begin()
        merges = case.vocabulary.lines
        given = {"known": case.known, "merges": merges, "specials": case.specials}
        asked = {"call": call, "argument": argument, **given}
        return self.child.call(self.function, asked, seconds, measure)

    def close(self) -> None:
        """End it and all that it started."""
        self.child.close()


class FileTokenizer(OwnTokenizer):
    """A tokenizer in a file or a module, in the interpreter of its own project.

    :param place: "file.py", "file.py:name", "module:name".
    :param python: its interpreter; None: this one.
    :param memory: bytes that it may take on top of its imports, 0 for no limit.
    """

    has_trainer = False

    def __init__(self, place: str, python: Path | None = None, memory: int = 0) -> None:
        self.file = FileTrainer(place, python, memory)
        self.child = self.file.child

    def is_there(self) -> bool:
        """Whether the file has a tokenizer; of Cython there is none."""
        if parted(self.file.place)[0].endswith(".pyx"):
            return False
        self.begin()
        return bool(self.name)

    def begin(self) -> None:
        if self.child.running:
            return
        found = self.file.find(f"{PROGRAM}:find")
        self.name, self.methods = found["name"], found["methods"]
        self.has_trainer = found["trainer"]


class FunctionTokenizer(OwnTokenizer):
    """A class of this process, or a function that makes a tokenizer, in a fork of it."""

    def __init__(self, tokenizer: Callable[..., Any], memory: int = 0) -> None:
        self.name = getattr(tokenizer, "__name__", type(tokenizer).__name__)
        if why := tokenizer_program.why_not(self.name, tokenizer):
            raise CannotRunError(why)
        self.methods = tokenizer_program.methods(tokenizer)
        self.function = tokenizer_program.answering(tokenizer)
        self.child = forked(self.name, memory)
