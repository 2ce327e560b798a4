"""What measuring functions share. Each is called once, by its name, in its own process.

Parameters mean the same everywhere. `path`: the text, which has been read before, so that a value
does not include the disk; `vocab_size`: ids to reach; `threads`: processes or threads;
`least_seconds`: the work is repeated for this long, and the value is the mean (`loops` of the
record: how often; 0: once); `turns`: how often each of two programs runs; `pattern` and `counter`:
as `bpe_lab.count_words` takes them. They return fields of a record.
"""

import hashlib
import resource
from collections.abc import Iterable, Iterator
from itertools import count
from time import perf_counter, process_time

from bpe_lab.words.special_tokens import END_OF_TEXT

SPECIAL_TOKENS = [END_OF_TEXT]


def repeat(least_seconds: float) -> Iterator[int]:
    """Count from 1 until some seconds have passed, at least once: `for loops in repeat(0.5)`."""
    end = perf_counter() + least_seconds
    for loops in count(1):
        yield loops
        if perf_counter() >= end:
            return


def cpu_seconds() -> float:
    """Return the processor time so far of all threads of this process and of its ended workers."""
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + workers.ru_utime + workers.ru_stime


def lines_sha256(rows: Iterable[object]) -> str:
    """Return the SHA-256 of rows as Python prints them, one line each."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(f"{row}\n".encode())
    return whole.hexdigest()
