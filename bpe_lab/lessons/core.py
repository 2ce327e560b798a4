"""Notebook 08: all words in one array, loads that overlap, and the exercises."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from matplotlib.figure import Figure

from bpe_lab import MergeStep, train_from_counts
from bpe_lab.lessons.shared.checking import Looks, Verdict, try_cases
from bpe_lab.lessons.shared.drawing import BLUE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap, descending_key
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import first_vocab

SEPARATOR, DEAD = -1, -2
"""What a cell holds between two words, and what a cell inside a token holds; no ids."""

Changes = dict[Pair, list[Any]]
"""Pair -> change of its count, and the positions where it stands now."""


class Core(MaxHeap):
    """Training on one list of cells: posting lists name positions, and no token moves.

    A token has its id in its first and in its last cell. The heap is that of `max_heap`.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Core).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    keywords: ClassVar[tuple[str, ...]] = ()
    twin_of: ClassVar[str] = "cpp_positions"

    def __init__(self, counts: Mapping[bytes, int], vocab: list[bytes]) -> None:
        super().__init__({}, vocab)
        self.cells, self.word_of, self.counts = [SEPARATOR], [0], list(counts.values())
        for index, word in enumerate(counts):
            self.cells += [*word, SEPARATOR]
            self.word_of += [index] * (len(word) + 1)
        self.positions: dict[Pair, list[int]] = {}

    def count_pairs(self) -> None:
        """Count each pair as often as its word occurs, and note where it stands."""
        for p in range(len(self.cells) - 1):
            pair = self.cells[p], self.cells[p + 1]
            if SEPARATOR not in pair:
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + self.count_at(p)
                self.positions.setdefault(pair, []).append(p)
        self.risen = list(self.pair_counts)

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge at each position of the pair's list where it still stands."""
        changes: Changes
        (left, right), cells, changes = pair, self.cells, {}
        left_length, new_length = self.length(left), self.length(new_id)
        for p in self.positions.pop(pair):
            middle, after = p + left_length, p + new_length
            if cells[p] != left or cells[middle] != right:
                continue  # stale: another match has taken a token
            cells[middle - 1] = cells[middle] = DEAD
            cells[p] = cells[after - 1] = new_id
            count, before, behind = self.count_at(p), cells[p - 1], cells[after]
            if before != SEPARATOR:
                self.change(changes, (before, left), -count)
                self.change(changes, (before, new_id), count, p - self.length(before))
            if behind != SEPARATOR:
                self.change(changes, (right, behind), -count)
                self.change(changes, (new_id, behind), count, p)
        self.apply(changes, pair)

    def length(self, token: int) -> int:
        """Return how many bytes a token has, and so how many cells."""
        return len(self.vocab[token])

    def count_at(self, p: int) -> int:
        """Return how often the word at a position occurs."""
        return self.counts[self.word_of[p]]

    def change(self, changes: Changes, pair: Pair, by: int, position: int | None = None) -> None:
        """Note a change of a pair's count and, where the pair is new, where it stands."""
        noted = changes.setdefault(pair, [0, []])
        noted[0] += by
        if position is not None:
            noted[1].append(position)

    def apply(self, changes: Changes, merged: Pair) -> None:
        """Change each count once; the merged pair is gone."""
        self.descending.append(descending_key(self.vocab[-1]))
        del self.pair_counts[merged]
        for pair, (change, positions) in changes.items():
            total = self.pair_counts.get(pair, 0) + change
            if pair == merged or not total:
                self.pair_counts.pop(pair, None)
                self.positions.pop(pair, None)
                continue
            self.pair_counts[pair] = total
            if positions:
                self.positions[pair] = positions
                self.risen.append(pair)


def draw_cells(counts: Mapping[bytes, int], n_merges: int) -> Figure:
    """Draw the cells before the first merge and after each of some merges; what changed is orange.

    >>> draw_cells({b"aab": 2}, 1)
    Figure: The cells after 1 merges: nothing moves
    """
    vocab, rows = first_vocab([]), [("at the start", Core(counts, first_vocab([])).cells)]

    def note(step: MergeStep) -> None:
        vocab.append(b"".join(step.merge))
        held: Any = step.stage
        rows.append((spell_pair(step.merge), list(held.cells)))

    train_from_counts(counts, 256 + n_merges, [], stage=Core, on_merge=note)
    width, title = len(rows[0][1]), f"The cells after {n_merges} merges: nothing moves"
    drawing = Drawing(0.55 * len(rows), title, x=(-4.2, width), y=(0.1, len(rows) + 0.1))
    before = rows[0][1]
    for y, (name, cells) in zip(reversed(range(len(rows))), rows, strict=True):
        drawing.label(-0.3, y + 0.55, name, "right")
        for x, (old, cell) in enumerate(zip(before, cells, strict=True)):
            if cell == SEPARATOR:
                drawing.rectangle(x + 0.46, y + 0.2, 0.08, 0.75, facecolor="#555555")
                continue
            text = "·" if cell == DEAD else spell(vocab[cell])
            color = LIGHT_ORANGE if old != cell else PALE
            drawing.box(x, y + 0.22, 1, text, color, LABEL_SIZE - (len(text) > 3))
        before = cells
    return drawing.figure


