"""What a training will do, checked once, before anything is read."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from bpe_lab.counting.plan import CountingPlan, plan_counting
from bpe_lab.counting.word_table import MAX_TOTAL
from bpe_lab.registry import DEFAULT_STAGE, STAGES, load_stage
from bpe_lab.stages.interface import Stage
from bpe_lab.tokenizer.merges import GREATEST_ID
from bpe_lab.training.first_ids import FirstIds, first_ids
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class Plan(NamedTuple):
    """What a training will do. `plan_training` makes it and checks everything once.

    :param counting: how the words are counted: pattern, special tokens, counter, threads.
    :param first: the ids before the first merge, and the merges of a tokenizer to extend.
    :param vocab_size: number of ids to reach.
    :param stage: id of the stage; "module:Class" of one that is not registered.
    :param stage_class: its class.
    :param min_count: pairs that are rarer are not merged.
    :param time_budget: seconds of all phases but `count`; None: no limit.
    """

    counting: CountingPlan
    first: FirstIds
    vocab_size: int
    stage: str
    stage_class: type[Stage]
    min_count: int
    time_budget: float | None


def plan_training(
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    *,
    stage: str | type[Stage] = DEFAULT_STAGE,
    counter: str | None = None,
    threads: int | None = None,
    errors: str = "strict",
    pattern: str | None = None,
    time_budget: float | None = None,
    text_field: str | None = None,
    min_count: int = 1,
    extend: "Tokenizer | None" = None,
    on_merge: object = None,
) -> Plan:
    """Check the request for a training, with the parameters of `bpe_lab.train`.

    >>> plan_training(300, stage="naive").stage_class.__name__
    'Naive'
    """
    first = first_ids(special_tokens, extend)
    specials = tuple(first.special_ids)
    counting = plan_counting(
        specials,
        pattern=_pattern_name(pattern, extend),
        counter=counter,
        threads=threads,
        errors=errors,
        text_field=text_field,
    )
    _check_vocab_size(vocab_size, first)
    if on_merge is not None and not callable(on_merge):
        raise TypeError(f"on_merge is {on_merge!r}: give a function of one argument, or None")
    if not isinstance(time_budget, int | float | None):
        raise TypeError(f"time_budget is {time_budget!r}: give seconds, or None")
    if time_budget is not None and not 0 < time_budget < float("inf"):
        raise ValueError(f"time_budget is {time_budget!r}: give seconds above 0, or None")
    if not hasattr(min_count, "__index__"):
        raise TypeError(f"min_count is {min_count!r}: give an integer")
    if not 1 <= min_count <= MAX_TOTAL:
        raise ValueError(f"min_count is {min_count}: give 1 or more, 2**63 - 1 at most")
    name, stage_class = load_stage(stage)
    extends = "merges" in getattr(stage_class, "keywords", ()) or getattr(
        stage_class, "extends", False
    )
    if first.given and not extends and name not in STAGES:
        raise ValueError(
            f"stage {name!r} does not say that it can extend a tokenizer: set `extends = True` in "
            "the class if its words may be tuples of ids (bpe_lab.stages.interface), or use a "
            "stage of `bpe-lab stages`"
        )
    return Plan(counting, first, vocab_size, name, stage_class, min_count, time_budget)


def _pattern_name(pattern: str | None, extend: "Tokenizer | None") -> str:
    """Return the requested pattern; a tokenizer to extend must have the same."""
    if extend is None:
        return DEFAULT_PATTERN if pattern is None else pattern
    if pattern is not None and find_pattern(pattern).regex != extend.pattern.regex:
        raise ValueError(
            f"the tokenizer that is extended has the pattern {extend.pattern.name!r}, and "
            f"{pattern!r} is asked for: leave it out, words of two patterns do not go together"
        )
    return extend.pattern.name


def _check_vocab_size(vocab_size: int, first: FirstIds) -> None:
    """Check that the vocabulary is large enough for the ids before the first merge."""
    if not hasattr(vocab_size, "__index__"):
        raise TypeError(f"vocab_size is {vocab_size!r}: give an integer")
    if vocab_size > GREATEST_ID:
        raise ValueError(
            f"vocab_size {vocab_size} is too large: ids have 32 bits, {GREATEST_ID} is the most"
        )
    least, n_specials = len(first.vocab), len(first.special_ids)
    if vocab_size < least:
        kept = f"256 bytes and {n_specials} special token{'s' * (n_specials != 1)} need"
        if first.merges:
            kept = "the tokenizer that is extended and the new special tokens have"
        raise ValueError(f"vocab_size {vocab_size} is too small: {kept} at least {least}")
