"""Word counts -> merges: the one loop that drives every stage, and what it returns.

The loop owns the clocks, the progress bar, the time budget and the `on_merge` hook; stages hold the
algorithm and nothing else.
"""

# No dataclasses on the way of `bpe-lab train`: that module takes as long to load as a small text
# takes to train on.

import time
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from bpe_lab.counting.word_table import WordCounts
from bpe_lab.machine import (
    available_memory,
    check_threads,
    megabytes,
    memory_errors_explained,
    openmp_threads,
)
from bpe_lab.merges import Merge, first_vocab, merges_sha256
from bpe_lab.progress import Bar
from bpe_lab.registry import DEFAULT_STAGE, StageEntry, find_stage
from bpe_lab.special_tokens import check_special_tokens

if TYPE_CHECKING:
    import pandas

    from bpe_lab.stages.interface import Pair, Stage
    from bpe_lab.tokenizer import Tokenizer

PHASES = ("count", "init", "count_pairs", "select", "update", "convert")
"""Where the seconds go, with the same meaning for every stage.

count: files -> word counts. init: word counts -> the stage's words. count_pairs: the table of pair
counts, and the index where there is one. select: the next pair, heap pushes and pops included.
update: the words, the counts, the index. convert: ids -> bytes, and the loop's own books.
"""


class MergeStep:
    """What the `on_merge` hook is told after each merge.

    :param rank: 0 for the first merge.
    :param merge: the bytes of the two tokens.
    :param pair: their ids.
    :param new_id: the id of the token that was made.
    :param count: how often the pair stood in the text.
    :param stage: the stage itself, to look into (`words`, `pair_counts`, ...).
    """

    def __init__(
        self, rank: int, merge: Merge, pair: "Pair", new_id: int, count: int, stage: "Stage"
    ) -> None:
        self.rank, self.merge, self.pair = rank, merge, pair
        self.new_id, self.count, self.stage = new_id, count, stage


class Trace:
    """The count of every merge and the time at which it was done.

    `counts`: count of the merged pair, by rank. `seconds`: seconds since the first pair was
    counted, by rank.
    """

    def __init__(self) -> None:
        self.counts = array("q")
        self.seconds = array("d")

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Trace({len(self):,} merges; .dataframe() for a table)"

    def dataframe(self) -> "pandas.DataFrame":
        """Return a table with the columns rank, count and seconds.

        :raises ImportError: pandas is not installed (it is in the extra `lab`).

        >>> train_from_counts({b"aaa": 1}, 257, []).trace.dataframe()["count"].tolist()
        [2]
        """
        import pandas

        return pandas.DataFrame(
            {"rank": range(len(self)), "count": self.counts, "seconds": self.seconds}
        )


class Training:
    """The result of a training.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, one entry per merge.
    :param merges: the merged tokens' bytes in order.
    :param special_tokens: in the order of their ids.
    :param stage: id of the stage.
    :param counter: id of the counter, None when word counts were given.
    :param phases: seconds by phase (`PHASES`); they add up to `seconds`.
    :param operations: operation counts of the stage: the same on every machine.
    :param trace: count and time of every merge.
    :param stopped_by: "vocab_size", "no_pair_left" or "time_budget".
    """

    def __init__(
        self,
        *,
        vocab: dict[int, bytes],
        merges: list[Merge],
        special_tokens: tuple[str, ...],
        stage: str,
        counter: str | None,
        phases: dict[str, float],
        operations: dict[str, int],
        trace: Trace,
        stopped_by: str,
    ) -> None:
        self.vocab = vocab
        self.merges = merges
        self.special_tokens = special_tokens
        self.stage = stage
        self.counter = counter
        self.phases = phases
        self.operations = operations
        self.trace = trace
        self.stopped_by = stopped_by

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
        """Return a tokenizer with this vocabulary.

        >>> train_from_counts({b"low": 5}, 258, []).tokenizer().encode("low")
        [257]
        """
        from bpe_lab.tokenizer import Tokenizer

        with memory_errors_explained(
            lambda: (
                f"a tokenizer of {len(self.vocab):,} ids needs more memory than there is: use a "
                "smaller vocab_size, or a machine with more memory"
            )
        ):
            return Tokenizer(self.vocab, self.merges, self.special_tokens)

    def __repr__(self) -> str:
        return (
            f"Training(stage={self.stage!r}, {len(self.merges):,} merges, "
            f"{len(self.vocab):,} ids, {self.seconds:.2f} s, sha256 {self.merges_sha256[:16]}...)"
        )


