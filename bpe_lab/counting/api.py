"""Files or documents -> word counts."""

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from bpe_lab.counting.documents import checked_documents, read_documents, separator_for
from bpe_lab.counting.text_file import Text
from bpe_lab.counting.text_inputs import TextLike, check_texts, known_size
from bpe_lab.counting.word_table import WordCounts, word_counts
from bpe_lab.registry import CounterEntry, counter_for
from bpe_lab.support.machine import (
    available_cpus,
    available_memory,
    check_threads,
    megabytes,
    memory_errors_explained,
    openmp_threads,
)
from bpe_lab.support.progress import Bar
from bpe_lab.words.patterns import DEFAULT_PATTERN, Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens


@dataclass(frozen=True)
class CountingPlan:
    """How texts are counted. `plan_counting` makes it and checks everything once.

    :param special_tokens: strings at which a text is cut.
    :param pattern: what the words are.
    :param counter: that counts them.
    :param threads: threads or processes; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param text_field: of records that hold the texts; None: the files are the texts.
    :param block_bytes: bytes to count at a time; None: the counter chooses.
    """

    special_tokens: tuple[str, ...]
    pattern: Pattern
    counter: CounterEntry
    threads: int | None
    errors: str
    text_field: str | None
    block_bytes: int | None = None

    def threads_for(self, texts: Sequence[Text]) -> int:
        """Return how many threads or processes count these texts."""
        in_turn = self.text_field is not None or known_size(texts) is None
        return 1 if in_turn or not self.counter.parallel else self.threads or available_cpus()


LARGE_BYTES = 50_000_000
"""Of text, whose counting is shown from its beginning."""


def plan_counting(
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    pattern: str = DEFAULT_PATTERN,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    text_field: str | None = None,
    block_bytes: int | None = None,
    documents: bool = False,
) -> CountingPlan:
    """Check how words are to be counted, before anything is read.

    >>> plan_counting(pattern="llama3").counter.id
    'native'
    """
    specials = check_special_tokens(special_tokens)
    words_pattern = find_pattern(pattern)
    documents = documents or text_field is not None
    entry = counter_for(words_pattern, counter, documents=documents)
    if documents:
        entry.load_documents()
        separator_for(specials)  # only one counter needs it, and all refuse the same
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors is {errors!r}: give 'strict' or 'replace'")
    if errors == "replace" and any("\ufffd" in token for token in specials):
        raise ValueError(
            "a special token holds U+FFFD, which errors='replace' puts in the place of bad bytes: "
            "use errors='strict'"
        )
    check_threads(threads)
    if block_bytes is not None and not hasattr(block_bytes, "__index__"):
        raise TypeError(f"block_bytes is {block_bytes!r}: give an integer, or None")
    if block_bytes is not None and block_bytes < 1:
        raise ValueError(f"block_bytes is {block_bytes}: give 1 or more")
    return CountingPlan(specials, words_pattern, entry, threads, errors, text_field, block_bytes)


def open_texts(paths: TextLike | Iterable[TextLike], plan: CountingPlan) -> list[Text]:
    """Return the texts that are named, checked for the counter that is to read them."""
    entry, scanner = plan.counter, plan.pattern.scanner
    if plan.text_field is not None:  # records are read for any counter
        return check_texts(paths, packed=True, streams=True)
    return check_texts(
        paths,
        packed=scanner and bool(entry.reads),
        streams=entry.streams,
        urls=entry.cluster,
        scanner=scanner,
    )


def count_texts(texts: Sequence[Text], plan: CountingPlan, *, progress: bool) -> WordCounts:
    """Count the words of texts that `open_texts` has opened."""
    entry, threads = plan.counter, plan.threads
    if plan.text_field is not None:
        records = read_documents(texts, plan.text_field, plan.errors)
        return _count_documents(records, plan, progress=progress)
    size = sum(text.size for text in texts)
    remedy = f"{entry.memory_remedy}, less text"
    if not plan.pattern.cut:
        remedy = (
            "special tokens that the text has, for with a regex of yours it is cut at these only, "
            "a named pattern, less text"
        )
    at_once = size >= LARGE_BYTES
    bar = Bar(progress, f"count ({entry.id})", known_size(texts), "B", scale=True, at_once=at_once)
    with bar, _memory_explained(plan, f" in {megabytes(size)} of files", remedy):
        counts = entry.load()(
            texts,
            plan.special_tokens,
            pattern=plan.pattern,
            threads=openmp_threads(threads) if entry.threads else threads or available_cpus(),
            errors=plan.errors,
            block_bytes=plan.block_bytes,
            report=bar.update,
        )
        return word_counts(counts)


def _count_documents(
    documents: Iterable[str | bytes], plan: CountingPlan, *, progress: bool
) -> WordCounts:
    """Count the words of documents."""
    entry = plan.counter
    bar = Bar(progress, f"count ({entry.id})", None, "B", scale=True)
    with bar, _memory_explained(plan, "", f"{entry.memory_remedy}, fewer documents"):
        counts = entry.load_documents()(
            checked_documents(documents, plan.errors),
            plan.special_tokens,
            pattern=plan.pattern,
            report=bar.update,
        )
        return word_counts(counts)


