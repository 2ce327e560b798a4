"""A stage that a reader writes: whether it is right, what work it does, and how fast it is."""

import warnings
from itertools import zip_longest
from time import perf_counter
from typing import Any

from bpe_lab import corpora
from bpe_lab.bench.measures.interleaved import interleaved_seconds
from bpe_lab.counting.api import count_words
from bpe_lab.lessons.checks.faults import Fault, find_fault, smallest
from bpe_lab.lessons.checks.own_process import NoVerdictError, answer_of
from bpe_lab.lessons.checks.small_corpora import TRAPS, random_corpora
from bpe_lab.lessons.checks.stage_ladder import SIZES, Ladder, measure_ladder
from bpe_lab.lessons.checks.stage_report import StageReport
from bpe_lab.lessons.checks.stage_work import (
    MERGES,
    Work,
    stage_like,
    words_to_work_on,
    work_beside,
    work_of,
)
from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit
from bpe_lab.lessons.shared.scale import SCALES, TURNS, scale
from bpe_lab.registry import STAGES, find_stage
from bpe_lab.results.spread import spread_of
from bpe_lab.results.tables import markdown_table
from bpe_lab.stages.interface import Stage
from bpe_lab.stages.user_stage import check_stage_class
from bpe_lab.support.sizes import size_in_words
from bpe_lab.support.user_errors import describe_error
from bpe_lab.support.user_modules import load_named
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.special_tokens import END_OF_TEXT

RANDOM = 80
"""Random corpora; the largest have ten words of up to ten bytes."""

CHECK_SECONDS = 6.0
"""After which no further corpus is tried: a sane stage needs a fraction of a second for all."""

WORK_SECONDS = 6.0

TEXTS = {"default": (("languages", 300), ("stories", 2_000)), "tiny": (("languages", 20),)}
"""Size -> bundled corpora, each with a number of merges."""

BUDGET_SECONDS = 2.0
"""For the merges of a text, looked at after each of them."""

TRY_SECONDS, RACE_SECONDS = 120.0, 60.0
"""After which the process of `try_stage` or `race` is ended."""

PASSED, GOLD = 1.5, 3.0
"""How many times as fast as the stage `cython` one must be in `race`."""


