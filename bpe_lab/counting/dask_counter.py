"""Counter `dask`: byte ranges counted by the workers of a dask cluster.

- Adds: other machines. When a worker dies, Dask has its ranges counted again. Workers merge eight
  tables into one, so none holds more than nine at a time.
- Still slow: starting a cluster takes a second or two, and each range, so each file, a millisecond.
  A pattern without a scanner is searched by `regex`, in ranges as small as on one machine.
"""

import io
import signal
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from multiprocessing import resource_tracker
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

GROUP = 8
"""Tables that become one table."""

Range = tuple[StoredText, int, int]


def count_files(
    files: Sequence[StoredText], plan: CountingPlan, report: Report
) -> NativeWordCounts:
    """Count the words of files on the cluster of the current client, or one of our own."""
    table, size = native.WordTable(), sum(file.size for file in files)
    if size:
        most = -(-size // (plan.block_bytes or MIN_RANGE_BYTES))
        with _cluster_client(min(plan.threads_for(files), most)) as client:
            # Four for each thread: enough for workers that finish early, but each table repeats the
            # common words.
            share = size // (4 * max(sum(client.nthreads().values()), 1))
            largest = MAX_RANGE_BYTES if plan.pattern.scanner else BLOCK_BYTES
            block_bytes = plan.block_bytes or min(max(share, MIN_RANGE_BYTES), largest)
            ranges = [one for file in files for one in _ranges(file, plan, block_bytes)]
            table.add_bytes(_count_over(client, ranges, plan, report))
    return NativeWordCounts(table)


def _ranges(file: StoredText, plan: CountingPlan, block_bytes: int) -> Iterator[Range]:
    """Yield the ranges of a file; a compressed one is one range."""
    if isinstance(file, TextFile):  # a worker may be in another folder
        file = TextFile(file.path.absolute())
    cuts = byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern)
    for start, stop in [(0, file.size)] if file.packing else cuts:
        yield file, start, stop


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
    from distributed import LocalCluster

    check_script()
    # The terminal sends Ctrl-C to all processes, but this one ends the others: those that start now
    # have it blocked. (The tracker, if it started later, would unblock it.)
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
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


def _count_over(client: Any, ranges: Sequence[Range], plan: CountingPlan, report: Report) -> bytes:
    """Count ranges on a cluster, and add their tables up there, eight at a time."""
    from distributed import KilledWorker

    counted = client.map(partial(count_bytes, plan=plan), ranges, pure=False)
    sums, level = list(counted), 0
    while len(sums) > 1:
        level += 1  # merging goes first: it makes room
        groups = [sums[at : at + GROUP] for at in range(0, len(sums), GROUP)]
        sums = client.map(add_up, groups, pure=False, priority=level)
    # In the order of the text, so that the first of several errors is raised.
    for (file, start, stop), future in zip(ranges, counted, strict=True):
        error = future.exception()  # when it is done; the table stays where it is
        if isinstance(error, KilledWorker):
            what = f"{file.path}: bytes {start:,} to {stop:,}"
            raise RuntimeError(f"{what}: dask's workers died, out of memory? {error}") from None
        if error is not None:
            raise error
        report(stop - start)
        if sums[0] is not future:  # workers keep its table only until it is added to others
            future.release()
    return bytes(sums[0].result())


def count_bytes(part: Range, plan: CountingPlan) -> bytes:
    """Count the words of a range; a task of dask."""
    file, start, stop = part
    table = native.WordTable()
    if plan.pattern.scanner:
        stream = io.BufferedReader(RangeStream(file, start, stop), READ_BYTES)
        content = unpacked(file) if file.packing else stream
        table, invalid = scan([content], plan._replace(block_bytes=None))
        if invalid is not None:
            raise InvalidUTF8Error(file.path, start + invalid[1], invalid[2])
    else:
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
            self.size = self.system.size(self.name)
            self.head = self.system.cat_file(self.name, start=0, end=HEAD_BYTES)
        except Exception as error:  # each system has its own
            raise OSError(f"{url} cannot be read: {type(error).__name__}: {error}") from error

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on, all that are asked for."""
        data = self.system.cat_file(self.name, start=start, end=start + len(into))
        if len(data) != len(into):  # or its server serves no ranges
            raise FileChangedError(self.path, self.size, start + len(data))
        into[:] = data
        return len(data)
