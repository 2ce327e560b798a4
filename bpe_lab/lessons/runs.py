"""Runs of the notebooks: one corpus, one number of merges, a time budget for the slow stages.

`BPE_LAB_SCALE=tiny` in the environment makes every run tiny: the tests execute the notebooks so.
"""

import gc
import hashlib
import os
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bpe_lab import count_words, train, train_from_counts
from bpe_lab.corpora import excerpt
from bpe_lab.corpora import path as corpus_path
from bpe_lab.counting.native_counter import NativeWordCounts
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.machine import available_cpus, peak_rss_mb
from bpe_lab.merges import first_vocab, merges_sha256
from bpe_lab.native import CompiledStage, word_table
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.records import record, to_dataframe
from bpe_lab.stages.interface import Pair
from bpe_lab.training import MergeStep, Training

if TYPE_CHECKING:
    import pandas

SPECIAL_TOKENS = ("<|endoftext|>",)
CORPUS = "stories"


@dataclass(frozen=True)
class Scale:
    """How large the runs of the notebooks are.

    :param corpus_bytes: size of the excerpt that all stages train on.
    :param few: merges that every stage makes in seconds, `naive` too.
    :param some: merges that a stage makes in seconds which recounts distinct words.
    :param many: merges for the stages that keep a table.
    :param inventory: words of the large inventory that compiled stages train on.
    :param turns: how often stages run that are close to each other.
    """

    corpus_bytes: int
    few: int
    some: int
    many: int
    inventory: int
    turns: int


SCALES = {
    "normal": Scale(corpus_bytes=1_000_000, few=10, some=300, many=4000, inventory=50_000, turns=5),
    "tiny": Scale(corpus_bytes=20_000, few=3, some=30, many=60, inventory=2_000, turns=1),
}

SLOWEST = 20.0
"""Seconds after which any run stops, whatever the machine."""


def scale() -> Scale:
    """Return the scale that `BPE_LAB_SCALE` names, "normal" when it is not set.

    :raises ValueError: unknown; the message lists the known ones.

    >>> scale().few < scale().some < scale().many
    True
    """
    name = os.environ.get("BPE_LAB_SCALE", "normal")
    if name not in SCALES:
        raise ValueError(f"BPE_LAB_SCALE is {name!r}: known are {', '.join(SCALES)}")
    return SCALES[name]


FEW, SOME, MANY = scale().few, scale().some, scale().many
"""Numbers of merges; `Scale` says for which stages."""

TURNS = scale().turns
"""How often stages run that are close to each other."""


@cache
def corpus() -> Path:
    """Return the corpus of the notebooks, an excerpt of the bundled stories.

    >>> corpus().stat().st_size <= scale().corpus_bytes
    True
    """
    return excerpt(CORPUS, scale().corpus_bytes)


@cache
def words() -> WordCounts:
    """Return the word counts of the corpus of the notebooks.

    >>> words().occurrences > len(words())
    True
    """
    return count_words(corpus(), SPECIAL_TOKENS)


