"""Notebook 06: selections by threads, positions in one flat array, and the exercises."""

import heapq
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from html import escape
from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

from bpe_lab import MergeStep, native, train_from_counts
from bpe_lab.bench.child import Child
from bpe_lab.lessons.shared.checking import Verdict, try_cases
from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.scale import scale
from bpe_lab.lessons.shared.texts import words
from bpe_lab.native import OpenmpScan
from bpe_lab.stages.interface import Pair, Selection, Stage
from bpe_lab.stages.max_heap import Entry, descending_key
from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import first_vocab

FIRST_ID = 256 + (scale().ids - 256) * 3 // 5
"""From here on the table of the stories has 32,768 slots, which `openmp_scan` shares."""


def selections(threads: int, pause: float, n: int = 30) -> tuple[float, float]:
    """Return how long a selection by `openmp_scan` takes, and how often a thread sleeps in each.

    :param threads: 2 share each scan, 1 makes it alone.
    :param pause: seconds of other work before each selection.
    :param n: how many selections; of their seconds the median is returned.

    >>> seconds, sleeps = selections(1, pause=0.0, n=3)
    >>> 0 < seconds < 1
    True
    """
    stage = OpenmpScan(words(), first_vocab([]), threads=threads)
    stage.count_pairs()
    stage.run(256, FIRST_ID, 60.0)
    seconds, sleeps = [], -getrusage(RUSAGE_SELF).ru_nvcsw
    for new_id in range(FIRST_ID, FIRST_ID + n):
        until = perf_counter() + pause
        while perf_counter() < until:
            pass  # other work
        begun = perf_counter()
        chosen = stage.select()
        seconds.append(perf_counter() - begun)
        assert chosen
        stage.update(chosen[0], new_id)
    sleeps += getrusage(RUSAGE_SELF).ru_nvcsw
    return median(seconds), sleeps / n


def waiting(policy: str, threads: int) -> dict[str, float]:
    """Return microseconds and sleeps of a selection by threads that wait in one way.

    :param policy: OMP_WAIT_POLICY of a fresh process: OpenMP reads it once, when it is loaded.
    :param threads: that share a scan.
    """
    with Child(environment={"OMP_WAIT_POLICY": policy}) as child:
        function = f"{__name__}:without_and_with_other_work"
        (without, _), (with_work, sleeps) = child.call(function, {"threads": threads})
    micro = {"µs, no other work": 1e6 * without, "µs, after 10 ms": 1e6 * with_work}
    return {**micro, "sleeps per scan": sleeps}


def without_and_with_other_work(threads: int) -> list[tuple[float, float]]:
    """Return `selections` for no pause and for 10 ms: what `waiting` calls in its process."""
    return [selections(threads, pause) for pause in (0.0, 0.01)]


def possible(ways: Mapping[str, tuple[str, int]]) -> dict[str, tuple[str, int]]:
    """Return the ways, each with its threads behind; leave out, and say, what needs OpenMP."""
    left_out = [name for name, (_, n) in ways.items() if n > 1 and not native.openmp_version()]
    if left_out:
        print(f"No OpenMP here, so left out: {'; '.join(left_out)} (remedy: `bpe-lab doctor`)")
    return {name: way for name, way in ways.items() if name not in left_out}


SEPARATOR, DEAD = -1, -2
"""What a cell holds between two words, and where the second token of a match was; no ids."""


