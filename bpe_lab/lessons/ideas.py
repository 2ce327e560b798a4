"""What each idea is worth: the core or the counter without it, in turns with the whole."""

from collections.abc import Mapping
from functools import cache
from time import perf_counter
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.bench.measures.in_turns import MERGING, seconds_in_turns
from bpe_lab.bench.suites import ablation, processor
from bpe_lab.corpora import data_path
from bpe_lab.experiments.ablations import count_by
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.scoreboard import smaller
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import stage_color
from bpe_lab.results.intervals import Interval, median_interval
from bpe_lab.results.numbers import duration, significant
from bpe_lab.results.records import load

if TYPE_CHECKING:
    import pandas

ENOUGH = 15
"""Turns: the interval of 95% of their median leaves out three at each end."""

FEW_TURNS = 3
"""Of programs that take seconds."""


def _turns() -> int:
    """Return how often each of two programs runs: once at tiny scale."""
    return ENOUGH if scale() is SCALES["normal"] else 1


def worth(idea: str, counts: Mapping[bytes, int], n_merges: int) -> Prose:
    """Measure an idea of the core, and say how many times as long merging takes without it.

    :param idea: a key of `ablation.IDEAS`.
    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.
    :raises AssertionError: the merges are not the same.

    >>> worth("a floor", {b"low": 5, b"lower": 2}, 3).split(":")[0]
    '2 words, 3 merges'
    """
    without, whole = (ablation.stage_of(name) for name in ablation.IDEAS[idea])
    merges = {}

    def seconds(stage: str) -> float:
        training = make_merges(stage, counts, n_merges)
        merges[stage] = training.merges
        phases = ablation.PHASES_OF.get(idea, list(MERGING))
        return sum(training.phases[phase] for phase in phases)

    pairs = seconds_in_turns(lambda: seconds(without), lambda: seconds(whole), _turns())
    assert merges[without] == merges[whole]
    return _said(f"{len(counts):,} words, {n_merges:,} merges", pairs)


def counting_worth(idea: str, text: bytes) -> Prose:
    """Measure an idea of the counter, and say how many times as long counting takes without it.

    :param idea: a key of `ablation.COUNTING`.
    :param text: UTF-8.
    :raises AssertionError: the counts are not the same.

    >>> counting_worth("64 bytes at once", b"to be or not to be").split(":")[0]
    '0.0 MB of text'
    """
    without, whole = ablation.COUNTING[idea]
    assert count_by(without, text) == count_by(whole, text)

    def seconds(way: str) -> float:
        begun = perf_counter()
        count_by(way, text)
        return perf_counter() - begun

    pairs = seconds_in_turns(lambda: seconds(without), lambda: seconds(whole), _turns())
    return _said(f"{len(text) / 1e6:.1f} MB of text", pairs)


def _said(of: str, pairs: "list[tuple[float, float]]") -> Prose:
    """Return a measured factor with its interval."""
    factor = median_interval([without / whole for without, whole in pairs])
    without, whole = _middle_turn(pairs)
    return say(
        f"{of}: **{factor} times** as long without the idea "
        f"({duration(without)} and {duration(whole)} in {_turn_said(len(pairs))})"
        f"{_resolution(factor, len(pairs))}."
    )


def _middle_turn(pairs: "list[tuple[float, float]]") -> tuple[float, float]:
    """Return the seconds of the turn whose factor is the median, or the next one below it."""
    return sorted(pairs, key=_ratio)[(len(pairs) - 1) // 2]


def _turn_said(n_turns: int) -> str:
    return "one turn" if n_turns == 1 else f"the middle one of {n_turns} turns"


def whole_factor(counts: Mapping[bytes, int], n_merges: int) -> Prose:
    """Say how many times as long merging takes `cpp_positions` as the core.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> whole_factor({b"low": 5, b"lower": 2}, 3).split(":")[0]
    '2 words, 3 merges'
    """
    pairs = [
        (_merging_by("cpp_positions", counts, n_merges), _merging_by("core", counts, n_merges))
        for _ in range(min(_turns(), FEW_TURNS))
    ]
    least, most = min(map(_ratio, pairs)), max(map(_ratio, pairs))
    before, after = _middle_turn(pairs)
    return say(
        f"{len(counts):,} words, {n_merges:,} merges: `cpp_positions` takes **{significant(least)} "
        f"to {significant(most)} times** as long as `core` ({duration(before)} and "
        f"{duration(after)} in {_turn_said(len(pairs))})."
    )


def _merging_by(stage: str, counts: Mapping[bytes, int], n_merges: int) -> float:
    """Return the seconds of merging by a stage."""
    training = make_merges(stage, counts, n_merges)
    return sum(training.phases[phase] for phase in MERGING)


def _ratio(pair: tuple[float, float]) -> float:
    return pair[0] / pair[1]


def _resolution(factor: Interval, n_turns: int) -> str:
    """Say where 1 is inside of the interval of a factor."""
    if not factor.known:
        return f"; an interval takes 6 turns, and there were {n_turns}"
    return ": **not resolved**, for the interval contains 1" if factor.doubt else ""


@cache
def _recorded_events() -> "pandas.DataFrame":
    """Return what a processor did, as it is recorded."""
    return load(data_path(f"recorded/{processor.SUITE.id}/{processor.SUITE.id}.jsonl"))


def merge_events() -> Figure:
    """Return a figure of what a processor does for a merge, by two stages, as it is recorded.

    >>> merge_events()
    Figure: 13 times fewer misses of the last cache
    """
    records = _recorded_events()
    events = {stage: events_of(stage, "merge") for stage in ("cpp_positions", "core")}
    before, after = events.values()
    groups = processor.event_groups(
        [(stage, found, stage_color(stage)) for stage, found in events.items()]
    )
    shown = (records["corpus"] == processor.SHOWN_TEXT) & records["param_stage"].notna()
    return smaller(
        grouped_rows(
            records[shown],
            groups,
            f"{significant(before['ll_misses'] / after['ll_misses'])} times fewer misses of the "
            "last cache",
            x_label="per merge (log scale)",
            note=f"One thread. {processor.simulated_caches(records)}",
        )
    )


def counting_events() -> Figure:
    """Return the recorded figure of what a processor does for a byte of text."""
    return smaller(processor.processor_counting(_recorded_events()))


def events_of(name: str, part: str) -> dict[str, float]:
    """Return the recorded events of a stage for a merge, or of the counter for a byte of text.

    :param name: id of a stage in C++, or "native".
    :param part: "merge" or "count".

    >>> 100 < events_of("core", "merge")["instructions"] < 1e6
    True
    """
    rows = processor.told(_recorded_events())
    rows = rows[(rows["name"] == name) & (rows["part"] == part)]
    [row] = rows[rows["corpus"] == processor.SHOWN_TEXT].to_dict("records")
    return {event: float(row[event]) for event in processor.EVENTS}
