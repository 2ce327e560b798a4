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
from bpe_lab.results.tables import Records, short, summary
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap_python import Entry, MaxHeapPython
from bpe_lab.support.files import PathLike
from bpe_lab.training.training import train_from_counts

HEAPS = ("python_heap", "heapq_heap", "cython_heap")
"""Modules of `bpe_lab.stages.heaps`."""

KEYS = ("integers", "entries")
PARTS = ("heapified", "replaced", "pushed")

WORK = {
    "1": ("heapify 100,000, 100 pops and pushes", 100_000, 100, 0),
    "2": ("heapify 10,000, 500,000 pushes", 10_000, 0, 500_000),
    "heapified": ("heapify 100,000", 100_000, 0, 0),
    "pushed": ("100,000 pushes", 0, 0, 100_000),
}
"""Items that are made into a heap, those that replace one, those that are pushed. The first two are
the published benchmarks; the others make a heap of the same items both ways."""


def cases(scale: str) -> list[Case]:
    """Return both benchmarks with both kinds of keys, and both ways to build, on three heaps."""
    on: dict[str, Any] = {"text": "stories", "vocab_size": 10_000}
    smaller, chosen = 1, []
    if scale == "tiny":
        on, smaller = {"text": "languages", "vocab_size": 280}, 100
    for name, (_, *numbers) in WORK.items():
        for keys in KEYS if name in ("1", "2") else KEYS[1:]:
            results = f"{name}, {keys}" if name in ("1", "2") else "built, entries"
            sizes = {part: number // smaller for part, number in zip(PARTS, numbers, strict=True)}
            for heap in HEAPS:
                params = {"heap": heap, "keys": keys, **sizes, **on}
                case = f"{name}, {keys}, {heap}"
                chosen.append(Case(case, f"{__name__}:use_heap", params, results))
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
    heap_items, rest, popped = items[:heapified], items[heapified:], []
    push, pop = functions.heappush_max, functions.heappop_max
    started = perf_counter()
    functions.heapify_max(heap_items)
    for item in rest[:replaced]:
        popped.append(pop(heap_items))
        push(heap_items, item)
    for item in rest[replaced:]:
        push(heap_items, item)
    seconds = perf_counter() - started
    popped += [pop(heap_items) for _ in range(min(len(heap_items), POPPED_AFTERWARDS))]
    return {
        "seconds": seconds,
        "digest": lines_sha256(popped),
        "operations": {"heapified": heapified, "pops": replaced, "pushes": replaced + pushed},
    }


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


def _rows(records: Records) -> Records:
    """Return the summary in milliseconds; group is the work done."""
    rows = summary(records.assign(ms=1e3 * records["seconds"]), "ms")
    names = rows.index.to_series().str.partition(", ")[0]
    stages = "max_heap_" + rows["param_heap"].str.removesuffix("_heap")
    return rows.assign(
        group=rows["param_keys"] + ": " + names.map({name: of for name, (of, *_) in WORK.items()}),
        label=rows["param_heap"],
        color=stages.map(stage_color),
    )


SUITE = Suite.of_rows(
    id="heaps",
    title="Three heaps",
    question="How much faster is a compiled heap, with integers and with the keys of a training?",
    cases=cases,
    rows=_rows,
    columns={"benchmark": "{group}", "heap": "`{param_heap}`", "ms": short("median")},
    draw=rows_figure(
        x_label="milliseconds per repetition (log scale)",
        note="Entries: (count, left bytes, right bytes, ids), as stage max_heap_python makes them.",
    ),
)
