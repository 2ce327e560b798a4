"""What a training will do, checked once, before anything is read."""

from collections.abc import Callable, Iterable
from copy import copy
from typing import TYPE_CHECKING, Any

from bpe_lab.counting.plan import plan_counting
from bpe_lab.counting.word_table import MAX_TOTAL
from bpe_lab.registry import DEFAULT_STAGE, load_stage
from bpe_lab.stages.interface import Stage
from bpe_lab.support.errors import checked_integer
from bpe_lab.support.machine import threads_used
from bpe_lab.tokenizer.merges import MAX_ID
from bpe_lab.training.first_ids import first_ids
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class Plan:
    """The request for a training, checked, and what follows from it; nothing changes it.

    It takes what `bpe_lab.train` takes. `counting` says how words are counted, `first` which ids
    there are before the first merge; `stage` is the name of the stage, `stage_class` its class.

    >>> Plan(300, stage="naive").stage_class.__name__
    'Naive'
    """

    def __init__(
        self,
        vocab_size: int,
        special_tokens: Iterable[str] | None = None,
        *,
        stage: str | type[Stage] = DEFAULT_STAGE,
        counter: str | None = None,
        threads: int | None = None,
        errors: str = "strict",
        progress: bool = False,
        pattern: str | None = None,
        on_merge: Callable[[Any], object] | None = None,
        time_budget: float | None = None,
        text_field: str | None = None,
        skip_bad_records: bool = False,
        min_count: int = 1,
        max_token_bytes: int | None = None,
        extend: "Tokenizer | None" = None,
    ) -> None:
        self.first = first_ids(special_tokens, extend)
        self.counting = plan_counting(
            tuple(self.first.special_ids),
            pattern=_pattern_name(pattern, extend),
            counter=counter,
            threads=threads,
            errors=errors,
            text_field=text_field,
            skip_bad_records=skip_bad_records,
        )
        self.vocab_size = checked_integer("vocab_size", vocab_size)
        self.min_count = checked_integer("min_count", min_count)
        self.max_token_bytes = max_token_bytes
        if max_token_bytes is not None:
            self.max_token_bytes = checked_integer("max_token_bytes", max_token_bytes)
        self.time_budget = time_budget
        self.on_merge, self.progress = on_merge, progress
        self._check()
        self.stage, self.stage_class = load_stage(stage)

    def by(self, stage: str, time_budget: float) -> "Plan":
        """Return the same request for another stage, which says nothing and has a time limit."""
        other = copy(self)
        other.stage, other.stage_class = load_stage(stage)
        other.time_budget, other.on_merge, other.progress = time_budget, None, False
        return other

    @property
    def keywords(self) -> tuple[str, ...]:
        """What the stage takes besides the words and the vocabulary."""
        return getattr(self.stage_class, "keywords", ())

    @property
    def stage_threads(self) -> int:
        """How many threads or processes the stage may use; 1: it uses no others."""
        if "threads" not in self.keywords:
            return 1
        openmp = getattr(self.stage_class, "openmp", False)
        return threads_used(self.counting.threads, openmp=openmp)

    def _check(self) -> None:
        """Check the arguments that only merging uses."""
        size, budget = self.vocab_size, self.time_budget
        if size > MAX_ID:
            raise ValueError(
                f"vocab_size {size} is too large: ids have 32 bits, {MAX_ID} is the most"
            )
        least, n_specials = len(self.first.vocab), len(self.first.special_ids)
        if size < least:
            kept = f"256 bytes and {n_specials} special token{'s' * (n_specials != 1)} need"
            if self.first.merges:
                kept = "the tokenizer that is extended and the new special tokens have"
            raise ValueError(f"vocab_size {size} is too small: {kept} at least {least}")
        if not 1 <= self.min_count <= MAX_TOTAL:
            raise ValueError(f"min_count is {self.min_count}: give 1 or more, 2**63 - 1 at most")
        if self.max_token_bytes is not None and not 2 <= self.max_token_bytes < 2**32:
            raise ValueError(
                f"max_token_bytes is {self.max_token_bytes}: give 2 or more, 2**32 - 1 at most"
            )
        if self.on_merge is not None and not callable(self.on_merge):
            raise TypeError(
                f"on_merge is {self.on_merge!r}: give a function of one argument, or None"
            )
        if not isinstance(budget, int | float | None):
            raise TypeError(f"time_budget is {budget!r}: give seconds, or None")
        if budget is not None and not 0 < budget < float("inf"):
            raise ValueError(f"time_budget is {budget!r}: give seconds above 0, or None")


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
