"""The two published micro-benchmarks of heaps, with integers and with entries of a training."""

import importlib
import random
from itertools import cycle, islice
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.repeating import repeat
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap_python import Entry, MaxHeapPython
from bpe_lab.support.files import PathLike
from bpe_lab.training.training import train_from_counts

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
    least_seconds: float = 0.0,
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
    seconds = 0.0
    for loops in repeat(least_seconds):
        made = items[:heapified]
        started = perf_counter()
        popped = work(functions, made, items[heapified:], replaced)
        seconds += perf_counter() - started
    popped += [functions.heappop_max(made) for _ in range(min(len(made), POPPED_AFTERWARDS))]
    return {
        "seconds": seconds / loops,
        "digest": sha256_of(popped),
        "operations": {
            "heapified": heapified,
            "pops": replaced,
            "pushes": replaced + pushed,
            "comparisons": comparisons(functions, items, heapified, replaced),
        },
        "loops": loops,
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
