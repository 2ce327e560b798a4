"""An estimate of the cost of counting the words of files.

The distinct words grow with a power of the words (Heaps, "Information Retrieval", 1978), and the
power gets smaller with size. Samples give two estimates of it. The growth of distinct words with
four times as many samples is too large, because distant texts resemble each other. The share of
distinct words that occur once would be the power if words came in random order; it is too small,
because they come in clusters. The mean of both is used.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

from bpe_lab.counting.inputs import check_texts
from bpe_lab.counting.plan import CountingPlan, plan_counting
from bpe_lab.counting.source import Text, TextFile
from bpe_lab.registry import DEFAULT_STAGE, STAGES, load_stage
from bpe_lab.support.files import PathLike
from bpe_lab.words.patterns import DEFAULT_PATTERN
from bpe_lab.words.special_tokens import END_OF_TEXT

SORTED_WORD_BYTES = 60
"""Bytes of the Python object made for each word when a file of counts is written, besides the
word's."""

USUAL_WORD_BYTES = 9
"""Mean bytes of the distinct words in the text with which `CounterEntry.bytes_per_word` was
measured."""


class CountingEstimate(NamedTuple):
    """The estimated cost of counting.

    :param text_bytes: to read.
    :param sampled_bytes: used for the estimate.
    :param distinct_words: about how many to expect.
    :param count_bytes: memory for their table.
    :param then_bytes: memory for the next step: the stage, or a file of the counts; None: unknown,
        because the stage is not registered.
    :param memory_bytes: the peak of both, as far as they are known.
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
    """Estimate the distinct words of texts from samples, and the memory they will need.

    16 places of the text are counted, 1 to 8 MB together. The estimate can be twice or half of the
    true number of distinct words, and further off for a text that repeats as a whole: samples
    cannot show what they miss.

    :param paths: files or folders of plain text: compressed files, records and streams cannot be
        sampled.
    :param special_tokens: strings at which the text will be cut.
    :param counter: id of the counter that will count; None: the one that `count_words` chooses.
        Worker processes, which hold the words of a range, are not included.
    :param threads: of it; None: all processors we may use.
    :param stage: of the training on the counts, as for `bpe_lab.train`; None: they will be written
        to a file.
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
    """Estimate the cost of counting texts; all are uncompressed files."""
    plan = plan._replace(errors="replace")  # a sample may begin inside a character
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
"""Number of samples, spread evenly over the text."""

SAMPLED_SHARE, LEAST_SAMPLED, MOST_SAMPLED = 200, 1 << 20, 1 << 23
"""Limits for the bytes of all samples; between the two it is this part of the text."""


class _Growth(NamedTuple):
    """The counts in samples of a text, and the power with which the distinct words grow."""

    text_bytes: int
    sampled_bytes: int
    words: int
    distinct: int
    distinct_bytes: int
    exponent: float

    def distinct_words(self, text_bytes: int) -> int:
        """Estimate the distinct words in a given amount of such a text."""
        if not self.sampled_bytes:
            return 0
        return int(self.distinct * (text_bytes / self.sampled_bytes) ** self.exponent)


def _growth_of(files: Sequence[TextFile], plan: CountingPlan) -> _Growth:
    """Count samples of texts; their ends may cut words, and bytes are not checked."""
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
    """Count the words in a range of the joined bytes of all files."""
    from bpe_lab.counting.regex_counter import count_range  # loads `regex`, for a large text only

    found = Counter[str]()
    begin = 0
    for file in files:
        first, last = max(start - begin, 0), min(stop - begin, file.size)
        if first < last:
            found.update(count_range(file, first, last, plan))
        begin += file.size
    return found
