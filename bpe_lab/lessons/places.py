"""Small corpora in the flat array of the core, merge by merge, for pictures of real positions."""

from collections.abc import Mapping
from dataclasses import dataclass

from matplotlib.axes import Axes

from bpe_lab.lessons.drawing import EDGE, LIGHT_BLUE, PALE, box
from bpe_lab.lessons.twins.core import Core
from bpe_lab.lessons.twins.flat_words import DEAD, SEPARATOR
from bpe_lab.lessons.twins.pair_lists import Candidate
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.merges import first_vocab


@dataclass(frozen=True)
class Moment:
    """The array and the lists after a number of merges.

    :param cells: ids, `SEPARATOR` or `DEAD`.
    :param vocab: id -> bytes.
    :param lists: pair -> where it began when its list was made; some are stale by now.
    :param pushed: pair -> its count then.
    :param weights: how often the word of each position occurs.
    """

    cells: list[int]
    vocab: list[bytes]
    lists: dict[Pair, list[int]]
    pushed: dict[Pair, int]
    weights: list[int]

    def is_live(self, pair: Pair, position: int) -> bool:
        """Tell whether a pair stands at a position: two cells say it.

        :param pair: ids.
        :param position: of its list.
        """
        after = position + len(self.vocab[pair[0]])
        return (self.cells[position], self.cells[after]) == pair

    def text(self, position: int) -> str:
        """Return what is written into a box of the array.

        :param position: of a cell.
        """
        cell = self.cells[position]
        return {SEPARATOR: "|", DEAD: ""}.get(cell) or (
            spell(self.vocab[cell]) if cell >= 0 else ""
        )

    def found_at(self, position: int) -> str:
        """Say what stands at a position, where the pair of a list does not.

        :param position: of a list.
        """
        cell = self.cells[position]
        if cell == DEAD:
            return f"cell {position} is dead"
        after = self.cells[position + len(self.vocab[cell])]
        return f"({self.text(position)}, {'|' if after < 0 else spell(self.vocab[after])}) is here"

    def word_at(self, position: int) -> range:
        """Return the positions of the word that a position is in.

        :param position: of a cell that separates no words.
        """
        begin = end = position
        while self.cells[begin - 1] != SEPARATOR:
            begin -= 1
        while self.cells[end] != SEPARATOR:
            end += 1
        return range(begin, end)


def moments(counts: Mapping[bytes, int], n_merges: int) -> list[Moment]:
    """Return the array and the lists before the first merge and after each.

    :param counts: a few words.
    :param n_merges: at most so many.

    >>> before, after = moments({b"low": 5, b"lower": 2}, 1)
    >>> before.lists[ord("l"), ord("o")], after.lists[ord("l"), 256]
    ([1, 5], [1, 5])
    """
    vocab = first_vocab([])
    stage = Core(counts, vocab)
    stage.count_pairs()
    seen = [_moment_of(stage)]
    for _ in range(n_merges):
        selection = stage.select()
        if selection is None:
            break
        pair, _ = selection
        vocab.append(vocab[pair[0]] + vocab[pair[1]])
        stage.update(pair, len(vocab) - 1)
        seen.append(_moment_of(stage))
    return seen


def _moment_of(stage: Core) -> Moment:
    """Return what the array and the lists of a stage are now."""
    queue = stage.queue
    waiting: list[Candidate] = [one for many in queue.waiting for one in many]
    waiting += [*queue.run[queue.next :], *(entry[-1] for entry in queue.heap)]
    lists = {one.pair: list(one.positions) for one in waiting if one.positions is not None}
    lists.update((pair, list(posting.positions)) for pair, posting in stage.lists.table.items())
    cells = list(stage.words.cells)
    weights = [stage.words.weight(position, 0)[0] for position in range(len(cells))]
    pushed = {one.pair: one.count for one in waiting}
    return Moment(cells, list(stage.vocab), lists, pushed, weights)


def draw_cell(
    axes: Axes, moment: Moment, position: int, x: float, y: float, color: str | None = None
) -> None:
    """Draw a cell of the array.

    :param axes: to draw on.
    :param moment: of which.
    :param position: of the cell.
    :param x, y: lower left corner of the box, which is 1 wide.
    :param color: of the ground; None: grey between words, white where dead, blue where merged.
    """
    cell, text = moment.cells[position], moment.text(position)
    if color is None:
        color = {SEPARATOR: EDGE, DEAD: "white"}.get(cell) or (LIGHT_BLUE if cell > 255 else PALE)
    box(axes, x, y, 1, text, color, LABEL_SIZE * min(1.0, 2.6 / max(len(text), 1)))
