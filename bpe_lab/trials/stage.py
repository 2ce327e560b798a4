"""A stage that a reader writes: whether it is right, what work it does, and how fast it is."""

import signal
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from bpe_lab import corpora
from bpe_lab.bench.child import Child, ChildEnded, ChildError
from bpe_lab.bench.measures.interleaved import interleaved_seconds
from bpe_lab.counting.api import count_words
from bpe_lab.registry import STAGES, find_stage
from bpe_lab.results.numbers import size_in_words
from bpe_lab.results.spread import spread_of, time_text
from bpe_lab.results.tables import markdown_table
from bpe_lab.stages.interface import Stage
from bpe_lab.stages.user_stage import check_stage_class, stage_place
from bpe_lab.support.columns import named
from bpe_lab.support.compiled_modules import compiled_module
from bpe_lab.support.time_limit import OutOfTime, time_limit
from bpe_lab.support.user_errors import describe_error
from bpe_lab.support.user_modules import load_named
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.counter_example import first_difference
from bpe_lab.trials.faults import Fault, find_fault, smallest
from bpe_lab.trials.report import Report
from bpe_lab.trials.running import how_it_failed
from bpe_lab.trials.small_corpora import LARGE_COUNTS, TRAPS, random_corpora
from bpe_lab.words.special_tokens import END_OF_TEXT

RANDOM = 80  # random corpora; the largest have ten words of up to ten bytes
CHECK_SECONDS = 6.0  # after which no further corpus is tried: a sane stage needs a fraction of it
LARGE_SECONDS = 0.5  # for counts beyond 2^31: a list for each occurrence would fill the memory
TEXT_BYTES, MERGES, WORK_SECONDS = 10_000, 50, 6.0  # what operations are counted on
BUDGET_SECONDS = 1.0  # for the merges of a text; what follows is on those that were made
TRY_SECONDS = 90.0  # after which the process of `try_stage` or `race` is ended
PASSED, GOLD = 1.5, 3.0  # how many times as fast as the stage `cython` one must be in `race`

Work = Mapping[str, int]  # operation -> how often
Phases = Mapping[str, Mapping[str, float]]  # stage -> the seconds of each phase
Pairs = Sequence[tuple[float, float]]  # seconds of two stages, turn by turn


class Size(NamedTuple):
    """What a stage is tried on."""

    texts: tuple[tuple[str, int], ...]  # bundled corpora, each with a number of merges
    beside: tuple[str, ...]  # the stages of its ladder, one of each kind
    turns: int


SIZES = {
    "default": Size(
        (("languages", 300), ("stories", 2_000)),
        ("inverted_index", "max_heap", "cython", "cpp_flat", "core"),
        3,
    ),
    "tiny": Size((("languages", 20),), ("max_heap", "core"), 1),
}


@dataclass(frozen=True, repr=False)
class StageReport(Report):
    """What was found of a stage, in the order in which it was tried.

    After a race `phases` has the seconds of each phase, of the stage and of `cython`.
    """

    phases: Phases = field(default_factory=dict)


def check_stage(stage: type[Stage], like: str | None = None) -> StageReport:
    """Try a stage on small corpora, and say what holds or the smallest counter-example found.

    Its merges, and their counts, are compared with those of the definition: on the worked example,
    on traps, and on random words, each to the last pair.
    If all are right, its operation counts are compared with those of a stage of the lab.

    It runs in this process, where one finds a class of a cell; see `try_stage` for one of a file.

    :param stage: the class.
    :param like: id of the stage that it is compared with; None: its base class, or `word_counts`.
    :raises ValueError: there is no such stage to compare it with.

    >>> from bpe_lab.stages.naive import Naive
    >>> check_stage(type("MyNaive", (Naive,), {})).passed
    True
    """
    if like is not None:
        find_stage(like)
    name = getattr(stage, "__name__", str(stage))
    try:
        check_stage_class(stage, name)
    except TypeError as error:
        reason = str(error).removeprefix(f"{name} is not a stage: ")
        return StageReport(name, False, [f"**{named(name)} is not a stage yet:** {reason}."])
    fault, tried = _first_fault(stage)
    if fault is not None:
        return _not_right(name, fault.sentence())
    try:
        with time_limit(WORK_SECONDS):
            work = _work_beside(stage, like or stage_like(stage))
    except OutOfTime:
        work = [f"**Work:** stopped after {WORK_SECONDS:g} seconds; `naive` takes half a second."]
    except (Exception, SystemExit, GeneratorExit) as error:
        what = describe_error(named(name), error)
        return _not_right(name, f"On a text of {_work_text()}, {what}")
    return StageReport(name, True, (f"**{named(name)} makes the right merges:** {tried}.", *work))


