"""The one array of `cpp_positions`, cell by cell, merge after merge."""

from collections.abc import Mapping
from html import escape

from bpe_lab import MergeStep, train_from_counts
from bpe_lab.lessons.page import Page
from bpe_lab.lessons.twins.positions import DEAD, SEPARATOR, Positions
from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import first_vocab


def cells_after_merges(counts: Mapping[bytes, int], n_merges: int) -> Page:
    """Show the cells before the first merge and after each of some merges, one row for each.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges.

    >>> cells_after_merges({b"aab": 2}, 1)
    at the start  |  a  a   b  |
    (a, b)        |  a  ab  ·  |
    """
    rows = [("at the start", Positions(counts, first_vocab([])).cells)]

    def note(step: MergeStep) -> None:
        assert isinstance(step.stage, Positions)
        rows.append((spell_pair(step.merge), list(step.stage.cells)))

    made = train_from_counts(counts, 256 + n_merges, [], stage=Positions, on_merge=note)
    signs = {SEPARATOR: "|", DEAD: "·"}
    vocab = [*first_vocab([]), *(left + right for left, right in made.merges)]
    said = [(name, *(signs.get(cell) or spell(vocab[cell]) for cell in row)) for name, row in rows]
    text = "\n".join(columns(said))
    return Page(f'<pre style="font-family:monospace">{escape(text)}</pre>', text)
