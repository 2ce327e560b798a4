"""Suites `tinystories` and `openwebtext`: the published experiments, on made texts like theirs.

At scale "full" the texts have the published size and every stage that finishes within an hour is
run to its end: hours in all. `bpe-lab bench all` leaves these suites out.
"""

from functools import partial

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites import ladder
from bpe_lab.bench.suites.counting import COUNT, counters
from bpe_lab.corpora.made_texts import PROFILES
from bpe_lab.results.intervals import turn_ratios
from bpe_lab.results.tables import (
    LAST_COLUMNS,
    Columns,
    Records,
    require_comparable,
    rows_table,
    short,
    summary,
)

COUNT_RANGES = "bpe_lab.bench.measures.counting:count_ranges"

RANGE_BYTES = {"tiny": 30_000, "default": 4_000_000, "full": 1_000_000_000}
"""Scale -> bytes that a counter in Python and `native` count in turn: the whole would take one of
them half an hour, in which the machine changes."""

TEXT_BYTES = {"tiny": 100_000, "default": 8_000_000}
"""Scale -> size of the text; at "full" that of the profile."""

VOCAB_SIZE = {
    "tinystories": {"tiny": 300, "default": 2_000, "full": 10_000},
    "openwebtext": {"tiny": 300, "default": 4_000, "full": 32_000},
}
TIME_BUDGET = {"tiny": 2.0, "default": 4.0, "full": 3_600.0}

FIRST = {"tinystories": "word_counts", "openwebtext": "inverted_index"}
"""The first stage of the ladder to run: those before it would take days."""

FIRST_MERGES = {"inverted_index": 2_400.0, "fine_grained": 2_400.0}
"""Stage -> seconds of merging on `openwebtext` at scale "full": it scans all pairs for each merge,
which took nine hours in the published run, so only about its first third is run."""

TINY = ("max_heap", "core", "regex", "native x1", "native x2")


def cases(profile: str, scale: str) -> list[Case]:
    """Return the counters and stages on one text."""
    size = TEXT_BYTES.get(scale, PROFILES[profile].size_bytes)
    on = {"text": profile, "text_bytes": size}
    stages = ladder.built_stages()
    shorter = FIRST_MERGES if (profile, scale) == ("openwebtext", "full") else {}
    turns = {"beside": "native", "range_bytes": RANGE_BYTES[scale]}
    made = [
        Case(name, COUNT, {**way, **on}, agrees="counts")
        if way["counter"] == "native"
        else Case(name, COUNT_RANGES, {**way, **turns, **on}, agrees="counts")
        for name, way in counters().items()
        if name != "regex_parallel x1"  # as `regex`, in a process more
    ]
    for stage in stages[stages.index(FIRST[profile]) :]:
        budget = shorter.get(stage, TIME_BUDGET[scale])
        params = {"vocab_size": VOCAB_SIZE[profile][scale], "time_budget": budget}
        made.append(Case(stage, ladder.TRAIN, {"stage": stage, **on, **params}, agrees="merges"))
    return [case for case in made if scale != "tiny" or case.name in TINY]


def _stages_of(records: Records) -> Records:
    """Return the records of stages."""
    stages = records[records["param_stage"].notna()]
    # In a table with counters, which have none, they become floats.
    return stages.astype(dict.fromkeys(("n_merges", "vocab_size", "loops"), int))


def table(records: Records) -> str:
    """Return the stages as in the suite `ladder`, and the counters below."""
    columns: Columns = {
        "counter": "{case}",
        "seconds": short("median"),
        "MB/s": short("megabytes_per_second"),
        "x native's time": lambda row: turns.get(row["case"], ""),
        "distinct words": "{operations[distinct_words]:,}",
        **LAST_COLUMNS,
    }
    counted = records[records["param_counter"].notna()]
    turns = turn_ratios(counted).map(str)
    counters = rows_table(summary(counted), columns)
    return f"{ladder.table(_stages_of(records))}\nCounting:\n\n{counters}"


def figure(records: Records) -> Figure:
    """Draw merges per second by stage."""
    require_comparable(records)
    return ladder.SUITE.figure(_stages_of(records))


SUITES = tuple(
    Suite(
        id=profile,
        title=title,
        question=(
            "How long does each counter and stage take on a text like that of a published "
            "experiment?"
        ),
        cases=partial(cases, profile),
        table=table,
        figure=figure,
        requires=("bpe_lab.native", "bpe_lab.text_maker"),
        takes_file=True,
        in_all=False,
    )
    for profile, title in (
        ("tinystories", "The size of TinyStories"),
        ("openwebtext", "The size of OpenWebText"),
    )
)
