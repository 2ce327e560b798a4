"""Runs of the notebooks: one corpus, one number of merges, a time budget for the slow stages.

`BPE_LAB_SCALE=tiny` in the environment makes every run tiny: the tests execute the notebooks so.
"""

import gc
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab import count_words, train
from bpe_lab.bench.machine_facts import machine_facts, machine_line
from bpe_lab.bench.records import record, to_dataframe
from bpe_lab.corpora import excerpt
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.machine import available_cpus, peak_rss_mb
from bpe_lab.merges import merges_sha256
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
    """

    corpus_bytes: int
    few: int
    some: int
    many: int


SCALES = {
    "normal": Scale(corpus_bytes=1_000_000, few=10, some=300, many=4000),
    "tiny": Scale(corpus_bytes=20_000, few=3, some=30, many=60),
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


@dataclass(frozen=True)
class Run:
    """A training on the corpus of the notebooks, and its record.

    :param training: what the stage made.
    :param record: what benchmarks keep of it, ready for `bpe_lab.bench.records.to_dataframe`.
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
) -> Run:
    """Train on the corpus of the notebooks.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param seconds: time budget for the merges.
    :param on_merge: called after each merge with a `MergeStep`.

    >>> run("max_heap", 3).training.merges[0]
    (b' ', b'a')
    """
    wanted = 256 + len(SPECIAL_TOKENS) + n_merges
    path = corpus()
    with quiet_garbage_collector():
        training = train(
            path, wanted, SPECIAL_TOKENS, stage=stage, on_merge=on_merge, time_budget=seconds
        )
    kept = record(
        training,
        CORPUS,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        path.stat().st_size,
        vocab_size=wanted,
        workers=available_cpus(),
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
    """Check that runs made the same merges as far as each went, and return their digest.

    :param runs: from `run`.
    :raises AssertionError: two runs differ.

    >>> len(same_merges(run("naive", 2), run("max_heap", 3)))
    64
    """
    shortest = min(len(one.training.merges) for one in runs)
    digests = {one.digest(shortest) for one in runs}
    assert len(digests) == 1, f"the first {shortest} merges differ"
    return digests.pop()


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
