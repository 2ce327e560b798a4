"""A real cluster of this machine, for a notebook: it counts, and one of its workers dies."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab.counting import dask_counter
from bpe_lab.counting.plan import plan_counting
from bpe_lab.counting.text_file import TextFile
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.lessons.texts import SPECIAL_TOKENS
from bpe_lab.registry import COUNTERS

WORKERS = 2
"""Processes: as many as the smallest machine of a cloud has processors."""


class _Killed(NamedTuple):
    """What came out of a count half-way through which a worker was killed."""

    counts: WordCounts
    ranges: int
    counted_again: int


def installed() -> bool:
    """Tell whether the counter `dask` can be used."""
    return not COUNTERS["dask"].missing()


MISSING = (
    "*The counter `dask` is not installed here (`pip install 'bpe_lab[dask]'`), so this part "
    "of the notebook did not run.*"
)


@contextmanager
def processes() -> Iterator[Any]:
    """Return the current client of a cluster of this machine, which is ended afterwards."""
    from distributed import Client

    with dask_counter.local_cluster(WORKERS) as cluster, Client(cluster) as client:
        client.wait_for_workers(WORKERS)
        yield client


def count_and_kill(client: Any, text: Path, block_bytes: int) -> _Killed:
    """Count a text, and kill the worker with the most tables when half of it is counted.

    >>> from bpe_lab.lessons.texts import corpus, words
    >>> if installed():
    ...     with processes() as client:
    ...         killed = count_and_kill(client, corpus(), 500)
    ...         assert killed.counts == words() and killed.ranges > 8
    """
    from bpe_lab.lessons.cluster_watch import TableWatch

    watch = TableWatch(client.cluster.scheduler)
    file, done, workers = TextFile(text), 0, client.run(os.getpid)

    def report(n_bytes: int) -> None:
        nonlocal done
        done += n_bytes
        if done > file.size / 2 and workers:
            tables = client.has_what()
            victim = max(workers, key=lambda worker: len(tables[worker]))
            os.kill(workers[victim], signal.SIGKILL)  # no warning, no good-bye
            workers.clear()

    plan = plan_counting(SPECIAL_TOKENS, counter="dask", block_bytes=block_bytes)
    counts = dask_counter.count_files([file], plan, report)
    return _Killed(counts, watch.ranges, watch.counted_again)
