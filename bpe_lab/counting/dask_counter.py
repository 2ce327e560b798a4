"""Counter `dask`: byte ranges counted by the workers of a dask cluster.

- Adds: other machines. A worker that dies loses its tables; the scheduler knows their ranges, and
  has them counted again. Workers merge eight tables into one, so none holds more than nine at a
  time.
- Still slow: starting a cluster takes a second or two, and each range costs a millisecond.
  A pattern without a scanner is searched by `regex`, in ranges as small as on one machine.
"""

import io
import logging
import signal
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from multiprocessing import resource_tracker
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bpe_lab import native
from bpe_lab.counting.decode import unpacked
from bpe_lab.counting.native_counter import scan
from bpe_lab.counting.plan import CountingPlan
from bpe_lab.counting.regex_counter import BLOCK_BYTES as REGEX_BYTES
from bpe_lab.counting.regex_counter import count_range
from bpe_lab.counting.source import READ_BYTES, RangeStream, StoredText, TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.support.processes import WORKERS_NEED, check_script
from bpe_lab.support.progress import Report

MIN_RANGE_BYTES, MAX_RANGE_BYTES = 1 << 20, 1 << 30
"""A worker reads a range piece by piece; of a larger one more is lost if it dies."""

RANGES_PER_THREAD = 4
"""Enough ranges for workers that finish early, but each table repeats the common words."""

MAX_RANGES = 1 << 14
"""The scheduler keeps a record of each range, and needs about a millisecond for it."""

GROUP = 8
"""Tables that become one table."""

CONNECT_SECONDS = 5
"""How long the scheduler or a worker of our own cluster tries to connect to another worker.

A port that refuses is tried again until then, unless the scheduler says meanwhile that its worker
has died; if it said so in the same message as what needs that worker's tables, it was too early.
Dask's setting, 30 s, is also how long a client waits for a scheduler, and stays.
"""

WORKERLESS_SECONDS = 60
"""How long a count on this machine goes on without any worker: they start again within seconds. A
cluster elsewhere may wait for its machines as long as it likes."""

Table = bytes | Exception
"""What a task returns: `WordTable.to_bytes`, or the error that it met: were it raised, workers
would print a traceback beside our message."""


class ByteRange(NamedTuple):
    """Bytes of a file."""

    file: StoredText
    start: int
    stop: int


