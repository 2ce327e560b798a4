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
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.plan import Plan, plan_training
from bpe_lab.training.training import Training, merge_counts, train_from_counts

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage
    from bpe_lab.tokenizer.tokenizer import Tokenizer


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
    extend: "Tokenizer | None" = None,
) -> Training:
    """Train a byte-level BPE tokenizer on files.

    :param paths: files, folders or binary streams, one or several, as `count_words` takes them.
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings at which the text is cut; they get the ids from 256 on. None:
        `<|endoftext|>`, or those of the tokenizer to extend, at which the text is always cut.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges. Or one of your own, a
        class or "module:Class", as `train_from_counts` takes it.
    :param counter: id of a counter (`bpe_lab.COUNTERS`), chosen as `count_words` does when None.
    :param threads: threads or processes; None: all processors we may use.
    :param errors: "strict" or "replace", for bytes that are not UTF-8.
    :param progress: show progress bars.
    :param pattern: what the words are, as for `count_words`; the tokenizer uses the same. None:
        "gpt2", or that of the tokenizer to extend, which must be the same.
    :param on_merge: called after each merge with a `MergeStep`.
    :param time_budget: seconds of all phases but `count`, as in `train_from_counts`.
    :param text_field: key or column of the text, if the files are JSON lines or Parquet.
    :param min_count: it stops when the best pair is rarer.
    :param extend: a tokenizer to continue from, as in `train_from_counts`.
    :raises: what `count_words` and `train_from_counts` raise.

    >>> from bpe_lab import corpora
    >>> train(corpora.path("worked_example"), 258).merges
    [(b's', b't')]
    """
    plan = plan_training(
        vocab_size,
        special_tokens,
        stage=stage,
        counter=counter,
        threads=threads,
        errors=errors,
        pattern=pattern,
        time_budget=time_budget,
        text_field=text_field,
        min_count=min_count,
        extend=extend,
        on_merge=on_merge,
    )
    texts = open_texts(paths, plan.counting)
    return train_texts(texts, plan, progress=progress, on_merge=on_merge)


def train_texts(
    texts: Sequence[Text],
    plan: Plan,
    *,
    progress: bool,
    on_merge: Callable[[MergeStep], object] | None = None,
) -> Training:
    """Carry out the plan of a training on texts that `open_texts` has opened."""
    begun = perf_counter()
    counts = count_texts(texts, plan.counting, progress=progress)
    count_seconds = perf_counter() - begun
    training = merge_counts(counts, plan, progress=progress, on_merge=on_merge)
    training.counter = plan.counting.counter.id
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