def _memory_explained(plan: CountingPlan, what: str, remedy: str) -> AbstractContextManager[None]:
    """Let a lack of memory say what was counted, what was free before, and what helps."""
    free = available_memory()
    return memory_errors_explained(
        lambda: (
            f"counter {plan.counter.id!r} ran out of memory{what}; {megabytes(free)} were free "
            f"when it began: use {remedy}, or a machine with more memory"
        )
    )


def count_words(
    paths: TextLike | Iterable[TextLike],
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    pattern: str = DEFAULT_PATTERN,
    block_bytes: int | None = None,
    text_field: str | None = None,
) -> WordCounts:
    """Count the words ("pre-tokens") of files, and of all files of folders.

    :param paths: one or several; their texts are not joined. An empty file is a valid one. A folder
        stands for the regular files below it, without hidden ones. An open binary stream
        (`sys.stdin.buffer`) is read to its end and never held, by one thread. The counter `dask`
        takes URLs, too, as fsspec does: `s3://bucket/name`.
    :param special_tokens: strings at which the text is cut; they are not counted.
    :param counter: id of a counter (`bpe_lab.COUNTERS`); all give the same counts. None: `native`,
        where the pattern has a scanner, else `regex_parallel`, or `regex` with a `text_field`.
    :param threads: threads or processes of a parallel counter; None: all processors we may use. A
        cluster that is there has its own number.
    :param errors: what to do with bytes that are not UTF-8: "strict" or "replace" (by U+FFFD).
    :param progress: show a progress bar when it takes longer than two seconds.
    :param pattern: what the words are: an id of `bpe_lab.PATTERNS`, or any regex for the `regex`
        package; what that leaves out between two matches is a word, too. A text is cut for several
        processes where no word of a named pattern can be; with a regex of yours at special tokens
        only, and what lies between two of them is in memory at once, several times its size:
        without any that is the whole file.
    :param block_bytes: bytes to count at a time; the counter chooses when None. Never changes a
        count.
    :param text_field: the files are JSON lines or Parquet, each record a document: its text is
        under this key, or in this column. None: they are text.
    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises InvalidUTF8Error: a file is not UTF-8; names the file and the byte offset.
    :raises FileChangedError: a file was written to or replaced while it was read.
    :raises ValueError: unknown counter, or one that reads no streams or no URLs, or not this
        pattern; unknown pattern, or no regex; bad special tokens, bad `errors`; not a regular file,
        an empty folder, a text that is named twice; a packed file that is damaged, a record without
        a text.
    :raises TypeError: what is neither a path nor a stream is named as one.
    :raises MemoryError: the words need more memory than there is.
    :raises ImportError: what the counter needs is not installed.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> from bpe_lab import corpora
    >>> count_words(corpora.path("worked_example"))[b"newest"]
    6
    """
    plan = plan_counting(
        special_tokens,
        pattern=pattern,
        counter=counter,
        threads=threads,
        errors=errors,
        text_field=text_field,
        block_bytes=block_bytes,
    )
    return count_texts(open_texts(paths, plan), plan, progress=progress)


def count_documents(
    documents: Iterable[str | bytes],
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    pattern: str = DEFAULT_PATTERN,
) -> WordCounts:
    """Count the words of documents that no file holds: of a generator, a table, a dataset.

    They are taken one after the other, and none is kept: memory holds the distinct words. What they
    give is what a file of each would give. A training goes on from there: `train_from_counts`.

    :param documents: strings, or UTF-8 as bytes; each is a text of its own.
    :param special_tokens: strings at which a document is cut, too; they are not counted.
    :param counter: id of a counter that takes documents; all give the same counts. None: `native`,
        where the pattern has a scanner, else `regex`.
    :param threads: checked as for files; the thread that calls this takes and counts all documents.
    :param errors: what to do with what is not UTF-8: "strict" or "replace" (by U+FFFD).
    :param progress: show how much was counted, when it takes longer than two seconds.
    :param pattern: what the words are, as for `count_words`.
    :raises TypeError: a document is neither a string nor bytes; says which.
    :raises ValueError: one is not UTF-8; unknown counter, or one that takes files only, or not this
        pattern; unknown pattern, or no regex; bad special tokens, bad `errors`.
    :raises MemoryError: the words need more memory than there is.

    >>> counts = count_documents(["low low", "lower"])
    >>> dict(counts) == {b"low": 1, b" low": 1, b"lower": 1}
    True
    """
    plan = plan_counting(
        special_tokens,
        pattern=pattern,
        counter=counter,
        threads=threads,
        errors=errors,
        documents=True,
    )
    return _count_documents(documents, plan, progress=progress)
