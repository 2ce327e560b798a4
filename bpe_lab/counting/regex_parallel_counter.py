"""Counter `regex_parallel`: the same count in several processes, each on its own byte ranges.

- Adds: processes. A cut is found from a few bytes around it, so the file is not read twice.
- Still slow: a Python string for each word, and each worker's table travels back through a pipe.
"""

import contextlib
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection

from bpe_lab.counting.api import CountingPlan
from bpe_lab.counting.regex_counter import BLOCK_BYTES, count_range
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.support.processes import WORKERS_NEED, begin_work, check_script
from bpe_lab.support.progress import Report

MIN_BLOCK_BYTES = 256 << 10

Range = tuple[TextFile, int, int]


def count_files(files: Sequence[TextFile], plan: CountingPlan, report: Report) -> dict[bytes, int]:
    """Count the words of files in several processes."""
    threads = plan.threads_for(files)
    share = sum(file.size for file in files) // (4 * threads)
    block_bytes = plan.block_bytes or min(max(share, MIN_BLOCK_BYTES), BLOCK_BYTES)
    ranges = [
        (file, start, stop)
        for file in files
        for start, stop in byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern)
    ]
    counts: Counter[str] = Counter()
    with _workers(ranges, min(threads, len(ranges)), plan) as workers:
        # In the order of the text: the first of several invalid bytes is reported, and the table
        # has the words in the order of a single process.
        for number, (_, start, stop) in enumerate(ranges):
            try:
                counted = workers[number % len(workers)].recv()
            except (EOFError, OSError):  # each end of a pipe is in one process
                raise RuntimeError(f"a worker process died: {WORKERS_NEED}") from None
            if isinstance(counted, Exception):
                raise counted
            counts.update(counted)
            report(stop - start)
    return {word.encode(): count for word, count in counts.items()}


@contextlib.contextmanager
def _workers(
    ranges: Sequence[Range], n_workers: int, plan: CountingPlan
) -> Iterator[list[Connection]]:
    """Start processes, each of which counts every n-th range, and end them.

    Not an executor: its threads wait for ever if a worker dies while sending, or cannot be started.
    """
    check_script()
    # Spawned, not forked: a fork after an OpenMP region hangs.
    context = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as ending:
        workers: list[Connection] = []
        for number in range(n_workers):
            here, there = context.Pipe(duplex=False)
            ending.callback(here.close)
            with there:
                work = (there, ranges[number::n_workers], plan)
                process = context.Process(target=count_ranges, args=work, daemon=True)
                process.start()
            ending.callback(process.join)
            # They have nothing to clean up, and ignore Ctrl-C.
            ending.callback(process.kill)
            workers.append(here)
        yield workers


def count_ranges(parent: Connection, ranges: Sequence[Range], plan: CountingPlan) -> None:
    """Count ranges, and send the words of each through a pipe."""
    begin_work()
    with contextlib.suppress(ConnectionError):  # the parent has ended
        for file, start, stop in ranges:
            try:
                counted: object = count_range(file, start, stop, plan)
            except Exception as error:  # the parent raises it, in the order of the text
                counted = error
            parent.send(counted)