def _first_fault(stage: type[Stage]) -> tuple[Fault | None, str]:
    """Return the smallest fault found, or None and what was tried."""
    end = perf_counter() + CHECK_SECONDS
    all_corpora = [*TRAPS, *random_corpora(RANDOM)]
    for tried, corpus in enumerate(all_corpora):
        if perf_counter() > end:
            which = f"{tried} of {len(all_corpora)} small corpora within {CHECK_SECONDS:g} seconds"
            return None, f"{which} (it is slow), each to the last pair"
        if fault := find_fault(stage, corpus):
            return smallest(stage, fault), ""
    which = f"the worked example, {len(TRAPS) - 1} traps and {RANDOM} random corpora"
    large = f"{len(LARGE_COUNTS)} with counts beyond 2^31"
    for corpus in LARGE_COUNTS:
        fault = find_fault(stage, corpus, LARGE_SECONDS)
        if fault and (fault.kind == "slow" or "MemoryError" in fault.description):
            large = "none with counts beyond 2^31 (it keeps something for each occurrence)"
            break
        if fault:
            return smallest(stage, fault), ""
    return None, f"{which}, {large}, each to the last pair"


def _not_right(name: str, reason: str) -> StageReport:
    return StageReport(name, False, (f"**{named(name)} is not right yet.** {reason}",))


@cache
def words_to_work_on() -> dict[bytes, int]:
    """Return the words of the first stories, sorted.

    The order in which a counter gives them is that of its table, and some counts depend on it.
    """
    file = corpora.excerpt("stories", TEXT_BYTES)
    return dict(sorted(count_words(file, [END_OF_TEXT]).items()))


def _work_text() -> str:
    return f"{len(words_to_work_on()):,} words"


@cache
def work_of(stage: str | type[Stage]) -> Work:
    """Return the operation counts of a stage on the first stories: the same on every machine."""
    with warnings.catch_warnings(action="ignore"):
        training = train_from_counts(words_to_work_on(), 256 + MERGES, [], stage=stage, threads=1)
    return {name: count for name, count in training.operations.items() if count}


def stage_like(stage: type[Stage]) -> str:
    """Return the stage that it is a twin of, its nearest base class, or the definition."""
    classes = {entry.load(): id_ for id_, entry in STAGES.items()}
    nearest = next((classes[base] for base in stage.__mro__ if base in classes), "word_counts")
    return str(getattr(stage, "twin_of", nearest))


def _work_beside(stage: type[Stage], like: str) -> list[str]:
    """Return the work of a stage, if it is counted: that another does as much, or a table."""
    mine, other = work_of(stage), work_of(like)
    title = f"**Work** for {MERGES} merges of {_work_text()}"
    if not mine:
        return []
    if all(other.get(name) == count for name, count in mine.items()):
        counted = ", ".join(f"{_spaced(name)} {count:,}" for name, count in mine.items())
        return [f"{title}, as much as `{like}`: {counted}."]
    rows = [
        [name, *(f"{work[each]:,}" if each in work else "–" for each in mine)]
        for name, work in ((f"**{named(stage.__name__)}**", mine), (f"`{like}`", other))
    ]
    table = markdown_table(["stage", *map(_spaced, mine)], rows)
    return [f"{title}, beside `{like}`:", table]


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def try_stage(
    stage: str, size: str = "default", like: str | None = None, turns: int = 1
) -> StageReport:
    """Try a stage: small corpora, operation counts, digests of the bundled texts, the ladder.

    All of it runs in a process of its own: a stage may end it, and it is ended when it takes too
    long.

    :param stage: "file.py" or "file.pyx" with one stage, "file.py:Class" or "module:Class".
    :param size: "default", half a minute; "tiny", seconds.
    :param like: id of a stage that it races on the last text, in place of the ladder: the report
        has the phases of the fastest training of both, on words that are counted already.
    :param turns: of each in a race.
    :raises ValueError: unknown size.

    >>> print(str(try_stage("bpe_lab.trials.traps:JoinedTies"))[:60])
    JoinedTies is not right yet. On the words {b'abc': 2, b'ac':
    """
    if size not in SIZES:
        raise ValueError(f"size is {size!r}: known are {', '.join(SIZES)}")
    name = stage.rpartition(":")[2]
    source = stage.rpartition(":")[0] or stage
    try:
        if source.endswith(".pyx"):
            compiled_module(Path(source))  # here: the time of its process is for the stage
        with Child() as child:
            params = {"place": stage, "size": size, "like": like, "turns": turns}
            return StageReport(**child.call(f"{__name__}:_tried", params, TRY_SECONDS))
    except ChildError as error:
        why = " It used memory that is not its own: an index too large, `back()` of no element."
        is_memory = isinstance(error, ChildEnded) and error.code == -signal.SIGSEGV
        return _not_right(name, f"It {how_it_failed(error, TRY_SECONDS)}.{why * is_memory}")
    except (ValueError, ImportError, OSError) as error:  # also of the folder of what is compiled
        return _not_right(name, f"{error}.")


