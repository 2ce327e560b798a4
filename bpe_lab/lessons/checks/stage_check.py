"""Is a stage right? A quick answer, right below the class that was just written."""

from time import perf_counter
from typing import TYPE_CHECKING

from bpe_lab.lessons.checks.faults import LIMIT_SECONDS, Fault, find_fault, said_of_error, smallest
from bpe_lab.lessons.checks.report import Report, Table
from bpe_lab.lessons.checks.small_corpora import TRAPS, SmallCorpus, random_corpora
from bpe_lab.lessons.checks.stage_work import (
    MERGES,
    compared,
    stage_like,
    words_to_work_on,
    work_of,
)
from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit
from bpe_lab.registry import find_stage, load_stage

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

RANDOM = 80
"""Random corpora; the largest have ten words of up to ten bytes."""

CHECK_SECONDS = 6.0
"""After which no further corpus is tried: a sane stage needs a fraction of a second for all."""

WORK_SECONDS = 6.0


def check_stage(stage: "str | type[Stage]", like: str | None = None) -> Report:
    """Try a stage on small corpora, and say what holds or the smallest counter-example found.

    Its merges, and their counts, are compared with those of the definition: on the worked example,
    on traps that have caught published implementations, and on random words, each to the last pair.
    If all are right, its operation counts are compared with those of a stage of the lab.

    :param stage: the class; or "file.py:Class".
    :param like: id of the stage that it is compared with; None: its base class, or the most alike.
    :raises ValueError: there is no such stage to compare it with, no such file.

    >>> from bpe_lab.stages.naive import Naive
    >>> check_stage(type("MyNaive", (Naive,), {})).passed
    True
    """
    if like is not None:
        find_stage(like)
    try:
        name, stage_class = load_stage(stage)
    except TypeError as error:
        name = getattr(stage, "__name__", str(stage))
        return Report(name, False, (f"**{name} is no stage yet.** {sentence(str(error))}",))
    fault, tried = first_fault(stage_class)
    name = stage_class.__name__
    if fault is not None:
        return Report(name, False, (f"**{name} is not right yet.** {fault.sentence()}",))
    parts: list[str | Table] = [f"**{name} makes the right merges:** {tried}."]
    passed = True
    try:
        with TimeLimit(WORK_SECONDS):
            like = like or stage_like(stage_class)
            mine = work_of(stage_class)
        work = compared(mine, work_of(like) if like else {}, like or "")
        parts.append(f"**Work** for {MERGES} merges of {len(words_to_work_on()):,} words, {work}")
    except OutOfTime:
        parts.append(
            f"**Work:** it was stopped after {WORK_SECONDS:g} seconds on {MERGES} merges of "
            f"{len(words_to_work_on()):,} words, for which `naive` takes half a second."
        )
    except Exception as error:
        passed = False
        parts = [f"**{name} is not right yet.** On a text of {len(words_to_work_on()):,} words, "
                 f"{said_of_error(stage_class, error)}"]  # fmt: skip
    return Report(name, passed, tuple(parts))


def first_fault(stage: "type[Stage]") -> tuple[Fault | None, str]:
    """Return the smallest fault found, or None and what was tried.

    :param stage: the class.

    >>> from bpe_lab.stages.naive import Naive
    >>> first_fault(Naive)
    (None, 'the worked example, 23 traps and 80 random corpora, each to the last pair')
    """
    begun, tried = perf_counter(), 0
    corpora: list[SmallCorpus] = [*TRAPS, *random_corpora(RANDOM)]
    for corpus in corpora:
        if perf_counter() - begun > CHECK_SECONDS:
            break
        if fault := find_fault(stage, corpus, LIMIT_SECONDS):
            return smallest(stage, fault), ""
        tried += 1
    random = tried - len(TRAPS)
    if tried == len(corpora):
        said = f"the worked example, {len(TRAPS) - 1} traps and {random} random corpora"
    else:
        said = (
            f"{tried} of {len(corpora)} small corpora within {CHECK_SECONDS:g} seconds (it is slow)"
        )
    return None, f"{said}, each to the last pair"


def sentence(text: str) -> str:
    """Return a text with a full stop.

    >>> sentence("it lacks select"), sentence("Done.")
    ('it lacks select.', 'Done.')
    """
    return text if text.endswith(".") else f"{text}."
