"""How many distinct words a text will have, and what their table will take, from samples of it.

The distinct words grow with a power of the words (Heaps, "Information Retrieval", 1978), which gets
smaller and smaller. Samples show two such powers. Four times as many samples have so many times the
distinct words: too large where texts resemble others that are far away. And the share of the
distinct words that occur once would be the power if words came in any order: too small, for they
come in bunches. The mean of both is taken.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import log
from typing import NamedTuple

from bpe_lab.counting.text_file import RangeStream, TextFile
from bpe_lab.words.patterns import Pattern

SAMPLES = 16
"""Places of a text to look at, as far apart as they can be."""

SAMPLED_SHARE, LEAST_SAMPLED, MOST_SAMPLED = 200, 1 << 20, 1 << 23
"""Bytes of all samples together; between the two it is this part of the text."""


class Growth(NamedTuple):
    """What samples of a text have, and how it grows from there.

    :param text_bytes: of the whole text.
    :param sampled_bytes: of the samples.
    :param words: of the samples.
    :param distinct: how many of these are distinct.
    :param distinct_bytes: of the distinct ones together.
    :param exponent: the power of the words with which the distinct ones will grow.
    """

    text_bytes: int
    sampled_bytes: int
    words: int
    distinct: int
    distinct_bytes: int
    exponent: float

    def distinct_words(self, text_bytes: int) -> int:
        """Return about how many distinct words so much of such a text has.

        :param text_bytes: bytes of text.

        >>> Growth(1_000_000, 10_000, 2_000, 500, 4_000, 0.5).distinct_words(1_000_000)
        5000
        """
        if not self.sampled_bytes:
            return 0
        return int(self.distinct * (text_bytes / self.sampled_bytes) ** self.exponent)


def growth_of(files: Sequence[TextFile], special_tokens: Sequence[str], pattern: Pattern) -> Growth:
    """Count samples of texts; a word may be cut where one ends, and bytes are not checked.

    :param files: not packed; together they are one text here.
    :param special_tokens: checked special tokens.
    :param pattern: of the words.
    :raises ImportError: the native counter was not built.
    :raises OSError: a file cannot be read.
    """
    size = sum(file.size for file in files)
    sampled = min(max(size // SAMPLED_SHARE, LEAST_SAMPLED), MOST_SAMPLED)
    each = sampled // SAMPLES
    starts = [number * (size - each) // (SAMPLES - 1) for number in range(SAMPLES)]
    if sampled >= size:  # all of it
        starts, each = [0], size
    few_words, few_distinct, _, _ = count_samples(files, special_tokens, pattern, starts[::4], each)
    words, distinct, distinct_bytes, once = count_samples(
        files, special_tokens, pattern, starts, each
    )
    exponent = 0.0
    if distinct > few_distinct > 0:
        grown = log(distinct / few_distinct) / log(words / few_words)
        exponent = (min(grown, 1.0) + once / distinct) / 2
    return Growth(size, each * len(starts), words, distinct, distinct_bytes, exponent)


def count_samples(
    files: Sequence[TextFile],
    special_tokens: Sequence[str],
    pattern: Pattern,
    starts: Sequence[int],
    each: int,
) -> tuple[int, int, int, int]:
    """Return the words of samples, the distinct ones, the bytes of these, and how many occur once.

    :param files: one text, in this order.
    :param special_tokens: checked special tokens.
    :param pattern: of the words.
    :param starts: where the samples begin in it.
    :param each: bytes of a sample.
    """
    sampled = [part for start in starts for part in parts(files, start, start + each)]
    if not pattern.scanner:
        from bpe_lab.counting.regex_counter import count_range

        found: Counter[str] = Counter()
        for part in sampled:
            found.update(
                count_range(part.file, part.start, part.stop, special_tokens, "replace", pattern)
            )
        once = sum(count == 1 for count in found.values())
        return found.total(), len(found), sum(len(word.encode()) for word in found), once
    from bpe_lab import native

    table, _ = native.count_files(
        sampled,
        [token.encode() for token in special_tokens],
        threads=1,
        block_bytes=1 << 20,
        replace=True,
        report=lambda: None,
        pattern=pattern.id,
    )
    words, distinct_bytes, _ = table.totals()
    return words, len(table), distinct_bytes, sum(count == 1 for _, count in table.items())


def parts(files: Sequence[TextFile], start: int, stop: int) -> Iterator[RangeStream]:
    """Yield the parts of files that a range of all their bytes lies in.

    :param files: in order.
    :param start, stop: the range.
    """
    ends = list(accumulate(file.size for file in files))
    for number in range(bisect_right(ends, start), len(files)):
        begin = ends[number] - files[number].size
        if begin >= stop:
            break
        yield RangeStream(files[number], max(start - begin, 0), min(stop, ends[number]) - begin)