SHOWN_LOADS = 5


def draw_loads() -> Figure:
    """Draw loads of which each waits for the one before, and loads that overlap, on one clock.

    >>> draw_loads().get_suptitle()
    'Five loads, one after another or overlapping'
    """
    medians = records("loads").groupby("case")["seconds"].median() * 1e9
    waits = float(medians["one after another, random places"])
    apart = float(medians["overlapping, random places"])
    title = "Five loads, one after another or overlapping"
    caption = f"Recorded: {waits:.0f} ns for each place, and {apart:.1f} where they overlap."
    end = SHOWN_LOADS * waits
    drawing = Drawing(2.6, title, caption, x=(-0.3 * end, 1.02 * end), y=(-0.2, 10.6))
    for top, step, name, color in (
        (9.6, waits, "one after\nanother", ORANGE),
        (4.2, apart, "overlapping", BLUE),
    ):
        drawing.label(-0.02 * end, top - 1.5, name, "right")
        for load in range(SHOWN_LOADS):
            drawing.rectangle(load * step, top - load, waits, 0.7, facecolor=color)
    return drawing.figure


Neighbours = tuple[int | None, int | None]


def check_neighbours(answer: Callable[[list[int], int, dict[int, int]], Neighbours]) -> Verdict:
    """Check a function that finds the neighbours of a token in an array, and count its looks.

    :param answer: (cells, position, id -> length in bytes) -> id of the token before the one that
        begins at the position, and of the one behind; None where there is none.

    >>> check_neighbours(lambda cells, p, length: (cells[p - 1], cells[p + 1])).passed
    False
    """
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 9}
    words = ([97, 98], [97], [256, 97], [256, 256], [97, 257, 98], [258, 97, 258], [258, 257, 256])
    cases = []
    for tokens in words:
        cells, begins = [SEPARATOR], []
        for token in tokens:
            begins.append(len(cells))
            cells += [token] + [DEAD] * (length[token] - 1)
            cells[-1] = token
        cases += [([*cells, SEPARATOR], position, length) for position in begins]

    def right(cells: list[int], p: int, length: dict[int, int]) -> Neighbours:
        left, following = cells[p - 1], cells[p + length[cells[p]]]
        return (
            None if left == SEPARATOR else left,
            None if following == SEPARATOR else following,
        )

    hint = "-1 is a separator; a token has its id in its first and in its last cell."
    looks = Looks("cells", lambda *_: 3)
    return try_cases(answer, cases, right, hint, read=tuple, looks=looks)


Match = tuple[int | None, int | None, int]
"""The tokens before and after a match, None at the end of a word, and the count of the word."""


def check_sums_of(
    answer: Callable[[Sequence[Match], int, int, int], Mapping[Pair, int]],
) -> Verdict:
    """Check a function that adds up what all matches of a merge change.

    :param answer: (matches, of which no two are neighbours; left, right, new id) -> pair -> change.

    >>> check_sums_of(lambda matches, left, right, new_id: {}).passed
    False
    """
    cases: list[tuple[list[Match], int, int, int]] = [
        ([(None, None, 5)], 104, 101, 256),
        ([(116, None, 5)], 104, 101, 256),
        ([(116, None, 5), (116, 110, 2)], 104, 101, 256),
        ([(97, None, 3)], 97, 97, 256),
        ([(116, 110, 9), (115, 110, 1), (None, 114, 4), (116, None, 7)], 104, 101, 300),
        ([(0, 0, 4)], 104, 101, 256),  # a zero byte is a token
    ]

    def sums_of(matches: list[Match], left: int, right: int, new_id: int) -> dict[Pair, int]:
        sums: dict[Pair, int] = {}
        for before, after, count in matches:
            changed = []
            if before is not None:
                changed += [((before, left), -count), ((before, new_id), count)]
            if after is not None:
                changed += [((right, after), -count), ((new_id, after), count)]
            for pair, change in changed:
                sums[pair] = sums.get(pair, 0) + change
        return sums

    hint = "Only pairs with a neighbour; one that several matches change is changed by the sum."
    return try_cases(answer, cases, sums_of, hint, read=dict)
