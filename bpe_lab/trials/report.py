"""What was found of a trainer: its mistakes, and a report in paragraphs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bpe_lab.support.columns import terminal_text
from bpe_lab.trials.texts import Text


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a trainer.

    :param title: what it is about.
    :param kind: the name of the known mistake in `bpe_lab.trials.kinds`; None: it is not known.
    :param sentence: what is wrong, and what helps where that is known.
    :param shown: the text that shows it, what is made of it and what is right.
    :param call: a line for Python that shows it.
    :param text: the smallest text that was found.
    :param names: of the texts that show it.
    """

    title: str
    kind: str | None
    sentence: str
    shown: str
    call: str
    text: Text
    names: Sequence[str]

    def paragraph(self) -> str:
        """Return it for the report."""
        where = ", ".join(self.names[:4]) + ", ..." * (len(self.names) > 4)
        seen = f"Seen on {len(self.names)} texts: {where}."
        if len(self.names) == 1:
            seen = f"Seen on the text: {where}."
        return f"**{self.title}.** {self.sentence} {self.shown}\n\n    {self.call}\n\n{seen}"


@dataclass(frozen=True)
class TrainerReport:
    """What was found of a trainer: paragraphs, in the order in which they were found.

    :param trainer: its name.
    :param passed: whether there is no mistake.
    :param mistakes: each with its smallest text.
    :param remarks: what the course leaves open, and what was not tried.
    :param parts: all of it, as Markdown.
    :param seconds: bytes of a text -> seconds of a training; empty where that was not measured.
    """

    trainer: str
    passed: bool
    mistakes: Sequence[Mistake] = field(repr=False)
    remarks: Sequence[str] = field(repr=False)
    parts: Sequence[str] = field(repr=False)
    seconds: Mapping[int, float] = field(default_factory=dict, repr=False)

    def require(self) -> None:
        """Raise an error that tells the mistakes, for a test.

        :raises AssertionError: there is one.
        """
        if not self.passed:
            raise AssertionError(f"\n{self!r}")

    def _repr_markdown_(self) -> str:
        return "\n\n".join(self.parts)

    def __repr__(self) -> str:
        return terminal_text(self._repr_markdown_())
