"""Counter `dask`: byte ranges counted by the workers of a cluster, whose engine is dask.

- Adds: other machines. A worker that dies takes its tables with it; the scheduler knows which
  ranges they were of, and has these counted again. Eight tables become one where they lie, so that
  no worker ever has all words; the last few are added up here.
- Still slow: starting a cluster takes a second or two, and each range costs a millisecond.
"""

import io
import itertools
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from bpe_lab import native
from bpe_lab.counting.byte_ranges import byte_ranges
from bpe_lab.counting.native_counter import BLOCK_BYTES, NativeWordCounts, unpacker
from bpe_lab.counting.remote_file import READ_BYTES, RangeStream, RemoteFile, SharedFile
from bpe_lab.counting.text_file import TextFile
from bpe_lab.progress import Report

SMALLEST_RANGE, LARGEST_RANGE = 1 << 20, 1 << 30
"""A worker reads a range piece by piece: what grows with it is what is lost with a worker."""

RANGES_PER_THREAD = 8
"""So many that who is done early finds another one."""

MOST_RANGES = 1 << 14
"""The scheduler keeps each one, and needs about a millisecond for it."""

GROUP = 8
"""Tables that become one table."""


class Range(NamedTuple):
    """Bytes that are counted in one go.

    :param file: the file.
    :param start, stop: from where to where.
    """

    file: TextFile | RemoteFile
    start: int
    stop: int


class Way(NamedTuple):
    """How ranges are counted.

    :param special_tokens: UTF-8.
    :param replace: put U+FFFD in the place of what is not UTF-8.
    """

    special_tokens: list[bytes]
    replace: bool


def count_files(
    files: Sequence[TextFile | RemoteFile],
    special_tokens: Sequence[str],
    *,
    threads: int,
    errors: str,
    block_bytes: int | None,
    report: Report,
) -> NativeWordCounts:
    """Count the words of files over a cluster: that of the current client of dask, if there is one.

    :param files: the files; a packed one is one range.
    :param special_tokens: checked special tokens.
    :param threads: number of worker processes, where there is no cluster yet.
    :param errors: "strict" or "replace".
    :param block_bytes: size of a range in bytes; None: eight per thread of the cluster, 1 MB to
        1 GB. More where there would be more than 16,384 ranges.
    :param report: called after each range.
    :raises InvalidUTF8Error: a file is not UTF-8, and `errors` is "strict".
    :raises FileChangedError: a file is no longer what it was.
    :raises RuntimeError: a range ends every worker that counts it.
    """
    for file in files:
        unpacker(file.packing)
    size = sum(file.size for file in files)
    if not size:
        return NativeWordCounts(native.WordTable())
    with current_client(threads) as client:
        if block_bytes is None:
            slots = sum(client.nthreads().values()) or threads
            block_bytes = min(
                max(size // (RANGES_PER_THREAD * slots), SMALLEST_RANGE), LARGEST_RANGE
            )
        ranges = all_ranges(files, special_tokens, max(block_bytes, size // MOST_RANGES))
        way = Way([token.encode() for token in special_tokens], errors == "replace")
        return NativeWordCounts(Counting(client, way, report).count(ranges))


def all_ranges(
    files: Sequence[TextFile | RemoteFile], special_tokens: Sequence[str], block_bytes: int
) -> Iterator[Range]:
    """Yield the ranges of files, in the order of the text; looked for when they are asked for."""
    for file in files:
        seen = SharedFile(file) if isinstance(file, TextFile) else file
        if file.packing is not None:
            yield Range(seen, 0, file.size)
            continue
        for start, stop in byte_ranges(file, special_tokens, block_bytes):
            yield Range(seen, start, stop)


@contextmanager
def current_client(threads: int) -> Iterator[Any]:
    """Return the client of dask that is current, or one of a cluster that is.

    :param threads: worker processes of a cluster that is made, and ended afterwards, because
        neither is there nor dask's configuration names one (`DASK_SCHEDULER_ADDRESS`).
    """
    import dask
    import distributed

    try:
        client = distributed.Client.current()
    except ValueError:
        pass
    else:
        yield client
        return
    with ExitStack() as made:
        address = dask.config.get("scheduler-address", None)
        if address is None:
            folder = made.enter_context(TemporaryDirectory(prefix="bpe_lab-dask-"))
            address = made.enter_context(
                distributed.LocalCluster(
                    n_workers=threads,
                    threads_per_worker=1,
                    dashboard_address=None,
                    worker_dashboard_address=None,
                    local_directory=folder,
                    silence_logs="CRITICAL",
                )
            )
        yield made.enter_context(distributed.Client(address, set_as_default=False))


class Counting:
    """One counting over a cluster.

    :param client: of dask.
    :param way: how ranges are counted.
    :param report: called after each range.
    """

    def __init__(self, client: Any, way: Way, report: Report) -> None:
        self.client, self.report = client, report
        self.name = f"bpe_lab-{uuid.uuid4().hex}"
        # A task like others, not scattered: what is scattered is lost with its worker.
        self.way = client.submit(Way, *way, key=f"{self.name}-way", pure=False)
        self.ranges: list[Range] = []
        self.numbers: dict[Any, int] = {}  # future -> number of its range
        self.heights: dict[Any, int] = {}  # future -> how often its tables were merged
        self.tables: dict[int, list[Any]] = {}  # height -> tables that wait for others
        self.failed: tuple[int, BaseException] | None = None
        self.merges = itertools.count()

    def count(self, ranges: Iterator[Range]) -> native.WordTable:
        """Count ranges, and return the sum."""
        from distributed import as_completed

        done = as_completed(loop=self.client.loop)
        table = native.WordTable()
        for number, one in enumerate(ranges):
            future = self.client.submit(count_range, one, self.way, key=f"{self.name}-{number}")
            self.ranges.append(one)
            self.numbers[future] = number
            done.add(future)
            while done.has_ready():
                self.finish(next(done), done)
        for future in done:
            self.finish(future, done)
        for future in itertools.chain.from_iterable(self.tables.values()):
            table.add_packed(future.result())
        return table

    def finish(self, future: Any, done: Any) -> None:
        """Take note of a task that is done."""
        if future.status == "error":
            raise future.exception()
        number = self.numbers.get(future)
        if number is not None:
            self.report(self.ranges[number].stop - self.ranges[number].start)
        height = self.heights.get(future, 0)
        waiting = self.tables.setdefault(height, [])
        waiting.append(future)
        if len(waiting) == GROUP:
            key = f"{self.name}-merge-{next(self.merges)}"
            merged = self.client.submit(add_up, self.tables.pop(height), key=key, priority=1)
            self.heights[merged] = height + 1
            done.add(merged)


def count_range(one: Range, way: Way) -> bytes:
    """Count the words of a range, as a task of dask.

    :return: packed words.
    """
    file, start, stop = one
    unpack, damages = unpacker(file.packing)
    stream = io.BufferedReader(RangeStream(file, start, stop), READ_BYTES)
    table, invalid = native.count_files(
        [unpack(stream)],
        way.special_tokens,
        threads=1,
        block_bytes=BLOCK_BYTES,
        replace=way.replace,
        report=lambda: None,
    )
    if invalid is not None:
        raise file.invalid_utf8(start + invalid[1], invalid[2])
    return table.packed()


def add_up(tables: Sequence[bytes]) -> bytes:
    """Add up tables of packed words, as a task of dask."""
    table = native.WordTable()
    for packed in tables:
        table.add_packed(packed)
    return table.packed()