@cache
def inventory(n_words: int = 0) -> NativeWordCounts:
    """Return the counts of made-up words, as many and as unevenly frequent as in a large corpus.

    Syllables are put together at random. The word of rank r occurs 1/r times as often as the
    first, and rare words are rarer still: 1/r³ in the end, so that many occur a few times only. A
    text with them would fill gigabytes, and a stage never sees more than the counts.

    :param n_words: how many distinct words; what the scale says when 0.

    >>> len(inventory(100)), max(inventory(100).values())
    (100, 996011968)
    """
    size = n_words or scale().inventory
    draw = random.Random(0)
    starts = ["", *"bcdfghklmnprstvwz", "st", "tr", "pl", "sh"]
    ends = ["", "", *"nrsltd", "ng"]
    syllables = [start + vowel + end for start in starts for vowel in "aeiou" for end in ends]
    made: dict[bytes, int] = {}
    while len(made) < size:
        word = " " + "".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 3, 4))))
        rank = len(made) + 1
        made.setdefault(word.encode(), 10**9 * 500**2 // (rank * (500 + rank) ** 2) or 1)
    return NativeWordCounts(word_table(made))


@dataclass(frozen=True)
class Run:
    """A training on the corpus of the notebooks, and its record.

    :param training: what the stage made.
    :param record: what benchmarks keep of it, ready for `bpe_lab.results.records.to_dataframe`.
    """

    training: Training
    record: dict[str, Any]

    @property
    def stage(self) -> str:
        """Id of the stage."""
        return self.training.stage

    @property
    def operations(self) -> dict[str, int]:
        """Operation counts: the same on every machine."""
        return self.training.operations

    @property
    def merge_seconds(self) -> float:
        """Seconds of all phases but `count`."""
        return float(self.record["merge_seconds"])

    @property
    def per_merge(self) -> float:
        """Seconds per merge."""
        return self.merge_seconds / max(len(self.training.merges), 1)

    @property
    def shares(self) -> dict[str, float]:
        """Share of each phase in the seconds of all phases but `count`, the largest first."""
        phases = {name: s for name, s in self.training.phases.items() if name != "count"}
        ordered = sorted(phases.items(), key=lambda item: item[1], reverse=True)
        return {name: seconds / self.merge_seconds for name, seconds in ordered}

    def digest(self, n_merges: int | None = None) -> str:
        """Return the SHA-256 of the first merges.

        :param n_merges: how many; all when None.
        """
        return merges_sha256(self.training.merges[:n_merges])

    def __repr__(self) -> str:
        return repr(self.training)


@cache
def facts() -> dict[str, Any]:
    """Return what a record says about this machine.

    >>> "cpu" in facts()
    True
    """
    return machine_facts()


@contextmanager
def quiet_garbage_collector() -> Iterator[None]:
    """Hide what is in memory already from the garbage collector.

    Else it would walk through the results of earlier runs in the middle of this one, which a fresh
    process would not have.

    >>> with quiet_garbage_collector():
    ...     gc.get_freeze_count() > 0
    True
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def run(
    stage: str,
    n_merges: int,
    *,
    seconds: float = SLOWEST,
    on_merge: Callable[[MergeStep], object] | None = None,
    counter: str = "regex",
    whole: bool = False,
    large: bool = False,
) -> Run:
    """Train on the corpus of the notebooks, or on another text of theirs.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param seconds: time budget for the merges.
    :param on_merge: called after each merge with a `MergeStep`.
    :param counter: id of a counter.
    :param whole: on the whole of the bundled stories, not on their beginning.
    :param large: on the `inventory`, which is made of counts and needs no counting.

    >>> run("max_heap", 3).training.merges[0]
    (b' ', b'a')
    """
    wanted = 256 + len(SPECIAL_TOKENS) + n_merges
    options: dict[str, Any] = {"stage": stage, "on_merge": on_merge, "time_budget": seconds}
    path = corpus_path(CORPUS) if whole and scale() is SCALES["normal"] else corpus()
    with quiet_garbage_collector():
        if large:
            training = train_from_counts(inventory(), wanted, SPECIAL_TOKENS, **options)
        else:
            training = train(path, wanted, SPECIAL_TOKENS, counter=counter, **options)
    kept = record(
        training,
        f"inventory of {len(inventory()):,} words" if large else CORPUS,
        hashlib.sha256(b"inventory" if large else path.read_bytes()).hexdigest(),
        inventory().text_bytes if large else path.stat().st_size,
        vocab_size=wanted,
        threads=available_cpus(),
        time_budget=seconds,
        validated={},
        peak_rss_mb=peak_rss_mb(),
        machine=facts(),
        utc=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    return Run(training, kept)


def table(*runs: Run) -> "pandas.DataFrame":
    """Return the records of runs as the table that figures take.

    :param runs: from `run`.

    >>> table(run("max_heap", 2))["stage"].tolist()
    ['max_heap']
    """
    return to_dataframe([one.record for one in runs])


def watch(stage: str, n_merges: int, look: Callable[[MergeStep], int]) -> list[int]:
    """Train on the corpus of the notebooks and note one number after each merge.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param look: what to note.

    >>> watch("max_heap", 3, lambda step: step.rank)
    [0, 1, 2]
    """
    seen: list[int] = []
    run(stage, n_merges, on_merge=lambda step: seen.append(look(step)))
    return seen


def watch_operations(stage: str, n_merges: int, name: str) -> list[int]:
    """Return how often each merge did an operation, on the corpus of the notebooks.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param name: of the operation, as in `Training.operations`.

    >>> len(watch_operations("inverted_index", 3, "words_rewritten"))
    3
    """
    totals = watch(stage, n_merges, lambda step: step.stage.operations[name])
    return [after - before for before, after in pairwise([0, *totals])]


def same_merges(*runs: Run) -> str:
    """Check that runs made the same merges, each as far as it went, and return their digest.

    Each is compared with the longest over its own length.

    :param runs: from `run`.
    :return: the digest of the merges that all of them made.
    :raises AssertionError: two runs differ.

    >>> len(same_merges(run("naive", 2), run("max_heap", 3)))
    64
    """
    longest = max(runs, key=lambda one: len(one.training.merges))
    for one in runs:
        made = len(one.training.merges)
        assert one.training.merges == longest.training.merges[:made], (
            f"of the first {made} merges of {one.stage}, some are not those of {longest.stage}"
        )
    return longest.digest(min(len(one.training.merges) for one in runs))


def operations_table(*runs: Run) -> "pandas.DataFrame":
    """Return the operation counts of runs side by side, one row per kind of operation.

    :param runs: from `run`; the same number of merges makes them comparable.

    >>> operations_table(run("naive", 1), run("word_counts", 1)).columns.tolist()
    ['naive', 'word_counts']
    """
    import pandas

    names = list(dict.fromkeys(name for one in runs for name in one.operations))
    columns = {one.stage: [one.operations.get(name, 0) for name in names] for one in runs}
    shown = pandas.DataFrame(columns, index=[name.replace("_", " ") for name in names])
    return shown.map(lambda count: f"{count:,}")


def this_machine() -> str:
    """Return the machine in one line; every time in a notebook belongs to it.

    >>> "CPU" in this_machine()
    True
    """
    return machine_line(facts())


@dataclass(frozen=True)
class BareRun:
    """A run of a compiled stage that need not be registered, in one call.

    :param merges: pairs of ids in order.
    :param counts: of the pairs when they were merged.
    :param seconds: of all merges, the first counts not included.
    :param select_seconds: of them, for the choice of the pairs.
    :param operations: operation counts of the stage.
    """

    merges: list[Pair]
    counts: list[int]
    seconds: float
    select_seconds: float
    operations: dict[str, int]


def run_bare(
    stage_class: type[CompiledStage],
    counts: Mapping[bytes, int],
    n_merges: int,
    *,
    threads: int = 1,
    announced: bool = True,
) -> BareRun:
    """Run a compiled stage without the loop of `bpe_lab.training`.

    :param stage_class: of `bpe_lab.native`.
    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.
    :param threads: for the stages that take some.
    :param announced: tell the stage the number of merges before, as `bpe_lab.train` does.

    >>> from bpe_lab import native
    >>> run_bare(native.Core, {b"low": 5}, 2).counts
    [5, 5]
    """
    words, vocab = word_table(counts), first_vocab([])
    end_id = len(vocab) + n_merges
    stage = stage_class(
        words,  # type: ignore[arg-type]
        vocab,
        threads=threads,
        vocab_size=end_id if announced else None,
    )
    stage.count_pairs()
    lefts, rights, found, times, select_seconds, _ = stage.run(len(vocab), end_id, SLOWEST)
    pairs = list(zip(lefts, rights, strict=True))
    seconds = times[-1] if times else 0.0
    return BareRun(pairs, list(found), seconds, select_seconds, stage.operations)


def in_turns(
    *runs: Callable[[], BareRun], by: Literal["seconds", "select_seconds"] = "seconds"
) -> list[BareRun]:
    """Run several things in turns, and return the fastest run of each.

    In turns, so that what else the machine does meets all of them.

    :param runs: without arguments, such as `functools.partial(run_bare, ...)`.
    :param by: the seconds that decide which run is the fastest.

    >>> from functools import partial
    >>> from bpe_lab import native
    >>> stages = native.Core, native.CppFlat
    >>> core, flat = in_turns(*[partial(run_bare, stage, {b"low": 5}, 2) for stage in stages])
    >>> core.merges == flat.merges
    True
    """
    turns = [[one() for one in runs] for _ in range(TURNS)]
    return [min(found, key=attrgetter(by)) for found in zip(*turns, strict=True)]


def least_final_count(counts: Mapping[bytes, int], n_merges: int) -> int:
    """Return what the count of the last of some merges cannot be below, 0 when nothing is known.

    The same as in `ext/core.hpp`, where the proof stands: the count of the word of that rank, words
    of one byte left out.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges, 1 or more.

    >>> least_final_count({b"low": 5, b"er": 2, b"a": 9}, 2)
    2
    """
    long_words = sorted((count for word, count in counts.items() if len(word) > 1), reverse=True)
    return long_words[n_merges - 1] if n_merges <= len(long_words) else 0


def list_lengths(counts: Mapping[bytes, int], n_merges: int) -> list[int]:
    """Return how many places the list of each merge has, in the stage `core`.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> list_lengths({b"low": 5, b"lower": 2}, 2)
    [2, 2]
    """
    totals: list[int] = []
    train_from_counts(
        counts,
        256 + n_merges,
        [],
        stage="core",
        threads=1,
        on_merge=lambda step: totals.append(step.stage.operations["positions_read"]),
    )
    return [after - before for before, after in pairwise([0, *totals])]


def random_word(length: int) -> bytes:
    """Return one word of random letters a, c, g, t: a text with no place to cut it.

    :param length: in bytes.

    >>> len(random_word(9))
    9
    """
    return bytes(random.Random(0).choices(b"acgt", k=length))


def pair_counts_after(counts: Mapping[bytes, int], n_merges: int) -> list[int]:
    """Return the counts of all pairs that are in the table after some merges.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> pair_counts_after({b"low": 5}, 1)
    [5]
    """
    found: list[int] = []

    def keep(step: MergeStep) -> None:
        if step.rank == n_merges - 1:
            found.extend(step.stage.pair_counts.values())  # type: ignore[attr-defined]

    train_from_counts(counts, 256 + n_merges, [], stage="max_heap", on_merge=keep)
    return found