class PhaseClock:
    """Books every moment between `start` and `stop` under one phase."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.booked = 0.0
        self.phase = ""
        self.since = 0.0

    def switch(self, phase: str) -> float:
        """End the running phase, begin another, and return the seconds booked so far."""
        now = time.perf_counter()
        if self.phase:
            self.seconds[self.phase] += now - self.since
            self.booked += now - self.since
        self.phase, self.since = phase, now
        return self.booked

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Book what runs inside under no phase."""
        phase = self.phase
        self.switch("")
        yield
        self.switch(phase)

    def move(self, source: str, target: str, seconds: float) -> None:
        """Book seconds of one phase under another."""
        self.seconds[source] -= seconds
        self.seconds[target] += seconds


MOST_IDS = 2**32 - 2
"""Ids have 32 bits; the two greatest values mark what is no token."""

BATCH_SECONDS = 0.2
"""How long a compiled stage may run without a look at Ctrl-C and the progress bar."""


class MergeLoop:
    """The loop and its books.

    :param stage: the stage that runs.
    :param vocab: id -> bytes so far; the stage reads it.
    :param end_id: the id at which it stops.
    :param clock: its phases.
    :param deadline: seconds of merging after which it stops, None: no limit.
    :param on_merge: the hook.
    :param bar: the progress bar.
    """

    def __init__(
        self,
        stage: "Stage",
        vocab: list[bytes],
        end_id: int,
        clock: PhaseClock,
        deadline: float | None,
        on_merge: Callable[[MergeStep], object] | None,
        bar: Bar,
    ) -> None:
        self.stage, self.vocab, self.end_id = stage, vocab, end_id
        self.clock, self.deadline, self.on_merge, self.bar = clock, deadline, on_merge, bar
        self.first_id = len(vocab)
        self.merges: list[Merge] = []
        self.trace = Trace()

    def run(self) -> str:
        """Merge until it must stop, and say why."""
        self.started = self.clock.switch("count_pairs")
        # A call per merge costs about what the core needs for one: where nobody looks on, it makes
        # many in one call.
        if self.on_merge is None and hasattr(self.stage, "run"):
            return self.in_batches()
        return self.one_by_one()

    def one_by_one(self) -> str:
        """Call the stage for each merge."""
        for new_id in range(self.first_id, self.end_id):
            if self.stage.recounts or new_id == self.first_id:
                self.clock.switch("count_pairs")
                self.stage.count_pairs()
            self.clock.switch("select")
            selection = self.stage.select()
            if selection is None:
                return "no_pair_left"
            self.clock.switch("convert")
            pair, count = selection
            self.name(*pair)
            self.clock.switch("update")
            self.stage.update(pair, new_id)
            seconds = self.clock.switch("convert") - self.started
            self.trace.counts.append(count)
            self.trace.seconds.append(seconds)
            self.bar.update()
            if self.on_merge is not None:
                with self.clock.paused():
                    rank = len(self.merges) - 1
                    self.on_merge(MergeStep(rank, self.merges[-1], pair, new_id, count, self.stage))
            if self.is_over(seconds):
                return "time_budget"
        return "vocab_size"

    def in_batches(self) -> str:
        """Call the stage for as many merges as it makes in a fraction of a second."""
        if len(self.vocab) == self.end_id:
            return "vocab_size"
        self.stage.count_pairs()
        seconds = 0.0
        while len(self.vocab) < self.end_id:
            begun = self.clock.switch("update") - self.started
            left = BATCH_SECONDS if self.deadline is None else self.deadline - seconds
            batch = self.stage.run(  # type: ignore[attr-defined]
                len(self.vocab), self.end_id, max(min(left, BATCH_SECONDS), 1e-9)
            )
            lefts, rights, counts, times, select_seconds, no_pair_left = batch
            seconds = self.clock.switch("convert") - self.started
            self.clock.move("update", "select", select_seconds)
            for pair in zip(lefts, rights, strict=True):
                self.name(*pair)
            self.trace.counts.extend(counts)
            self.trace.seconds.extend(begun + time for time in times)
            self.bar.update(len(counts))
            if no_pair_left:
                return "no_pair_left"
            if self.is_over(seconds):
                return "time_budget"
        return "vocab_size"

    def name(self, left: int, right: int) -> None:
        """Add a merge to the vocabulary."""
        self.merges.append((self.vocab[left], self.vocab[right]))
        self.vocab.append(self.vocab[left] + self.vocab[right])

    def is_over(self, seconds: float) -> bool:
        """Whether the time budget stops it, with merges still to make."""
        return (
            self.deadline is not None and seconds >= self.deadline and len(self.vocab) < self.end_id
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
        return entry.bytes_per_word * words.occurrences + entry.bytes_per_token * words.text_bytes
    return entry.bytes_per_word * len(words) + entry.bytes_per_token * words.word_bytes


LEAST_CHECKED = 1_000_000
"""Bytes. To ask the system what is free takes as long as a training that needs no more."""


def check_memory(entry: StageEntry, counts: WordCounts) -> str:
    """Refuse a stage that cannot hold its words.

    :return: what it needs, what is free, and what helps.
    :raises MemoryError: the stage needs more bytes than are free.
    """
    needed = memory_estimate(entry.id, counts)
    remedy = (
        "use the stage 'word_counts', which keeps each distinct word once"
        if entry.every_occurrence
        else "use a machine with more memory, or less text"
    )
    if needed < LEAST_CHECKED:
        return f"needs about {megabytes(needed)}: {remedy}"
    free = available_memory()
    needs = f"needs about {megabytes(needed)}, with {megabytes(free)} free: {remedy}"
    if needed > free:
        raise MemoryError(f"stage {entry.id!r} {needs}")
    return needs


def train_from_counts(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    *,
    stage: str = DEFAULT_STAGE,
    threads: int | None = None,
    progress: bool = False,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
) -> Training:
    """Train on word counts from anywhere.

    :param counts: word (bytes) -> number of occurrences (64-bit).
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings that get the ids from 256 on; they never take part in a merge.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges.
    :param threads: threads of a stage that has some; None: all processors we may use.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param on_merge: called after each merge; its time is booked under no phase.
    :param time_budget: seconds of merging; the loop ends after the first merge that passes it.
    :raises ValueError: unknown stage, vocabulary too small, bad special tokens, bad counts.
    :raises TypeError: a word is not bytes, a count is not an integer.
    :raises MemoryError: the stage needs more memory than is free; says how much, and what helps.
    :warns UserWarning: no pair is left before `vocab_size` is reached.
    :warns RuntimeWarning: several threads were asked for, and the build has no OpenMP.

    >>> training = train_from_counts({b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}, 260)
    >>> training.merges
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    specials = check_special_tokens(special_tokens)
    check_vocab_size(vocab_size, specials)
    check_time_budget(time_budget)
    check_threads(threads)
    entry = find_stage(stage)
    words = counts if isinstance(counts, WordCounts) else WordCounts(counts)
    needs = check_memory(entry, words)
    stage_class = entry.load()

    clock = PhaseClock()
    clock.switch("init")
    vocab = first_vocab(specials)
    options: dict[str, int] = {}
    if "threads" in entry.keywords:
        options["threads"] = openmp_threads(threads)
    if "vocab_size" in entry.keywords:
        options["vocab_size"] = vocab_size

    def explain() -> str:
        place = f"phase {clock.phase!r}" if clock.phase else "on_merge hook"
        return f"stage {stage!r} ran out of memory in the {place}; it {needs}"

    with memory_errors_explained(explain):
        loop = MergeLoop(
            stage=stage_class(words, vocab, **options),
            vocab=vocab,
            end_id=vocab_size,
            clock=clock,
            deadline=time_budget,
            on_merge=on_merge,
            bar=Bar(
                progress,
                f"merge ({stage}, about {memory_estimate(stage, words) / 1e6:,.0f} MB)",
                vocab_size - len(vocab),
                " merges",
                scale=False,
            ),
        )
        with loop.bar:
            stopped_by = loop.run()
        clock.switch("convert")
        numbered = dict(enumerate(vocab))
        clock.switch("")

    if stopped_by == "no_pair_left":
        warnings.warn(
            f"no pair is left to merge: the vocabulary has {len(vocab):,} entries, "
            f"{vocab_size:,} were asked for",
            UserWarning,
            stacklevel=2,
        )
    return Training(
        vocab=numbered,
        merges=loop.merges,
        special_tokens=specials,
        stage=stage,
        counter=None,
        phases=clock.seconds,
        operations=dict(loop.stage.operations),
        trace=loop.trace,
        stopped_by=stopped_by,
    )


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
