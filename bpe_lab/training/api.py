"""Files or word counts -> `Training`, in one call."""

import warnings
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from time import perf_counter
from typing import Any

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.counting.api import count_texts, open_texts
from bpe_lab.counting.source import TextLike
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.stages.interface import Stage
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.plan import Options, Plan
from bpe_lab.training.training import Training, merge_counts, train_from_counts


def train(
    paths: TextLike | Iterable[TextLike],
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    **options: Any,
) -> Training:
    """Train a byte-level BPE tokenizer on files.

    :param paths: files, folders or binary streams, one or several, as `count_words` takes them.
    :raises ValueError: vocabulary too small, bad special tokens; unknown stage; a tokenizer that
        has another pattern, or cannot be extended: its merges do not build one of its tokens from
        that token's bytes. And what `count_words` raises.
    :raises TypeError: a class is not a stage, or does not know `max_token_bytes`.
    :raises ImportError: the module of a stage fails when it is imported.
    :warns UserWarning: no pair is left before `vocab_size` is reached; a new token has more than
        256 bytes, and `max_token_bytes` is None; Hugging Face's libraries will show a special token
        wrongly. And what `count_words` warns of.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> from bpe_lab import corpora
    >>> train(corpora.path("worked_example"), 258).merges
    [(b's', b't')]
    """
    plan = Plan(Options(vocab_size, special_tokens, **options))
    texts = open_texts(paths, plan.counting)
    begun = perf_counter()
    counts = count_texts(texts, plan.counting, progress=plan.options.progress)
    seconds = perf_counter() - begun
    training = merge_counts(counts, plan)
    training.counter = plan.counting.counter.id
    training.phases["count"] = seconds
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
    training = train(input_path, vocab_size, special_tokens or [], **kwargs)
    return training.vocab, training.merges


def check_merges(training: Training, counts: WordCounts, plan: Plan) -> None:
    """Compare the merges of a stage of the user with those of the fastest one.

    :raises RuntimeError: a merge differs; names the first that does.
    """
    others = plan.options._replace(stage=DEFAULT_STAGE, time_budget=None, on_merge=None)
    with warnings.catch_warnings(action="ignore"):
        right = merge_counts(counts, Plan(others._replace(progress=False))).merges
    if training.stopped_by == "time_budget":
        right = right[: len(training.merges)]
    _check_equal(training, right, "makes wrong merges (`bpe-lab try` shows its mistake)")


def check_worked_example(stage: str | type[Stage]) -> None:
    """Train the worked example with a stage, as `train` takes it, and compare the merges.

    :raises RuntimeError: a merge differs; names the first that does.

    >>> check_worked_example("naive")
    """
    with warnings.catch_warnings(action="ignore"):  # of too few merges: they are compared here
        # A special token: ids must not be counted from 256.
        training = train_from_counts(WORKED_EXAMPLE, 257 + len(WORKED_EXAMPLE_MERGES), stage=stage)
    _check_equal(training, WORKED_EXAMPLE_MERGES, "gets the worked example wrong")


def _check_equal(training: Training, right: Sequence[Merge], wrong: str) -> None:
    """Raise for the first merge that differs."""
    for rank, (merge, expected) in enumerate(zip_longest(training.merges, right)):
        if merge != expected:
            raise RuntimeError(
                f"stage {training.stage!r} {wrong}: merge {rank:,} (the first is 0) is {merge}, "
                f"the rules say {expected}"
            )


# help() shows what each option means.
_head, _raises, _raised = (train.__doc__ or "").partition("    :raises ")
_told = (Options.__doc__ or "").partition("\n\n")[2].rstrip(" ")
train.__doc__ = f"{_head}{_told}{_raises}{_raised}"
