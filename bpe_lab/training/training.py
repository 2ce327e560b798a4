"""Word counts -> merges: the one way to drive a stage, and what it returns."""

# No dataclasses on the way of `bpe-lab train`: that module takes as long to load as a small text
# takes to train on.

import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bpe_lab.counting.word_table import MAX_TOTAL, WordCounts
from bpe_lab.registry import DEFAULT_STAGE, STAGES, find_stage, load_stage
from bpe_lab.support.machine import (
    available_cpus,
    available_memory,
    check_threads,
    megabytes,
    memory_errors_explained,
    openmp_threads,
)
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import MOST_IDS, Merge, merged_words, merges_sha256
from bpe_lab.training.first_ids import FirstIds, first_ids, pattern_for
from bpe_lab.training.merge_loop import MergeLoop, MergeStep, PhaseClock, Trace
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class Training:
    """The result of a training.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, one entry per merge.
    :param merges: the merged tokens' bytes in order; first those of a tokenizer that was extended.
    :param special_ids: special token -> id, in the order of the ids.
    :param stage: id of the stage; "module:Class" of one that is not registered.
    :param counter: id of the counter, None when word counts were given.
    :param phases: seconds by phase (`PHASES`); they add up to `seconds`.
    :param operations: operation counts of the stage: the same on every machine.
    :param trace: count and time of every merge that it has made.
    :param stopped_by: "vocab_size", "no_pair_left", "min_count" or "time_budget".
    :param pattern: what the words were, as `bpe_lab.count_words` takes it: an id, or a regex.
    :param min_count: pairs that are rarer were not merged.
    """

    def __init__(
        self,
        *,
        vocab: dict[int, bytes],
        merges: list[Merge],
        special_ids: dict[str, int],
        stage: str,
        counter: str | None,
        phases: dict[str, float],
        operations: dict[str, int],
        trace: Trace,
        stopped_by: str,
        pattern: str = DEFAULT_PATTERN,
        min_count: int = 1,
    ) -> None:
        self.vocab = vocab
        self.merges = merges
        self.special_ids = special_ids
        self.stage = stage
        self.counter = counter
        self.phases = phases
        self.operations = operations
        self.trace = trace
        self.stopped_by = stopped_by
        self.pattern = pattern
        self.min_count = min_count

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special tokens, in the order of their ids."""
        return tuple(self.special_ids)

    @property
    def kept_merges(self) -> int:
        """How many of the merges are those of a tokenizer that was extended."""
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

        with memory_errors_explained(
            lambda: (
                f"a tokenizer of {len(self.vocab):,} ids needs more memory than there is: use a "
                "smaller vocab_size, or a machine with more memory"
            )
        ):
            return Tokenizer(self.vocab, self.merges, self.special_ids, pattern=self.pattern)

    def __repr__(self) -> str:
        return (
            f"Training(stage={self.stage!r}, {len(self.merges):,} merges, "
            f"{len(self.vocab):,} ids, {self.seconds:.2f} s, sha256 {self.merges_sha256[:16]}...)"
        )


def memory_estimate(stage: str, counts: Mapping[bytes, int]) -> int:
    """Return about how many bytes a stage will need for its words, pairs and index.

    :param stage: id of a stage.
    :param counts: word -> number of occurrences.
    :raises ValueError: unknown stage.

    >>> memory_estimate("word_counts", {b"low": 1_000_000})
    164
    >>> memory_estimate("naive", {b"low": 1_000_000})
    164000000
    """
    entry = find_stage(stage)
    words = counts if isinstance(counts, WordCounts) else WordCounts(counts)
    if entry.every_occurrence:
        return entry.memory_bytes(words.occurrences, words.text_bytes)
    return entry.memory_bytes(len(words), words.word_bytes)


LEAST_CHECKED = 1_000_000
"""Bytes. To ask the system what is free takes as long as a training that needs no more."""


def check_memory(stage: str, counts: WordCounts) -> str:
    """Refuse a stage that cannot hold its words.

    :return: what it needs, what is free, and what helps.
    :raises MemoryError: the stage needs more bytes than are free.
    """
    if stage not in STAGES:
        return "is not registered, so it was not estimated: use more memory, or less text"
    needed = memory_estimate(stage, counts)
    remedy = (
        "use the stage 'word_counts', which keeps each distinct word once"
        if find_stage(stage).every_occurrence
        else "use a machine with more memory, or less text"
    )
    if needed < LEAST_CHECKED:
        return f"needs about {megabytes(needed)}: {remedy}"
    free = available_memory()
    needs = f"needs about {megabytes(needed)}, with {megabytes(free)} free: {remedy}"
    if needed > free:
        raise MemoryError(f"stage {stage!r} {needs}")
    return needs


def train_from_counts(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str] | None = None,
    *,
    stage: "str | type[Stage]" = DEFAULT_STAGE,
    threads: int | None = None,
    progress: bool = False,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
    pattern: str | None = None,
    min_count: int = 1,
    special_ids: str = "first",
    extend: "Tokenizer | None" = None,
) -> Training:
    """Train on word counts from anywhere.

    :param counts: word (bytes) -> number of occurrences (64-bit).
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings that get the ids from 256 on; they never take part in a merge.
        None: `<|endoftext|>`, or those of the tokenizer that is extended.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges. Or one of your own: a
        class with the methods of `bpe_lab.stages.interface.Stage`, or "module:Class". Its merges
        are what it makes of them, and its memory is not estimated.
    :param threads: threads of a stage that has some; None: all processors we may use.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param on_merge: called after each merge; its time is booked under no phase.
    :param time_budget: seconds of merging; the loop ends after the first merge that passes it.
    :param pattern: what the words are, for the tokenizer, which must cut a text as they were cut:
        an id of `bpe_lab.PATTERNS`, or a regex. It changes no merge. None: "gpt2", or that of the
        tokenizer that is extended, which has no other.
    :param min_count: it stops when the best pair is rarer. Operations of a stage of your own with
        a `run` may hold some merges more.
    :param special_ids: "first": the special tokens get the ids before those of the merges; "last":
        behind the last merge. The merges are the same.
    :param extend: a tokenizer from which it goes on, as if its merges had been made here: they and
        its ids are kept, the next ids follow its greatest; special tokens that it does not have
        yet get ids before or behind those of the new merges, as `special_ids` says.
    :raises ValueError: unknown stage, vocabulary too small, bad special tokens, bad counts; unknown
        pattern, or no regex; a stage that cannot extend, a tokenizer that cannot be extended
        (`bpe_lab.training.first_ids.first_ids`), or has another pattern.
    :raises TypeError: a word is not bytes, a count is not an integer, a class is no stage.
    :raises ImportError: the stage was not built, or its module fails when it is imported.
    :raises MemoryError: the stage needs more memory than is free; says how much, and what helps.
    :warns UserWarning: no pair is left before `vocab_size` is reached.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> training = train_from_counts({b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}, 260)
    >>> training.merges
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    begin = first_ids(special_tokens, special_ids, extend)
    name, stage_class = check_training(begin, vocab_size, stage, time_budget, min_count)
    check_threads(threads)
    pattern_name = pattern_for(pattern, extend).name
    words = counts if isinstance(counts, WordCounts) else WordCounts(counts)
    needs = check_memory(name, words)
    estimate = f", about {memory_estimate(name, words) / 1e6:,.0f} MB" if name in STAGES else ""

    clock = PhaseClock()
    clock.switch("init")
    vocab = begin.vocab
    end_id = vocab_size - len(begin.behind)
    keywords = getattr(stage_class, "keywords", ())
    options: dict[str, Any] = {}
    if "threads" in keywords:
        # Threads of registered stages are OpenMP's; another stage may start processes.
        registered = name in STAGES
        options["threads"] = openmp_threads(threads) if registered else threads or available_cpus()
    if "vocab_size" in keywords:
        options["vocab_size"] = end_id
    if "min_count" in keywords:
        options["min_count"] = min_count
    if "merges" in keywords:
        options["merges"] = begin.given

    def explain() -> str:
        where = f"phase {clock.phase!r}" if clock.phase else "on_merge hook"
        return f"stage {name!r} ran out of memory in the {where}; it {needs}"

    with memory_errors_explained(explain), ExitStack() as ended:
        first_words: Mapping[Any, int] = words
        if begin.given and "merges" not in keywords:
            first_words = merged_words(words, begin.given)
        made = stage_class(first_words, vocab, **options)
        if hasattr(made, "close"):
            ended.callback(made.close)
        loop = MergeLoop(
            stage=made,
            vocab=vocab,
            end_id=end_id,
            clock=clock,
            deadline=time_budget,
            on_merge=on_merge,
            bar=Bar(
                progress,
                f"merge ({name}{estimate})",
                end_id - len(vocab),
                " merges",
                scale=False,
            ),
            min_count=min_count,
            kept=begin.merges,
        )
        with loop.bar:
            stopped_by = loop.run()
        clock.switch("convert")
        numbered, special_numbers = begin.numbered(vocab)
        operations = dict(made.operations)
        clock.switch("")

    if stopped_by == "no_pair_left":
        warnings.warn(
            f"no pair is left to merge: the vocabulary has {len(numbered):,} entries, "
            f"{vocab_size:,} were asked for",
            UserWarning,
            stacklevel=2,
        )
    return Training(
        vocab=numbered,
        merges=loop.merges,
        special_ids=special_numbers,
        stage=name,
        counter=None,
        phases=clock.seconds,
        operations=operations,
        trace=loop.trace,
        stopped_by=stopped_by,
        pattern=pattern_name,
        min_count=min_count,
    )


