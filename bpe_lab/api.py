"""Files -> tokenizer in one call."""

import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.counting.word_table import WordCounts
from bpe_lab.machine import available_cpus, check_workers, openmp_threads
from bpe_lab.merges import Merge
from bpe_lab.pretokenize import check_special_tokens
from bpe_lab.progress import progress_bar
from bpe_lab.registry import DEFAULT_COUNTER, DEFAULT_STAGE, find_counter, find_stage
from bpe_lab.training import (
    MergeStep,
    Training,
    check_time_budget,
    check_vocab_size,
    train_from_counts,
)

PathLike = str | os.PathLike[str]


def count_words(
    paths: PathLike | Iterable[PathLike],
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    *,
    counter: str = DEFAULT_COUNTER,
    workers: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    block_bytes: int | None = None,
) -> WordCounts:
    """Count the words ("pre-tokens") of files.

    :param paths: one file or several; their texts are not joined. An empty file is a valid one.
    :param special_tokens: strings at which the text is cut; they are not counted.
    :param counter: id of a counter (`bpe_lab.COUNTERS`); all give the same counts.
    :param workers: processes or threads of a parallel counter; None: all processors we may use.
    :param errors: what to do with bytes that are not UTF-8: "strict" or "replace" (by U+FFFD).
    :param progress: show a progress bar when it takes longer than two seconds.
    :param block_bytes: bytes to count at a time; the counter chooses when None. Never changes a
        count.
    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises InvalidUTF8Error: a file is not UTF-8; names the file and the byte offset.
    :raises ValueError: unknown counter, bad special tokens, bad `errors`, not a regular file, a
        packed file that is damaged.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> from bpe_lab import corpora
    >>> count_words(corpora.path("worked_example"))[b"newest"]
    6
    """
    specials = check_special_tokens(special_tokens)
    entry = find_counter(counter)
    files = check_files(paths, entry.reads)
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors is {errors!r}: give 'strict' or 'replace'")
    if errors == "replace" and any("\ufffd" in token for token in specials):
        raise ValueError(
            "a special token holds U+FFFD, which errors='replace' puts in the place of bad bytes: "
            "use errors='strict'"
        )
    check_workers(workers)
    if block_bytes is not None and block_bytes < 1:
        raise ValueError(f"block_bytes is {block_bytes}: give 1 or more")
    size = sum(file.stat().st_size for file in files)
    with progress_bar(progress, f"count ({counter})", size, "B", scale=True) as bar:
        counts = entry.load()(
            files,
            specials,
            workers=openmp_threads(workers) if entry.threads else workers or available_cpus(),
            errors=errors,
            block_bytes=block_bytes,
            report=bar.update,
        )
    return counts if isinstance(counts, WordCounts) else WordCounts(counts)


def train(
    paths: PathLike | Iterable[PathLike],
    vocab_size: int,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    *,
    stage: str = DEFAULT_STAGE,
    counter: str = DEFAULT_COUNTER,
    workers: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
) -> Training:
    """Train a byte-level BPE tokenizer on files.

    :param paths: one file or several.
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings at which the text is cut; they get the ids from 256 on.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges.
    :param counter: id of a counter (`bpe_lab.COUNTERS`).
    :param workers: processes or threads; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param progress: show progress bars.
    :param on_merge: called after each merge with a `MergeStep`.
    :param time_budget: seconds of merging after which it stops.
    :raises: what `count_words` and `train_from_counts` raise.

    >>> from bpe_lab import corpora
    >>> train(corpora.path("worked_example"), 258).merges
    [(b's', b't')]
    """
    specials = check_special_tokens(special_tokens)
    # Everything that can be wrong is looked at before the long part.
    check_vocab_size(vocab_size, specials)
    check_time_budget(time_budget)
    check_workers(workers)
    find_stage(stage).load()
    started = perf_counter()
    counts = count_words(
        paths, specials, counter=counter, workers=workers, errors=errors, progress=progress
    )
    count_seconds = perf_counter() - started
    training = train_from_counts(
        counts,
        vocab_size,
        specials,
        stage=stage,
        threads=workers,
        progress=progress,
        on_merge=on_merge,
        time_budget=time_budget,
    )
    training.counter = counter
    training.phases["count"] = count_seconds
    return training


def train_bpe(
    input_path: PathLike, vocab_size: int, special_tokens: list[str], **kwargs: Any
) -> tuple[dict[int, bytes], list[Merge]]:
    """Train with the signature that the tests of Stanford CS336, assignment 1, call.

    :param input_path: the corpus.
    :param vocab_size: number of ids to reach.
    :param special_tokens: strings that are never split.
    :param kwargs: handed to `train`.
    :return: id -> bytes, and the merges in order.

    >>> from bpe_lab import corpora
    >>> vocab, merges = train_bpe(corpora.path("worked_example"), 258, ["<|endoftext|>"])
    >>> vocab[257], merges
    (b'st', [(b's', b't')])
    """
    training = train(input_path, vocab_size, special_tokens, **kwargs)
    return training.vocab, training.merges


PACKED = (".gz", ".zst")


def check_files(paths: PathLike | Iterable[PathLike], unpacks: Iterable[str] = ()) -> list[Path]:
    """Return the paths after checking that each is a regular file that can be read.

    :param paths: one file or several.
    :param unpacks: endings of packed files that the counter unpacks.

    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises ValueError: there are none, or one is a pipe or a device.
    """
    files = [Path(paths)] if isinstance(paths, str | os.PathLike) else [Path(p) for p in paths]
    if not files:
        raise ValueError("no file is given: name at least one")
    for file in files:
        mode = file.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{file} is a directory: name the files in it")
        if not stat.S_ISREG(mode):
            raise ValueError(f"{file} is not a regular file: write its content to a file first")
        if file.suffix in PACKED and file.suffix not in unpacks:
            raise ValueError(f"{file} is packed: use the counter 'native', or unpack it")
        with file.open("rb") as stream:
            if not file.stat().st_size and stream.read(1):
                raise ValueError(f"{file} hides its size: write its content to a file first")
    return files
