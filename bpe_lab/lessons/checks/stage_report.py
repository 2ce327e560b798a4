"""What a check of a stage found: Markdown for a notebook, text for a terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bpe_lab.support.columns import terminal_text


@dataclass(frozen=True)
class StageReport:
    """What was found of a stage: paragraphs and tables, in the order in which it was tried.

    After a race `phases` has the seconds of each phase, of the stage and of `cython`.
    """

    stage: str
    passed: bool
    parts: Sequence[str] = field(repr=False)
    phases: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)

    def _repr_markdown_(self) -> str:
        return "\n\n".join(self.parts)

    def __repr__(self) -> str:
        return terminal_text(self._repr_markdown_())
