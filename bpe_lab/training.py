"""Word counts -> merges: the one loop that drives every stage, and what it returns.

The loop owns the clocks, the progress bar, the time budget and the `on_merge` hook; stages hold the
algorithm and nothing else.
"""

import time
import warnings
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from tqdm.auto import tqdm

from bpe_lab.counting.word_table import check_counts
from bpe_lab.machine import available_memory
from bpe_lab.merges import Merge, first_vocab, merges_sha256
from bpe_lab.pretokenize import check_special_tokens
from bpe_lab.registry import DEFAULT_STAGE, StageEntry, find_stage
from bpe_lab.stages.interface import Pair, Stage

if TYPE_CHECKING:
    import pandas

    from bpe_lab.tokenizer import Tokenizer

PHASES = ("count", "init", "count_pairs", "select", "update", "convert")
"""Where the seconds go, with the same meaning for every stage.

count: files -> word counts. init: word counts -> the stage's words. count_pairs: the table of pair
counts, and index and heap where there are any. select: the next pair, heap pops included. update:
the words, the counts, the index, heap pushes. convert: ids -> bytes, and the loop's own books.
"""

SHOW_PROGRESS_AFTER = 2.0
"""Seconds without a progress bar."""


@dataclass(frozen=True)
class MergeStep:
    """What the `on_merge` hook is told after each merge.

    :param rank: 0 for the first merge.
    :param merge: the bytes of the two tokens.
    :param pair: their ids.
    :param new_id: the id of the token that was made.
    :param count: how often the pair stood in the text.
    :param stage: the stage itself, to look into (`words`, `pair_counts`, ...).
    """

    rank: int
    merge: Merge
    pair: Pair
    new_id: int
    count: int
    stage: Stage


@dataclass(frozen=True)
class Trace:
    """The count of every merge and the time at which it was done.

    :param counts: count of the merged pair, by rank.
    :param seconds: seconds since the first pair was counted, by rank.
    """

    counts: "array[int]" = field(default_factory=lambda: array("q"))
    seconds: "array[float]" = field(default_factory=lambda: array("d"))

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


@dataclass(frozen=True)
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

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_tokens: tuple[str, ...]
    stage: str
    counter: str | None
    phases: dict[str, float]
    operations: dict[str, int]
    trace: Trace
    stopped_by: str

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


LIST_BYTES = 56
"""The head of a Python list."""


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
    lists = tokens = 0
    for word, count in counts.items():
        copies = count if entry.every_occurrence else 1
        lists += copies
        tokens += copies * len(word)
    return LIST_BYTES * lists + entry.bytes_per_token * tokens


def check_memory(entry: StageEntry, counts: Mapping[bytes, int]) -> None:
    """Refuse a stage that cannot hold its words.

    :raises MemoryError: the stage needs more bytes than are free.
    """
    needed, free = memory_estimate(entry.id, counts), available_memory()
    if needed > free:
        remedy = (
            "use the stage 'word_counts', which keeps each distinct word once"
            if entry.every_occurrence
            else "use a machine with more memory, or less text"
        )
        raise MemoryError(
            f"stage {entry.id!r} needs about {needed / 1e9:,.1f} GB and {free / 1e9:,.1f} GB "
            f"are free: {remedy}"
        )


def train_from_counts(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    *,
    stage: str = DEFAULT_STAGE,
    progress: bool = False,
    on_merge: Callable[[MergeStep], object] | None = None,
    time_budget: float | None = None,
) -> Training:
    """Train on word counts from anywhere.

    :param counts: word (bytes) -> number of occurrences (64-bit).
    :param vocab_size: number of ids to reach, the 256 bytes and the special tokens included.
    :param special_tokens: strings that get the ids from 256 on; they never take part in a merge.
    :param stage: id of a stage (`bpe_lab.STAGES`); all give the same merges.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param on_merge: called after each merge; its time is booked under no phase.
    :param time_budget: seconds of merging; the loop ends after the first merge that passes it.
    :raises ValueError: unknown stage, vocabulary too small, bad special tokens, bad counts.
    :raises TypeError: a word is not bytes, a count is not an integer.
    :raises MemoryError: the stage would need more memory than is free.
    :warns UserWarning: no pair is left before `vocab_size` is reached.

    >>> training = train_from_counts({b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}, 260)
    >>> training.merges
    [(b's', b't'), (b'e', b'st'), (b'o', b'w')]
    """
    specials = check_special_tokens(special_tokens)
    check_vocab_size(vocab_size, specials)
    check_time_budget(time_budget)
    entry = find_stage(stage)
    checked = check_counts(counts)
    check_memory(entry, checked)
    stage_class = entry.load()

    clock = PhaseClock()
    clock.switch("init")
    vocab = first_vocab(specials)
    first_id = len(vocab)
    merges: list[Merge] = []
    trace = Trace()
    stopped_by = "vocab_size"
    running = stage_class(checked, vocab)

    started = clock.switch("count_pairs")
    bar = tqdm(
        desc=f"merge ({stage}, about {memory_estimate(stage, checked) / 1e6:,.0f} MB)",
        total=vocab_size - first_id,
        unit=" merges",
        delay=SHOW_PROGRESS_AFTER,
        disable=not progress,
    )
    with bar:
        for new_id in range(first_id, vocab_size):
            if running.recounts or new_id == first_id:
                clock.switch("count_pairs")
                running.count_pairs()
            clock.switch("select")
            selection = running.select()
            if selection is None:
                stopped_by = "no_pair_left"
                break
            clock.switch("convert")
            (left, right), count = selection
            merges.append((vocab[left], vocab[right]))
            vocab.append(vocab[left] + vocab[right])
            clock.switch("update")
            running.update((left, right), new_id)
            now = clock.switch("convert")
            trace.counts.append(count)
            trace.seconds.append(now - started)
            bar.update()
            if on_merge is not None:
                with clock.paused():
                    rank = new_id - first_id
                    on_merge(MergeStep(rank, merges[-1], (left, right), new_id, count, running))
            if time_budget is not None and now - started >= time_budget and new_id + 1 < vocab_size:
                stopped_by = "time_budget"
                break
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
        merges=merges,
        special_tokens=specials,
        stage=stage,
        counter=None,
        phases=clock.seconds,
        operations=dict(running.operations),
        trace=trace,
        stopped_by=stopped_by,
    )


def check_vocab_size(vocab_size: int, special_tokens: Iterable[str]) -> None:
    """Check that the vocabulary has room for the bytes and the special tokens.

    :raises TypeError: it is not an integer.
    :raises ValueError: it is too small.

    >>> check_vocab_size(257, ["<|endoftext|>"])
    """
    if not hasattr(vocab_size, "__index__"):
        raise TypeError(f"vocab_size is {vocab_size!r}: give an integer")
    specials = len(list(special_tokens))
    if vocab_size < 256 + specials:
        raise ValueError(
            f"vocab_size {vocab_size} is too small: 256 bytes and {specials} special "
            f"token{'s' * (specials != 1)} need at least {256 + specials}"
        )


def check_time_budget(time_budget: float | None) -> None:
    """Check that a time budget is None or positive seconds.

    :raises ValueError: it is zero, negative or not a number.

    >>> check_time_budget(2.5)
    """
    if time_budget is not None and not time_budget > 0:
        raise ValueError(f"time_budget is {time_budget!r}: give seconds above 0, or None")
