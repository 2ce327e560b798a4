"""What each idea is worth: the core or the counter without it, in turns with the whole."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.ablations import count_by
from bpe_lab.bench.measures.in_turns import MERGING, seconds_in_turns
from bpe_lab.bench.suites import ablation, processor
from bpe_lab.corpora import data_path
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import recorded_factor
from bpe_lab.lessons.runs import this_machine
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.scoreboard import smaller
from bpe_lab.plots.grouped_rows import grouped_rows
from bpe_lab.plots.style import stage_color
from bpe_lab.plots.waterfall import Fall, waterfall
from bpe_lab.results.intervals import Interval, median_interval
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import duration, significant
from bpe_lab.results.records import load

if TYPE_CHECKING:
    import pandas

ENOUGH = 15
"""Turns: the interval of 95% of their median leaves out three at each end."""

FEW_TURNS = 3
"""Of programs that take seconds."""


def turns() -> int:
    """Return how often each of two programs runs: once at tiny scale.

    >>> turns() in (1, ENOUGH)
    True
    """
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

    pairs = seconds_in_turns(lambda: seconds(without), lambda: seconds(whole), turns())
    assert merges[without] == merges[whole]
    return said(f"{len(counts):,} words, {n_merges:,} merges", pairs, recorded_worth("idea", idea))


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
        return seconds_of_counting(way, text)

    pairs = seconds_in_turns(lambda: seconds(without), lambda: seconds(whole), turns())
    return said(f"{len(text) / 1e6:.1f} MB of text", pairs, recorded_worth("counting", idea))


def seconds_of_counting(way: str, text: bytes) -> float:
    """Return how long one way to count takes.

    :param way: of `ablations.COUNTING_WAYS`.
    :param text: UTF-8.

    >>> seconds_of_counting("recent", b"to be") > 0
    True
    """
    from time import perf_counter

    begun = perf_counter()
    count_by(way, text)
    return perf_counter() - begun


def said(of: str, pairs: "list[tuple[float, float]]", recorded: str) -> Prose:
    """Return a measured factor with its interval, and the recorded one.

    :param of: on what it was measured.
    :param pairs: seconds without the idea and with it, turn by turn.
    :param recorded: what `recorded_worth` says.
    """
    factor = median_interval([without / whole for without, whole in pairs])
    without, whole = middle_turn(pairs)
    return say(
        f"{of}: **{ablation.factor_text(factor)} times** as long without the idea "
        f"({duration(without)} and {duration(whole)} in {turn_said(len(pairs))})"
        f"{resolution(factor, len(pairs))}. {recorded}"
    )


def middle_turn(pairs: "list[tuple[float, float]]") -> tuple[float, float]:
    """Return the seconds of the turn whose factor is the median, or the next one below it.

    :param pairs: seconds of two programs, turn by turn.

    >>> middle_turn([(2.0, 1.0), (9.0, 3.0), (8.0, 1.0)])
    (9.0, 3.0)
    """
    return sorted(pairs, key=ratio)[(len(pairs) - 1) // 2]


def turn_said(n_turns: int) -> str:
    """Return what the turn in the middle of some turns is called.

    >>> turn_said(15), turn_said(1)
    ('the middle one of 15 turns', 'one turn')
    """
    return "one turn" if n_turns == 1 else f"the middle one of {n_turns} turns"


def recorded_said() -> Prose:
    """Say on which machine the recorded factors were measured, and where this notebook runs.

    >>> recorded_said().split(" ")[0]
    'This'
    """
    here = f"This notebook ran on {this_machine()}."
    records = recorded("bench", ablation.SUITE.id)
    if records is None:
        return say(
            f"{here} Factors of single ideas are not part of the recorded results: what is said "
            "of them is of this run. `bpe-lab bench ablation` measures them on your machine, on "
            "larger texts."
        )
    machine = machine_line(records["machine"].iloc[0])
    return say(f"{here} Recorded factors, where some are said, are those of {machine}.")


def whole_factor(counts: Mapping[bytes, int], n_merges: int) -> Prose:
    """Say how many times as long merging takes `cpp_positions` as the core.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> whole_factor({b"low": 5, b"lower": 2}, 3).split(":")[0]
    '2 words, 3 merges'
    """
    seconds = merging_by("cpp_positions", counts, n_merges)
    core = merging_by("core", counts, n_merges)
    pairs = [(seconds(), core()) for _ in range(min(turns(), FEW_TURNS))]
    least, most = min(map(ratio, pairs)), max(map(ratio, pairs))
    before, after = middle_turn(pairs)
    return say(
        f"{len(counts):,} words, {n_merges:,} merges: `cpp_positions` takes **{significant(least)} "
        f"to {significant(most)} times** as long as `core` ({duration(before)} and "
        f"{duration(after)} in {turn_said(len(pairs))})."
    )


def recorded_gain() -> Prose:
    """Say how many times as fast the core merges as `cpp_positions`: few words, and many.

    >>> recorded_gain().split(",")[0]
    'Recorded on a quiet machine'
    """
    stages = "cpp_positions", "core"
    few = recorded_factor(*stages)
    many = recorded_factor(*(f"{stage}, 32,000 ids" for stage in stages), suite="vocab")
    return say(
        f"Recorded on a quiet machine, `core` merges **{few} as fast** on the {few.work}, and "
        f"**{many}** on many made words (`{many.work.replace(' (', '` (')}). The distinct words "
        "of the stories nearly fit into a cache, so little is waited for, whatever is done with "
        "them."
    )


def draw_way(counts: Mapping[bytes, int], n_merges: int) -> Figure:
    """Measure the way from `cpp_positions` to the core, and draw what each step takes away.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> len(draw_way({b"low": 5, b"lower": 2}, 3).axes[0].get_yticklabels())
    12
    """
    n_turns = min(turns(), FEW_TURNS)
    steps = {
        name: merging_by(ablation.stage_of(stage), counts, n_merges)
        for name, stage in ablation.WAY.items()
    }
    rounds = [{name: run() for name, run in steps.items()} for _ in range(n_turns)]
    core = list(ablation.WAY)[-1]
    falls = [
        Fall(name, median_interval(times).median, min(times), max(times))
        for name in steps
        for times in [[one[name] / one[core] for one in rounds]]
    ]
    return smaller(
        waterfall(
            {f"{len(counts):,} words, {n_merges:,} merges": falls},
            f"From cpp_positions to the core: {significant(falls[0].value)} times as fast",
            f"Median of {n_turns} rounds of all steps; bar with caps: least to greatest.\n"
            f"{this_machine()}",
            x_label="times the core (log scale)",
        )
    )


def merging_by(stage: str, counts: Mapping[bytes, int], n_merges: int) -> Callable[[], float]:
    """Return a function that trains by a stage and returns the seconds of merging.

    :param stage: id of a stage, or "module:Class".
    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> merging_by("core", {b"low": 5}, 2)() > 0
    True
    """

    def seconds() -> float:
        training = make_merges(stage, counts, n_merges)
        return sum(training.phases[phase] for phase in MERGING)

    return seconds


def ratio(pair: tuple[float, float]) -> float:
    """Return one number over another.

    >>> ratio((3.0, 2.0))
    1.5
    """
    return pair[0] / pair[1]


def resolution(factor: Interval, n_turns: int) -> str:
    """Return whether 1 is outside of the interval of a factor, "" where it is.

    >>> resolution(median_interval([1.2, 1.3, 1.25, 1.1, 1.3, 1.2]), 6)
    ''
    >>> resolution(median_interval([1.2, 1.3, 1.25, 0.9, 1.3, 1.2]), 6)
    ': **not resolved**, for the interval contains 1'
    """
    if not factor.known:
        return f"; an interval takes 6 turns, and there were {n_turns}"
    return "" if factor.excludes(1.0) else ": **not resolved**, for the interval contains 1"


def recorded_worth(kind: str, idea: str) -> str:
    """Return the recorded factors of an idea, "" where none are recorded.

    :param kind: "idea" or "counting".
    :param idea: its name.

    >>> recorded_worth("idea", "no such idea")
    ''
    """
    records = recorded("bench", ablation.SUITE.id)
    if records is None:
        return ""
    factors = [
        f"{ablation.factor_text(one.factor)}{'' if one.resolved else ', not resolved'} ({group})"
        for group, found in ablation.factors(records, kind)
        for one in found
        if one.row["idea"] == idea
    ]
    return f"Recorded: {'; '.join(factors)}." if factors else ""


@cache
def recorded(folder: str, suite: str) -> "pandas.DataFrame | None":
    """Return the records of a suite that come with the lab, None when there are none.

    :param folder: below `data/recorded`.
    :param suite: its id.

    >>> recorded("bench", "no such suite") is None
    True
    """
    try:
        return load(data_path(f"recorded/{folder}/{suite}.jsonl"))
    except FileNotFoundError:
        return None


def merge_events(before: str = "cpp_positions", after: str = "core") -> Figure | Prose:
    """Return a figure of what a processor does for a merge, by two stages, as it is recorded.

    :param before, after: ids of stages in C++.

    >>> merge_events()
    Figure: 13 times fewer misses of the last cache
    """
    records = recorded(processor.SUITE.id, processor.SUITE.id)
    if records is None:
        return missing_events()
    events = {stage: events_of(stage, "merge") for stage in (before, after)}
    groups = {
        f"{title[0].upper()}{title[1:]}": [
            processor.bar(stage, found[event], stage_color(stage))
            for stage, found in events.items()
        ]
        for event, title in processor.DRAWN.items()
    }
    fewer = significant(events[before]["ll_misses"] / events[after]["ll_misses"])
    shown = (records["corpus"] == processor.SHOWN_TEXT) & records["param_stage"].notna()
    return smaller(
        grouped_rows(
            records[shown],
            groups,
            f"{fewer} times fewer misses of the last cache",
            x_label="per merge (log scale)",
            note=f"One thread. {processor.simulated_caches(records)}",
        )
    )


def counting_events() -> Figure | Prose:
    """Return the recorded figure of what a processor does for a byte of text."""
    records = recorded(processor.SUITE.id, processor.SUITE.id)
    return missing_events() if records is None else smaller(processor.processor_counting(records))


def missing_events() -> Prose:
    """Say how to get records of the suite `processor`."""
    return say("Not recorded here. `bpe-lab bench processor` counts it, by cachegrind.")


def events_of(name: str, part: str, text: str = processor.SHOWN_TEXT) -> dict[str, float]:
    """Return the recorded events of a stage for a merge, or of the counter for a byte of text.

    :param name: id of a stage in C++, or "native".
    :param part: "merge" or "count".
    :param text: of the suite.
    :raises KeyError: none are recorded.

    >>> 100 < events_of("core", "merge")["instructions"] < 1e6
    True
    """
    records = recorded(processor.SUITE.id, processor.SUITE.id)
    if records is not None:
        for row, _, events in processor.told(records, (part,)):
            if processor.name_of(row) == name and row["corpus"] == text:
                return events
    raise KeyError(f"no events of {name} on {text} are recorded")


WORTH = 50
"""Instructions that could have been done in the time of a branch that was guessed wrong."""


def counting_events_sentence() -> Prose:
    """Say what a byte of text costs the counter, as it is recorded.

    >>> counting_events_sentence().split(":")[0]
    'For a byte of the stories'
    """
    english, rare = (events_of("native", "count", text) for text in ("stories", "many_words"))
    many = events_of("native", "count", "languages")
    wrong = WORTH * english["mispredictions"]
    return say(
        f"For a byte of the stories: {significant(english['instructions'])} instructions and, for "
        f"1,000 bytes, {significant(1e3 * english['mispredictions'])} wrong guesses. At {WORTH} "
        f"instructions each these are worth {significant(wrong)} more for each byte, so most of "
        "the time is work. What is left to guess is how many words there are in 64 bytes, and "
        "whether a word is the one in its slot. In texts of many languages, "
        f"{significant(many['instructions'])} instructions: more bytes belong to characters that "
        "are looked up one by one. And where many words are rare, the counter waits for memory: "
        f"for 1,000 bytes, {significant(1e3 * rare['ll_misses'])} misses of the last cache against "
        f"{significant(1e3 * english['ll_misses'])} in the stories."
    )


MISS = 300
"""Cycles, about, until a line comes that is in no cache."""

EACH_CYCLE = 3.5
"""Instructions, about, that a processor does in a cycle when nothing keeps it."""


def waiting_sentence(stage: str = "cpp_positions") -> Prose:
    """Say what the recorded misses of a merge cost, beside its instructions.

    :param stage: in C++.

    >>> waiting_sentence().split("**")[1]
    '210,000 cycles'
    """
    events = events_of(stage, "merge")
    few = events_of(stage, "merge", "stories")["ll_misses"]
    misses, instructions = events["ll_misses"], events["instructions"]
    waits, works = (float(f"{n:.2g}") for n in (MISS * misses, instructions / EACH_CYCLE))
    return say(
        f"Multiply: for a merge by `{stage}`, {significant(misses)} misses of some {MISS} cycles "
        f"are **{waits:,.0f} cycles**; {significant(instructions)} instructions are about "
        f"{works:,.0f}. When its arrays are larger than the last cache, it waits for memory: for "
        "the cells around a position, the word of the position, the count of the word, and four "
        f"entries of a table for each match. (On the stories, a merge has {significant(few)} such "
        "misses: there was little to gain.)"
    )
