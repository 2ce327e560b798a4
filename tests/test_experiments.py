"""Promise: what experiments compare does the same work, and counts it the same everywhere."""

import multiprocessing
import random
from functools import partial
from itertools import product
from typing import Any

import pytest

from bpe_lab import MergeStep, corpora, count_words, native, train_from_counts
from bpe_lab.bench.suites import hashing, heaps, select
from bpe_lab.bench.suites.hashing import replay_changes
from bpe_lab.bench.suites.heaps import use_heap
from bpe_lab.bench.suites.negative.stages import AllPushed, PooledMaximum, SpanPushed, ZerosKept
from bpe_lab.experiments import ablations
from bpe_lab.experiments.cython_maps import CythonMaps, CythonVectors
from bpe_lab.experiments.pieces import Changes, hash_pair, select_pairs
from bpe_lab.stages.inverted_index import InvertedIndex
from bpe_lab.stages.max_heap import MaxHeap

LANGUAGES = corpora.path("languages")

HASHES = list(hashing.HASHES)
HEAPS = list(heaps.HEAPS)
COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6, b"babaaaa": 4, b"x": 7}


@pytest.mark.parametrize("keys", heaps.KEYS)
@pytest.mark.parametrize("work", [(50, 20, 0), (10, 0, 200)])
def test_the_heaps_pop_the_same_items(keys: str, work: tuple[int, int, int]) -> None:
    sizes = dict(zip(("heapified", "replaced", "pushed"), work, strict=True))
    options = {"keys": keys, **sizes, "path": LANGUAGES, "vocab_size": 300}
    made = [use_heap(heap=heap, **options) for heap in HEAPS]
    assert len({one["digest"] for one in made}) == 1
    assert {one["operations"]["pushes"] for one in made} == {work[1] + work[2]}


def test_the_digest_of_a_heap_is_that_of_its_items() -> None:
    # Were it that of something constant, every heap would agree with every other.
    none = {"replaced": 0, "pushed": 0, "keys": "integers", "path": "", "vocab_size": 0}
    one, other = (use_heap(heap="python_heap", heapified=n, **none)["digest"] for n in (50, 51))
    assert one != other


def test_the_bad_hash_gives_65536_values() -> None:
    values = {hash_pair("shifted_xor", left, right) for left in (0, 1) for right in range(32_768)}
    assert len(values) == 65_536
    rng = random.Random(0)
    for _ in range(10_000):
        left, right = rng.randrange(32_768), rng.randrange(32_768)
        assert hash_pair("shifted_xor", left, right) in values

    # The others give many more.
    pairs = {(rng.randrange(32_768), rng.randrange(32_768)) for _ in range(100_000)}
    for name in set(HASHES) - {"shifted_xor"}:
        assert len({hash_pair(name, *pair) for pair in pairs}) > 0.95 * len(pairs), name