def check_training(
    begin: FirstIds,
    vocab_size: int,
    stage: "str | type[Stage]",
    time_budget: float | None,
    min_count: int,
) -> "tuple[str, type[Stage]]":
    """Check what a training is asked to do, and return the name and the class of its stage.

    :param begin: what it begins with.
    :raises ValueError, TypeError, ImportError: what `train_from_counts` raises of them.

    >>> check_training(first_ids([]), 300, "naive", None, 1)[0]
    'naive'
    """
    check_vocab_size(vocab_size, begin.special_tokens)
    begin.check_room(vocab_size)
    check_time_budget(time_budget)
    check_min_count(min_count)
    name, stage_class = load_stage(stage)
    if begin.given:
        check_extends(name, stage_class)
    return name, stage_class


def check_extends(name: str, stage_class: "type[Stage]") -> None:
    """Check that a stage can go on from a tokenizer.

    :param name: of the stage.
    :param stage_class: the stage.
    :raises ValueError: it is not known to.

    >>> check_extends(*load_stage("naive"))
    """
    can = "merges" in getattr(stage_class, "keywords", ()) or getattr(stage_class, "extends", False)
    if not can and name not in STAGES:
        raise ValueError(
            f"stage {name!r} does not say that it can extend a tokenizer: set `extends = True` in "
            "the class if its words may be tuples of ids (bpe_lab.stages.interface), or use a "
            "stage of `bpe-lab stages`"
        )


