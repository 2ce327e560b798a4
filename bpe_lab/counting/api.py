"""Files or documents -> word counts: planned and checked, before a counter reads them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bpe_lab.counting.documents import Records
from bpe_lab.counting.source import Text, TextLike, check_texts, known_size, no_report
from bpe_lab.counting.word_table import WordCounts, word_counts
from bpe_lab.registry import CounterEntry, counter_for
from bpe_lab.support.machine import check_threads, threads_used
from bpe_lab.support.progress import Bar, Report
from bpe_lab.words.patterns import DEFAULT_PATTERN, Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens
from bpe_lab.words.texts import check_errors, check_many, replaced

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
    words_pattern = find_pattern(pattern)
    documents = documents or text_field is not None
    entry = counter_for(words_pattern, counter, documents=documents)
    if documents:
        entry.load_documents()
    if entry.id.startswith("regex") or not words_pattern.scanner:
        from bpe_lab.words.pretokenize import warn_of_other_unicode  # loads regex: 10 ms

        warn_of_other_unicode()
    if errors != "strict":
        check_errors(errors)
    threads = check_threads(threads)
    reading = (errors, text_field, block_bytes, skip_bad_records)
    return CountingPlan(specials, words_pattern, entry, threads, *reading)


def open_texts(
    paths: TextLike | Iterable[TextLike], plan: CountingPlan, glob: str | None = None
) -> list[Text]:
    """Return the named texts, checked for the counter that will read them; see `check_texts`."""
    entry = plan.counter
    records = plan.text_field is not None  # they are read for any counter
    return check_texts(
        paths,
        packed=records or (plan.pattern.scanner and bool(entry.reads)),
        streams=records or entry.streams,
        urls=entry.cluster and not records,
        content="records" if records else "text",
        errors=plan.errors,
        glob=glob,
    )


def count_texts(texts: Sequence[Text], plan: CountingPlan, *, progress: bool) -> WordCounts:
    """Count the words of texts that `open_texts` has opened."""
    with Bar(progress, f"count ({plan.counter.id})", known_size(texts), "B", scale=True) as bar:
        if plan.text_field is not None:
            records = Records(plan.text_field, plan.errors, plan.skip_bad_records)
            return _counted(records.documents(texts, bar.update), plan, no_report)
        return word_counts(plan.counter.load()(texts, plan, bar.update))


def _counted(documents: Iterable[str | bytes], plan: CountingPlan, report: Report) -> WordCounts:
    """Count the words of documents, and report their bytes."""
    checked = _checked_documents(documents, plan.errors)
    return word_counts(plan.counter.load_documents()(checked, plan, report))


def _checked_documents(documents: Iterable[str | bytes], errors: str) -> Iterator[bytes]:
    """Yield documents as UTF-8."""
    check_many("documents", documents)
    for number, document in enumerate(documents):
        try:
            if not isinstance(document, str):
                document = bytes.decode(document, "utf-8", errors)
            # With the method of `str`: a subclass may encode differently.
            yield str.encode(replaced(document) if errors == "replace" else document)
        except UnicodeError as error:
            raise ValueError(f"document {number} (from 0) is not UTF-8: {error}") from None
        except TypeError:
            kind = type(document).__name__
            raise TypeError(f"document {number} (from 0) is {kind}: give a str or bytes") from None


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
    skip_bad_records: bool = False,
) -> WordCounts:
    """Count the words ("pre-tokens") of files, and of all files in folders.

    :param paths: one or several; their texts are not joined. An empty file is a valid one. A folder
        means all texts (UTF-8 in their first MB) below it, except hidden ones and saved tokenizers;
        with `text_field` all .jsonl, .json, .csv, .tsv and .parquet, compressed or not.
        An open binary stream (`sys.stdin.buffer`) is read to its end by one thread, and not kept.
        The counter `dask` also takes URLs, as fsspec does: `s3://bucket/name`.
    :param special_tokens: strings at which the text is cut; they are not counted.
    :param counter: id of a counter (`bpe_lab.COUNTERS`); all give the same counts. None: `native`,
        if the pattern has a scanner, else `regex_parallel`, or `regex` with a `text_field`.
    :param threads: threads or processes of a parallel counter; None: all processors we may use. An
        existing cluster has its own number.
    :param errors: what to do with bytes that are not UTF-8: "strict" or "replace" (by U+FFFD). In a
        folder "strict" leaves such files out, with a warning.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param pattern: what the words are: an id of `bpe_lab.PATTERNS`, or any regex for the `regex`
        package; text between two matches is a word, too. With your own regex the text between two
        special tokens is in memory at once, at several times its size.
    :param block_bytes: bytes to count at a time; None: the counter chooses. Never changes a
        count.
    :param text_field: the files are JSON lines, CSV with a header or Parquet, each record a
        document: its text is under this key, or in this column. None: they are text.
    :param skip_bad_records: leave out records without a text, of wrong syntax or not UTF-8, and
        warn how many; False: the first one is an error. Those with null are left out either way.
    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises InvalidUTF8Error: a file is not UTF-8; names the file and the byte offset.
    :raises FileChangedError: a file got another size while it was read.
    :raises ValueError: unknown counter, or one that reads no streams or no URLs, or not this
        pattern; unknown pattern, or no regex; bad special tokens, bad `errors`; not a regular file,
        an empty folder, a text that is named twice; a packed file that is damaged, a bad record.
    :raises TypeError: a value is neither a path nor a stream.
    :raises MemoryError: the words need more memory than there is.
    :raises ImportError: something the counter needs is not installed.
    :warns UserWarning: files of a folder are left out, as no text; a text looks like records;
        records are left out; `regex` finds the words, and has another Unicode than the scanner.
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
        skip_bad_records=skip_bad_records,
    )
    return count_texts(open_texts(paths, plan), plan, progress=progress)


def count_documents(
    documents: Iterable[str | bytes],
    special_tokens: Iterable[str] = (END_OF_TEXT,),
    *,
    counter: str | None = None,
    errors: str = "strict",
    progress: bool = False,
    pattern: str = DEFAULT_PATTERN,
) -> WordCounts:
    """Count the words of documents that are not in files: from a generator, a table, a dataset.

    They are read one after another, in the calling thread, and not kept: memory holds a few
    megabytes of them, and the distinct words. The counts are the same as if each were a file. Train
    on them with `train_from_counts`.

    The other parameters and errors are those of `count_words`.

    :param documents: strings, or UTF-8 as bytes; each is its own text.
    :param counter: id of a counter that takes documents. None: `native`, if the pattern has a
        scanner, else `regex`.
    :raises TypeError: a document is neither a string nor bytes; says which. Or it is a table.
    :raises ValueError: one is not UTF-8; a counter that takes files only.

    >>> counts = count_documents(["low low", "lower"])
    >>> dict(counts) == {b"low": 1, b" low": 1, b"lower": 1}
    True
    """
    plan = plan_counting(
        special_tokens, pattern=pattern, counter=counter, errors=errors, documents=True
    )
    with Bar(progress, f"count ({plan.counter.id})", None, "B", scale=True) as bar:
        return _counted(documents, plan, bar.update)
