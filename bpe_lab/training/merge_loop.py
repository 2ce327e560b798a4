"""The loop that drives every stage, its clock, and its record of each merge.

The loop owns the clocks, the progress bar, the time budget and the `on_merge` hook; stages hold the
algorithm and nothing else.
"""

import time
from array import array
from typing import TYPE_CHECKING, Any

from bpe_lab import native
from bpe_lab.stages.interface import Pair, Selection, Stage
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.plan import Plan

if TYPE_CHECKING:
    import pandas

PHASES = ("count", "init", "count_pairs", "select", "update", "convert")
"""Where the seconds go, with the same meaning for every stage.

count: files -> word counts. init: word counts -> the stage's words. count_pairs: the table of pair
counts, and the index where there is one. select: the next pair, heap pushes and pops included.
update: the words, the counts, the index. convert: ids -> bytes, and the loop's own records.
"""

DRIVING = ("close", "count_pairs", "run", "select", "update")
"""What only the loop may call of a stage."""


class StageView:
    """A stage for a hook to look into: it has all members but those that drive the stage."""

    def __init__(self, stage: Stage) -> None:
        vars(self)["_stage"] = stage

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} would change the training: a hook may only look at it")

    def __getattr__(self, name: str) -> Any:
        if name in DRIVING:
            raise AttributeError(f"{name} would change the training: a hook may only look at it")
        if name.startswith("__"):  # a copy has no stage yet
            raise AttributeError(name)
        return getattr(self._stage, name)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._stage) if name not in DRIVING]

    def __repr__(self) -> str:
        return repr(self._stage)


class MergeStep:
    """The argument of the `on_merge` hook, called after each merge.

    :param rank: 0 for the first merge; the merges of an extended tokenizer are counted.
    :param merge: the bytes of the two tokens.
    :param pair: their ids in the stage, which begin with the bytes and have no gaps. (Tokenizers
        trained here have the same ids.)
    :param new_id: the id, in the stage, of the new token.
    :param count: how often the pair occurred in the text.
    :param stage: the stage, for inspection: each has `operations`, and `inverted_index` has `words`
        and `pair_counts`, too. Calling what drives it, such as `select`, is an error. What it holds
        is not copied: do not change it.
    """

    def __init__(
        self, rank: int, merge: Merge, pair: Pair, new_id: int, count: int, stage: StageView
    ) -> None:
        self.rank, self.merge, self.pair = rank, merge, pair
        self.new_id, self.count, self.stage = new_id, count, stage

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"MergeStep({values})"


class Trace:
    """The count of every merge and the time when it was done.

    `counts`: count of the merged pair, by rank. `seconds`: seconds since the first pair was
    counted, by rank. `first_rank`: how many merges came from an extended tokenizer; these have
    neither.
    """

    def __init__(self, first_rank: int = 0) -> None:
        self.first_rank = first_rank
        self.counts = array("q")
        self.seconds = array("d")

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"Trace({len(self):,} merges; .dataframe() for a table)"

    def dataframe(self) -> "pandas.DataFrame":
        """Return a table with the columns rank, count and seconds.

        >>> Trace().dataframe().columns.tolist()
        ['rank', 'count', 'seconds']
        """
        import pandas

        return pandas.DataFrame(
            {
                "rank": range(self.first_rank, self.first_rank + len(self)),
                "count": self.counts,
                "seconds": self.seconds,
            }
        )