def check_min_count(min_count: int) -> None:
    """Check the count below which no pair is merged.

    :raises TypeError: it is not an integer.
    :raises ValueError: it is less than 1, or no count of 64 bits.

    >>> check_min_count(2)
    """
    if not hasattr(min_count, "__index__"):
        raise TypeError(f"min_count is {min_count!r}: give an integer")
    if not 1 <= min_count <= MAX_TOTAL:
        raise ValueError(f"min_count is {min_count}: give 1 or more, 2**63 - 1 at most")


def check_vocab_size(vocab_size: int, special_tokens: Iterable[str]) -> None:
    """Check that the vocabulary has room for the bytes and the special tokens.

    :raises TypeError: it is not an integer.
    :raises ValueError: it is too small, or too large.

    >>> check_vocab_size(257, ["<|endoftext|>"])
    """
    if not hasattr(vocab_size, "__index__"):
        raise TypeError(f"vocab_size is {vocab_size!r}: give an integer")
    if vocab_size > MOST_IDS:
        raise ValueError(
            f"vocab_size {vocab_size} is too large: ids have 32 bits, {MOST_IDS} is the most"
        )
    specials = len(list(special_tokens))
    if vocab_size < 256 + specials:
        raise ValueError(
            f"vocab_size {vocab_size} is too small: 256 bytes and {specials} special "
            f"token{'s' * (specials != 1)} need at least {256 + specials}"
        )


def check_time_budget(time_budget: float | None) -> None:
    """Check that a time budget is None or positive seconds.

    :raises TypeError: it is not a number.
    :raises ValueError: it is zero, negative, infinite or no number.

    >>> check_time_budget(2.5)
    """
    if time_budget is None:
        return
    if not isinstance(time_budget, int | float):
        raise TypeError(f"time_budget is {time_budget!r}: give seconds, or None")
    if not 0 < time_budget < float("inf"):
        raise ValueError(f"time_budget is {time_budget!r}: give seconds above 0, or None")
