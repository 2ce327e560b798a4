"""What recorded quiet runs say of stages and phases, and the run of the reader beside them."""

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from bpe_lab.corpora import data_path
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.runs import Run, run
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.texts import corpus
from bpe_lab.plots.ladder import ladder
from bpe_lab.results.numbers import duration, estimate, text_size
from bpe_lab.results.records import load
from bpe_lab.results.tables import summary
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas

OFF = 4 / 3
"""Times as much, or as little, from which a live factor is said to be off."""

MERGING, WHOLE = "merging", "whole"


@dataclass(frozen=True)
class RecordedFactor:
    """How many times as long one case takes as another, both of the same recorded suite."""

    value: float  # of the medians; per merge, where a case makes merges
    suite: str
    work: str
    first_merges: bool = False  # a budget of time stopped one of them

    def __str__(self) -> str:
        if self.first_merges and self.value >= 10:  # an estimate: not to be said to the last digit
            return f"about {estimate(self.value)} times"
        return f"{times(self.value)} times"

    @property
    def source(self) -> str:
        """Where it comes from, as prose has it."""
        first = ", the first merges of the slower one" if self.first_merges else ""
        return f"recorded on a quiet machine: suite `{self.suite}`, {self.work}{first}"


@cache
def rows_of(suite: str) -> "pandas.DataFrame":
    """Return the recorded cases of a suite, as `summary` has them."""
    path = data_path(f"recorded/bench/{suite}.jsonl")
    return summary(load(path))


def times(factor: float) -> str:
    """Return a factor as prose has it: with one decimal, or from 10 on none."""
    return f"{factor:.1f}" if factor < 9.95 else f"{factor:,.0f}"


def recorded_factor(
    before: str, after: str, *, of: str = MERGING, suite: str = "ladder"
) -> RecordedFactor:
    """Return how many times as long a case took as another one, on a quiet machine.

    :param before: the slower case.
    :param after: the faster one.
    :param of: "merging", "whole", or the name of a phase.
    :param suite: whose cases they are.
    :raises KeyError: the suite has no such case.

    >>> recorded_factor("fine_grained", "max_heap", of="select").value > 5
    True
    >>> recorded_factor("stories, regex", "stories, native x1", of=WHOLE, suite="counting").work
    'stories (10.0 MB)'
    """
    rows = rows_of(suite)
    slow, fast = rows.loc[before].to_dict(), rows.loc[after].to_dict()
    ids = f", {slow['vocab_size']:,.0f} ids" if of != WHOLE and "vocab_size" in rows else ""
    return RecordedFactor(
        seconds_per_merge(slow, of) / seconds_per_merge(fast, of),
        suite,
        f"{slow['corpus']} ({text_size(slow['corpus_bytes'])}){ids}",
        not slow["complete"],
    )


def seconds_per_merge(row: Mapping[Hashable, Any], of: str) -> float:
    """Return the seconds of a case; per merge, where it makes some."""
    if of == WHOLE:
        return float(row["median"])
    if of == MERGING:  # as the ladder has it: the median of rates
        return 1 / float(row["merges_per_second"])
    return float(row[f"phase_{of}"] / row["n_merges"])


OFF_SAID = (
    "The two are more than a third apart: this run was disturbed, or this machine is of another "
    "kind than the recorded one."
)


def is_off(recorded: float, live: float) -> bool:
    """Tell whether a live factor is more than a third off; never at tiny scale."""
    if scale() is SCALES["tiny"]:
        return False
    return not 1 / OFF <= live / recorded <= OFF if live > 0 and math.isfinite(live) else True


def gain(before: str, after: str) -> Prose:
    """Say what a step of the ladder gains in merging: recorded, and here, by the same work.

    Both stages make the merges that they make in the recorded run, on the same text. (At tiny scale
    a few, on a small one.)

    :param before: id of the slower stage.
    :param after: id of the faster one.
    :raises AssertionError: their merges are not the same.

    >>> gain("inverted_index", "max_heap").split("**")[0]
    'From `inverted_index` to `max_heap`, merging became '
    """
    recorded = recorded_factor(before, after)
    slow, fast = run_as_recorded(before), run_as_recorded(after)
    n_merges = min(len(slow.training.merges), len(fast.training.merges))
    assert slow.digest(n_merges) == fast.digest(n_merges), (before, after)
    here = slow.per_merge / fast.per_merge
    made = [len(one.training.merges) for one in (slow, fast)]
    repeated = f"{made[0]:,} merges of each"
    if made[0] != made[1]:
        repeated = f"{made[0]:,} merges of `{before}`, {made[1]:,} of `{after}`"
    said = (
        f"From `{before}` to `{after}`, merging became **{recorded} as fast**, {recorded.source}. "
        f"Here, when that is repeated ({repeated}): {times(here)} times, "
        f"{duration(slow.per_merge)} and {duration(fast.per_merge)} per merge."
    )
    return say(f"{said} *{OFF_SAID}*" if is_off(recorded.value, here) else said)


