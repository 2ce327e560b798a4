"""A stage is tried whole: traps, digests, operation counts, and a step of the ladder for it."""

import warnings
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from bpe_lab import corpora
from bpe_lab.lessons.checks.faults import said_of_error, said_of_place
from bpe_lab.lessons.checks.report import Report, Table
from bpe_lab.lessons.checks.stage_check import check_stage
from bpe_lab.lessons.checks.stage_ladder import SIZES, Ladder, factor, measure_ladder, same_digest
from bpe_lab.lessons.checks.stage_work import (
    MERGES,
    Work,
    built,
    stage_like,
    words_to_work_on,
    work_of,
)
from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit
from bpe_lab.registry import load_stage
from bpe_lab.results.numbers import significant, text_size
from bpe_lab.training.api import count_words
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.special_tokens import END_OF_TEXT

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

REFERENCE = "core"
OTHER_REFERENCE = "inverted_index"
"""Where the first one is not built."""

TEXTS = {"default": (("languages", 300), ("stories", 2_000)), "tiny": (("languages", 20),)}
"""Scale -> bundled corpora, each with a number of merges."""

BUDGET_SECONDS = 2.0
LIMIT_SECONDS = 60.0
"""For a text. The budget is looked at after each merge, and one merge may take long."""


@dataclass(frozen=True)
class Trial(Report):
    """What was found of a stage that was tried whole.

    :param ladder: merges per second; None when it was not measured, for the stage is not right.
    """

    ladder: Ladder | None = field(default=None, repr=False)

    __repr__ = Report.__repr__


def try_stage(stage: "str | type[Stage]", like: str | None = None, scale: str = "default") -> Trial:
    """Try a stage: small corpora, digests of the bundled texts, operation counts, the ladder.

    :param stage: the class; or "file.py:Class".
    :param like: id of the stage that it is compared with; None: its base class, or the most alike.
    :param scale: "default", about half a minute; "tiny", seconds.
    :raises ValueError: unknown stage, scale or file.

    >>> from bpe_lab.stages.naive import Naive
    >>> try_stage(type("Mine", (Naive,), {}), scale="tiny").passed
    True
    """
    if scale not in SIZES:
        raise ValueError(f"scale is {scale!r}: known are {', '.join(SIZES)}")
    checked = check_stage(stage, like)
    if not checked.passed:
        return Trial(checked.stage, False, checked.parts)
    found = load_stage(stage)[1]
    name, parts = found.__name__, list(checked.parts)
    for text, n_merges in TEXTS[scale]:
        right, said = digest_of(found, text, n_merges)
        parts.append(said)
        if not right:
            return Trial(name, False, tuple(parts))
    try:
        with TimeLimit(LIMIT_SECONDS):
            like = like or stage_like(found)
            parts += work_parts(name, work_of(found))
        ladder = measure_ladder(found, like, SIZES[scale])
    except OutOfTime:
        parts.append(f"**Ladder:** not measured, {name} takes too long for it.")
        return Trial(name, True, tuple(parts))
    return Trial(name, same_digest(ladder.steps), (*parts, *ladder_parts(ladder)), ladder)


def digest_of(stage: "type[Stage]", text: str, n_merges: int) -> tuple[bool, str]:
    """Compare the merges of a bundled text with those of the fastest stage.

    :param stage: the class.
    :param text: name of a bundled corpus.
    :param n_merges: how many are made, or fewer within the time budget.
    :return: whether they are the same, and a sentence about it.

    >>> from bpe_lab.stages.naive import Naive
    >>> digest_of(Naive, "languages", 2)[0]
    True
    """
    path = corpora.path(text)
    counts = count_words(path, [END_OF_TEXT])
    where = f"`{text}` ({text_size(path.stat().st_size)})"
    reference = REFERENCE if REFERENCE in built() else OTHER_REFERENCE
    name, end = stage.__name__, 257 + n_merges
    try:
        with TimeLimit(LIMIT_SECONDS), warnings.catch_warnings(action="ignore"):
            made = train_from_counts(counts, end, stage=stage, time_budget=BUDGET_SECONDS)
    except OutOfTime as error:
        place = said_of_place(stage, error)
        return False, f"**Digest:** of {where}, {name} had no merge after a minute{place}."
    except Exception as error:
        return False, f"**Digest:** on {where}, {said_of_error(stage, error)}"
    stopped = made.stopped_by == "time_budget"
    right = train_from_counts(counts, 257 + len(made.merges) if stopped else end, stage=reference)
    for rank, (one, other) in enumerate(zip_longest(made.merges, right.merges)):
        if one != other:
            does = f"makes `{one}`" if one else "says that no pair is left"
            return False, (
                f"**Digest:** of {where}, merge {rank + 1:,} must be `{other}`; {name} {does}. "
                "The small corpora do not show it."
            )
    first = "first " if stopped else ""
    return True, (
        f"**Digest:** its {first}{len(made.merges):,} merges of {where} are those of "
        f"`{reference}`, `{made.merges_sha256[:12]}`."
    )


def work_parts(name: str, mine: Work) -> list[str | Table]:
    """Return the operation counts of a stage beside those of all stages, as a table.

    :param name: of the stage.
    :param mine: its operation counts.
    """
    if not mine:
        return []
    rows = [[f"**{name}**", *(f"{count:,}" for count in mine.values())]]
    for id_ in built():
        work = work_of(id_)
        rows.append([f"`{id_}`", *(f"{work[one]:,}" if one in work else "–" for one in mine)])
    said = (
        f"**Operation counts** of all stages for {MERGES} merges of {len(words_to_work_on()):,} "
        f"words, for what {name} counts: the same on every machine."
    )
    return [said, Table(["stage", *(one.replace("_", " ") for one in mine)], rows)]


def ladder_parts(ladder: Ladder) -> list[str | Table]:
    """Return the ladder as a table, and how it was measured.

    :param ladder: that was measured.
    """
    size = ladder.size
    own = next(step for step in ladder.steps if step.stage == ladder.own)
    rows = [
        [
            f"**{step.stage}**" if step is own else f"`{step.stage}`",
            f"{step.n_merges:,}" if step.complete else f"first {step.n_merges:,}",
            significant(step.rate),
            factor(step, own),
        ]
        for step in ladder.steps
    ]
    how = "each value in a fresh process"
    if ladder.not_alone:
        how = f"all in this process, which has done other things before ({ladder.not_alone})"
    if same_digest(ladder.steps):
        digest = "All that were not stopped have one digest."
    else:
        digest = "**Their digests differ: the times mean nothing.**"
    rounds = f"medians of {size.rounds} rounds" if size.rounds > 1 else "one value each"
    said = (
        f"**Ladder** on `{size.text}`, {size.vocab_size:,} ids, measured here and now, in turns, "
        f"{how}; {rounds}. {digest}"
    )
    parts: list[str | Table] = [
        said,
        Table(["stage", "merges", "merges/s", f"x {ladder.own}"], rows),
    ]
    if not all(step.complete for step in ladder.steps):
        parts.append(
            f'"first": stopped after {size.time_budget:g} seconds; its rate is that of its first '
            "merges, and later ones cost less, so factors with it are estimates."
        )
    return parts
