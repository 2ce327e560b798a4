"""Suite `processor`: what a processor does for a merge and for a byte of text, event by event.

A program without Python counts the words of a text, or trains one stage, under cachegrind; for a
stage in Python it is the interpreter. Cachegrind simulates a fixed processor, so the counts depend
on the compiler, the libraries and the text, but not on the clock or on other programs.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bpe_lab.bench.stage_program import lacking
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.ladder import IN_LADDER
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE, stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import (
    Columns,
    RecordRow,
    Records,
    digest_text,
    rows_table,
    short,
    sized_text,
    summary,
)
from bpe_lab.support.sizes import size_in_words

CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "1048576,16,64"}
"""Bytes, ways and bytes per line. The last level is small because the texts are: with megabytes of
it there would be only first misses."""

EVENTS = {
    "instructions": "instructions",
    "branches": "branches",
    "mispredictions": "branches mispredicted",
    "d1_misses": "D1 misses",
    "ll_misses": "LL misses",
}
"""Event -> its name in tables and figures."""

PARTS = {"count": "count", "set_up": "lay out, count pairs"}
"""Parts given per byte of text; the third one, "merge", is given per merge."""

IN_CPP = tuple(
    stage for stage, entry in STAGES.items() if entry.implementation.startswith("bpe_lab.native:")
)

BOTH, COUNTED_ONLY = ("stories", "many_words"), ("languages", "chinese_sentences")
TEXTS = {"tiny": ("stories",), "default": BOTH, "full": BOTH}
COUNTED = {"tiny": ("stories",), "default": BOTH + COUNTED_ONLY, "full": BOTH + COUNTED_ONLY}
TEXT_BYTES = {"tiny": 20_000, "default": 1_000_000, "full": 20_000_000}
VOCAB_SIZE = {"tiny": 300, "default": 2_000, "full": 16_000}
MEASURED = {
    "tiny": ("core",),
    "default": IN_CPP,
    # The others look at all pairs before every merge: simulated fifty times as slowly, they take
    # hours.
    "full": ("cpp_map", "cpp_flat", "cpp_positions", "core"),
}
LADDER_IDS = {"tiny": 270, "default": 500, "full": 2_000}
"""For the whole ladder; at scale "default" a stage in Python ends in minutes."""

LADDER = tuple(stage for stage in IN_LADDER if stage != "naive")
"""`naive` takes an hour for the first hundred merges when it is simulated."""

FIRST_MERGES = "first merges"
"""What its cases agree in."""

LOOPS = {"tiny": 1, "default": 5, "full": 1}

SHOWN_TEXT = "many_words"
"""The text for the figure of merges, if it was measured."""

LEAST_SHOWN = 0.01
"""Start of a log axis: some events never happen."""


def cases(scale: str) -> list[Case]:
    """Return the native counter on every text, the stages in C++ on the first ones, and the first
    merges of the whole ladder."""
    params = {"text_bytes": TEXT_BYTES[scale], "caches": CACHES, "loops": LOOPS[scale]}
    counters = [
        Case(
            f"{text}, native",
            f"{__name__}.measure:counter_events",
            {"counter": "native", "text": text, **params},
            agrees=f"counts of {text}",
            once=True,
        )
        for text in COUNTED[scale]
    ]
    ladder = LADDER if scale != "tiny" else ("max_heap", "core")
    return [
        *counters,
        *(_first_merges_of(stage, scale, params) for stage in ladder),
        *(
            Case(
                f"{text}, {stage}",
                f"{__name__}.measure:stage_events",
                {"stage": stage, "text": text, "vocab_size": VOCAB_SIZE[scale], **params},
                agrees=f"merges of {text}",
                once=True,
            )
            for text in TEXTS[scale]
            for stage in MEASURED[scale]
        ),
    ]


def _first_merges_of(stage: str, scale: str, params: Mapping[str, Any]) -> Case:
    """Return the case of the first merges of a stage; one in Python is timed once."""
    is_cpp = stage in IN_CPP
    given = {name: value for name, value in params.items() if is_cpp or name != "loops"}
    return Case(
        f"stories, first merges, {stage}",
        f"{__name__}.measure:{'' if is_cpp else 'python_'}stage_events",
        {"stage": stage, "text": "stories", "vocab_size": LADDER_IDS[scale], **given},
        agrees=FIRST_MERGES,
        once=True,
    )


def event_rows(records: Records) -> Records:
    """Return a row per case and part, with its events as columns.

    Added: name (of the stage or counter) and part. Events are per merge for the part "merge", else
    per byte of text.
    """
    import pandas

    rows = []
    for case, row in summary(records).iterrows():
        for part, events in row["simulated"].items():
            units = row["n_merges"] if part == "merge" else row["corpus_bytes"]
            each = {event: max(number / units, 0.0) for event, number in events.items()}
            rows.append({**row, "name": str(case).rpartition(", ")[2], "part": part, **each})
    return pandas.DataFrame(rows)


PLACE: Columns = {"text": sized_text, "stage or counter": "`{name}`"}
EVENT_COLUMNS: Columns = {title: short(event) for event, title in EVENTS.items()}
MERGE_COLUMNS: Columns = {
    **PLACE, "merges": "{n_merges:,.0f}", **EVENT_COLUMNS, "digest": digest_text
}  # fmt: skip
BYTE_COLUMNS: Columns = {**PLACE, "part": lambda row: PARTS[row["part"]], **EVENT_COLUMNS}


def table(records: Records) -> str:
    """Return the events of a merge and of a byte of text, and what was simulated."""
    rows = event_rows(records)
    is_merge = rows["part"] == "merge"
    # The first merges of the ladder begin as all merges do.
    of_bytes = ~is_merge & (rows["agrees"] != FIRST_MERGES)
    shapes = []
    for name, size in records["param_caches"].iloc[0].items():
        whole, ways, line = map(int, size.split(","))
        shapes.append(f"{name} {size_in_words(whole, 1024)}, {ways} ways, lines of {line} bytes")
    return (
        f"Per merge, counting words and pairs left out:\n\n"
        f"{rows_table(rows[is_merge], MERGE_COLUMNS)}\n\n"
        f"Per byte of text:\n\n{rows_table(rows[of_bytes], BYTE_COLUMNS)}\n\n"
        f"Simulated by cachegrind: {'; '.join(shapes)}; its own predictor of branches. Misses: of "
        "reads and writes, of the last level also of instructions. It does not model prefetching: "
        "a line that was prefetched in time is a miss like any other. Equal for each run of one "
        "program; other compilers and C libraries give other counts.\n"
    )


def simulated_caches(records: Records) -> str:
    """Return the simulated processor, for the note of a figure: it is not the machine named
    below."""
    caches = records["param_caches"].iloc[0]
    first, last = (size_in_words(int(caches[name].split(",")[0]), 1024) for name in ("D1", "LL"))
    return (
        f"Simulated by cachegrind: a first cache (D1) of {first} and a last one (LL) of {last}, "
        "without prefetching."
    )


def figure(records: Records) -> Figure:
    """Draw the events of a merge by stage, on the text with the most words."""
    rows = event_rows(records)
    rows = rows[rows["part"] == "merge"]
    text = SHOWN_TEXT if SHOWN_TEXT in set(rows["corpus"]) else rows["corpus"].iloc[0]
    rows = rows[rows["corpus"] == text]
    last = rows.iloc[-1]
    return grouped_rows(
        records[(records["corpus"] == text) & records["param_stage"].notna()],
        event_groups([(row["name"], row, stage_color(row["name"])) for _, row in rows.iterrows()]),
        f"A merge by {last['name']}: {three_digits(last['instructions'])} instructions, "
        f"{three_digits(last['mispredictions'])} mispredicted branches, "
        f"{three_digits(last['d1_misses'])} misses of the first cache",
        x_label="per merge (log scale)",
        note=f"One thread. {simulated_caches(records)}",
    )


def processor_counting(records: Records) -> Figure:
    """Draw the events per byte of counted text, by text."""
    rows = event_rows(records)
    rows = rows[rows["part"] == "count"]
    ends = (rows["instructions"].min(), rows["instructions"].max())
    each = dict.fromkeys(three_digits(1_000 * end) for end in ends)
    return grouped_rows(
        records[records["param_counter"].notna()].drop(columns="vocab_size", errors="ignore"),
        event_groups([(row["corpus"], row, PALETTE[0]) for _, row in rows.iterrows()], 1_000),
        f"For 1,000 bytes, counting takes {' to '.join(each)} instructions",
        x_label="per 1,000 bytes of text (log scale)",
        note=f"Counter native, one thread. {simulated_caches(records)}",
    )


def event_groups(
    each: Sequence[tuple[str, "RecordRow | Mapping[str, float]", str]], unit: int = 1
) -> dict[str, list[Row]]:
    """Return the groups of a figure, one per event; simulated values have no range."""
    groups: dict[str, list[Row]] = {}
    for event, title in EVENTS.items():
        if event == "branches":  # there is no room for it
            continue
        rows = groups.setdefault(f"{title[0].upper()}{title[1:]}", [])
        for label, events, color in each:
            value = unit * events[event]
            shown = max(value, LEAST_SHOWN)
            rows.append(Row(label, shown, three_digits(value), color))
    return groups


SUITE = Suite(
    id="processor",
    title="What the processor does",
    question=(
        "How many instructions, mispredicted branches and cache misses does a merge take, and a "
        "byte of text?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    more_figures=(processor_counting,),
    lacking=lacking,
)