def run_as_recorded(stage: str) -> Run:
    """Run a stage as the recorded ladder did: the whole of the stories, as many merges."""
    n_merges = rows_of("ladder")["n_merges"].to_dict()[stage]
    return _run_whole(stage, min(n_merges, scale().many))


@cache
def _run_whole(stage: str, n_merges: int) -> Run:
    """Run a stage on the whole of the stories, once in a notebook: two gains may share it."""
    return run(stage, n_merges, seconds=None, counter="native", whole=True)


LEAST = 0.005
"""A share below it is not told."""


def recorded_shares(stage: str) -> dict[str, float]:
    """Return the share of each phase in merging, the largest first, of the recorded ladder.

    :param stage: its id.

    >>> next(iter(recorded_shares("fine_grained")))
    'select'
    """
    row = rows_of("ladder").loc[stage].to_dict()
    shares = {name: row[f"phase_{name}"] / row["merge_seconds"] for name in PHASES}
    del shares["count"]
    return dict(sorted(shares.items(), key=lambda item: item[1], reverse=True))


def _told(shares: Mapping[str, float]) -> str:
    """Return shares as prose has them."""
    return " · ".join(f"`{name}` {share:.0%}" for name, share in shares.items() if share > LEAST)


def phase_shares(one: Run | str) -> Prose:
    """Say which share of merging each phase of a stage takes: recorded, and in a run.

    :param one: from `run`; or the id of a stage, which then repeats the recorded work.

    >>> from bpe_lab.lessons.runs import run
    >>> phase_shares(run("max_heap", 3)).split("**")[1]
    'Recorded on a quiet machine'
    """
    live = run_as_recorded(one) if isinstance(one, str) else one
    row = rows_of("ladder").loc[live.stage].to_dict()
    merges = f"{row['n_merges']:,.0f} merges of {row['corpus']} ({text_size(row['corpus_bytes'])})"
    beginning = f"the first {text_size(corpus().stat().st_size)}"
    here = (
        "the same work"
        if isinstance(one, str)
        else f"{len(live.training.merges):,} merges of {beginning}"
    )
    return say(
        f"`{live.stage}`, shares of merging.\n\n"
        f"- **Recorded on a quiet machine**, {merges}: {_told(recorded_shares(live.stage))}\n"
        f"- In this run, {here}: {_told(live.shares)}"
    )


def recorded_ladder(*stages: str) -> Figure:
    """Draw the recorded merges per second of stages.

    :param stages: ids, all when none is given; the factors are over the first.

    >>> recorded_ladder("naive", "max_heap").axes[0].get_xscale()
    'log'
    """
    records = load(data_path("recorded/bench/ladder.jsonl"))
    if stages:
        records = records[records["case"].isin(stages)].reset_index(drop=True)
    return ladder(records)


def counting_beside_merging(stage: str) -> Prose:
    """Say how long the words are counted with a regular expression, and how long a stage merges.

    Both recorded, on the stories; counting takes time in proportion to the text.

    :param stage: its id.

    >>> counting_beside_merging("max_heap").split(",")[0]
    'Recorded on a quiet machine'
    """
    merging = rows_of("ladder").loc[stage].to_dict()
    counting = rows_of("counting").loc["stories, regex"].to_dict()
    seconds = counting["median"] * merging["corpus_bytes"] / counting["corpus_bytes"]
    largest, share = next(iter(recorded_shares(stage).items()))
    size = text_size(merging["corpus_bytes"])
    return say(
        f"Recorded on a quiet machine, `{stage}` makes its {merging['n_merges']:,.0f} merges of "
        f"{size} of stories in {duration(merging['merge_seconds'])}, {share:.0%} of it in "
        f"`{largest}`. To count the words of these {size} with a regular expression takes "
        f"{duration(seconds)} (in proportion to the {duration(counting['median'])} recorded for "
        f"{text_size(counting['corpus_bytes'])}): "
        f"**{times(seconds / merging['merge_seconds'])} times** as long as merging."
    )