def test_boost_combine_is_the_published_formula() -> None:
    seed, mask = 0, 2**64 - 1
    for id_ in (97, 98):
        seed ^= (id_ + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & mask
    assert hash_pair("boost_combine", 97, 98) == seed & mask


@pytest.mark.parametrize("end_id", [257, 258, 266])
def test_the_changes_of_a_training_add_up_to_its_pair_counts(end_id: int) -> None:
    totals: dict[tuple[int, int], int] = {}
    for pair, change in Changes(COUNTS, 256, end_id):
        ids = (pair >> 32, pair & 0xFFFFFFFF)
        totals[ids] = totals.get(ids, 0) + change
    steps: list[MergeStep] = []
    train_from_counts(COUNTS, end_id, [], stage="max_heap", on_merge=steps.append)
    last: Any = steps[-1].stage
    assert {ids: count for ids, count in totals.items() if count} == last.pair_counts


def test_all_maps_and_hashes_end_with_the_same_counts() -> None:
    text = {"path": LANGUAGES, "vocab_size": 400}
    ways = [*product(("node", "flat"), HASHES), ("dict", "")]
    made = [replay_changes(map=map_, hash=hash_, **text) for map_, hash_ in ways]
    assert len({(one["digest"], one["operations"]["look_ups"]) for one in made}) == 1
    other = replay_changes(map="flat", hash="fibonacci", path=LANGUAGES, vocab_size=399)
    assert other["digest"] != made[0]["digest"]


def test_probes_are_those_of_linear_probing() -> None:
    # Three pairs with the same right id: the identity puts them into the same slot of a flat table,
    # so they are found at the first, second and third slot.
    changes = Changes({b"aa": 1, b"ba": 1, b"ca": 1}, 256, 256)
    made = changes.replay("flat", "identity")
    assert (made["probes"], made["hash_values"], made["largest"]) == (6, 3, 3)
    assert changes.replay("flat", "fibonacci")["probes"] == 3
    assert made["counts"] == [(97 << 32 | 97, 1), (98 << 32 | 97, 1), (99 << 32 | 97, 1)]


WAYS = [
    *((how, map_, 1, "") for how in ("heap", "scan", "copy") for map_ in ("flat", "node")),
    ("copy", "node", 2, "static"),
    # 1: a parallel region of one thread; 3: more than this test may have processors.
    *product(["scan"], ["flat"], (1, 2, 3), select.SCHEDULES),
]


@pytest.mark.parametrize("n_pairs", [1, 2, 1_000])
def test_all_ways_choose_the_same_pairs(n_pairs: int) -> None:
    most = 3 if native.openmp_version() else 1
    made = {way: select_pairs(*way[:2], n_pairs, 100, min(way[2], most), way[3]) for way in WAYS}
    chosen = made[WAYS[0]]["chosen"]
    assert len(chosen) == 102
    for way, one in made.items():
        assert one["chosen"] == chosen, way
    # As in a training: what appears after a merge is not more frequent than the merged pair.
    counts = [count for _, count in chosen]
    assert counts == sorted(counts, reverse=True) and counts[-1] > 0


def test_operations_of_the_ways_to_select() -> None:
    n_pairs, selections = 2_000, 50
    every = selections + 2
    given = "flat", n_pairs, selections, 1, ""
    heap, scan, copy = (select_pairs(how, *given)["operations"] for how in ("heap", "scan", "copy"))
    # All pairs at first, then the seven that appear after each selection but the last.
    assert heap["heap_pushes"] == n_pairs + 7 * (every - 1)
    # A flat table is never more than half full: 4,096 slots for 2,000 pairs.
    assert scan == {"entries_scanned": every * 4096, "entries_copied": 0}
    # A pair that is chosen goes and another comes; one that falls out is replaced, unless it was
    # chosen before: then there is one more.
    assert n_pairs * every <= copy["entries_copied"] <= (n_pairs + 7 * every) * every
    assert copy["entries_copied"] == copy["entries_scanned"]


def test_words_that_could_not_be_counted_are_refused() -> None:
    for count in (2**63, -1):
        with pytest.raises(ValueError, match=r"the count|2\*\*63"):
            Changes({b"abab": count}, 256, 300)
    assert len(Changes({b"abab": 1}, 256, 300)) == len(Changes({b"": 9, b"abab": 1}, 256, 300))


@pytest.mark.parametrize("threads", [1, 3])
def test_a_pool_of_processes_makes_the_merges_of_the_serial_maximum(threads: int) -> None:
    # Equally frequent, and with three processes in different shares: bytes decide between the best.
    counts = {b"yy": 99, **COUNTS, b"zz": 99}
    serial = train_from_counts(counts, 267, stage="fine_grained")
    pooled = train_from_counts(counts, 267, stage=PooledMaximum, threads=threads)
    assert pooled.merges == serial.merges
    assert pooled.merges[:2] == [(b"z", b"z"), (b"y", b"y")]
    assert pooled.operations == serial.operations
    assert multiprocessing.active_children() == []


def test_a_failed_training_leaves_no_process_of_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    def press_ctrl_c(step: MergeStep) -> None:
        assert multiprocessing.active_children() != []
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        train_from_counts(COUNTS, 267, stage=PooledMaximum, threads=2, on_merge=press_ctrl_c)
    assert multiprocessing.active_children() == []
    # Until here, it keeps the stage in memory: else the pool would end with it.
    assert caught.traceback


@pytest.mark.filterwarnings("ignore:no pair is left")
@pytest.mark.parametrize("stage", [CythonMaps, CythonVectors])
def test_with_maps_in_cpp_the_work_is_that_of_max_heap(stage: type) -> None:
    # Words of one letter and of no letter, matches that overlap, the end of all pairs.
    for counts, size in ((count_words(LANGUAGES), 700), ({**COUNTS, b"": 1}, 400)):
        python, compiled = (train_from_counts(counts, size, stage=one) for one in (MaxHeap, stage))
        assert compiled.merges == python.merges
        assert dict(compiled.operations) == dict(python.operations)
        assert compiled.stopped_by == python.stopped_by


TWINS = [name for name in vars(ablations) if name.startswith(("NodeMap", "FlatMap"))]


def test_heap_stages_on_other_maps_differ_in_their_pushes_alone() -> None:
    counts = count_words(LANGUAGES)
    train = partial(train_from_counts, counts, 400)
    risen, spans, changed = (train(stage=stage) for stage in (MaxHeap, SpanPushed, AllPushed))
    pushes = [one.operations["heap_pushes"] for one in (risen, spans, changed)]
    assert pushes[0] < pushes[1] < pushes[2]
    assert risen.merges == spans.merges == changed.merges
    for stage in TWINS:
        one = train(stage=getattr(ablations, stage))
        twin = spans if stage.endswith("Spans") else risen
        assert one.merges == twin.merges
        for name in ("words_scanned", "count_changes", "heap_pushes", "stale_pops"):
            assert one.operations[name] == twin.operations[name], (stage, name)


def test_a_table_that_keeps_zeros_makes_the_same_merges_until_no_pair_is_left() -> None:
    with pytest.warns(UserWarning, match="no pair is left"):
        one, kept = (train_from_counts(COUNTS, 400, stage=of) for of in (InvertedIndex, ZerosKept))
    assert one.merges == kept.merges
    assert one.operations["pairs_scanned"] < kept.operations["pairs_scanned"]
