"""Counter `dask`: byte ranges counted by the workers of a dask cluster.

- Adds: other machines. A worker that dies loses its tables; the scheduler knows their ranges, and
  has them counted again. Workers merge eight tables into one, so none holds more than nine at a
  time.
- Still slow: starting a cluster takes a second or two, and each range costs a millisecond.
  A pattern without a scanner is searched by `regex`, in ranges as small as on one machine.
"""

import io
import signal
import threading
import uuid
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from bpe_lab.support.files import signals_held_back
from bpe_lab.support.progress import Report

SMALLEST_RANGE, LARGEST_RANGE = 1 << 20, 1 << 30
"""A worker reads a range piece by piece; a larger range only means more lost work if it dies."""

RANGES_PER_THREAD = 4
"""Enough ranges for workers that finish early, but each table repeats the common words."""

MOST_RANGES = 1 << 14
"""The scheduler keeps a record of each range, and needs about a millisecond for it."""

SILENT_SECONDS = 3.0
"""After which it says what it waits for; dask waits for 30."""

GROUP = 8
"""Tables that become one table."""


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
    most = -(-size // (block_bytes or SMALLEST_RANGE))
    with _cluster_client(min(threads, most)) as client:
        check_workers(client)
        if block_bytes is None:
            threads = sum(client.nthreads().values()) or threads
            largest = LARGEST_RANGE if plan.pattern.scanner else REGEX_BYTES
            share = size // (RANGES_PER_THREAD * threads)
            block_bytes = min(max(share, SMALLEST_RANGE), largest)
        block_bytes = max(block_bytes, -(-size // MOST_RANGES))
        ranges = _together(all_ranges(files, plan, block_bytes), block_bytes)
        return NativeWordCounts(count_over(client, ranges, plan, report))


def all_ranges(
    files: Sequence[StoredText], plan: CountingPlan, block_bytes: int
) -> Iterator[ByteRange]:
    """Yield the ranges of files, in the order of the text, searched lazily."""
    for file in files:
        seen = file.shared() if isinstance(file, TextFile) else file
        if file.packing is not None:
            yield ByteRange(seen, 0, file.size)
            continue
        for start, stop in byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern):
            yield ByteRange(seen, start, stop)


def _together(ranges: Iterable[ByteRange], block_bytes: int) -> Iterator[list[ByteRange]]:
    """Yield the ranges for each task: several small files, because a task costs a millisecond."""
    waiting: list[ByteRange] = []
    size = 0
    for one in ranges:
        waiting.append(one)
        size += one.stop - one.start
        if size >= block_bytes:
            yield waiting
            waiting, size = [], 0
    if waiting:
        yield waiting


@contextmanager
def _cluster_client(threads: int) -> Iterator[Any]:
    """Return the current client of dask, or a new one that is closed afterwards.

    The new one is for the scheduler in dask's configuration (`DASK_SCHEDULER_ADDRESS`), or for a
    cluster on this machine, which is ended afterwards.
    """
    import dask
    import distributed

    try:
        client = distributed.Client.current()
    except ValueError:  # there is none
        pass
    else:
        if client.asynchronous:
            raise RuntimeError(
                "the current client of dask is asynchronous: make one without asynchronous=True"
            )
        yield client
        return
    with ExitStack() as made:
        cluster = dask.config.get("scheduler-address", None) or None
        if cluster is None:
            cluster = made.enter_context(local_cluster(threads))
        said = f"waiting for a scheduler of dask at {cluster}: nothing answers yet"
        waiting = threading.Timer(SILENT_SECONDS, warnings.warn, (said, RuntimeWarning))
        waiting.start()
        try:
            client = distributed.Client(cluster, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConnectionError(
                f"no scheduler of dask answers at {cluster}, which dask's configuration or "
                f"DASK_SCHEDULER_ADDRESS names ({error}): start it, or name none"
            ) from None
        finally:
            waiting.cancel()
        yield made.enter_context(client)


@contextmanager
def local_cluster(threads: int) -> Iterator[Any]:
    """Return a cluster on this machine, and end it afterwards."""
    import dask
    from distributed import LocalCluster

    with ExitStack() as made:
        folder = made.enter_context(
            TemporaryDirectory(prefix="bpe_lab-dask-", ignore_cleanup_errors=True)
        )
        try:
            # A half-made cluster cannot be ended.
            with signals_held_back(), _ctrl_c_blocked():
                with dask.config.set({"temporary-directory": folder}):
                    cluster = LocalCluster(
                        n_workers=threads,
                        threads_per_worker=1,
                        # Without this, it takes port 8787 or warns that it is in use.
                        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                        silence_logs="CRITICAL",  # what is wrong is raised
                    )
                made.enter_context(cluster)
        except RuntimeError:
            raise RuntimeError(
                "the worker processes of dask do not start: in a script, call bpe_lab under "
                "`if __name__ == '__main__':` (they are spawned and import the script again); else "
                "look for lack of memory"
            ) from None
        yield cluster


def check_workers(client: Any) -> None:
    """Check that the workers have this package: for a worker without it, dask would wait for
    ever."""
    # A function from the standard library: one of ours could not be sent to them.
    for worker, found in client.run(version, "bpe_lab", on_error="return").items():
        if found != version("bpe_lab"):
            has = "no bpe_lab" if isinstance(found, Exception) else f"bpe_lab {found}"
            raise ImportError(
                f"dask's worker {worker} has {has}: install bpe_lab {version('bpe_lab')} there"
            )


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Block Ctrl-C in all threads and processes that are started meanwhile.

    The terminal sends it to all processes, but this one ends the others.
    """
    resource_tracker.ensure_running()  # starting it would unblock Ctrl-C
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def count_over(
    client: Any, ranges: Iterable[list[ByteRange]], plan: CountingPlan, report: Report
) -> native.WordTable:
    """Count ranges on a cluster, and add their tables up there, eight at a time.

    A worker keeps a table until it is added to others; after that the scheduler keeps only its
    recipe. When a worker dies, its tables are made again, from the ranges if necessary.
    """
    from distributed import as_completed

    name = f"bpe_lab-{uuid.uuid4().hex}"
    # The result of a task, not scattered: scattered data is lost with its worker. Not sent with
    # each range, because there may be ten thousand special tokens.
    sent = client.submit(CountingPlan._replace, plan, block_bytes=None, key=f"{name}-options")
    tasks: dict[str, list[ByteRange]] = {}
    tables = []
    for number, some in enumerate(ranges):
        tasks[f"{name}-{number}"] = some
        tables.append(client.submit(count_ranges, some, sent, key=f"{name}-{number}"))
    done = as_completed(tables, loop=client.loop)
    height = 0
    while len(tables) > 1:
        height += 1  # merging goes first: it makes room
        tables = [
            client.submit(
                add_up, tables[at : at + GROUP], key=f"{name}-{height}-{at}", priority=height
            )
            for at in range(0, len(tables), GROUP)
        ]
    [total] = tables
    waiting = {key: number for number, key in enumerate(tasks)}
    failed: dict[tuple[bool, int], Any] = {}
    try:
        for future in done:
            number = waiting.pop(future.key)
            if future.status in ("error", "cancelled"):
                failed[future.status != "error", number] = future
            else:  # also "lost": counted again because its worker has died since
                report(sum(one.stop - one.start for one in tasks[future.key]))
            # Of several ranges that failed, take the first one in the text; a cancelled one does
            # not name the cause, but another may.
            if failed and (not waiting or min(failed) < (False, min(waiting.values()))):
                raise _explained(failed[min(failed)], tasks)
        try:
            counted = total.result()
        except Exception:
            raise _explained(total, tasks) from None
        table = native.WordTable()
        table.add_bytes(counted)
        return table
    finally:
        client.cancel([total, *done.futures], force=True)


def _explained(future: Any, tasks: Mapping[str, list[ByteRange]]) -> BaseException:
    """Return the error to raise for a task that failed or was cancelled."""
    from distributed import KilledWorker

    error = future.exception() if future.status == "error" else None
    if error is None:
        return RuntimeError(
            "the cluster of dask has forgotten what it was counting, was it restarted or its "
            "client closed? Try again"
        )
    if isinstance(error, KilledWorker):
        what = "adding up words"
        if some := tasks.get(str(error.task)):
            first, last = some[0], some[-1]
            what = f"{first.file.path}: bytes {first.start:,} to {first.stop:,}"
            if len(some) > 1:
                what = f"{len(some):,} files, {first.file.path} to {last.file.path}"
        return RuntimeError(
            f"{what}: {error.allowed_failures + 1} workers of dask died while they did that, one "
            "after the other: if for lack of memory, give each worker more, or start fewer on a "
            "machine"
        )
    assert isinstance(error, BaseException)
    return error


def count_ranges(ranges: Sequence[ByteRange], plan: CountingPlan) -> bytes:
    """Count the words of ranges; a task of dask."""
    if not plan.pattern.scanner:
        table = native.WordTable()
        for one in ranges:
            for word, count in count_range(*one, plan).items():
                table.add(word.encode(), count)
        return table.to_bytes()
    table, invalid = scan([unpacked(one.file, _open_range(one)) for one in ranges], plan)
    if invalid is not None:
        number, offset, byte = invalid
        raise ranges[number].file.invalid_utf8(ranges[number].start + offset, byte)
    return table.to_bytes()


def _open_range(one: ByteRange) -> io.BufferedReader:
    """Return the bytes of a range as a stream that requests many at a time."""
    size = min(max(one.stop - one.start, 1), READ_BYTES)
    return io.BufferedReader(RangeStream(one.file, one.start, one.stop), size)


def add_up(tables: Sequence[bytes]) -> bytes:
    """Add up tables in the form of `WordTable.to_bytes`; a task of dask."""
    table = native.WordTable()
    for one in tables:
        table.add_bytes(one)
    return table.to_bytes()