def count_files(
    files: Sequence[StoredText], plan: CountingPlan, report: Report
) -> NativeWordCounts:
    """Count the words of files on the cluster of the current client, or one of our own."""
    for file in files:
        unpacked(file)  # reports missing packages before a cluster is made
    size, block_bytes = sum(file.size for file in files), plan.block_bytes
    threads = plan.threads_for(files)
    if not size:
        return NativeWordCounts(native.WordTable())
    n_ranges = -(-size // (block_bytes or MIN_RANGE_BYTES))
    with _cluster_client(min(threads, n_ranges)) as client:
        check_workers(client)
        if block_bytes is None:
            threads = sum(client.nthreads().values()) or threads
            largest = MAX_RANGE_BYTES if plan.pattern.scanner else REGEX_BYTES
            share = size // (RANGES_PER_THREAD * threads)
            block_bytes = min(max(share, MIN_RANGE_BYTES), largest)
        block_bytes = max(block_bytes, -(-size // MAX_RANGES))
        tasks = list(_tasks(files, plan, block_bytes))
        return NativeWordCounts(_count_over(client, tasks, plan, report))


def _tasks(
    files: Iterable[StoredText], plan: CountingPlan, block_bytes: int
) -> Iterator[list[ByteRange]]:
    """Yield the ranges for each task: several small files, because a task costs a millisecond."""
    task: list[ByteRange] = []
    size = 0
    for file in files:
        shared = file.shared() if isinstance(file, TextFile) else file
        ranges: Iterable[tuple[int, int]] = [(0, file.size)]
        if file.packing is None:
            ranges = byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern)
        for start, stop in ranges:
            task.append(ByteRange(shared, start, stop))
            size += stop - start
            if size >= block_bytes:
                yield task
                task, size = [], 0
    if task:
        yield task


@contextmanager
def _cluster_client(threads: int) -> Iterator[Any]:
    """Return the current client of dask; else one of the scheduler that `DASK_SCHEDULER_ADDRESS`
    names, or of a cluster on this machine, which is ended afterwards."""
    import dask
    import distributed

    with ExitStack() as ending:
        try:
            client = distributed.Client.current()
        except ValueError:  # there is none
            address = dask.config.get("scheduler-address", None)
            cluster = address or ending.enter_context(local_cluster(threads))
            client = ending.enter_context(distributed.Client(cluster, set_as_default=False))
        yield client


@contextmanager
def local_cluster(threads: int) -> Iterator[Any]:
    """Return a cluster on this machine, and end it afterwards."""
    check_script()
    import dask
    from distributed import LocalCluster

    with ExitStack() as ending:
        folder = ending.enter_context(
            TemporaryDirectory(prefix="bpe_lab-dask-", ignore_cleanup_errors=True)
        )
        # A worker that takes longer to start again would be ended when it has.
        patient = {"distributed.deploy.lost-worker-timeout": 10**9}
        ending.enter_context(dask.config.set(patient))
        # The terminal sends Ctrl-C to all processes, but this one ends the others: processes
        # that start now have it blocked. (The tracker, if it started later, would unblock it.)
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with dask.config.set({"temporary-directory": folder}):
                cluster = LocalCluster(
                    n_workers=threads,
                    threads_per_worker=1,
                    timeout=CONNECT_SECONDS,  # of workers, also those started again
                    scheduler_kwargs={
                        "timeout": CONNECT_SECONDS,
                        # Without this, it takes port 8787 or warns that it is in use.
                        "dashboard": False,
                        "dashboard_address": "127.0.0.1:0",
                    },
                    silence_logs="CRITICAL",  # errors are raised instead
                )
            ending.enter_context(cluster)
        except RuntimeError:
            raise RuntimeError(f"dask's workers do not start: {WORKERS_NEED}") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        yield cluster


def check_workers(client: Any) -> None:
    """Check that the workers have this package: for a worker without it, dask would wait for ever.
    One that does not answer has died: others will do its work."""
    scheduler, ours = logging.getLogger("distributed.scheduler"), version("bpe_lab")
    level = scheduler.level
    scheduler.setLevel(logging.CRITICAL)  # one in this process would print a traceback for it
    try:
        # A function from the standard library: one of ours could not be sent to them.
        versions = client.run(version, "bpe_lab", on_error="return")
    finally:
        scheduler.setLevel(level)
    for worker, theirs in versions.items():
        if isinstance(theirs, ImportError | str) and theirs != ours:
            raise ImportError(f"dask's worker {worker} lacks bpe_lab {ours} ({theirs}): install it")


def _count_over(
    client: Any, tasks: Sequence[Sequence[ByteRange]], plan: CountingPlan, report: Report
) -> native.WordTable:
    """Count ranges on a cluster, and add their tables up there, eight at a time.

    A worker keeps a table until it is added to others; after that the scheduler keeps only its
    recipe. When a worker dies, its tables are made again, from the ranges if necessary.
    """
    name = f"bpe_lab-{uuid.uuid4().hex}"
    plan = plan._replace(block_bytes=None)
    counted = [
        client.submit(count_ranges, ranges, plan, key=f"{name}-{number}")
        for number, ranges in enumerate(tasks)
    ]
    tables, height = counted, 0
    while len(tables) > 1:
        height += 1  # merging goes first: it makes room
        tables = [
            client.submit(
                add_up, tables[at : at + GROUP], key=f"{name}-{height}-{at}", priority=height
            )
            for at in range(0, len(tables), GROUP)
        ]
    futures = [*counted, *tables]
    try:
        _wait_for(counted, tasks, client, report)
        table = native.WordTable()
        table.add_bytes(_result_of(tables[0], "adding up words", client))
        return table
    finally:
        # Not `client.cancel`: the scheduler would fail at tasks that nobody waits for, and close
        # the connection, with all other work of the client.
        for future in futures:
            future.release()


def _wait_for(
    counted: Sequence[Any], tasks: Sequence[Sequence[ByteRange]], client: Any, report: Report
) -> None:
    """Wait until ranges are counted; raise the error of the first one in the text that failed."""
    waiting = {future.key: number for number, future in enumerate(counted)}
    failed: set[int] = set()
    for future in _completed(counted, client):
        number = waiting.pop(future.key)
        if future.status in ("error", "cancelled") or future.type not in (bytes, None):
            failed.add(number)
        else:  # also "lost": counted again because its worker has died since
            report(sum(one.stop - one.start for one in tasks[number]))
            if len(counted) > 1:  # workers keep its table only until it is added to others
                future.release()
        if failed and min(failed) < min(waiting.values(), default=len(tasks)):
            first = tasks[min(failed)][0]
            what = f"{first.file.path}: bytes {first.start:,} to {first.stop:,}"
            _result_of(counted[min(failed)], what, client)


def _completed(futures: Iterable[Any], client: Any) -> Iterator[Any]:
    """Yield futures as they complete."""
    from distributed import as_completed

    left = {*futures}
    while left:
        try:
            for future in as_completed(left, loop=client.loop, timeout=WORKERLESS_SECONDS):
                left.discard(future)
                yield future
        except TimeoutError:
            _check_alive(client)


def _check_alive(client: Any) -> None:
    """Check that a cluster on this machine has a worker, or has one soon."""
    from distributed import LocalCluster

    if isinstance(client.cluster, LocalCluster):
        try:
            client.wait_for_workers(1, timeout=WORKERLESS_SECONDS)
        except TimeoutError:
            raise RuntimeError(
                "all workers of dask have died, and none starts again: start fewer, or take the "
                "counter 'native'"
            ) from None


def _result_of(future: Any, what: str, client: Any) -> bytes:
    """Return the table of a task, or raise its error."""
    from distributed import KilledWorker

    try:
        result: Table = next(_completed([future], client)).result()
    except KilledWorker as error:
        raise RuntimeError(
            f"{what}: {error.allowed_failures + 1} workers of dask died while they did that, one "
            "after the other: if for lack of memory, give each worker more, or start fewer"
        ) from None
    except CancelledError:
        raise RuntimeError(
            "the cluster of dask was restarted or its client closed while it counted: try again"
        ) from None
    if isinstance(result, Exception):
        raise result
    return result


def count_ranges(ranges: Sequence[ByteRange], plan: CountingPlan) -> Table:
    """Count the words of ranges; a task of dask."""
    try:
        if plan.pattern.scanner:
            table, invalid = scan([unpacked(one.file, _open_range(one)) for one in ranges], plan)
            if invalid is not None:
                number, offset, byte = invalid
                return ranges[number].file.invalid_utf8(ranges[number].start + offset, byte)
        else:
            table = native.WordTable()
            for one in ranges:
                for word, count in count_range(*one, plan).items():
                    table.add(word.encode(), count)
        return table.to_bytes()
    except Exception as error:
        return error


def _open_range(one: ByteRange) -> io.BufferedReader:
    """Return the bytes of a range as a stream that requests many at a time."""
    size = min(max(one.stop - one.start, 1), READ_BYTES)
    return io.BufferedReader(RangeStream(*one), size)


def add_up(tables: Sequence[Table]) -> Table:
    """Add up tables; a task of dask."""
    total = native.WordTable()
    for table in tables:
        if isinstance(table, Exception):
            return table
        total.add_bytes(table)
    return total.to_bytes()
