"""What counting the words of files will cost, before it is done.

The distinct words grow with a power of the words (Heaps, "Information Retrieval", 1978), which gets
smaller and smaller. Samples show two such powers. Four times as many samples have so many times the
distinct words: too large where texts resemble others that are far away. And the share of the
distinct words that occur once would be the power if words came in any order: too small, for they
come in bunches. The mean of both is taken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from bpe_lab.counting.plan import CountingPlan, plan_counting
from bpe_lab.counting.text_file import Text, TextFile
from bpe_lab.counting.text_inputs import check_texts
from bpe_lab.registry import DEFAULT_STAGE, STAGES, load_stage
from bpe_lab.support.files import PathLike
from bpe_lab.words.patterns import DEFAULT_PATTERN
from bpe_lab.words.special_tokens import END_OF_TEXT

SORTED_WORD_BYTES = 60
"""Of the Python object that writing a file of counts makes of a word, beside those of the word."""

USUAL_WORD_BYTES = 9
"""Of the distinct words of the text by which `CounterEntry.bytes_per_word` was measured."""


class CountingEstimate(NamedTuple):
    """What counting will cost.

    :param text_bytes: to read.
    :param sampled_bytes: that the estimate is made from.
    :param distinct_words: about how many there will be.
    :param count_bytes: memory for their table.
    :param then_bytes: memory for what comes then: the stage, or a file of the counts; None: it is a
        stage that is not registered, of which nobody knows.
    :param memory_bytes: of both, as far as they are known, the most at a time.
    """

    text_bytes: int
    sampled_bytes: int
    distinct_words: int
    count_bytes: int
    then_bytes: int | None
    memory_bytes: int


def estimate_counting(
    paths: PathLike | Iterable[PathLike],
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    counter: str | None = None,
    threads: int | None = None,
    stage: str | None = DEFAULT_STAGE,
    pattern: str = DEFAULT_PATTERN,
) -> CountingEstimate:
    """Estimate the distinct words of texts from samples, and the memory that they will need.

    16 places of the text are counted, 1 to 8 MB together. On made and real texts of
    30 to 400 MB the distinct words were 0.6 to 1.8 times those that were counted then. A text that
    repeats itself as a whole can be further off: what the samples miss, nobody knows.

    :param paths: files or folders of text, not packed: of what is packed, of records and of streams
        nobody knows before.
    :param special_tokens: strings at which the text will be cut.
    :param counter: id of the counter that will count; None: the one that `count_words` chooses. Of
        worker processes, which hold the words of a range, nothing is said.
    :param threads: of it; None: all processors we may use.
    :param stage: of the training on the counts, as `bpe_lab.train` takes it; None: they will be
        written to a file.
    :param pattern: of the words, as `bpe_lab.count_words` takes it.
    :raises: what `count_words` raises of files and options.

    >>> from bpe_lab import corpora
    >>> estimate = estimate_counting(corpora.path("worked_example"))
    >>> estimate.text_bytes, estimate.distinct_words
    (287, 4)
    """
    plan = plan_counting(special_tokens, pattern=pattern, counter=counter, threads=threads)
    if stage is not None:
        load_stage(stage)
    return estimate_texts(check_texts(paths), plan, stage)


def estimate_texts(
    texts: Iterable[Text], plan: CountingPlan, stage: str | None
) -> CountingEstimate:
    """Estimate what counting texts will cost; all are files, and not packed."""
    plan = plan._replace(errors="replace")  # a sample may begin in a character
    files = [text for text in texts if isinstance(text, TextFile)]
    entry = plan.counter
    growth = _growth_of(files, plan)
    size = growth.text_bytes
    distinct = growth.distinct_words(size)
    word_bytes = growth.distinct_bytes / max(growth.distinct, 1)
    count_bytes = round((entry.bytes_per_word + max(word_bytes - USUAL_WORD_BYTES, 0)) * distinct)
    then_bytes: int | None
    if stage is None:
        then_bytes = round(distinct * (SORTED_WORD_BYTES + word_bytes))
    elif stage not in STAGES:
        then_bytes = None
    elif STAGES[stage].every_occurrence:
        words = round(growth.words * size / max(growth.sampled_bytes, 1))
        then_bytes = STAGES[stage].memory_bytes(words, size)
    else:
        then_bytes = STAGES[stage].memory_bytes(distinct, round(distinct * word_bytes))
    memory_bytes = count_bytes + (then_bytes or 0)
    return CountingEstimate(
        size, growth.sampled_bytes, distinct, count_bytes, then_bytes, memory_bytes
    )


SAMPLES = 16
"""Places of a text to look at, as far apart as they can be."""

SAMPLED_SHARE, LEAST_SAMPLED, MOST_SAMPLED = 200, 1 << 20, 1 << 23
"""Bytes of all samples together; between the two it is this part of the text."""


class _Growth(NamedTuple):
    """What samples of a text have, and the power of the words with which distinct ones grow."""

    text_bytes: int
    sampled_bytes: int
    words: int
    distinct: int
    distinct_bytes: int
    exponent: float

    def distinct_words(self, text_bytes: int) -> int:
        """Return about how many distinct words so much of such a text has."""
        if not self.sampled_bytes:
            return 0
        return int(self.distinct * (text_bytes / self.sampled_bytes) ** self.exponent)


def _growth_of(files: Sequence[TextFile], plan: CountingPlan) -> _Growth:
    """Count samples of texts; a word may be cut where one ends, and bytes are not checked."""
    size = sum(file.size for file in files)
    sampled = min(max(size // SAMPLED_SHARE, LEAST_SAMPLED), MOST_SAMPLED)
    each = sampled // SAMPLES
    starts = [number * (size - each) // (SAMPLES - 1) for number in range(SAMPLES)]
    if sampled >= size:  # all of it
        starts, each = [0], size
    few, every = Counter[str](), Counter[str]()
    for number, start in enumerate(starts):
        found = _sample(files, start, start + each, plan)
        every.update(found)
        if number % 4 == 0:
            few.update(found)
    exponent = 0.0
    if len(every) > len(few) > 0:
        grown = log(len(every) / len(few)) / log(every.total() / few.total())
        once = sum(count == 1 for count in every.values()) / len(every)
        exponent = (min(grown, 1.0) + once) / 2
    distinct_bytes = sum(len(word.encode()) for word in every)
    sampled_bytes = each * len(starts)
    return _Growth(size, sampled_bytes, every.total(), len(every), distinct_bytes, exponent)


def _sample(files: Sequence[TextFile], start: int, stop: int, plan: CountingPlan) -> Counter[str]:
    """Count the words of a range of all files' bytes together."""
    from bpe_lab.counting.regex_counter import count_range  # loads `regex`, for a large text only

    found = Counter[str]()
    begin = 0
    for file in files:
        first, last = max(start - begin, 0), min(stop - begin, file.size)
        if first < last:
            found.update(count_range(file, first, last, plan))
        begin += file.size
    return found