def _tried(place: str, size: str, like: str | None, turns: int) -> dict[str, Any]:
    try:
        stage: Any = load_named(stage_place(place))
    except (ValueError, ImportError) as error:
        return asdict(_not_right(place.rpartition(":")[2], f"{error}."))
    report = check_stage(stage, like)
    passed, parts = report.passed, [*report.parts]
    phases: Phases = {}
    for text, n_merges in SIZES[size].texts:
        if passed:
            passed, finding, n_made = _digest_of(stage, text, n_merges)
            parts.append(finding)
    if passed and like:
        measured, phases = _in_turns(stage, like, text, n_made, turns)
        passed, finding = _verdict(measured, f"on `{text}`, {n_made:,} merges, n = {turns}")
        parts.append(finding)
    elif passed:
        parts += _ladder(stage, text, n_made, SIZES[size])
    return asdict(replace(report, passed=passed, parts=parts, phases=phases))


def _digest_of(stage: type[Stage], text: str, n_merges: int) -> tuple[bool, str, int]:
    """Tell whether the merges of a text are those of the fastest stage, say so, and how many."""
    path = corpora.path(text)
    counts = count_words(path, [END_OF_TEXT])
    where = f"`{text}` ({size_in_words(path.stat().st_size)})"
    name = named(stage.__name__)
    try:
        with warnings.catch_warnings(action="ignore"):
            training = train_from_counts(
                counts, 257 + n_merges, stage=stage, time_budget=BUDGET_SECONDS
            )
    except (Exception, SystemExit, GeneratorExit) as error:
        return False, f"**Digest:** on {where}, {describe_error(name, error)}", 0
    stopped, n_made = training.stopped_by == "time_budget", len(training.merges)
    if stopped and not n_made:
        reason = f"{name} made no merge in {BUDGET_SECONDS:g} s."
        return False, f"**Digest:** of {where}, {reason}", 0
    right = train_from_counts(counts, 257 + (n_made if stopped else n_merges), stage="core")
    if differs := first_difference(right.merges, training.merges):
        rank, due, merge = differs
        does = f"makes `{merge}`" if merge else "says that no pair is left"
        said = f"merge {rank + 1:,} must be `{due}`; {name} {does}"
        return False, f"**Digest:** of {where}, {said}. The small corpora do not show it.", 0
    which = f"{'first ' * stopped}{n_made:,} merges of {where}"
    digest = f"**Digest:** its {which} are those of `core`, `{training.merges_sha256[:12]}`."
    return True, digest, n_made


def _in_turns(
    stage: type[Stage], other: str, text: str, n_merges: int, turns: int
) -> tuple[Pairs, Phases]:
    """Return the seconds of another stage and of this one, and the phases of their fastest runs."""
    counts = count_words(corpora.path(text), [END_OF_TEXT])
    runs: dict[str, list[dict[str, float]]] = {other: [], stage.__name__: []}

    def seconds(name: str, trained: str | type[Stage]) -> float:
        training = train_from_counts(counts, 257 + n_merges, stage=trained)
        runs[name].append(training.phases)
        return sum(training.phases.values())

    pairs = interleaved_seconds(
        lambda: seconds(other, other), lambda: seconds(stage.__name__, stage), turns
    )
    fastest = {name: min(each, key=lambda run: sum(run.values())) for name, each in runs.items()}
    return pairs, fastest


def _verdict(turns: Pairs, where: str) -> tuple[bool, str]:
    """Tell whether a stage is fast enough beside `cython`, and how fast it is."""
    factor = spread_of([theirs / mine for theirs, mine in turns])
    said = f"{factor} times as fast as `cython` {where}"
    if factor.median < PASSED:
        return False, f"**Not yet:** {said}; {PASSED:g} is the aim."
    if factor.median < GOLD:
        return True, f"**Passed:** {said}; gold is at {GOLD:g}."
    return True, f"**Gold:** {said}."


def _ladder(stage: type[Stage], text: str, n_merges: int, size: Size) -> list[str]:
    """Return how fast a stage is beside some of the lab, as a table, and how it was measured."""
    rows, name = [], named(stage.__name__)
    # What it was made from is a step of its own ladder.
    for other in dict.fromkeys((stage_like(stage), *size.beside)):
        pairs, _ = _in_turns(stage, other, text, n_merges, size.turns)
        theirs, mine = (time_text(spread_of(seconds)) for seconds in zip(*pairs, strict=True))
        factor = spread_of([each / own for each, own in pairs])
        said = f"is {factor} times as fast"
        if factor.median < 1:
            said = f"takes {factor.inverse} times as long"
        rows.append([f"`{other}`", theirs, mine, said])
    spread = ": medians, with the least and the greatest" if size.turns > 1 else ""
    caption = (
        f"**Ladder** on {n_merges:,} merges of `{text}`, measured here, {name} in turns with each; "
        f"n = {size.turns}{spread}."
    )
    return [caption, markdown_table(["stage", "its time", f"{name} beside it", name], rows)]
