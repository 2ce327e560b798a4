"""What notebook 04 draws, and its exercises: what must be pushed, and when to stop."""

import heapq
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from matplotlib.figure import Figure

from bpe_lab import train_from_counts
from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.lessons.shared.checking import (
    Form,
    Looks,
    Verdict,
    WatchedDict,
    WatchedList,
    name_of,
    small_corpora,
    try_cases,
    try_each,
)
from bpe_lab.lessons.shared.drawing import EDGE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.merging import make_merges
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.tokenizer.inspection.spelling import spell_pair
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.traps import ImpatientHeap, first_difference


def heap_entries(stage: MaxHeap) -> list[tuple[int, Pair]]:
    """Return count and pair of each entry, as the next `select` finds the heap."""
    heap = list(stage.heap)
    for pair in stage.risen:  # `select` will push them first
        heapq.heappush(heap, stage.entry(pair))
    return [(-entry[0], (entry[3], entry[4])) for entry in heap]


def draw_heap(counts: Mapping[bytes, int], n_merges: int) -> Figure:
    """Draw the heap after some merges as a tree; an entry whose count is out of date is marked.

    :param counts: few words.

    >>> draw_heap({b"ow": 5, b"owe": 2, b"we": 9}, 1)
    Figure: 2 entries, 1 of them stale
    """
    stages: list[Any] = []
    train_from_counts(
        counts, 256 + n_merges, [], stage=MaxHeap, on_merge=lambda step: stages.append(step.stage)
    )
    stage, vocab = stages[-1], stages[-1].vocab
    entries = [(count, (vocab[a], vocab[b])) for count, (a, b) in heap_entries(stage)]
    true_counts = {(vocab[a], vocab[b]): n for (a, b), n in stage.pair_counts.items()}
    stale = [true_counts.get(pair, 0) != count for count, pair in entries]
    levels = len(entries).bit_length()
    message, caption = "the greatest at the root", "Each entry: a pair and its count."
    if any(stale):
        message = f"{sum(stale)} of them stale"
        caption = (
            "Each entry: a pair and its count when it was pushed. "
            "Orange: it fell; the arrow points to the true one."
        )
    drawing = Drawing(
        0.72 * levels,
        f"{len(entries)} entries, {message}",
        caption,
        x=(0, 1),
        y=(-levels + 0.5, 0.5),
    )
    columns = {number: column for column, number in enumerate(_heap_in_order(len(entries)))}
    places = [
        ((columns[number] + 0.5) / len(entries), 1.0 - (number + 1).bit_length())
        for number in range(len(entries))
    ]
    for child in range(1, len(entries)):
        drawing.line(places[child], places[(child - 1) // 2], color=EDGE, linewidth=1, zorder=1)
    for (count, pair), place, old in zip(entries, places, stale, strict=True):
        now = f" → {true_counts.get(pair, 0)}" if old else ""
        colors = (LIGHT_ORANGE, ORANGE) if old else (PALE, EDGE)
        frame = {"boxstyle": "round,pad=0.3", "facecolor": colors[0], "edgecolor": colors[1]}
        text = f"{spell_pair(pair)}\n{count}{now}"
        drawing.label(*place, text, "center", size=LABEL_SIZE + 3, zorder=2, bbox=frame)
    return drawing.figure


def _heap_in_order(n_entries: int, root: int = 0) -> list[int]:
    """Return the entries of a heap from left to right: left branch, entry, right branch."""
    # Drawn so, no entry stands above another one, and each has room for large letters.
    if root >= n_entries:
        return []
    left, right = (_heap_in_order(n_entries, 2 * root + side) for side in (1, 2))
    return [*left, root, *right]


Entries = list[tuple[int, bytes, bytes]]
"""(count, left, right), the greatest first."""

Changes = dict[Pair, int]


def check_to_push(answer: Callable[[Changes, Changes, int], Iterable[Pair]]) -> Verdict:
    """Check what is pushed for a heap that throws stale tops away.

    The heap is `ImpatientHeap`; it trains on small texts with what the answer pushes.

    :param answer: ({pair: change of its count, not 0}, {pair: its count now, where it is not 0},
        new id) -> the pairs to push.

    >>> check_to_push(lambda changes, counts, new_id: [pair for pair in counts if new_id in pair])
    Not yet: on `{b'low': 5, b'lower': 2, b'widest': 3, b'newest': 6, b'es': 2, b'st': 2}` merge \
13, (e, s), is missing.
    """
    example: Any = ({(97, 98): -2}, {(97, 98): 5}, 256)
    pairs = Form(
        "a list of pairs such as `(97, 98)`",
        lambda given: isinstance(given, Iterable) and all(one in [(97, 98)] for one in given),
    )
    verdict = try_each(answer, [example], lambda *_: "", form=pairs)
    if not verdict.passed:
        return verdict

    gone = list[str]()

    def pushes(counts: dict[bytes, int], push: Any) -> tuple[list[Merge], int]:
        class Mended(ImpatientHeap):
            """The trap, with another choice of what is pushed."""

            def update(self, pair: Pair, new_id: int) -> None:
                before = dict(self.pair_counts)
                super().update(pair, new_id)
                now = dict(self.pair_counts)
                moved = {one: now.get(one, 0) - before.get(one, 0) for one in {**before, **now}}
                changes = {one: change for one, change in moved.items() if change}
                pushed = list(push(changes, now.copy(), new_id))
                self.risen = [one for one in pushed if one in now]
                for a, b in (one for one in pushed if one not in now):
                    gone.append(spell_pair((self.vocab[a], self.vocab[b])))
                n_entries.append(len(pushed))

        n_entries = list[int]()
        made = make_merges(Mended, counts, 99)
        return made.merges, sum(n_entries)

    def all_that_moved(changes: Changes, now: Changes, new_id: int) -> list[Pair]:
        return [pair for pair in changes if pair in now]

    texts = [WORKED_EXAMPLE | {b"es": 2, b"st": 2}, *small_corpora()]
    n_pushed = n_enough = 0

    def mistake(given: tuple[list[Merge], int], counts: dict[bytes, int]) -> str:
        nonlocal n_pushed, n_enough
        (merges, n_given), (right, n_needed) = given, pushes(counts, all_that_moved)
        n_pushed, n_enough = n_pushed + n_given, n_enough + n_needed
        if gone:
            returned = f"`{name_of(answer)}` returned {gone[0]}, which no longer occurs anywhere."
            return f"on `{counts}` {returned}"
        if merges != right:
            return f"on `{counts}` {first_difference(right, merges)}."
        few = f"on `{counts}` you push {n_given} entries; {n_needed} are enough."
        return f"the merges are right, but {few}" if n_given > n_needed else ""

    return try_each(
        answer,
        [(counts,) for counts in texts],
        mistake,
        lambda: (
            f"`{name_of(answer)}` gives the right merges on all {len(texts)} texts, with "
            f"{n_pushed} entries pushed; {n_enough} are enough."
        ),
        ask=lambda counts: pushes(counts, answer),
        call=lambda counts: f"on `{counts}` `{name_of(answer)}`",
    )


def check_lazy_top(answer: Callable[[Entries, dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that takes the next pair from entries that may be stale, and looks at few.

    :param answer: (entries (count, left, right), greatest first; {(left, right): true count}) ->
        (left, right).

    >>> check_lazy_top(lambda entries, true_counts: entries[0][1:]).passed
    False
    >>> check_lazy_top(lambda entries, true_counts: max(true_counts, key=lambda pair: (
    ...     true_counts[pair], pair))).message.split("; ")[-1].split(":")[0]
    '2 are enough'
    """
    cases = _heap_cases()

    def expected(entries: Entries, true_counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in true_counts.items())[1]

    reason = (
        "{} are enough: compare all of the next entry, `(count, left, right)`, with the best true "
        "one so far"
    )
    looks = Looks("entries", _reads_needed, reason, (WatchedList, _WatchedCounts))
    hint = "An entry can promise too much, never too little; of equals the greatest (left, right)."
    return try_cases(answer, cases, expected, hint, looks=looks)


class _WatchedCounts(WatchedDict):
    """Counts that are all looked up, also where they are handed out without a look-up."""

    def items(self) -> Any:
        self.looked.update(self)
        return super().items()

    def values(self) -> Any:
        self.looked.update(self)
        return super().values()


def _reads_needed(entries: Entries, true_counts: dict[Merge, int]) -> int:
    """Return how many entries tell which pair is next: the last of them promises no more."""
    best: tuple[Any, ...] = (0,)
    for number, (count, left, right) in enumerate(entries, start=1):
        if (count, left, right) <= best:
            return number
        best = max(best, (true_counts.get((left, right), 0), left, right))
    return len(entries)


def _heap_cases() -> list[tuple[Entries, dict[Merge, int]]]:
    """Return entries of which some are stale, with the true counts, the smallest first."""
    random = Random(3)
    tokens = [b"a", b"b", b"ab", b"ba"]
    cases: list[tuple[Entries, dict[Merge, int]]] = [
        ([(7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"e", b"s"): 2, (b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (1, b"l", b"o"), (1, b"a", b"b")], {(b"e", b"s"): 2, (b"l", b"o"): 1}),
    ]
    for _ in range(40):
        pairs = sorted({(random.choice(tokens), random.choice(tokens)) for _ in range(5)})
        true = {pair: random.randint(1, 4) for pair in pairs}
        entries = [(count + random.choice((0, 0, 3)), *pair) for pair, count in true.items()]
        cases.append((sorted(entries, reverse=True), true))
    return cases
