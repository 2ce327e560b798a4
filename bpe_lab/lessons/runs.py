"""Runs of the notebooks: trainings with their records, on one corpus, within a time budget."""

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bpe_lab import MergeStep, Training, train, train_from_counts
from bpe_lab.corpora import path as corpus_path
from bpe_lab.lessons.scale import SCALES, SLOWEST, scale
from bpe_lab.lessons.texts import CORPUS, SPECIAL_TOKENS, corpus, inventory
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.records import Record, to_dataframe, training_facts
from bpe_lab.support.machine import available_cpus, peak_rss_mb
from bpe_lab.tokenizer.merges import merges_sha256

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Run:
    """A training on the corpus of the notebooks, and its record.

    :param training: what the stage made.
    :param record: what benchmarks keep of it, ready for `bpe_lab.results.records.to_dataframe`.
    """

    training: Training
    record: Record

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
        """Return the SHA-256 of the first merges."""
        return merges_sha256(self.training.merges[:n_merges])

    def __repr__(self) -> str:
        return repr(self.training)


@cache
def facts() -> dict[str, Any]:
    """Return what a record says about this machine."""
    return machine_facts()


@contextmanager
def quiet_garbage_collector() -> Iterator[None]:
    """Hide what is in memory already from the garbage collector."""
    # Else it would walk through the results of earlier runs in the middle of this one.
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
    seconds: float | None = SLOWEST,
    on_merge: Callable[[MergeStep], object] | None = None,
    counter: str = "regex",
    whole: bool = False,
    large: bool = False,
) -> Run:
    """Train on the corpus of the notebooks, or on another text of theirs.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param seconds: time budget for the merges; None: no limit.
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
    kept = {
        **training_facts(training),
        "corpus": {
            "name": f"inventory of {len(inventory()):,} words" if large else CORPUS,
            "sha256": hashlib.sha256(b"inventory" if large else path.read_bytes()).hexdigest(),
            # There is no text with these counts, so it has no size that a caption could name.
            "bytes": 0 if large else path.stat().st_size,
        },
        "vocab_size": wanted,
        "threads": available_cpus(),
        "time_budget": seconds,
        "peak_rss_mb": peak_rss_mb(),
        "machine": facts(),
    }
    return Run(training, kept)


def table(*runs: Run) -> "pandas.DataFrame":
    """Return the records of runs as the table that figures take."""
    return to_dataframe([one.record for one in runs])


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
