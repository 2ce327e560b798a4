"""Suite `processor`: what a processor does for a merge and for a byte of text, event by event.

A program without Python counts the words of a text, or trains by one stage, under cachegrind. That
simulates a processor of a fixed shape, so the counts depend on the compiler, the
libraries and the text, and neither on the clock nor on the neighbours.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bpe_lab.bench.stage_program import lacking
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE, stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import memory_size, significant
from bpe_lab.results.tables import (
    RecordRow,
    Records,
    digest_text,
    markdown_table,
    sized_text,
    summary,
)

CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "1048576,16,64"}
"""Bytes, ways and bytes of a line. The last level is small, as the texts are: with megabytes of it
there would be no misses but the first ones."""

EVENTS = {
    "instructions": "instructions",
    "branches": "branches",
    "mispredictions": "branches mispredicted",
    "d1_misses": "D1 misses",
    "ll_misses": "LL misses",
}
"""Event -> what tables and figures call it."""

PARTS = {"count": "count", "set_up": "lay out, count pairs"}
"""Parts that are told per byte of text; the third one, "merge", per merge."""

IN_CPP = tuple(
    stage for stage, entry in STAGES.items() if entry.implementation.startswith("bpe_lab.native:")
)

TEXTS = {
    "tiny": ("stories",),
    "default": ("stories", "many_words"),
    "full": ("stories", "many_words"),
}
COUNTED_ONLY = {
    "tiny": (),
    "default": ("languages", "chinese_sentences"),
    "full": ("languages", "chinese_sentences"),
}
TEXT_BYTES = {"tiny": 20_000, "default": 1_000_000, "full": 20_000_000}
VOCAB_SIZE = {"tiny": 300, "default": 2_000, "full": 16_000}
MEASURED = {
    "tiny": ("core",),
    "default": IN_CPP,
    # The others look at all pairs before every merge: hours, fifty times as slow as they are.
    "full": ("cpp_map", "cpp_flat", "cpp_positions", "core"),
}
LOOPS = {"tiny": 1, "default": 5, "full": 1}

SHOWN_TEXT = "many_words"
"""The text of the figure of merges, where it was measured."""

DRAWN = {event: title for event, title in EVENTS.items() if event != "branches"}
"""What figures have room for."""

LEAST_SHOWN = 0.01
"""Where a log axis begins: some events never happen."""


def cases(scale: str) -> list[Case]:
    """Return the native counter on every text, and the stages in C++ on the first ones."""
    counters = [
        _case(scale, "counter", "native", text, "counter_events", {})
        for text in (*TEXTS[scale], *COUNTED_ONLY[scale])
    ]
    stages = [
        _case(scale, "stage", stage, text, "stage_events", {"vocab_size": VOCAB_SIZE[scale]})
        for text in TEXTS[scale]
        for stage in MEASURED[scale]
    ]
    return counters + stages


def _case(scale: str, kind: str, name: str, text: str, function: str, more: dict[str, Any]) -> Case:
    """Return one case."""
    params = {kind: name, "text": text, "text_bytes": TEXT_BYTES[scale], **more}
    return Case(
        name=f"{text}, {name}",
        measure=f"bpe_lab.bench.measures.processor:{function}",
        params={**params, "caches": CACHES, "loops": LOOPS[scale]},
        agrees=f"{'counts' if kind == 'counter' else 'merges'} of {text}",
        once=True,
    )


def told(
    records: Records, parts: tuple[str, ...], counted: str = "simulated"
) -> Iterator[tuple[RecordRow, str, dict[str, float]]]:
    """Yield each case and part with its events ("simulated" or "hardware"), per byte or merge."""
    for _, row in summary(records).iterrows():
        for part in parts:
            if events := row[counted].get(part):
                units = row["n_merges"] if part == "merge" else row["corpus_bytes"]
                yield row, part, {event: count / units for event, count in events.items()}


def name_of(row: RecordRow) -> str:
    """Return the stage or counter of a case."""
    return str(row.name).rpartition(", ")[2]


def _events_table(records: Records, counted: str) -> str:
    """Return events per merge and per byte of text by case."""
    head, unit_columns = ["text", "stage or counter"], list(EVENTS.values())
    merges = [
        [*_place(row), f"{row['n_merges']:,.0f}", *_cells(events), digest_text(row)]
        for row, _, events in told(records, ("merge",), counted)
    ]
    bytes_ = [
        [*_place(row), PARTS[part], *_cells(events)]
        for row, part, events in told(records, tuple(PARTS), counted)
    ]
    return "\n\n".join(
        [
            "Per merge, counting words and pairs left out:",
            markdown_table([*head, "merges", *unit_columns, "digest"], merges),
            "Per byte of text:",
            markdown_table([*head, "part", *unit_columns], bytes_),
        ]
    )


def _place(row: RecordRow) -> list[str]:
    """Return the text and the stage or counter of a case, as cells."""
    return [sized_text(row), f"`{name_of(row)}`"]


def _cells(events: dict[str, float]) -> list[str]:
    """Return the events of a row; "" for one that was not counted."""
    return [significant(max(events[event], 0.0)) if event in events else "" for event in EVENTS]


def table(records: Records) -> str:
    """Return the simulated events, what was simulated, and the hardware's where it counts."""
    caches = records["param_caches"].iloc[0]
    shapes = "; ".join(f"{name} {_shape(size)}" for name, size in caches.items())
    parts = [
        _events_table(records, "simulated"),
        f"Simulated by cachegrind: {shapes}; its own predictor of branches. Misses: of reads and "
        "writes, of the last level also of instructions. It knows no prefetching: a line that was "
        "asked for in time is a miss as one that is waited for. Equal for each run of one program: "
        "other compilers and C libraries have others.",
    ]
    reasons = sorted({reason for reason in records["no_hardware"] if reason})
    if reasons:
        parts.append(f"No hardware counters beside them: {reasons[0]}.")
    else:
        parts += [
            "By the hardware's own counters (`perf stat`; misses of loads only):",
            _events_table(records, "hardware"),
        ]
    return "\n\n".join(parts) + "\n"


