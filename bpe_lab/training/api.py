"""Files -> tokenizer in one call."""

import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.counting.document_files import read_documents
from bpe_lab.counting.documents import checked_documents, separator_for
from bpe_lab.counting.text_file import PACKINGS, Text
from bpe_lab.counting.text_inputs import (
    TextLike,
    check_texts,
    known_size,
    listed,
)
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.registry import DEFAULT_STAGE, CounterEntry, counter_for
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import (
    available_cpus,
    available_memory,
    check_threads,
    megabytes,
    memory_errors_explained,
    openmp_threads,
)
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.first_ids import first_ids, pattern_for
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import (
    Training,
    check_training,
    train_from_counts,
)
from bpe_lab.words.patterns import DEFAULT_PATTERN, Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage
    from bpe_lab.tokenizer.tokenizer import Tokenizer


def count_words(
    paths: TextLike | Iterable[TextLike],
    special_tokens: Iterable[str] = ("<|endoftext|>",),
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
    specials = check_special_tokens(special_tokens)
    words_pattern = find_pattern(pattern)
    entry = counter_for(words_pattern, counter, documents=text_field is not None)
    if text_field is not None:
        entry.load_documents()
    check_errors(errors, specials)
    check_threads(threads)
    if block_bytes is not None and not hasattr(block_bytes, "__index__"):
        raise TypeError(f"block_bytes is {block_bytes!r}: give an integer, or None")
    if block_bytes is not None and block_bytes < 1:
        raise ValueError(f"block_bytes is {block_bytes}: give 1 or more")
    files = texts_for(paths, entry, text_field, words_pattern)
    if text_field is not None:
        # What goes wrong while it is read is ours: nobody else raises anything.
        return count_checked(
            checked_documents(read_documents(files, text_field, errors), errors),
            specials,
            entry,
            words_pattern,
            threads=threads,
            progress=progress,
            raised=[],
        )
    size, free = sum(file.size for file in files), available_memory()
    remedy = entry.memory_remedy
    if not words_pattern.cut:
        remedy = (
            "special tokens that the text has, for with a regex of yours it is cut at these only, "
            "a named pattern"
        )
    with (
        Bar(progress, f"count ({entry.id})", known_size(files), "B", scale=True) as bar,
        memory_errors_explained(
            lambda: (
                f"counter {entry.id!r} ran out of memory in {megabytes(size)} of files; "
                f"{megabytes(free)} were free when it began: use {remedy}, less text, or a machine "
                "with more memory"
            )
        ),
    ):
        counts = entry.load()(
            files,
            specials,
            pattern=words_pattern,
            threads=openmp_threads(threads) if entry.threads else threads or available_cpus(),
            errors=errors,
            block_bytes=block_bytes,
            report=bar.update,
        )
        return counts if isinstance(counts, WordCounts) else WordCounts(counts)


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
    :param threads: checked as for files, but one thread is enough: the one that calls this takes
        the documents and counts them.
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
    specials = check_special_tokens(special_tokens)
    words_pattern = find_pattern(pattern)
    entry = counter_for(words_pattern, counter, documents=True)
    entry.load_documents()
    check_errors(errors, specials)
    check_threads(threads)
    raised: list[BaseException] = []
    return count_checked(
        checked_documents(documents, errors, raised),
        specials,
        entry,
        words_pattern,
        threads=threads,
        progress=progress,
        raised=raised,
    )


def count_checked(
    documents: Iterator[bytes],
    special_tokens: tuple[str, ...],
    entry: CounterEntry,
    pattern: Pattern,
    *,
    threads: int | None,
    progress: bool,
    raised: Collection[BaseException],
) -> WordCounts:
    """Count documents that were checked, or are while they are taken.

    :param documents: UTF-8.
    :param special_tokens: checked special tokens.
    :param entry: the counter.
    :param pattern: of the words.
    :param raised: what the documents of a caller have raised; passes as it is.
    """
    separator_for(special_tokens)  # only one counter needs it, and all refuse the same
    free = available_memory()
    with (
        Bar(progress, f"count ({entry.id})", None, "B", scale=True) as bar,
        memory_errors_explained(
            lambda: (
                f"counter {entry.id!r} ran out of memory; {megabytes(free)} were free when it "
                f"began: use {entry.memory_remedy}, fewer documents, or a machine with more memory"
            ),
            raised,
        ),
    ):
        counts = entry.load_documents()(
            documents,
            special_tokens,
            pattern=pattern,
            threads=openmp_threads(threads) if entry.threads else 1,
            report=bar.update,
        )
        return counts if isinstance(counts, WordCounts) else WordCounts(counts)


def check_errors(errors: str, special_tokens: Iterable[str]) -> None:
    """Check what is to be done with bytes that are not UTF-8.

    :param errors: "strict" or "replace".
    :param special_tokens: checked special tokens.
    :raises ValueError: it is neither, or replacing would make special tokens.

    >>> check_errors("strict", ["<|endoftext|>"])
    """
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors is {errors!r}: give 'strict' or 'replace'")
    if errors == "replace" and any("\ufffd" in token for token in special_tokens):
        raise ValueError(
            "a special token holds U+FFFD, which errors='replace' puts in the place of bad bytes: "
            "use errors='strict'"
        )


def train(
    paths: TextLike | Iterable[TextLike],
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    *,
    stage: "str | type[Stage]" = DEFAULT_STAGE,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    pattern: str | None = None,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
    text_field: str | None = None,
    min_count: int = 1,
    special_ids: str = "first",
    extend: "Tokenizer | None" = None,
) -> Training:
    """Train a byte-level BPE tokenizer on files.

    :param paths: files, folders or binary streams, one or several, as `count_words` takes them.
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings at which the text is cut; they get the ids from 256 on. None:
        `<|endoftext|>`, or those of the tokenizer that is extended, at which it is cut in any case.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges. Or one of your own, a
        class or "module:Class", as `train_from_counts` takes it.
    :param counter: id of a counter (`bpe_lab.COUNTERS`), chosen as `count_words` does when None.
    :param threads: threads or processes; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param progress: show progress bars.
    :param pattern: what the words are, as for `count_words`; the tokenizer cuts by the same. None:
        "gpt2", or that of the tokenizer that is extended, which has no other.
    :param on_merge: called after each merge with a `MergeStep`.
    :param time_budget: seconds of merging after which it stops.
    :param text_field: key or column of the text, where the files are JSON lines or Parquet.
    :param min_count: it stops when the best pair is rarer.
    :param special_ids: "first" or "last": the special tokens get the ids before or behind those of
        the merges.
    :param extend: a tokenizer from which it goes on, as `train_from_counts` does.
    :raises: what `count_words` and `train_from_counts` raise.

    >>> from bpe_lab import corpora
    >>> train(corpora.path("worked_example"), 258).merges
    [(b's', b't')]
    """
    # Everything that can be wrong is looked at before the long part.
    begin = first_ids(special_tokens, special_ids, extend)
    check_training(begin, vocab_size, stage, time_budget, min_count)
    check_threads(threads)
    words_pattern = pattern_for(pattern, extend)
    entry = counter_for(words_pattern, counter, documents=text_field is not None)
    specials = begin.special_tokens
    started = perf_counter()
    counts = count_words(
        paths,
        specials,
        counter=entry.id,
        threads=threads,
        errors=errors,
        progress=progress,
        pattern=words_pattern.name,
        text_field=text_field,
    )
    count_seconds = perf_counter() - started
    training = train_from_counts(
        counts,
        vocab_size,
        specials,
        stage=stage,
        threads=threads,
        progress=progress,
        on_merge=on_merge,
        time_budget=time_budget,
        pattern=words_pattern.name,
        min_count=min_count,
        special_ids=special_ids,
        extend=extend,
    )
    training.counter = entry.id
    training.phases["count"] = count_seconds
    return training


def train_bpe(
    input_path: PathLike, vocab_size: int, special_tokens: list[str], **kwargs: Any
) -> tuple[dict[int, bytes], list[Merge]]:
    """Train with the signature that the tests of Stanford CS336, assignment 1, call.

    :param input_path: the corpus, a file.
    :param vocab_size: number of ids to reach.
    :param special_tokens: strings that are never split.
    :param kwargs: handed to `train`.
    :return: id -> bytes, and the merges in order.

    >>> from bpe_lab import corpora
    >>> vocab, merges = train_bpe(corpora.path("worked_example"), 258, ["<|endoftext|>"])
    >>> vocab[257], merges
    (b'st', [(b's', b't')])
    """
    for path in listed(input_path, "input_path"):
        if isinstance(path, Path) and path.is_dir():
            raise IsADirectoryError(f"{path} is a directory: name one file, or use bpe_lab.train")
    training = train(input_path, vocab_size, special_tokens, **kwargs)
    return training.vocab, training.merges


def check_worked_example(stage: "str | type[Stage]", n_given: int = 0) -> None:
    """Train the worked example with a stage and compare the merges.

    :param stage: as `train` takes it; for one of your own it is the first thing to try.
    :param n_given: merges of a tokenizer from which it is to go on.
    :raises RuntimeError: a merge differs; names the first that does.

    >>> check_worked_example("naive")
    """
    vocab_size = 256 + len(WORKED_EXAMPLE_MERGES)
    extend = None
    if n_given:
        extend = train_from_counts(WORKED_EXAMPLE, 256 + n_given, []).tokenizer()
    with warnings.catch_warnings(action="ignore"):  # of too few merges: they are compared here
        training = train_from_counts(WORKED_EXAMPLE, vocab_size, [], stage=stage, extend=extend)
    compared = zip_longest(training.merges, WORKED_EXAMPLE_MERGES)
    for rank, (made, right) in enumerate(compared):
        if made != right:
            raise RuntimeError(
                f"stage {training.stage!r} gets the worked example wrong: merge {rank} (the first "
                f"is 0) is {made}, the rules say {right}"
            )


def texts_for(
    paths: TextLike | Iterable[TextLike],
    entry: CounterEntry,
    text_field: str | None,
    pattern: Pattern,
) -> list[Text]:
    """Return the texts that were named, checked for the counter that is to read them.

    :param paths: files, folders, URLs and streams, one or several.
    :param entry: the counter.
    :param text_field: of records, which are read for any counter; None: they are texts.
    :param pattern: of the words.
    :raises: what `check_texts` raises.
    """
    if text_field is not None:
        return check_texts(paths, unpacks=PACKINGS.values(), streams=True)
    return check_texts(
        paths,
        unpacks=entry.reads if pattern.scanner else (),
        streams=entry.streams,
        urls=entry.cluster,
        scanner=pattern.scanner,
    )
