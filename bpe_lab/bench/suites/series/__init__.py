"""Suite `series`: the programs of the published series beside our stages, on the same text.

A published time differs from ours by the text and by the program; here the text is the same. The
programs stay in a checkout that the reader names: nothing of them is in this repository.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import stage_color
from bpe_lab.results.code_facts import git_describe
from bpe_lab.results.numbers import duration, three_digits, two_digits
from bpe_lab.results.spread import drawn_spreads, reference_ratios
from bpe_lab.results.tables import (
    Columns,
    Records,
    factor,
    over,
    rows_table,
    sized_text,
    summary,
    time_cell,
)

REPOSITORY = "https://github.com/fancyerii/assignment1-basics-bpe"

WHOLE, MERGING = "Whole job in Python", "After the first counts, in C++"


class Pair(NamedTuple):
    """What the lab knows about a program of the series."""

    work: str  # what is timed
    stage: str  # ours, with the same idea
    idea: str

    def places(self, program: str) -> list[str]:
        """Return where the program may be in a checkout."""
        if self.work == WHOLE:
            return [f"cs336_basics/{program}.py"]
        return [f"cppupdate/{folder}bpe_train_updater_{program}" for folder in ("build/", "")]


PAIRS: Mapping[str, Pair] = {
    "bpe_v1": Pair(WHOLE, "word_counts", "distinct words; all pairs are counted for each merge"),
    "bpe_v2": Pair(WHOLE, "inverted_index", "pair -> words: only these are counted again"),
    "bpe_v5": Pair(WHOLE, "fine_grained", "only the pairs that touch a match change"),
    "bpe_v6": Pair(WHOLE, "max_heap_python", "a lazy max-heap written in Python"),
    "bpe_v7": Pair(WHOLE, "max_heap", "a lazy max-heap of the standard library"),
    "fine_grained_emhash8": Pair(
        MERGING, "cpp_scan", "no heap: all counts are scanned, theirs without gaps"
    ),
    "fine_grained_heap_opt": Pair(MERGING, "cpp_map", "a lazy heap, std::unordered_map"),
    "fine_grained_heap_emhash8_set9_opt": Pair(MERGING, "cpp_flat", "a lazy heap, a flat table"),
}
"""Program -> our stage, in the order of the ladder."""

TEXTS: Mapping[str, Mapping[str, tuple[str, int, int]]] = {
    "tiny": {WHOLE: ("stories", 5_000, 280), MERGING: ("stories", 5_000, 280)},
    "default": {WHOLE: ("stories", 0, 2_000), MERGING: ("many_words", 16_000_000, 32_000)},
    "full": {WHOLE: ("stories", 0, 10_000), MERGING: ("many_words", 100_000_000, 64_000)},
}
"""Scale -> work -> text, bytes and ids."""

NOTE = (
    "One CPU each. Whole job: from reading the text to merges in memory; one process counts, ours "
    "with the counter regex. In C++ the pair counts and the index are there; theirs by their clock."
)


def find_programs(checkout: Path) -> dict[str, str]:
    """Return the programs in a checkout, compiled ones where they are: program -> its file."""
    programs = {
        program: place
        for program, pair in PAIRS.items()
        for place in reversed(pair.places(program))  # the first that is there
        if os.access(checkout / place, os.R_OK if pair.work == WHOLE else os.X_OK)
    }
    if not any(PAIRS[program].work == WHOLE for program in programs):
        raise ValueError(
            f"{checkout} has none of the series' trainers, such as cs336_basics/bpe_v1.py: name a "
            f"folder made by `git clone {REPOSITORY}`"
        )
    return programs


def cases(scale: str, *, checkout: Path | str | None = None) -> list[Case]:
    """Return each program of a checkout after our stage beside it.

    :param checkout: a folder; all programs without one, or if it is only its name, from a record.
    """
    folder = checkout.resolve() if isinstance(checkout, Path) else None
    programs = find_programs(folder) if folder else dict.fromkeys(PAIRS, "")
    left_out = [(pair.stage, one) for one, pair in PAIRS.items() if one not in programs]
    chosen = []
    for program, place in programs.items():
        work, stage, _ = PAIRS[program]
        text, text_bytes, vocab_size = TEXTS[scale][work]
        on = {"text": text, "text_bytes": text_bytes, "vocab_size": vocab_size}
        common: dict[str, Any] = {
            "agrees": work,
            "tokens_beside": stage,
            "cpus": 1,
            "environment": {"SERIES_CHECKOUT": str(folder or "")},
            "facts": {
                "version": (folder and git_describe(folder)) or "",
                "left_out": [case for both in left_out for case in both],
            },
        }
        ours, theirs = {"stage": stage, "merging": work == MERGING, **on}, {"program": place, **on}
        chosen.append(Case(stage, f"{__name__}.measure:run_stage", ours, **common))
        chosen.append(Case(program, f"{__name__}.measure:run_program", theirs, **common))
    return chosen


def compared(records: Records) -> Records:
    """Return the summary of the programs that were measured, as our stage was.

    Added: stage; idea; ours (as written); factor (`Spread` of what the program takes of our time,
    by turns; else by round); group (work and text).
    """
    rows, turns = summary(records), reference_ratios(records)
    programs = [one for one in rows.index if one in PAIRS and PAIRS[one].stage in rows.index]
    if not programs:
        raise ValueError("no program was measured beside our stage")
    stages = [PAIRS[program].stage for program in programs]
    theirs = rows.loc[programs]
    by_round = over(rows, [PAIRS[one].stage if one in programs else one for one in rows.index])
    return theirs.assign(
        stage=stages,
        idea=[PAIRS[program].idea for program in programs],
        ours=rows.apply(time_cell, axis=1).loc[stages].tolist(),
        factor=[turns.get(program, by_round[program]) for program in programs],
        group=[
            f"{row['agrees']}, {sized_text(row)}, {row['param_vocab_size']:,} ids"
            for _, row in theirs.iterrows()
        ],
    )


COLUMNS: Columns = {
    "their program": "`{case}`",
    "our stage": "`{stage}`",
    "idea": "{idea}",
    "their time": time_cell,
    "our time": "{ours}",
    "theirs over ours": factor("factor"),
    "n": "{values}",
}


def table(records: Records) -> str:
    """Return the time of each program and of our stage beside it, by kind of work."""
    rows = compared(records)
    groups = rows.groupby("group", sort=False)
    parts = [f"{group}:\n\n{rows_table(of_group, COLUMNS)}" for group, of_group in groups]
    parts.append(f"{NOTE} All made our merges: a program that does not is an error.")
    if commit := ", ".join(filter(None, rows["version"].unique())):
        parts.append(f"Commit of the checkout: {commit}.")
    if missing := [case for case in rows["left_out"].iloc[0] if case in PAIRS]:
        parts.append(f"Left out, not in the checkout or not compiled there: {', '.join(missing)}.")
    return "\n\n".join(parts) + "\n"


def figure(records: Records) -> Figure:
    """Draw how many times the time of our stage each program takes."""
    rows = compared(records)
    drawn = rows.assign(label=rows.index, color=rows["stage"].map(stage_color))
    drawn = drawn.assign(**drawn_spreads(rows["factor"]))
    drawn["text"] = [
        f"x {three_digits(row['factor'].median)}: {duration(row['median'])}, {row['stage']} "
        f"{row['ours'].partition(' (')[0]}"
        for _, row in rows.iterrows()
    ]
    order = drawn["median"].sort_values()
    least, most = (f"{two_digits(order.iloc[at])} ({order.index[at]})" for at in (0, -1))
    return grouped_rows(
        records,
        rows_by(drawn),
        f"With the same idea and text, the series' programs take {least} to {most} times our time",
        x_label="their time over ours (log scale)",
        note=NOTE,
        reference=1,
    )


SUITE = Suite(
    id="series",
    title="The series' own programs",
    question="How long do the programs of the published series take, beside our stages with the "
    "same ideas?",
    cases=cases,
    table=table,
    figure=figure,
    needs={"checkout": f"a folder made by `git clone {REPOSITORY}`"},
    in_all=False,
)
