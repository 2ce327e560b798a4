"""Suite `heaps`: the two published micro-benchmarks of heaps, with integers and with real keys.

And a heap built from a list (`heapify`, linear time) against one built by pushes.
"""

import importlib
import random
from itertools import cycle, islice
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.published import published_timings
from bpe_lab.results.tables import Records, short, summary, table_of
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap_python import Entry, MaxHeapPython
from bpe_lab.support.files import PathLike
from bpe_lab.training.training import train_from_counts

HEAPS = ("python_heap", "heapq_heap", "cython_heap")
"""Modules of `bpe_lab.stages.heaps`."""

KEYS = ("integers", "entries")

PUBLISHED_WORK = {
    "1": {"heapified": 100_000, "replaced": 100, "pushed": 0},
    "2": {"heapified": 10_000, "replaced": 0, "pushed": 500_000},
}
"""Heapify and 100 times pop and push; heapify and pushes."""

BUILT = {
    "heapified": {"heapified": 100_000, "replaced": 0, "pushed": 0},
    "pushed": {"heapified": 0, "replaced": 0, "pushed": 100_000},
}
"""The same entries of a training made into a heap, both ways."""

STORIES = {"text": "stories", "vocab_size": 10_000}
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280},
    "default": STORIES,
    "full": STORIES,
}


def cases(scale: str) -> list[Case]:
    """Return both benchmarks with both kinds of keys, and both ways to build, on three heaps."""
    work = [
        (name, keys, parts, f"{name}, {keys}")
        for name, parts in PUBLISHED_WORK.items()
        for keys in KEYS
    ]
    work += [(name, "entries", parts, "built, entries") for name, parts in BUILT.items()]
    smaller, chosen = 100 if scale == "tiny" else 1, []
    for name, keys, parts, results in work:
        less = {part: number // smaller for part, number in parts.items()}
        for heap in HEAPS:
            params = {"heap": heap, "keys": keys, **less, **SCALES[scale]}
            chosen.append(Case(f"{name}, {keys}, {heap}", f"{__name__}:use_heap", params, results))
    return chosen


SEED = 2024
POPPED_AFTERWARDS = 100


def use_heap(
    *,
    heap: str,
    keys: str,
    heapified: int,
    replaced: int,
    pushed: int,
    path: PathLike,
    vocab_size: int,
) -> dict[str, Any]:
    """Heapify items, pop one and push another many times, push many."""
    functions: Any = importlib.import_module(f"bpe_lab.stages.heaps.{heap}")
    n_items = heapified + replaced + pushed
    items: list[Any]
    if keys == "integers":
        items = random.Random(SEED).choices(range(n_items), k=n_items)
    else:
        # A training makes fewer than the benchmark needs, so they are repeated.
        items = list(islice(cycle(training_entries(path, vocab_size)), n_items))
    heap_items, rest = items[:heapified], items[heapified:]
    started = perf_counter()
    popped = work(functions, heap_items, rest, replaced)
    seconds = perf_counter() - started
    popped += [
        functions.heappop_max(heap_items) for _ in range(min(len(heap_items), POPPED_AFTERWARDS))
    ]
    return {
        "seconds": seconds,
        "digest": lines_sha256(popped),
        "operations": {
            "heapified": heapified,
            "pops": replaced,
            "pushes": replaced + pushed,
            "comparisons": comparisons(functions, items, heapified, replaced),
        },
    }


def work(functions: Any, heap: list[Any], items: list[Any], replaced: int) -> list[Any]:
    """Heapify a list, pop one item and push another `replaced` times, then push the rest."""
    push, pop = functions.heappush_max, functions.heappop_max
    functions.heapify_max(heap)
    popped = []
    for item in items[:replaced]:
        popped.append(pop(heap))
        push(heap, item)
    for item in items[replaced:]:
        push(heap, item)
    return popped


class Counted:
    """An item that counts how often items of its kind are compared."""

    __slots__ = ("key",)
    comparisons = 0

    def __init__(self, key: Any) -> None:
        self.key = key

    def __lt__(self, other: "Counted") -> bool:
        Counted.comparisons += 1
        return bool(self.key < other.key)


def comparisons(functions: Any, items: list[Any], heapified: int, replaced: int) -> int:
    """Return how many comparisons the work takes."""
    counted = list(map(Counted, items))
    before = Counted.comparisons
    work(functions, counted[:heapified], counted[heapified:], replaced)
    return Counted.comparisons - before


def training_entries(path: PathLike, vocab_size: int) -> list[Entry]:
    """Return the entries that a training puts into its heap, shuffled."""
    entries: list[Entry] = []

    class NotedEntries(MaxHeapPython):
        """Stage `max_heap_python` that records every entry made for its heap."""

        def entry(self, pair: Pair) -> Entry:
            entries.append(super().entry(pair))
            return entries[-1]

    train_from_counts(
        count_words(path, SPECIAL_TOKENS), vocab_size, SPECIAL_TOKENS, stage=NotedEntries
    )
    # Sorted first: in a training their order is that of a hash table.
    entries.sort()
    random.Random(SEED).shuffle(entries)
    return entries


def published_seconds() -> dict[str, float]:
    """Return the published seconds of one repetition, by the case that does the same work."""
    rows = published_timings().query("place == 'heaps'")
    # "1000 x heapify of ..."
    repetitions = rows["corpus"].str.partition(" x ")[0].astype(int)
    return dict(zip(rows["case"], rows["value"] / repetitions, strict=True))


PARTS = {
    "param_heapified": "heapify {:,}",
    "param_replaced": "{:,} pops and pushes",
    "param_pushed": "{:,} pushes",
}
"""Parameter -> the work that it means."""


def _rows(records: Records) -> Records:
    """Return the summary in milliseconds; group is the work done, ring its published time."""
    rows = summary(records.assign(ms=1e3 * records["seconds"]), "ms")
    known = {} if rows["scale"].iloc[0] == "tiny" else published_seconds()
    groups = [
        f"{row['param_keys']}: "
        + ", ".join(text.format(row[name]) for name, text in PARTS.items() if row[name])
        for row in rows.to_dict("records")
    ]
    stages = "max_heap_" + rows["param_heap"].str.removesuffix("_heap")
    return rows.assign(
        group=groups,
        ring=1e3 * rows.index.to_series().map(known).astype(float),
        label=rows["param_heap"],
        color=stages.map(stage_color),
    )


SUITE = Suite(
    id="heaps",
    title="Three heaps",
    question="How much faster is a compiled heap, with integers and with the keys of a training?",
    cases=cases,
    table=table_of(
        _rows,
        {
            "benchmark": "{group}",
            "heap": "`{param_heap}`",
            "ms": short("median"),
            "published ms": lambda row: three_digits(row["ring"]) if row["ring"] > 0 else "",
            "comparisons": "{operations[comparisons]:,}",
            "ns per comparison": lambda row: three_digits(
                1e6 * row["median"] / row["operations"]["comparisons"]
            ),
        },
    ),
    figure=rows_figure(
        _rows,
        "Three heaps: milliseconds per repetition",
        x_label="milliseconds per repetition (log scale)",
        note="Ring: published, 64-CPU server. Entries: (count, left bytes, right bytes, ids), as "
        "stage max_heap_python makes them.",
    ),
)
