"""Counter `dask`: byte ranges counted by the workers of a dask cluster.

- Adds: other machines. When a worker dies, Dask has its ranges counted again. Workers merge eight
  tables into one, so none holds more than nine at a time.
- Still slow: starting a cluster takes a second or two, and each range costs a millisecond.
  A pattern without a scanner is searched by `regex`, in ranges as small as on one machine.
"""

import io
import signal
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
from tempfile import TemporaryDirectory
from typing import Any

from bpe_lab import native
from bpe_lab.counting.api import CountingPlan
from bpe_lab.counting.native_counter import scan
from bpe_lab.counting.regex_counter import BLOCK_BYTES, count_range
from bpe_lab.counting.source import HEAD_BYTES, RangeStream, StoredText, TextFile, unpacked
from bpe_lab.counting.split import byte_ranges
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error
from bpe_lab.support.processes import check_script
from bpe_lab.support.progress import Report

MIN_RANGE_BYTES, MAX_RANGE_BYTES = 1 << 20, 1 << 30
"""A worker reads a range piece by piece; of a larger one more is lost if it dies."""

READ_BYTES = 8 << 20
"""Bytes of a range to request at a time: each request to a remote server takes long."""

MAX_RANGES = 1 << 14
"""The scheduler keeps a record of each range, and needs about a millisecond for it."""

GROUP = 8
"""Tables that become one table."""

Range = tuple[StoredText, int, int]


def count_files(
    files: Sequence[StoredText], plan: CountingPlan, report: Report
) -> NativeWordCounts:
    """Count the words of files on the cluster of the current client, or one of our own."""
    table, size, block_bytes = native.WordTable(), sum(f.size for f in files), plan.block_bytes
    if size:
        most = -(-size // (block_bytes or MIN_RANGE_BYTES))
        with _cluster_client(min(plan.threads_for(files), most)) as client:
            if block_bytes is None:
                largest = MAX_RANGE_BYTES if plan.pattern.scanner else BLOCK_BYTES
                # Four for each thread: enough for workers that finish early, but each table repeats
                # the common words.
                share = size // (4 * max(sum(client.nthreads().values()), 1))
                block_bytes = min(max(share, MIN_RANGE_BYTES), largest)
            tasks = list(_tasks(files, plan, max(block_bytes, -(-size // MAX_RANGES))))
            table.add_bytes(_count_over(client, tasks, plan, report))
    return NativeWordCounts(table)


def _tasks(
    files: Sequence[StoredText], plan: CountingPlan, block_bytes: int
) -> Iterator[tuple[int, list[Range]]]:
    """Yield the bytes and the ranges of each task: several small files, because a task costs a
    millisecond."""
    size, ranges = 0, list[Range]()
    for file in files:
        if isinstance(file, TextFile):  # a worker may be in another folder
            file = TextFile(file.path.absolute())
        cuts = byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern)
        for start, stop in [(0, file.size)] if file.packing else cuts:
            ranges.append((file, start, stop))
            size += stop - start
            if size >= block_bytes:
                yield size, ranges
                size, ranges = 0, []
    if ranges:
        yield size, ranges


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
    import dask
    from distributed import LocalCluster

    check_script()
    with TemporaryDirectory(prefix="bpe_lab-dask-", ignore_cleanup_errors=True) as folder:
        # The terminal sends Ctrl-C to all processes, but this one ends the others: those that start
        # now have it blocked. (The tracker, if it started later, would unblock it.)
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            with dask.config.set({"temporary-directory": folder}):
                cluster = LocalCluster(
                    n_workers=threads,
                    threads_per_worker=1,
                    # Else it takes port 8787, or warns that it is in use.
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
                    silence_logs="CRITICAL",  # errors are raised instead
                )
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        with cluster:
            yield cluster


def _count_over(
    client: Any, tasks: Sequence[tuple[int, list[Range]]], plan: CountingPlan, report: Report
) -> bytes:
    """Count ranges on a cluster, and add their tables up there, eight at a time."""
    from distributed import KilledWorker

    name, level = f"bpe_lab-{uuid.uuid4().hex}", 0
    keys = [f"{name}-{number}" for number in range(len(tasks))]
    # As an argument of `map` a large plan would be a task, with the key "plan".
    count = partial(count_ranges, plan=plan)
    counted = client.map(count, [ranges for _, ranges in tasks], key=keys)
    sums = list(counted)
    while len(sums) > 1:
        level += 1  # merging goes first: it makes room
        groups = [sums[at : at + GROUP] for at in range(0, len(sums), GROUP)]
        keys = [f"{name}-{level}-{at}" for at in range(len(groups))]
        sums = client.map(add_up, groups, key=keys, priority=level)
    # In the order of the text, so that the first of several errors is raised.
    for (size, [(file, start, stop), *_]), future in zip(tasks, counted, strict=True):
        error = future.exception()  # when it is done; the table stays where it is
        if isinstance(error, KilledWorker):
            what = f"{file.path}: bytes {start:,} to {stop:,}"
            raise RuntimeError(f"{what}: dask's workers died, out of memory? {error}") from None
        if error is not None:
            raise error
        report(size)
        if sums[0] is not future:  # workers keep its table only until it is added to others
            future.release()
    return bytes(sums[0].result())


def count_ranges(ranges: Sequence[Range], plan: CountingPlan) -> bytes:
    """Count the words of ranges; a task of dask."""
    table = native.WordTable()
    if plan.pattern.scanner:
        streams = [
            unpacked(file)
            if file.packing
            else io.BufferedReader(RangeStream(file, start, stop), READ_BYTES)
            for file, start, stop in ranges
        ]
        table, invalid = scan(streams, plan._replace(block_bytes=None))
        if invalid is not None:
            (file, start, _), offset, byte = ranges[invalid[0]], *invalid[1:]
            raise InvalidUTF8Error(file.path, start + offset, byte)
    else:
        for file, start, stop in ranges:
            for word, count in count_range(file, start, stop, plan).items():
                table.add(word.encode(), count)
    return table.to_bytes()


def add_up(tables: Sequence[bytes]) -> bytes:
    """Add up tables; a task of dask."""
    total = native.WordTable()
    for table in tables:
        total.add_bytes(table)
    return total.to_bytes()


class RemoteFile(StoredText):
    """A file to count that fsspec reads: `s3://bucket/name`, `memory://name`."""

    path: str

    def __init__(self, url: str) -> None:
        import fsspec

        self.path, self.identity = url, (url,)
        try:
            self.system, self.name = fsspec.core.url_to_fs(url)
            facts = self.system.info(self.name)
            if facts["type"] != "file" or facts["size"] is None:
                raise ValueError("it is no file, or does not tell its size")
            self.size = facts["size"]
            self.head = self.read(0, min(self.size, HEAD_BYTES))
        except Exception as error:  # each system has its own
            kind = FileNotFoundError if isinstance(error, FileNotFoundError) else OSError
            raise kind(f"{url} cannot be read: {type(error).__name__}: {error}") from error

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on, all that are asked for."""
        data = self.system.cat_file(self.name, start=start, end=start + len(into))
        if len(data) != len(into):  # or its server serves no ranges
            raise FileChangedError(self.path, self.size, start + len(data))
        into[:] = data
        return len(data)