class Positions:
    """Training on one list of cells: posting lists name positions, and no token moves.

    :param counts: word -> number of occurrences.
    :param vocab: id -> bytes; the loop appends the token of each merge.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Positions).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    recounts: ClassVar[bool] = False
    twin_of: ClassVar[str] = "cpp_positions"

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.cells = [SEPARATOR]
        self.word_of = [0]
        self.counts = list(counts.values())
        for index, word in enumerate(counts):
            self.cells += [*word, SEPARATOR]
            self.word_of += [index] * (len(word) + 1)
        self.pair_counts: dict[Pair, int] = {}
        self.positions: dict[Pair, list[int]] = {}
        self.risen: list[Pair] = []
        self.heap: list[Entry] = []
        self.operations: Counter[str] = Counter()

    def count_pairs(self) -> None:
        """Count each pair as often as its word occurs, and note where it stands."""
        for p in range(len(self.cells) - 1):
            pair = self.cells[p], self.cells[p + 1]
            if SEPARATOR not in pair:
                count = self.counts[self.word_of[p]]
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count
                self.positions.setdefault(pair, []).append(p)
                self.operations["pairs_counted"] += 1
        self.risen = list(self.pair_counts)

    def entry(self, pair: Pair) -> Entry:
        """Build the heap entry of a pair from its count."""
        left, right = (descending_key(self.vocab[token]) for token in pair)
        return -self.pair_counts[pair], left, right, *pair

    def select(self) -> Selection | None:
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        for pair in self.risen:
            # Gone already when a match right behind another took its only position.
            if pair in self.pair_counts:
                heapq.heappush(self.heap, self.entry(pair))
                self.operations["heap_pushes"] += 1
        self.risen = []
        while self.heap:
            negative_count, _, _, *ids = self.heap[0]
            pair = ids[0], ids[1]
            count = self.pair_counts.get(pair, 0)
            if count == -negative_count:
                heapq.heappop(self.heap)
                return pair, count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
            self.operations["stale_pops"] += 1
        return None

    def next(self, p: int) -> int:
        """Return the next position whose cell is not dead."""
        p += 1
        while self.cells[p] == DEAD:
            p += 1
        return p

    def previous(self, p: int) -> int:
        """Return the position before whose cell is not dead."""
        p -= 1
        while self.cells[p] == DEAD:
            p -= 1
        return p

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge at each position of the pair's list where it still stands."""
        (left, right), cells = pair, self.cells
        del self.pair_counts[pair]
        for p in self.positions.pop(pair):
            self.operations["positions_read"] += 1
            q = self.next(p)
            if cells[p] != left or cells[q] != right:  # another merge has taken a token
                self.operations["stale_positions"] += 1
                continue
            count, before, after = self.count_at(p), self.previous(p), self.next(q)
            if cells[before] != SEPARATOR:
                self.lower((cells[before], left), count)
                self.raise_count((cells[before], new_id), count, before)
            if cells[after] != SEPARATOR:
                self.lower((right, cells[after]), count)
                self.raise_count((new_id, cells[after]), count, p)
            cells[p], cells[q] = new_id, DEAD

    def count_at(self, p: int) -> int:
        """Return how often the word at a position occurs."""
        return self.counts[self.word_of[p]]

    def lower(self, pair: Pair, count: int) -> None:
        """Take occurrences from a pair."""
        self.operations["count_changes"] += 1
        if pair not in self.pair_counts:
            return  # (a, a) next to a match of (a, a): it is gone already
        self.pair_counts[pair] -= count
        if not self.pair_counts[pair]:
            del self.pair_counts[pair], self.positions[pair]

    def raise_count(self, pair: Pair, count: int, position: int) -> None:
        """Add occurrences to a pair, and note where it stands."""
        self.operations["count_changes"] += 1
        if pair not in self.pair_counts:
            self.pair_counts[pair], self.positions[pair] = 0, []
            self.risen.append(pair)
        self.pair_counts[pair] += count
        self.positions[pair].append(position)


def cells_after_merges(
    counts: Mapping[bytes, int], n_merges: int, stage: type[Stage] = Positions
) -> Page:
    """Show the cells before the first merge and after each of some merges, one row for each.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges.
    :param stage: one that has its tokens in cells, or its words in a `FlatWords`.

    >>> cells_after_merges({b"aab": 2}, 1)
    at the start  |  a  a   b  |
    (a, b)        |  a  ab  ·  |
    """
    vocab, signs = first_vocab([]), {SEPARATOR: "|", DEAD: "·"}

    def row(name: str, held: Any) -> tuple[str, ...]:
        cells = getattr(held, "words", held).cells
        return name, *(signs.get(cell) or spell(vocab[cell]) for cell in cells)

    rows = [row("at the start", stage(counts, vocab))]

    def note(step: MergeStep) -> None:
        vocab.append(b"".join(step.merge))
        rows.append(row(spell_pair(step.merge), step.stage))

    train_from_counts(counts, 256 + n_merges, [], stage=stage, on_merge=note)
    text = "\n".join(columns(rows))
    return Page(f'<pre style="font-family:monospace">{escape(text)}</pre>', text)


def check_parallel_pays(answer: Callable[[int, float, float, float], bool]) -> Verdict:
    """Check a function that tells whether a parallel scan is faster than a plain one.

    :param answer: (slots, seconds per slot, seconds to wake the threads, how many times as fast
        they are without that) -> bool.

    >>> check_parallel_pays(lambda slots, per_slot, wake, gain: gain > 1).passed
    False
    """
    cases = [
        (1_000_000, 1e-9, 1e-6, 1.6),
        (1_000, 1e-9, 1e-6, 1.6),
        (1_000_000, 1e-9, 0.0, 1),
        (50_000, 1e-9, 5e-6, 8),
        (5_000, 1e-9, 5e-6, 8),
        (4_096, 2e-9, 2e-6, 64),
    ]
    hint = "Threads divide the work, not the wake-up."
    return try_cases(
        answer,
        cases,
        lambda slots, per_slot, wake, gain: wake + slots * per_slot / gain < slots * per_slot,
        hint,
    )


Match = tuple[int | None, int | None, int]
"""The tokens before and after a match, None at the end of a word, and the count of the word."""


def check_sums_of(
    answer: Callable[[list[Match], int, int, int], Mapping[Pair, int]],
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
    hint = "Only pairs with a neighbour; one that several matches change is changed by the sum."
    return try_cases(answer, cases, _sums_of, hint, read=dict)


def _sums_of(matches: list[Match], left: int, right: int, new_id: int) -> dict[Pair, int]:
    """Return what the matches of a merge change around them."""
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
