"""Speeds that notebooks measure beside the stages: counters, memory, order of access."""

import random
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bpe_lab import count_words
from bpe_lab.corpora import path
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.texts import CORPUS, SPECIAL_TOKENS, corpus
from bpe_lab.native import CompiledStage
from bpe_lab.tokenizer.merges import first_vocab


def best_seconds(action: Callable[[], object], repeats: int = 3) -> float:
    """Return the seconds of the fastest of several runs.

    >>> best_seconds(lambda: None) < 1
    True
    """
    seconds = []
    for _ in range(repeats):
        begun = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begun)
    return min(seconds)


def whole_text() -> Path:
    """Return the text that speeds are measured on: all stories, the excerpt at tiny scale.

    >>> whole_text().is_file()
    True
    """
    return path(CORPUS) if scale() is SCALES["normal"] else corpus()


def count_speed(counter: str, threads: int = 1, copies: int = 1, repeats: int = 3) -> float:
    """Return how many MB (10**6 bytes) of text a counter counts per second.

    :param counter: id of a counter.
    :param threads: threads or processes.
    :param copies: how often the text stands in the file; what starts once is divided by it.
    :param repeats: calls, of which the fastest counts.

    >>> count_speed("native") > 1
    True
    """
    content = whole_text().read_bytes() * copies
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "text")
        file.write_bytes(content)
        seconds = best_seconds(
            lambda: count_words(file, SPECIAL_TOKENS, counter=counter, threads=threads), repeats
        )
    return len(content) / 1e6 / seconds


def scan_cost(
    n_pairs: int, stage_class: type[CompiledStage], n_merges: int = 10, threads: int = 1
) -> tuple[int, float]:
    """Return the slots that a scan looks through per merge, and its seconds per selection.

    Of five turns the fastest counts: what else the machine does is not the question.
    Each pair is a word of its own, so a table of any size is there from the start. A training would
    add the first selection, which fills the heap: so the stage is called by itself.

    >>> from bpe_lab.native import CppScan
    >>> slots, seconds = scan_cost(100, CppScan, 5)
    >>> slots >= 1024 and seconds > 0
    True
    """
    draw = random.Random(0)
    pairs = draw.sample(range(1 << 16), n_pairs)
    counts = {pair.to_bytes(2, "big"): draw.randint(1, 10**6) for pair in pairs}
    stage = stage_class(counts, first_vocab([]), threads=threads)
    stage.count_pairs()
    stage.run(256, 257, 5.0)  # the first selection fills the heap
    scanned = stage.operations.get("slots_scanned", 0)
    first_ids = range(257, 257 + 5 * n_merges, n_merges)
    seconds = min(stage.run(first, first + n_merges, 5.0)[4] for first in first_ids)
    return scanned, seconds / n_merges


def counts_by_all(content: bytes, special_tokens: Sequence[str] = ()) -> dict[bytes, int]:
    """Return the word counts of a text, by every counter that needs no processes.

    :raises AssertionError: two counters differ.

    >>> counts_by_all(b"a b a")
    {b'a': 1, b' b': 1, b' a': 1}
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "text")
        file.write_bytes(content)
        counts = [
            dict(count_words(file, special_tokens, counter=counter, block_bytes=block))
            for counter in ("regex", "native")
            for block in (None, 1)
        ]
    assert all(found == counts[0] for found in counts), counts
    return counts[0]