def simulated_caches(records: Records) -> str:
    """Return what was simulated, for the note of a figure: the machine named below it was not."""
    caches = records["param_caches"].iloc[0]
    first, last = (memory_size(int(caches[name].split(",")[0])) for name in ("D1", "LL"))
    return (
        f"Simulated by cachegrind: a first cache (D1) of {first} and a last one (LL) of {last}, "
        "without prefetching."
    )


def _shape(size: str) -> str:
    """Return the shape of a cache in words.

    >>> _shape("32768,8,64")
    '32 KB, 8 ways, lines of 64 bytes'
    """
    whole, ways, line = map(int, size.split(","))
    return f"{whole >> 10:,} KB, {ways} ways, lines of {line} bytes"


def figure(records: Records) -> Figure:
    """Draw the events of a merge by stage, on the text with the most words."""
    rows = list(told(records, ("merge",)))
    texts = [row["corpus"] for row, _, _ in rows]
    text = SHOWN_TEXT if SHOWN_TEXT in texts else texts[0]
    of_stage = {name_of(row): events for row, _, events in rows if row["corpus"] == text}
    last = of_stage[list(of_stage)[-1]]
    return grouped_rows(
        records[(records["corpus"] == text) & records["param_stage"].notna()],
        event_groups([(stage, events, stage_color(stage)) for stage, events in of_stage.items()]),
        f"A merge by {list(of_stage)[-1]}: {significant(last['instructions'])} instructions, "
        f"{significant(last['mispredictions'])} mispredicted branches, "
        f"{significant(last['d1_misses'])} misses of the first cache",
        x_label="per merge (log scale)",
        note=f"One thread. {simulated_caches(records)}",
    )


def processor_counting(records: Records) -> Figure:
    """Draw the events of a byte of text that is counted, by text."""
    rows = list(told(records, ("count",)))
    each = [1_000 * events["instructions"] for _, _, events in rows]
    least, most = significant(min(each)), significant(max(each))
    return grouped_rows(
        records[records["param_counter"].notna()].drop(columns="vocab_size", errors="ignore"),
        event_groups([(row["corpus"], events, PALETTE[0]) for row, _, events in rows], 1_000),
        f"For 1,000 bytes, counting takes {most if least == most else f'{least} to {most}'} "
        "instructions",
        x_label="per 1,000 bytes of text (log scale)",
        note=f"Counter native, one thread. {simulated_caches(records)}",
    )


def event_groups(
    each: Sequence[tuple[str, Mapping[str, float], str]], unit: int = 1
) -> dict[str, list[Row]]:
    """Return the groups of a figure, one per event; what is simulated has no range."""
    groups: dict[str, list[Row]] = {}
    for event, title in DRAWN.items():
        rows = groups.setdefault(f"{title[0].upper()}{title[1:]}", [])
        for label, events, color in each:
            value = max(unit * events[event], 0.0)
            shown = max(value, LEAST_SHOWN)
            rows.append(Row(label, shown, shown, shown, significant(value), color))
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
    requires=("bpe_lab.native", "bpe_lab.build_info"),
    more_figures=(processor_counting,),
    lacking=lacking,
)
