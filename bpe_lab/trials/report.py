"""What was found of code that is not ours: its mistakes, and a report in paragraphs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import terminal_text

SHOWN = 4  # names of texts in a paragraph
LINE = 76  # letters of a line of code in a terminal, indented by four


@dataclass(frozen=True)
class Mistake:
    """What is wrong.

    :param title: what it is about.
    :param kind: the name of the known mistake; None: it is not known.
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
    text: Any
    names: Sequence[str]

    def paragraph(self) -> str:
        where, others = ", ".join(self.names[:SHOWN]), len(self.names) - SHOWN
        if others > 0:
            where += f" and {count_of(others, 'other')}"
        line = "; ".join(self.call)
        code = line if len(line) <= LINE else "\n    ".join(self.call)
        return (
            f"**{self.title}.** {self.sentence} {self.shown}\n\n    {code}\n\n"
            f"Seen on {count_of(len(self.names), 'text')}: {where}."
        )


@dataclass(frozen=True, repr=False)
class Report:
    """What was found: paragraphs, in the order in which they were found.

    :param name: of what was tried.
    :param passed: whether there is no mistake, and it was tried on all small texts.
    :param parts: all of it, as Markdown.
    :param mistakes: each with its smallest text.
    :param remarks: what is left open, and what was not tried.
    """

    name: str
    passed: bool
    parts: Sequence[str]
    mistakes: Sequence[Mistake] = ()
    remarks: Sequence[str] = ()

    def require(self) -> None:
        """Raise an error that tells the mistakes, for a test.

        :raises AssertionError: there is one, or not all small texts were tried.
        """
        if not self.passed:
            raise AssertionError(f"\n{self!r}")

    def _repr_markdown_(self) -> str:
        return "\n\n".join(self.parts)

    def __repr__(self) -> str:
        return terminal_text(self._repr_markdown_())
