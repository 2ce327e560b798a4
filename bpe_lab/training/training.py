"""Word counts -> merges: how a stage is driven, and the result."""

import warnings
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.counting.word_table import WordCounts, word_counts
from bpe_lab.support.files import PathLike
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge, merged_words, merges_sha256
from bpe_lab.training.merge_loop import MergeLoop, PhaseClock, Trace
from bpe_lab.training.plan import Options, Plan
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class Training:
    """The result of a training.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, one entry per merge.
    :param merges: the merged tokens' bytes in order, beginning with those of an extended tokenizer.
    :param special_ids: special token -> id, in the order of the ids.
    :param stage: id of the stage; of another one its place, such as "mystage.py:MyStage".
    :param counter: id of the counter, None when word counts were given.
    :param phases: seconds by phase (`PHASES`); they add up to `seconds`.
    :param operations: operation counts of the stage: the same on every machine.
    :param trace: count and time of every merge made here.
    :param stopped_by: "vocab_size", "no_pair_left", "min_count" or "time_budget".
    :param pattern: what the words were, as `bpe_lab.count_words` takes it: an id, or a regex.
    :param min_count: rarer pairs were not merged.
    :param max_token_bytes: nor those whose token would be longer.
    """

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    stage: str
    counter: str | None
    phases: dict[str, float]
    operations: dict[str, int]
    trace: Trace
    stopped_by: str
    pattern: str = DEFAULT_PATTERN
    min_count: int = 1
    max_token_bytes: int | None = None

    def __init__(self, **facts: Any) -> None:
        vars(self).update(facts)

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special tokens, in the order of their ids."""
        return tuple(self.special_ids)

    @property
    def kept_merges(self) -> int:
        """How many of the merges came from an extended tokenizer."""
        return self.trace.first_rank

    @property
    def exhausted(self) -> bool:
        """Whether no pair was left before the vocabulary was full."""
        return self.stopped_by == "no_pair_left"

    @property
    def seconds(self) -> float:
        """The seconds of all phases."""
        return sum(self.phases.values())

    @cached_property
    def merges_sha256(self) -> str:
        """SHA-256 of the merges, one line `hex(left) hex(right)` each.

        >>> train_from_counts({b"low": 5, b"lower": 2}, 258, []).merges_sha256[:16]
        '004d4aaac9f1f280'
        """
        return merges_sha256(self.merges)

    def tokenizer(self) -> "Tokenizer":
        """Return a tokenizer with this vocabulary and pattern.

        >>> train_from_counts({b"low": 5}, 258, []).tokenizer().encode("low")
        [257]
        """
        from bpe_lab.tokenizer.tokenizer import Tokenizer

        return Tokenizer(self.vocab, self.merges, self.special_ids, pattern=self.pattern)

    def save(self, folder: PathLike, *, force: bool = False) -> list[Path]:
        """Write the tokenizer into a folder, as `Tokenizer.save` does.

        >>> [file.name for file in train_from_counts({b"low": 5}, 258, []).save("saved")]
        ['tokenizer.bpe.json', 'tokenizer_config.json', 'tokenizer.json']
        """
        return self.tokenizer().save(folder, force=force)

    def __repr__(self) -> str:
        return (
            f"Training(stage={self.stage!r}, {len(self.merges):,} merges, "
            f"{len(self.vocab):,} ids, {self.seconds:.2f} s, sha256 {self.merges_sha256[:16]}...)"
        )


def train_from_counts(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    **options: Any,
) -> Training:
    """Train on word counts from anywhere.

    :param counts: word (bytes) -> number of occurrences (64-bit).
    :param options: those of `bpe_lab.train` but for counting; its errors and warnings, too. The
        pattern changes no merge: the tokenizer must cut a text in the same way.
    :raises TypeError: a word is not bytes, a count is not an integer.
    :raises ValueError: a count is negative, or they do not fit into 64 bits.

    >>> training = train_from_counts({b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}, 260)
    >>> training.merges
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    plan = Plan(Options(vocab_size, special_tokens, **options))
    return merge_counts(word_counts(counts), plan)


def merge_counts(words: WordCounts, plan: Plan) -> Training:
    """Carry out the plan of a training on word counts."""
    options, vocab, clock = plan.options, list(plan.vocab), PhaseClock()
    clock.switch("init")
    n_merges, title = options.vocab_size - len(vocab), f"merge ({plan.stage})"
    bar = Bar(options.progress, title, n_merges, " merges")
    known = {**options._asdict(), "threads": plan.stage_threads, "merges": plan.base}
    with bar, ExitStack() as ended:
        first_words: Mapping[Any, int] = words
        if plan.base and "merges" not in plan.keywords:
            first_words = merged_words(words, plan.base)
        taken = {name: known[name] for name in plan.keywords}
        stage = plan.stage_class(first_words, vocab, **taken)
        ended.callback(getattr(stage, "close", int))
        loop = MergeLoop(stage, vocab, plan, clock, bar)
        stopped_by = loop.run()
        clock.switch("convert")
        public_ids = chain(plan.ids, count(max(plan.ids) + 1))
        public_vocab = dict(zip(public_ids, vocab, strict=False))
        operations = dict(getattr(stage, "operations", {}))
        clock.switch("")
    limit = options.max_token_bytes
    if stopped_by == "no_pair_left":
        bound = f" into a token of at most {limit:,} bytes (max_token_bytes)" if limit else ""
        warnings.warn(
            f"no pair is left to merge{bound}: the vocabulary has {len(public_vocab):,} entries, "
            f"{options.vocab_size:,} were asked for",
            stacklevel=3,
        )
    longest = max(vocab[len(plan.vocab) :], key=len, default=b"")
    if limit is None and len(longest) > 256:  # hardly wanted
        warnings.warn(
            f"the longest token has {len(longest):,} bytes and begins with {longest[:24]!r}: "
            "max_token_bytes (--max-token-bytes) keeps tokens short",
            stacklevel=3,
        )
    return Training(
        vocab=public_vocab,
        merges=loop.merges,
        special_ids=dict(plan.special_ids),
        stage=plan.stage,
        counter=None,
        phases=clock.seconds,
        operations=operations,
        trace=loop.trace,
        stopped_by=stopped_by,
        pattern=plan.counting.pattern.name,
        min_count=options.min_count,
        max_token_bytes=limit,
    )
