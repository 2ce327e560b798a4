"""What the suites measure of counters: text -> word counts."""

import resource
import sys
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.bench.texts import find_text
from bpe_lab.counting.api import count_words
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern


def count_text(
    *,
    counter: str,
    threads: int,
    text: str,
    text_bytes: int = 0,
    block_bytes: int | None = None,
    loops: int = 1,
    pattern: str = DEFAULT_PATTERN,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Count the words of a text.

    The file was read shortly before, for its digest, so that the disk is no part of the value.

    :param counter: id of a counter.
    :param threads: processes or threads of a parallel counter.
    :param text: a text of the suites, or the name of the user's file.
    :param text_bytes: size of the text, 0 for a bundled corpus as it is.
    :param block_bytes: bytes to count at a time; None: the counter chooses.
    :param loops: how often the text is counted; the value is the mean.
    :param pattern: of the words, as `bpe_lab.count_words` takes it.
    :param file: the user's file.
    :raises: what `bpe_lab.count_words` raises.

    >>> count_text(counter="native", threads=1, text="languages")["operations"]["distinct_words"]
    1746
    """
    path, corpus = find_text(text, text_bytes, file)
    started = perf_counter()
    for _ in range(loops):
        counts = count_words(
            path,
            SPECIAL_TOKENS,
            counter=counter,
            threads=threads,
            pattern=pattern,
            block_bytes=block_bytes,
        )
    seconds = (perf_counter() - started) / loops
    # Before the digest: it sorts all words.
    peak = peak_rss_mb()
    return {
        "seconds": seconds,
        "megabytes_per_second": corpus["bytes"] / 1e6 / seconds,
        "digest": sha256_of(f"{word.hex()} {count}" for word, count in sorted(counts.items())),
        "operations": {
            "bytes": corpus["bytes"],
            "words": counts.occurrences,
            "distinct_words": len(counts),
        },
        "corpus": corpus,
        "counter": counter,
        "pattern": find_pattern(pattern).name,
        "threads": threads,
        "loops": loops,
        "peak_rss_mb": peak,
        "largest_worker_mb": largest_worker_mb(),
    }


def largest_worker_mb() -> float:
    """Return the most memory that one worker process had resident, in MB; 0 without workers.

    >>> largest_worker_mb() >= 0
    True
    """
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6
