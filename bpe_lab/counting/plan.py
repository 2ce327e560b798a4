"""How texts are counted: checked once, before anything is read, and handed to the counter."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bpe_lab.counting.documents import Records
from bpe_lab.counting.inputs import known_size
from bpe_lab.counting.source import Text
from bpe_lab.registry import CounterEntry, counter_for
from bpe_lab.support.errors import check_errors, checked_integer
from bpe_lab.support.machine import check_threads, threads_used
from bpe_lab.words.patterns import DEFAULT_PATTERN, Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

MIN_THREAD_BYTES = 1 << 20
"""Of text, for each thread of the counter `native`: the block that it takes at a time. By one and
two threads 1 MB takes 3.6 and 4.2 ms, 2 MB 6.6 and 4.6 (stories, medians of 12, AMD EPYC)."""


class CountingPlan(NamedTuple):
    """How texts are counted: the arguments of `bpe_lab.count_words`, which `plan_counting` checks
    once."""

    special_tokens: tuple[str, ...]
    pattern: Pattern
    counter: CounterEntry
    threads: int | None
    errors: str
    text_field: str | None
    block_bytes: int | None = None
    skip_bad_records: bool = False

    def threads_for(self, texts: Sequence[Text]) -> int:
        """Return how many threads or processes count these texts."""
        size = known_size(texts)
        if self.text_field is not None or size is None or not self.counter.parallel:
            return 1
        if not self.counter.uses_threads:
            return threads_used(self.threads)
        parts = size // (self.block_bytes or MIN_THREAD_BYTES)
        return threads_used(self.threads, openmp=True, parts=parts)


def plan_counting(
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    pattern: str = DEFAULT_PATTERN,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    text_field: str | None = None,
    block_bytes: int | None = None,
    skip_bad_records: bool = False,
    documents: bool = False,
) -> CountingPlan:
    """Check how words will be counted, before anything is read.

    >>> plan_counting(pattern="llama3").counter.id
    'native'
    """
    specials = check_special_tokens(special_tokens, ordered=False)
    if text_field is not None or skip_bad_records:
        Records(text_field, errors, skip_bad_records)
    words_pattern = find_pattern(pattern)
    documents = documents or text_field is not None
    entry = counter_for(words_pattern, counter, documents=documents)
    if documents:
        entry.load_documents()
    if entry.id.startswith("regex") or not words_pattern.scanner:
        from bpe_lab.words.pretokenize import warn_of_other_unicode  # loads regex: 10 ms

        warn_of_other_unicode()
    check_errors(errors)
    if errors == "replace" and any("\ufffd" in token for token in specials):
        raise ValueError("a special token holds U+FFFD, which errors='replace' puts into texts")
    threads = check_threads(threads)
    if block_bytes is not None and checked_integer("block_bytes", block_bytes) < 1:
        raise ValueError(f"block_bytes is {block_bytes}: give 1 or more")
    reading = (errors, text_field, block_bytes, skip_bad_records)
    return CountingPlan(specials, words_pattern, entry, threads, *reading)
