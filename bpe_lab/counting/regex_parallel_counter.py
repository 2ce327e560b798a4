"""Counter `regex_parallel`: the same count in several processes, each on its own byte ranges.

- Adds: processes. A cut is found from a few bytes around it, so the file is not read twice.
- Still slow: a Python string for each word, and each worker's table travels back through a pipe.
"""

import contextlib
import errno
import multiprocessing
from collections import Counter
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait

from bpe_lab.counting.plan import CountingPlan
from bpe_lab.counting.regex_counter import BLOCK_BYTES, count_range
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.support.processes import WORKERS_NEED, begin_work, check_script
from bpe_lab.support.progress import Report

MIN_BLOCK_BYTES = 256 << 10


def count_files(files: Sequence[TextFile], plan: CountingPlan, report: Report) -> dict[bytes, int]:
    """Count the words of files in several processes."""
    block_bytes, threads = plan.block_bytes, plan.threads_for(files)
    if block_bytes is None:
        share = sum(file.size for file in files) // (4 * threads)
        block_bytes = min(max(share, MIN_BLOCK_BYTES), BLOCK_BYTES)
    ranges = [
        (file, start, stop)
        for file in files
        for start, stop in byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern)
    ]
    counts: Counter[str] = Counter()
    with _worker_processes(min(threads, len(ranges)), plan) as workers:
        # In the order of the text: the first of several invalid bytes is reported, and the table
        # has the words in the order of a single process.
        for (_, start, stop), counted in zip(ranges, in_order(ranges, workers), strict=True):
            if isinstance(counted, Exception):
                raise counted
            counts.update(counted)
            report(stop - start)
    return {word.encode(): count for word, count in counts.items()}


def in_order(
    ranges: Sequence[tuple[TextFile, int, int]], workers: Sequence[Connection]
) -> Iterator[Counter[str] | Exception]:
    """Yield results in the order of the ranges; a worker that is done gets the next range."""
    at_work: dict[Connection, int] = {}
    done: dict[int, Counter[str] | Exception] = {}
    to_do = iter(range(len(ranges)))

    def give_work(worker: Connection) -> None:
        if (given := next(to_do, None)) is not None:
            worker.send(ranges[given])
            at_work[worker] = given

    try:
        for worker in workers:
            give_work(worker)
        for number in range(len(ranges)):
            while number not in done:
                # A pipe has one end here and one in its worker: if the worker dies, even while
                # sending, reading here ends.
                for ready in wait(list(at_work)):
                    assert isinstance(ready, Connection)
                    done[at_work.pop(ready)] = ready.recv()
                    give_work(ready)
            yield done.pop(number)
    except (EOFError, OSError):
        raise RuntimeError(f"a worker process died: {WORKERS_NEED}") from None


@contextlib.contextmanager
def _worker_processes(n_workers: int, plan: CountingPlan) -> Iterator[list[Connection]]:
    """Start processes that count ranges, and end them.

    Not an executor: its threads wait for ever if a worker dies while sending, or cannot be started.
    """
    check_script()
    # Spawned, not forked: a fork after an OpenMP region hangs.
    context = multiprocessing.get_context("spawn")
    with contextlib.ExitStack() as ending:
        ours: list[Connection] = []
        for _ in range(n_workers):
            try:
                here, there = context.Pipe()
                ending.callback(here.close)
                with there:
                    process = context.Process(target=count_ranges, args=(there, plan), daemon=True)
                    process.start()
            # The first: we are a worker ourselves. The other: of the system.
            except (AssertionError, OSError) as error:
                if isinstance(error, OSError) and error.errno == errno.ENOMEM:
                    raise  # explained by `memory_errors_explained`
                raise RuntimeError(
                    f"only {len(ours)} of {n_workers} worker processes can be started ({error}): "
                    "use the counter 'regex', fewer threads, or a higher limit (ulimit -u, -n)"
                ) from None
            ending.callback(process.join)
            # They have nothing to clean up, and ignore Ctrl-C.
            ending.callback(process.kill)
            ours.append(here)
        yield ours


def count_ranges(parent: Connection, plan: CountingPlan) -> None:
    """Count the ranges that come through a pipe, and send their words back."""
    begin_work()
    with contextlib.suppress(EOFError, ConnectionError):  # the parent has ended
        while True:
            file, start, stop = parent.recv()
            try:
                counted: object = count_range(file, start, stop, plan)
            except Exception as error:  # the parent raises it, in the order of the text
                counted = error
            parent.send(counted)
