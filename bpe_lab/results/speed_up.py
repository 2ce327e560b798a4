"""How many times as fast a case is as its baseline: by round, by turns, or over the same merges."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bpe_lab.results.numbers import three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import Spread, ratio_by_round, spread_of, turn_ratios
from bpe_lab.results.tables import stopped

if TYPE_CHECKING:
    import pandas

RATE = "merges_per_second"

PHASES = {
    "total": ("seconds",),
    RATE: (RATE,),
    "merge": tuple(f"phase_{phase}" for phase in MERGING),
    "select+update": ("phase_select", "phase_update"),
    "count_pairs": ("phase_count_pairs",),
    "select": ("phase_select",),
    "update": ("phase_update",),
}
"""Measured phase -> columns of records to add up."""

TRACED = {
    "total": {"phase_count": 1, "phase_init": 1},
    "merge": {"phase_init": 1},
    "select+update": {"phase_count_pairs": -1},
}
"""Measured phase -> columns to add to the seconds of a trace, which begin with the first counts of
pairs, or to subtract from them.
"""


@dataclass(frozen=True)
class Amount:
    """Seconds, merges per second, or a ratio.

    :param value: the number.
    :param bound: ">" or "<": it is only known to be more or less than the value; "": it is known.
    :param spread: of a measured value; None: of a published one, and of one that was stopped.
    :param first: of a ratio over the first merges only, because a run was stopped: how many.
    """

    value: float
    bound: str = ""
    spread: Spread | None = field(default=None, compare=False)
    first: int = 0

    def __str__(self) -> str:
        """Return it as tables write it.

        >>> str(Amount(600, ">")), str(Amount(6.75, first=10_619))
        ('> 600', '6.75 over the first 10,619 merges')
        """
        over = f"over the first {self.first:,} merges" if self.first else ""
        return f"{self.bound} {self.spread or three_digits(self.value)} {over}".strip()


@dataclass(frozen=True)
class Measured:
    """What a case took in a phase.

    :param case: its name.
    :param records: of it.
    :param phase: one of `PHASES`.
    """

    case: str
    records: "pandas.DataFrame"
    phase: str

    @cached_property
    def by_round(self) -> dict[int, float]:
        """Round -> seconds or merges per second; NaN where a record has no such phase."""
        parts = self.records.reindex(columns=PHASES[self.phase]).astype(float)
        return dict(zip(self.records["round"], parts.sum(axis=1, skipna=False), strict=True))

    @cached_property
    def stopped(self) -> bool:
        """Whether a time budget stopped it."""
        return bool(stopped(self.records).any())

    @cached_property
    def amount(self) -> Amount:
        """The median; of a stopped case a bound, because seconds are less than all would take."""
        spread = spread_of(list(self.by_round.values()))
        if self.stopped:
            return Amount(spread.median, "<" if self.phase == RATE else ">")
        return Amount(spread.median, "", spread)

    @cached_property
    def traced(self) -> int:
        """Merges of which every record has the moment; 0 if one has no trace."""
        traces = self.records.reindex(columns=["trace"])["trace"].tolist()
        ranks = [one["rank"] if isinstance(one, dict) else [] for one in traces]
        return min(rank[-1] + 1 if rank else 0 for rank in ranks)

    def until(self, merges: int) -> dict[int, float]:
        """Return round -> seconds until so many merges were made, between two points of a trace."""
        import numpy

        found = {}
        for row in self.records.to_dict("records"):
            at = numpy.interp(merges - 1, row["trace"]["rank"], row["trace"]["seconds"])
            more = sum(sign * row[column] for column, sign in TRACED[self.phase].items())
            found[row["round"]] = float(at) + more
        return found


def measured_ratio(baseline: Measured, case: Measured) -> Amount | None:
    """Return how many times as fast a case is as its baseline.

    By turns where the baseline ran in turns with the counter of the case; else by round. If one of
    the two was stopped, over the first merges that both have made; without their traces, a bound.

    :return: None if both were stopped, and nothing is known.
    """
    if turns := _turns(baseline, case):
        return Amount(turns.median, "", turns)
    if not (baseline.stopped or case.stopped):
        slow, fast = (case, baseline) if case.phase == RATE else (baseline, case)
        spread = ratio_by_round(slow.by_round, fast.by_round)
        return Amount(spread.median, "", spread)
    if merges := same_merges(baseline, case):
        spread = ratio_by_round(baseline.until(merges), case.until(merges))
        return Amount(spread.median, "", spread, merges)
    return speed_up(baseline.amount, case.amount, case.phase)


def _turns(baseline: Measured, case: Measured) -> Spread | None:
    """Return what a counter takes of the time of the one that it ran in turns with."""
    columns = ["param_beside", "param_counter", "param_threads"]
    one, other = (of.records.reindex(columns=columns).iloc[0] for of in (baseline, case))
    beside = one["param_beside"], one["param_threads"]
    if case.phase != "total" or beside != (other["param_counter"], other["param_threads"]):
        return None
    ratios = turn_ratios(baseline.records)
    return ratios.iloc[0] if len(ratios) else None


def same_merges(baseline: Measured, case: Measured) -> int:
    """Return how many first merges can be compared, because one was stopped after them; else 0."""
    if not (baseline.stopped or case.stopped) or not {baseline.phase, case.phase} <= TRACED.keys():
        return 0
    return min(baseline.traced, case.traced)


def seconds_of_first(baseline: Measured, case: Measured) -> str:
    """Return the seconds of a ratio over the first merges in words, "" where it is over all."""
    if not (merges := same_merges(baseline, case)):
        return ""
    said = [
        f"`{one.case}` {three_digits(spread_of(list(one.until(merges).values())).median)} s"
        for one in (baseline, case)
    ]
    return f"the first {merges:,} merges: {', '.join(said)}"


def speed_up(baseline: Amount, amount: Amount, phase: str) -> Amount | None:
    """Return how many times as fast something is as its baseline; None if that is not known.

    >>> speed_up(Amount(600, ">"), Amount(300), "merge")
    Amount(value=2.0, bound='>', spread=None, first=0)
    """
    if baseline.bound and amount.bound:
        return None
    if phase == RATE:
        # A stopped baseline has made its first merges, which are slow: a bound from above.
        return Amount(amount.value / baseline.value, amount.bound or baseline.bound)
    # If its time is a lower bound, its speed-up is an upper bound.
    bound = "<" if amount.bound else baseline.bound
    return Amount(baseline.value / amount.value, bound)
