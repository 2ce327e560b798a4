"""Counter `regex_parallel`: the same count in several processes, each on its own byte ranges.

- Adds: processes. A cut is found from a few bytes around it, so nobody reads the file twice.
- Still slow: a Python string for each word, and each worker's table travels back through a pipe.
"""

import multiprocessing
from collections import Counter, deque
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from bpe_lab.counting.byte_ranges import byte_ranges
from bpe_lab.counting.regex_counter import BLOCK_BYTES, count_range
from bpe_lab.counting.text_file import TextFile
from bpe_lab.progress import Report
from bpe_lab.worker_processes import begin_work

SMALLEST_BLOCK = 256 << 10


def count_files(
    files: Sequence[TextFile],
    special_tokens: Sequence[str],
    *,
    threads: int,
    errors: str,
    block_bytes: int | None,
    report: Report,
) -> dict[bytes, int]:
    """Count the words of files in `threads` processes.

    :param files: the files, not packed.
    :param special_tokens: checked special tokens.
    :param threads: number of processes.
    :param errors: "strict" or "replace".
    :param block_bytes: size of a range in bytes; None: four per worker, 256 KB to 8 MB.
    :param report: called after each range.
    :raises RuntimeError: a worker process died.
    """
    if block_bytes is None:
        share = sum(file.size for file in files) // (4 * threads)
        block_bytes = min(max(share, SMALLEST_BLOCK), BLOCK_BYTES)
    ranges = [
        (file, start, stop)
        for file in files
        for start, stop in byte_ranges(file, special_tokens, block_bytes)
    ]
    counts: Counter[str] = Counter()
    # Spawned, not forked: a fork after an OpenMP region hangs.
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    workers = max(min(threads, len(ranges)), 1)
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=begin_work)
    try:
        pending = deque(
            pool.submit(count_range, *piece, special_tokens, errors) for piece in ranges
        )
        # In the order of the text: of several invalid bytes the first one is reported, and the
        # table has the words in the order in which one process would have met them.
        for _, start, stop in ranges:
            counts.update(pending.popleft().result())
            report(stop - start)
    except BrokenProcessPool:
        raise RuntimeError(
            "a worker process died: in a script, call bpe_lab under `if __name__ == '__main__':` "
            "(workers are spawned and import the script again); else look for lack of memory"
        ) from None
    except BaseException:
        # They ignore Ctrl-C, and waiting for them could be interrupted by the next one.
        for worker in set(multiprocessing.active_children()) - others:
            worker.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    return {word.encode(): count for word, count in counts.items()}
