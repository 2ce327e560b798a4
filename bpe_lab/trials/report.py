"""What was found of a trainer: its mistakes, and a report in paragraphs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import terminal_text
from bpe_lab.trials.texts import Text

SHOWN = 4
"""Names of texts in a paragraph."""

LINE = 76
"""Letters of a line of code in a terminal, indented by four."""


@dataclass(frozen=True)
class Mistake:
    """What is wrong with a trainer.

    :param title: what it is about.
    :param kind: the name of the known mistake in `bpe_lab.trials.kinds`; None: it is not known.
    :param sentence: what is wrong, and what helps where that is known.
    :param shown: the text that shows it, what is made of it and what is right.
    :param call: statements for Python that show it; of a command, those of a shell.
    :param text: the smallest text that was found.
    :param names: of the texts that show it.
    """

    title: str
    kind: str | None
    sentence: str
    shown: str
    call: Sequence[str]
    text: Text
    names: Sequence[str]

    def paragraph(self) -> str:
        """Return it for the report."""
        where, others = ", ".join(self.names[:SHOWN]), len(self.names) - SHOWN
        if others > 0:
            where += f" and {count_of(others, 'other')}"
        line = "; ".join(self.call)
        code = line if len(line) <= LINE else "\n    ".join(self.call)
        return (
            f"**{self.title}.** {self.sentence} {self.shown}\n\n    {code}\n\n"
            f"Seen on {count_of(len(self.names), 'text')}: {where}."
        )


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
