"""Files or word counts -> `Training`, in one call."""

import warnings
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.counting.api import count_texts, open_texts
from bpe_lab.counting.inputs import TextLike, listed
from bpe_lab.counting.source import Text
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.stages.interface import Stage
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.plan import Plan
from bpe_lab.training.training import Training, merge_counts, train_from_counts

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


def train(
    paths: TextLike | Iterable[TextLike],
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    *,
    stage: str | type[Stage] = DEFAULT_STAGE,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    progress: bool = False,
    pattern: str | None = None,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
    text_field: str | None = None,
    skip_bad_records: bool = False,
    min_count: int = 1,
    max_token_bytes: int | None = None,
    extend: "Tokenizer | None" = None,
) -> Training:
    """Train a byte-level BPE tokenizer on files.

    :param paths: files, folders or binary streams, one or several, as `count_words` takes them.
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings at which the text is cut; they get the ids from 256 on and never
        take part in a merge. None: `<|endoftext|>`, or those of the tokenizer to extend, at which
        the text is always cut.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges. Or one of your own: a
        class with the methods of `bpe_lab.stages.interface.Stage`, or "module:Class". Its merges
        are not checked, and its memory is not estimated.
    :param counter: id of a counter (`bpe_lab.COUNTERS`), chosen as `count_words` does when None.
    :param threads: threads or processes; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param progress: show progress bars for whatever takes longer than two seconds.
    :param pattern: what the words are: an id of `bpe_lab.PATTERNS`, or a regex; the tokenizer uses
        the same. None: "gpt2", or that of the tokenizer to extend, which must be the same.
    :param on_merge: called after each merge with a `MergeStep`; its time is in no phase.
    :param time_budget: seconds of all phases but `count`; training stops before a merge that
        would exceed it if it took as long as the last one, so perhaps before the first.
    :param text_field: key or column of the text, if the files are JSON lines, CSV or Parquet.
    :param skip_bad_records: leave out records that have no text, and warn how many.
    :param min_count: training stops when the best pair is rarer. If your own stage has a `run`, its
        operation counts may include a few merges more.
    :param max_token_bytes: pairs whose token would be longer are not merged; None: any are. Tokens
        of a tokenizer to extend stay.
    :param extend: a tokenizer from which it continues, as if its merges had been made here: they
        and its ids are kept, the next ids follow its greatest: first those of special tokens that
        it does not have yet, then those of the new merges.
    :raises ValueError: vocabulary too small, bad special tokens; unknown stage; a tokenizer that
        has another pattern, or cannot be extended: its merges do not build one of its tokens from
        that token's bytes. And what `count_words` raises.
    :raises TypeError: a class is not a stage, or cannot leave out pairs for `max_token_bytes`.
    :raises ImportError: the module of a stage fails when it is imported.
    :raises MemoryError: the stage needs more memory than is free; says how much, and what helps.
    :warns UserWarning: no pair is left before `vocab_size` is reached; a new token has more than
        256 bytes, and `max_token_bytes` is None; Hugging Face's libraries will show a special token
        wrongly. And what `count_words` warns of.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> from bpe_lab import corpora
    >>> train(corpora.path("worked_example"), 258).merges
    [(b's', b't')]
    """
    plan = Plan(
        vocab_size,
        special_tokens,
        stage=stage,
        counter=counter,
        threads=threads,
        errors=errors,
        progress=progress,
        pattern=pattern,
        on_merge=on_merge,
        time_budget=time_budget,
        text_field=text_field,
        skip_bad_records=skip_bad_records,
        min_count=min_count,
        max_token_bytes=max_token_bytes,
        extend=extend,
    )
    return train_texts(open_texts(paths, plan.counting), plan)


def train_texts(texts: Sequence[Text], plan: Plan) -> Training:
    """Carry out the plan of a training on texts that `open_texts` has opened."""
    begun = perf_counter()
    counts = count_texts(texts, plan.counting, progress=plan.progress)
    count_seconds = perf_counter() - begun
    training = merge_counts(counts, plan)
    training.counter = plan.counting.counter.id
    training.phases["count"] = count_seconds
    return training


def train_bpe(
    input_path: PathLike, vocab_size: int, special_tokens: list[str] | None, **kwargs: Any
) -> tuple[dict[int, bytes], list[Merge]]:
    """Train with the signature that the tests of Stanford CS336, assignment 1, call.

    :param input_path: the corpus, a file.
    :param vocab_size: number of ids to reach.
    :param special_tokens: strings that are never split; None: there are none.
    :param kwargs: passed on to `train`.
    :return: id -> bytes, and the merges in order.

    >>> from bpe_lab import corpora
    >>> vocab, merges = train_bpe(corpora.path("worked_example"), 258, ["<|endoftext|>"])
    >>> vocab[257], merges
    (b'st', [(b's', b't')])
    """
    for path in listed(input_path, "input_path"):
        if isinstance(path, Path) and path.is_dir():
            raise IsADirectoryError(f"{path} is a directory: name one file, or use bpe_lab.train")
    special_tokens = [] if special_tokens is None else special_tokens
    training = train(input_path, vocab_size, special_tokens, **kwargs)
    return training.vocab, training.merges


def check_merges(training: Training, counts: WordCounts, plan: Plan) -> None:
    """Compare the merges of a stage of the user with those of the fastest one.

    That takes no longer than the training took, or a second; merges beyond are not compared.

    :raises RuntimeError: a merge differs; names the first that does.
    :warns UserWarning: not all of them were compared.
    """
    merging = training.seconds - training.phases["count"]
    with warnings.catch_warnings(action="ignore"):
        right = merge_counts(counts, plan.by(DEFAULT_STAGE, max(merging, 1.0)))
    partial = "time_budget" in (training.stopped_by, right.stopped_by)
    pairs = zip if partial else zip_longest
    for rank, (merge, expected) in enumerate(pairs(training.merges, right.merges)):
        if merge != expected:
            raise RuntimeError(
                f"stage {training.stage!r} makes wrong merges: merge {rank:,} (the first is 0) is "
                f"{merge}, the rules say {expected}; `bpe-lab try` shows its mistake on small words"
            )
    if len(right.merges) < len(training.merges):
        warnings.warn(
            f"stage {training.stage!r}: of its {len(training.merges):,} merges the first "
            f"{len(right.merges):,} are those of {DEFAULT_STAGE!r}; the others were not compared, "
            "it would have taken longer than the training",
            UserWarning,
            stacklevel=2,
        )


def check_worked_example(stage: str | type[Stage]) -> None:
    """Train the worked example with a stage, as `train` takes it, and compare the merges.

    :raises RuntimeError: a merge differs; names the first that does.

    >>> check_worked_example("naive")
    """
    with warnings.catch_warnings(action="ignore"):  # of too few merges: they are compared here
        # A special token: ids must not be counted from 256.
        training = train_from_counts(WORKED_EXAMPLE, 257 + len(WORKED_EXAMPLE_MERGES), stage=stage)
    compared = zip_longest(training.merges, WORKED_EXAMPLE_MERGES)
    for rank, (merge, expected) in enumerate(compared):
        if merge != expected:
            raise RuntimeError(
                f"stage {training.stage!r} gets the worked example wrong: merge {rank} (the first "
                f"is 0) is {merge}, the rules say {expected}"
            )
