"""What was found of a trainer: its mistakes, and a report in paragraphs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import terminal_text
from bpe_lab.trials.speed import Speed
from bpe_lab.trials.texts import Text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN = 4  # names of texts in a paragraph
LINE = 76  # letters of a line of code in a terminal, indented by four


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
    :param passed: whether there is no mistake, and it was tried on all small texts.
    :param mistakes: each with its smallest text.
    :param remarks: what the course leaves open, and what was not tried.
    :param parts: all of it, as Markdown.
    :param speed: how fast it is; None: that was not measured.
    """

    trainer: str
    passed: bool
    mistakes: Sequence[Mistake] = field(repr=False)
    remarks: Sequence[str] = field(repr=False)
    parts: Sequence[str] = field(repr=False)
    speed: Speed | None = field(default=None, repr=False)

    @property
    def seconds(self) -> Mapping[int, float]:
        """Bytes of stories -> seconds of a training with 2,000 ids."""
        runs = {} if self.speed is None else self.speed.runs
        return {size: run.seconds for size, run in runs.items()}

    def figure(self) -> "Figure":
        """Draw its place among the stages of the lab.

        :raises ValueError: its speed was not measured.
        """
        if self.speed is None:
            raise ValueError(f"the speed of {self.trainer} was not measured: there is no figure")
        from bpe_lab.trials.figure import road

        return road(self.speed)

    def require(self) -> None:
        """Raise an error that tells the mistakes, for a test.

        :raises AssertionError: there is one, or not all small texts were tried.
        """
        if not self.passed:
            raise AssertionError(f"\n{self!r}")

    def _ipython_display_(self) -> None:
        from IPython.display import Markdown, display

        display(Markdown(self._repr_markdown_()))  # type: ignore[no-untyped-call]
        if self.speed is not None:
            display(self.figure())  # type: ignore[no-untyped-call]

    def _repr_markdown_(self) -> str:
        return "\n\n".join(self.parts)

    def __repr__(self) -> str:
        return terminal_text(self._repr_markdown_())