class PhaseClock:
    """Adds all time to one phase or another, except from `switch("")` to the next call."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PHASES, 0.0)
        self.booked = 0.0
        self.phase = ""
        self.since = 0.0

    def switch(self, phase: str) -> float:
        """End the running phase, begin another, and return the seconds so far."""
        now = time.perf_counter()
        if self.phase:
            self.seconds[self.phase] += now - self.since
            self.booked += now - self.since
        self.phase, self.since = phase, now
        return self.booked

    def move(self, source: str, target: str, seconds: float) -> None:
        """Move seconds from one phase to another."""
        self.seconds[source] -= seconds
        self.seconds[target] += seconds


BATCH_SECONDS = 0.2
"""How long a compiled stage may run before Ctrl-C and the progress bar are handled."""


class MergeLoop:
    """The loop and its records: `merges` and `trace`, and `vocab`, which the stage reads."""

    def __init__(
        self, stage: Stage, vocab: list[bytes], plan: Plan, clock: PhaseClock, bar: Bar
    ) -> None:
        self.stage, self.vocab, self.clock, self.bar = stage, vocab, clock, bar
        self.on_merge, self.end_id = plan.on_merge, plan.vocab_size
        self.deadline, self.min_count = plan.time_budget, plan.min_count
        self.max_token_bytes, self.keywords = plan.max_token_bytes, plan.keywords
        self.merges = list(plan.first.merges)
        self.trace = Trace(len(self.merges))
        # A stage that knows the bound returns None for "no pair left" and for "too rare" alike.
        self.without_pair = "min_count" if self.min_count > 1 else "no_pair_left"

    def run(self) -> str:
        """Merge until it must stop, and return the reason."""
        if len(self.vocab) == self.end_id:
            return "vocab_size"
        self.started = self.clock.switch("count_pairs")
        if self._is_over():
            return "time_budget"
        # In the core, a call per merge would cost about as much as the merge itself, so without a
        # hook one call makes many.
        knows_limit = self.max_token_bytes is None or "max_token_bytes" in self.keywords
        if self.on_merge is None and hasattr(self.stage, "run") and knows_limit:
            return self._in_batches()
        return self._one_by_one()

    def _one_by_one(self) -> str:
        """Call the stage for each merge."""
        took, first_id, view = 0.0, len(self.vocab), StageView(self.stage)
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
            selection = self._select()
            if selection is None:
                return self.without_pair
            try:
                pair, count = selection
                if self._is_rare(count):
                    return self.without_pair
                self.clock.switch("convert")
                left, right = pair
                self.merges.append((self.vocab[left], self.vocab[right]))
                self.vocab.append(self.vocab[left] + self.vocab[right])
                self.trace.counts.append(count)
            except (TypeError, ValueError, IndexError, OverflowError):
                raise TypeError(
                    f"select of {type(self.stage).__name__} returns {selection!r:.60}: return "
                    "((left id, right id), count), or None when no pair is left"
                ) from None
            self.clock.switch("update")
            self.stage.update(pair, new_id)
            self.trace.seconds.append(self.clock.switch("convert") - self.started)
            took = self.clock.booked - begun
            self.bar.update()
            if self.on_merge is not None:
                step = MergeStep(len(self.merges) - 1, self.merges[-1], pair, new_id, count, view)
                self.clock.switch("")  # the time of the hook belongs to no phase
                self.on_merge(step)
                self.clock.switch("convert")
        return "vocab_size"

    def _select(self) -> Selection | None:
        """Return what the stage selects among the pairs whose token is short enough."""
        selection = self.stage.select()
        if self.max_token_bytes is None:
            return selection
        last = None
        while self._is_long(selection) and selection != last:
            last, selection = selection, self.stage.select()  # a heap has each pair once
        if not self._is_long(selection):
            return selection
        table = getattr(self.stage, "pair_counts", {})
        long = {pair: table.pop(pair) for pair in list(table) if self._is_long((pair, 0))}
        selection = self.stage.select()
        table.update(long)
        if self._is_long(selection):
            raise TypeError(
                f"{type(self.stage).__name__} cannot leave out a pair whose token is longer than "
                "max_token_bytes: name that in its keywords (bpe_lab.stages.interface)"
            )
        return selection

    def _is_long(self, selection: Selection | None) -> bool:
        """Whether the token of a pair would be too long; what is no pair is refused later."""
        try:
            (left, right), _ = selection  # type: ignore[misc]
            return len(self.vocab[left]) + len(self.vocab[right]) > self.max_token_bytes  # type: ignore[operator]
        except (TypeError, ValueError, IndexError):
            return False

    def _in_batches(self) -> str:
        """Call the stage for as many merges as it makes in a fraction of a second."""
        self.stage.count_pairs()
        while len(self.vocab) < self.end_id:
            begun = self.clock.switch("update") - self.started
            if self._is_over():
                return "time_budget"
            seconds = BATCH_SECONDS if self.deadline is None else self.deadline - self.clock.booked
            batch = self.stage.run(  # type: ignore[attr-defined]
                len(self.vocab), self.end_id, max(min(seconds, BATCH_SECONDS), 1e-9)
            )
            try:
                lefts, rights, counts, times, select_seconds, no_pair_left = batch
            except (TypeError, ValueError):
                raise TypeError(
                    f"run of {type(self.stage).__name__} returns {batch!r:.60}: return six values, "
                    "as CompiledStage.run does"
                ) from None
            if (not lefts and not no_pair_left) or len(lefts) > self.end_id - len(self.vocab):
                raise RuntimeError(
                    f"run of the stage made {len(lefts)} merges where 1 to "
                    f"{self.end_id - len(self.vocab)} were asked for"
                )
            if counts and self._is_rare(counts[-1]):
                # The counts of successive merges never rise. A merge takes matches from older
                # pairs, and a pair with the new token occurs at most once per match, so afterwards
                # no count exceeds that of the merged pair, which was the highest. Merges below the
                # bound are dropped here, but are in the stage's operation counts.
                n_frequent = sum(not self._is_rare(count) for count in counts)
                lefts, rights, counts, times = (
                    values[:n_frequent] for values in (lefts, rights, counts, times)
                )
                no_pair_left = True
            self.clock.switch("convert")
            self.clock.move("update", "select", select_seconds)
            native.add_merges(self.vocab, self.merges, lefts, rights)
            self.trace.counts.extend(counts)
            native.add_times(self.trace.seconds, begun, times)
            self.bar.update(len(counts))
            if no_pair_left:
                return self.without_pair
        return "vocab_size"

    def _is_rare(self, count: int) -> bool:
        """Whether a pair is too rare; without a bound any count is accepted, even a wrong one."""
        return self.min_count > 1 and count < self.min_count

    def _is_over(self, took: float = 0.0) -> bool:
        """Whether the time budget is used up, or would be by a merge that takes so long."""
        return self.deadline is not None and self.clock.booked + took >= self.deadline
