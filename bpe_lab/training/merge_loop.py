"""The loop that drives every stage, its clock, and its record of each merge.

The loop owns the clocks, the progress bar, the time budget and the `on_merge` hook; stages hold the
algorithm and nothing else.
"""

import math
import time
from array import array
from typing import Any, NamedTuple

from bpe_lab import native
from bpe_lab.stages.interface import Pair, Stage
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.plan import Plan
from bpe_lab.training.work import counted

PHASES = ("count", "init", "count_pairs", "select", "update", "convert")
"""Where the seconds go, with the same meaning for every stage.

count: files -> word counts. init: word counts -> the stage's words. count_pairs: the table of pair
counts, and the index where there is one. select: the next pair, heap pushes and pops included.
update: the words, the counts, the index. convert: ids -> bytes, and the loop's own records.
"""


class MergeStep(NamedTuple):
    """The argument of the `on_merge` hook, called after each merge.

    :param rank: 0 for the first merge; the merges of an extended tokenizer are counted.
    :param merge: the bytes of the two tokens.
    :param pair: their ids in the stage, which begin with the bytes and have no gaps. (Tokenizers
        trained here have the same ids.)
    :param new_id: the id, in the stage, of the new token.
    :param count: how often the pair occurred in the text.
    :param stage: the stage, to look into: each has `operations`, and `inverted_index` has `words`
        and `pair_counts`, too. What it holds is not copied: do not change it.
    """

    rank: int
    merge: Merge
    pair: Pair
    new_id: int
    count: int  # type: ignore[assignment]
    stage: Stage


class Trace:
    """The count of every merge and the time when it was done.

    :param first_rank: how many merges came from an extended tokenizer; these have neither.
    :param counts: count of the merged pair, by rank.
    :param seconds: seconds since the first pair was counted, by rank.
    """

    def __init__(self, first_rank: int = 0) -> None:
        self.first_rank, self.counts, self.seconds = first_rank, array("q"), array("d")

    def __len__(self) -> int:
        return len(self.counts)

    def dataframe(self) -> Any:
        """Return a pandas table with the columns rank, count and seconds.

        >>> Trace().dataframe().columns.tolist()
        ['rank', 'count', 'seconds']
        """
        import pandas

        ranks = range(self.first_rank, self.first_rank + len(self))
        return pandas.DataFrame({"rank": ranks, "count": self.counts, "seconds": self.seconds})


class PhaseClock:
    """Adds all time to one phase or another, except from `switch("")` to the next call."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.booked, self.phase, self.since = 0.0, "", 0.0

    def switch(self, phase: str) -> float:
        """End the running phase, begin another, and return the seconds so far."""
        now = time.perf_counter()
        if self.phase:
            self.seconds[self.phase] += now - self.since
            self.booked += now - self.since
        self.phase, self.since = phase, now
        return self.booked


BATCH_SECONDS = 0.2
"""How long a compiled stage may run before Ctrl-C and the progress bar are handled."""


class MergeLoop:
    """The loop and its records: `merges` and `trace`, and `vocab`, which the stage reads."""

    def __init__(
        self, stage: Stage, vocab: list[bytes], plan: Plan, clock: PhaseClock, bar: Bar
    ) -> None:
        self.stage: Any = counted(stage, clock) if plan.options.count_work else stage
        self.shown, self.vocab, self.clock, self.bar = stage, vocab, clock, bar
        self.on_merge, self.deadline = plan.options.on_merge, plan.options.time_budget or math.inf
        self.end_id, min_count = plan.options.vocab_size, plan.options.min_count
        self.merges = list(plan.merges)
        self.trace = Trace(len(self.merges))
        # Without a bound any count is accepted, even a wrong one.
        self.least = min_count if min_count > 1 else -math.inf
        # A stage that knows the bound returns None for "no pair left" and for "too rare" alike.
        self.without_pair = "min_count" if min_count > 1 else "no_pair_left"

    def run(self) -> str:
        """Merge until it must stop, and return the reason."""
        if len(self.vocab) == self.end_id:
            return "vocab_size"
        self.started = self.clock.switch("count_pairs")
        if self._is_over():
            return "time_budget"
        # In the core, a call per merge would cost about as much as the merge itself, so without a
        # hook one call makes many.
        if self.on_merge is None and hasattr(self.stage, "run"):
            return self._in_batches()
        return self._one_by_one()

    def _one_by_one(self) -> str:
        """Call the stage for each merge."""
        took, first_id = 0.0, len(self.vocab)
        for new_id in range(first_id, self.end_id):
            if self._is_over(took):
                return "time_budget"
            begun = self.clock.booked
            if self.stage.recounts or new_id == first_id:
                self.clock.switch("count_pairs")
                self.stage.count_pairs()
            self.clock.switch("select")
            if new_id == first_id and self._is_over():
                return "time_budget"
            selection = self.stage.select()
            if selection is None:
                return self.without_pair
            try:
                pair, count = selection
                if count < self.least:
                    return self.without_pair
                self.clock.switch("convert")
                left, right = pair
                self.merges.append((self.vocab[left], self.vocab[right]))
                self.vocab.append(self.vocab[left] + self.vocab[right])
                self.trace.counts.append(count)
            except (TypeError, ValueError, IndexError, OverflowError):
                raise TypeError(
                    f"select of {type(self.shown).__name__} returns {selection!r:.60}: return "
                    "((left id, right id), count), or None when no pair is left"
                ) from None
            self.clock.switch("update")
            self.stage.update(pair, new_id)
            self.trace.seconds.append(self.clock.switch("convert") - self.started)
            took = self.clock.booked - begun
            self.bar.update()
            if self.on_merge is not None:
                step = len(self.merges) - 1, self.merges[-1], pair, new_id, count, self.shown
                self.clock.switch("")  # the time of the hook belongs to no phase
                self.on_merge(MergeStep(*step))
                self.clock.switch("convert")
        return "vocab_size"

    def _in_batches(self) -> str:
        """Call the stage for as many merges as it makes in a fraction of a second."""
        self.stage.count_pairs()
        while len(self.vocab) < self.end_id:
            begun = self.clock.switch("update") - self.started
            if self._is_over():
                return "time_budget"
            seconds = min(BATCH_SECONDS, self.deadline - self.clock.booked)
            lefts, rights, counts, times, select_seconds, no_pair_left = self.stage.run(
                len(self.vocab), self.end_id, max(seconds, 1e-9)
            )
            if counts and counts[-1] < self.least:
                # The counts of successive merges never rise. A merge takes matches from older
                # pairs, and a pair with the new token occurs at most once per match, so afterwards
                # no count exceeds that of the merged pair, which was the highest. Merges below the
                # bound are dropped here, but are in the stage's operation counts.
                n_frequent = sum(count >= self.least for count in counts)
                lefts, rights, counts, times = (
                    values[:n_frequent] for values in (lefts, rights, counts, times)
                )
                no_pair_left = True
            self.clock.switch("convert")
            self.clock.seconds["update"] -= select_seconds
            self.clock.seconds["select"] += select_seconds
            native.add_merges(self.vocab, self.merges, lefts, rights)
            self.trace.counts.extend(counts)
            native.add_times(self.trace.seconds, begun, times)
            self.bar.update(len(counts))
            if no_pair_left:
                return self.without_pair
        return "vocab_size"

    def _is_over(self, took: float = 0.0) -> bool:
        """Whether the time budget is used up, or would be by a merge that takes so long."""
        return self.clock.booked + took >= self.deadline