def check_stage(stage: type[Stage], like: str | None = None) -> StageReport:
    """Try a stage on small corpora, and say what holds or the smallest counter-example found.

    Its merges, and their counts, are compared with those of the definition: on the worked example,
    on traps that have caught published implementations, and on random words, each to the last pair.
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
        return StageReport(name, False, (f"**{name} is not a stage yet.** {error}.",))
    fault, tried = _first_fault(stage)
    if fault is not None:
        return _not_right(name, fault.sentence())
    text = f"{len(words_to_work_on()):,} words"
    try:
        with TimeLimit(WORK_SECONDS):
            like = like or stage_like(stage)
            work = f", {work_beside(work_of(stage), work_of(like), like)}"
    except OutOfTime:
        work = f": stopped after {WORK_SECONDS:g} seconds; `naive` takes half a second."
    except (Exception, SystemExit, GeneratorExit) as error:
        return _not_right(name, f"On a text of {text}, {describe_error(name, error)}")
    parts = (
        f"**{name} makes the right merges:** {tried}.",
        f"**Work** for {MERGES} merges of {text}{work}",
    )
    return StageReport(name, True, parts)


def _first_fault(stage: type[Stage]) -> tuple[Fault | None, str]:
    """Return the smallest fault found, or None and what was tried."""
    begun, tried = perf_counter(), 0
    all_corpora = [*TRAPS, *random_corpora(RANDOM)]
    for corpus in all_corpora:
        if perf_counter() - begun > CHECK_SECONDS:
            break
        if fault := find_fault(stage, corpus):
            return smallest(stage, fault), ""
        tried += 1
    if tried == len(all_corpora):
        corpora_tried = f"the worked example, {len(TRAPS) - 1} traps and {RANDOM} random corpora"
    else:
        corpora_tried = (
            f"{tried} of {len(all_corpora)} small corpora within {CHECK_SECONDS:g} seconds "
            "(it is slow)"
        )
    return None, f"{corpora_tried}, each to the last pair"


def _not_right(name: str, reason: str) -> StageReport:
    return StageReport(name, False, (f"**{name} is not right yet.** {reason}",))


def try_stage(stage: str, like: str | None = None, size: str | None = None) -> StageReport:
    """Try a stage: small corpora, digests of the bundled texts, operation counts, the ladder.

    All of it runs in processes of their own: a stage may end them, and they are ended when they
    take too long.

    :param stage: "file.py:Class", "file.pyx:Class" or "module:Class".
    :param like: id of the stage that it is compared with; None: its base class, or `word_counts`.
    :param size: "default", about half a minute; "tiny", seconds; None: as the notebooks run.
    :raises ValueError: unknown stage, size or file; its module fails when it is imported.

    >>> print(str(try_stage("bpe_lab.lessons.shared.traps:JoinedTies"))[:60])
    JoinedTies is not right yet. On the words {b'ab': 1, b'abc':
    """
    if like is not None:
        find_stage(like)
    if size is None:
        size = "tiny" if scale() is SCALES["tiny"] else "default"
    if size not in SIZES:
        raise ValueError(f"size is {size!r}: known are {', '.join(SIZES)}")
    name = stage.rpartition(":")[2]
    try:
        tried = _in_own_process(stage, like, size)
        if not tried["passed"]:
            return StageReport(name, False, tried["parts"])
        ladder = measure_ladder(stage, tried["like"], SIZES[size])
    except NoVerdictError as error:
        return _not_right(name, f"{error}.")
    return StageReport(name, ladder.same_digest, (*tried["parts"], *_ladder_parts(ladder)))


def race(stage: str) -> StageReport:
    """Check a stage in a process of its own, and measure how many times as fast as `cython` it is.

    Both make the same merges of a text, in turns. The time is that of a training on words that are
    counted already; the report's `phases` are those of the fastest one of each.

    :param stage: "mystage.pyx:MyStage", which is compiled, or as `try_stage` takes it.

    >>> race("bpe_lab.lessons.shared.traps:JoinedTies").passed
    False
    """
    size = "tiny" if scale() is SCALES["tiny"] else "default"
    name = stage.rpartition(":")[2]
    try:
        raced = _in_own_process(stage, "cython", size, race=True)
    except (NoVerdictError, ValueError) as error:
        return _not_right(name, f"{error}.")
    return StageReport(name, raced["passed"], raced["parts"], raced["phases"])


def _in_own_process(
    place: str, like: str | None, size: str, *, race: bool = False
) -> dict[str, Any]:
    """Call `_tried` in a process of its own.

    :raises ValueError: the place names nothing that can be imported.
    :raises NoVerdictError: the process did not answer.
    """
    params = {"place": place, "like": like, "size": size, "race": race}
    seconds = RACE_SECONDS if race else TRY_SECONDS
    answer: dict[str, Any] = answer_of(f"{__name__}:_tried", params, seconds)
    if refused := answer.get("refused"):
        raise ValueError(refused)
    return answer


def _tried(place: str, like: str | None, size: str, race: bool) -> dict[str, Any]:
    """Return what is found of a stage in its process: all but the ladder."""
    try:
        stage: Any = load_named(place, "stage", "mystage.py:MyStage")
    except (ValueError, ImportError) as error:
        return {"refused": str(error)}
    report = check_stage(stage, like)
    phases: dict[str, dict[str, float]] = {}
    passed, parts = report.passed, list(report.parts)
    for text, n_merges in TEXTS[size]:
        if passed:
            passed, finding = _digest_of(stage, text, n_merges)
            parts.append(finding)
    if passed and race:
        passed, finding, phases = _race_with_cython(stage, *TEXTS[size][-1])
        parts.append(finding)
    elif passed:
        parts += _work_parts(stage.__name__, work_of(stage))
        like = like or stage_like(stage)
    return {"passed": passed, "parts": parts, "like": like, "phases": phases}


def _race_with_cython(
    stage: type[Stage], text: str, n_merges: int
) -> tuple[bool, str, dict[str, dict[str, float]]]:
    """Tell whether a stage is fast enough beside `cython`, how fast, and the phases of both."""
    counts = count_words(corpora.path(text), [END_OF_TEXT])
    runs: dict[str, list[dict[str, float]]] = {"cython": [], stage.__name__: []}

    def seconds(one: str | type[Stage]) -> float:
        training = train_from_counts(counts, 257 + n_merges, stage=one)
        runs["cython" if one == "cython" else stage.__name__].append(training.phases)
        return sum(training.phases.values())

    turns = interleaved_seconds(lambda: seconds("cython"), lambda: seconds(stage), TURNS)
    phases = {name: min(made, key=lambda one: sum(one.values())) for name, made in runs.items()}
    factor = spread_of([one / other for one, other in turns])
    said = f"{factor} times as fast as `cython` on `{text}`, {n_merges:,} merges, n = {TURNS}"
    if factor.median < PASSED:
        return False, f"**Not yet:** {said}; {PASSED:g} is the aim.", phases
    if factor.median < GOLD:
        return True, f"**Passed:** {said}; gold is at {GOLD:g}.", phases
    return True, f"**Gold:** {said}.", phases


def _digest_of(stage: type[Stage], text: str, n_merges: int) -> tuple[bool, str]:
    """Tell whether the merges of a text are those of the fastest stage, and say so."""
    path = corpora.path(text)
    counts = count_words(path, [END_OF_TEXT])
    where = f"`{text}` ({size_in_words(path.stat().st_size)})"
    name, end = stage.__name__, 257 + n_merges
    try:
        with warnings.catch_warnings(action="ignore"):
            training = train_from_counts(counts, end, stage=stage, time_budget=BUDGET_SECONDS)
    except (Exception, SystemExit, GeneratorExit) as error:
        return False, f"**Digest:** on {where}, {describe_error(name, error)}"
    stopped, n_made = training.stopped_by == "time_budget", len(training.merges)
    if stopped and not n_made:
        reason = f"{name} had no merge after {BUDGET_SECONDS:g} seconds."
        return False, f"**Digest:** of {where}, {reason}"
    right = train_from_counts(counts, 257 + n_made if stopped else end, stage="core")
    for rank, (one, other) in enumerate(zip_longest(training.merges, right.merges)):
        if one != other:
            does = f"makes `{one}`" if one else "says that no pair is left"
            return False, (
                f"**Digest:** of {where}, merge {rank + 1:,} must be `{other}`; {name} {does}. "
                "The small corpora do not show it."
            )
    first = "first " if stopped else ""
    return True, (
        f"**Digest:** its {first}{n_made:,} merges of {where} are those of "
        f"`core`, `{training.merges_sha256[:12]}`."
    )


def _work_parts(name: str, mine: Work) -> list[str]:
    """Return the operation counts of a stage beside those of all stages, as a table."""
    if not mine:
        return []
    rows = [[f"**{name}**", *(f"{count:,}" for count in mine.values())]]
    for id_ in STAGES:
        work = work_of(id_)
        rows.append([f"`{id_}`", *(f"{work[one]:,}" if one in work else "–" for one in mine)])
    caption = (
        f"**Operation counts** of all stages for {MERGES} merges of {len(words_to_work_on()):,} "
        f"words, for what {name} counts: the same on every machine."
    )
    return [caption, markdown_table(["stage", *(one.replace("_", " ") for one in mine)], rows)]


def _ladder_parts(ladder: Ladder) -> list[str]:
    """Return the ladder as a table, and how it was measured."""
    size, own = ladder.size, ladder.own_step
    rows = [
        [
            f"**{step.stage}**" if step is own else f"`{step.stage}`",
            f"{step.n_merges:,}" if step.complete else f"first {step.n_merges:,}",
            str(spread_of(step.rates)),
            *([step.factor(own)] if own.complete else []),
        ]
        for step in ladder.steps
    ]
    if ladder.same_digest:
        digest = "All that were not stopped have one digest."
    else:
        digest = "**Their digests differ: the times mean nothing.**"
    spread = ": medians, least to greatest in brackets, factors by round" if size.rounds > 1 else ""
    caption = (
        f"**Ladder** on `{size.text}`, {size.vocab_size:,} ids, measured here, interleaved, "
        f"each value in a fresh process; n = {size.rounds}{spread}. {digest}"
    )
    beside = [f"x {ladder.own}"] if own.complete else []
    table = markdown_table(["stage", "merges", "merges/s", *beside], rows)
    if all(step.complete for step in ladder.steps):
        return [caption, table]
    return [
        caption,
        table,
        f'"first": stopped after {size.time_budget:g} seconds; its rate is that of its first '
        "merges, when words are longest, so it has no factor.",
    ]
