"""A real cluster of this machine, for a notebook: what it counts, what it sends, what dies."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab.counting import dask_counter
from bpe_lab.counting.text_file import TextFile
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.lessons.texts import SPECIAL_TOKENS
from bpe_lab.registry import COUNTERS
from bpe_lab.words.patterns import PATTERNS

WORKERS = 2
"""Processes: as many as the smallest machine of a cloud has processors."""


class Killed(NamedTuple):
    """What came out of a count half-way through which a worker was killed.

    :param counts: of all words.
    :param ranges: how many there were.
    :param counted_again: how many of them were counted a second time.
    """

    counts: WordCounts
    ranges: int
    counted_again: int


def installed() -> bool:
    """Tell whether the counter `dask` can be used.

    >>> installed() in (True, False)
    True
    """
    return not COUNTERS["dask"].missing()


MISSING = (
    "*The counter `dask` is not installed here (`pip install distributed fsspec`), so this part "
    "of the notebook did not run.*"
)


@contextmanager
def processes(workers: int = WORKERS) -> Iterator[Any]:
    """Return the current client of a cluster of this machine, which is ended afterwards.

    :param workers: how many processes, of one thread each.
    """
    from distributed import Client

    with dask_counter.local_cluster(workers) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        yield client


def round_trip(client: Any, repeats: int = 50) -> float:
    """Return the seconds from a question to a worker to its answer.

    :param client: of dask.
    :param repeats: how many questions, one after the other.

    >>> from types import SimpleNamespace
    >>> client = SimpleNamespace(submit=lambda *call: SimpleNamespace(result=int))
    >>> 0 < round_trip(client) < 1
    True
    """
    begun = time.perf_counter()
    for number in range(repeats):
        client.submit(int, number).result()
    return (time.perf_counter() - begun) / repeats


def sent_bytes(client: Any) -> int:
    """Return how many bytes the workers have sent to each other and to the client so far.

    :param client: of dask.

    >>> from types import SimpleNamespace
    >>> sent_bytes(SimpleNamespace(run=lambda ask: {"one": 300, "two": 20}))
    320
    """
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def count_and_kill(client: Any, text: Path, block_bytes: int) -> Killed:
    """Count a text, and kill the worker with the most tables when half of it is counted.

    :param client: of dask, with a cluster of this process.
    :param text: file.
    :param block_bytes: size of a range.

    >>> from bpe_lab.lessons.texts import corpus, words
    >>> if installed():
    ...     with processes() as client:
    ...         killed = count_and_kill(client, corpus(), 500)
    ...         assert killed.counts == words() and killed.ranges > 8
    ...         client.wait_for_workers(WORKERS)
    ...         assert after_a_death(client)["computed"] == "is there"
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

    counts = dask_counter.count_files(
        [file],
        SPECIAL_TOKENS,
        pattern=PATTERNS["gpt2"],
        threads=WORKERS,
        errors="strict",
        block_bytes=block_bytes,
        report=report,
    )
    return Killed(counts, watch.ranges, watch.counted_again)


def after_a_death(client: Any) -> dict[str, str]:
    """Kill the worker that holds two values, and ask for both: one was scattered, one computed.

    :param client: of dask, with two workers or more. (The example of `count_and_kill` calls it.)
    """
    from distributed import wait

    worker, process = next(iter(client.run(os.getpid).items()))
    here = {"workers": [worker], "allow_other_workers": True}
    values = {
        "scattered": client.scatter([b"low"], workers=[worker])[0],
        "computed": client.submit(bytes.upper, b"low", **here),
    }
    wait(list(values.values()))
    os.kill(process, signal.SIGKILL)
    time.sleep(0.5)
    return {name: fate(value.result) for name, value in values.items()}


def fate(ask: Callable[..., object]) -> str:
    """Return what became of a value.

    :param ask: returns it, or raises within a few seconds.

    >>> fate(lambda timeout: 3)
    'is there'
    """
    try:
        ask(timeout=10)
    except Exception as error:
        return f"is lost (`{type(error).__name__}`)"
    return "is there"
