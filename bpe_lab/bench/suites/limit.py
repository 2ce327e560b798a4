"""Suite `limit`: how far counting and merging are from what this machine allows.

Counting is compared with one pass over the bytes of the text, and with steps towards a counter;
merging with one touch of each position that it looks at. What a touch costs depends on the size of
the array, which is swept across the caches.
"""

import math
from operator import itemgetter
from statistics import median
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.rows import Row, grouped_rows, row_of
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN, stage_color
from bpe_lab.results.numbers import memory_size, significant
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    markdown_table,
    rows_table,
    short,
    sized_text,
    spread_text,
    summary,
)

MEASURES = "bpe_lab.bench.measures.limits"

WALKS = {
    "pass": "one pass over the bytes",
    "scan": "and find the words",
    "recent": "the counter, from memory",
    "file": "the counter, from the file",
}
"""Way through a text -> what figures call it; each does what those before it do, and more."""

TOUCHES = {
    "waits": "one after the other",
    "overlaps": "as they overlap",
    "ascends": "ascending",
    "fetched": "fetched in advance",
    "passes": "the pass of a merge",
}
"""Way to touch places of an array -> what figures call it."""

PLACE_SECONDS = {
    "fetched": "one place each, in order",
    "passes": "the pass of a merge, alone",
    "loop": "select and update of core",
    "waits": "one place each, waited for",
}
"""What a training is compared with, and itself, in the order of the figure."""

TEXTS = {
    "tiny": ("languages",),
    "default": ("stories", "many_words"),
    "full": ("stories", "many_words"),
}
TEXT_BYTES = {"tiny": 40_000, "default": 48_000_000, "full": 500_000_000}
"""More than most caches hold."""

PASSES = {"tiny": 1, "default": 8, "full": 2}
"""A pass takes milliseconds: so many are one value."""

SIZES = {
    "tiny": (1 << 12, 1 << 14, 1 << 16),
    "default": tuple(1 << power for power in range(13, 28, 2)),
    "full": tuple(1 << power for power in range(14, 31)),
}
"""Bytes of the arrays of the sweeps."""

PLACES = {"tiny": 2_000, "default": 1 << 19, "full": 1 << 23}
"""In each array."""

MERGED: dict[str, dict[str, dict[str, float]]] = {
    "tiny": {"languages": {"vocab_size": 300, "text_bytes": 0}},
    "default": {
        "stories": {"vocab_size": 10_000, "text_bytes": 0, "least_seconds": 0.3},
        "many_words": {"vocab_size": 16_000, "text_bytes": 4_000_000, "least_seconds": 0.3},
    },
    "full": {"many_words": {"vocab_size": 32_000, "text_bytes": 100_000_000, "least_seconds": 3.0}},
}


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return the ways through each text, the trainings, and the sweeps."""
    number, sizes = PLACES[scale], list(SIZES[scale])
    texts = TEXTS[scale] if file is None else (file,)
    # The largest of the texts for merging is the one that the user's stands for.
    merged = MERGED[scale] if file is None else {file: list(MERGED[scale].values())[-1]}
    walks = [
        _case(
            "walk",
            f"{text}, {way}",
            {
                "way": way,
                "text": text,
                "text_bytes": TEXT_BYTES[scale],
                "loops": PASSES[scale] if way == "pass" else 1,
            },
            agrees="" if way == "pass" else f"words of {text}",
        )
        for text in texts
        for way in WALKS
    ]
    trainings = [
        _case("merge", f"merging {text}", {"text": text, **of_training, "places": number})
        for text, of_training in merged.items()
    ]
    return [*walks, *trainings] + [
        _case(
            "sweep",
            f"places, {way}",
            {"way": way, "sizes": sizes, "number": number},
            agrees="" if way == "passes" else "places",
        )
        for way in TOUCHES
    ]


def _case(kind: str, name: str, params: dict[str, Any], agrees: str = "") -> Case:
    function = {"walk": "walk_text", "merge": "merge_text", "sweep": "sweep"}[kind]
    facts = {"kind": kind}
    return Case(name, f"{MEASURES}:{function}", params, agrees=agrees, cpus=1, facts=facts)


def _walked(records: Records) -> Records:
    """Return the summary of the ways through texts.

    Besides: nanoseconds of a byte, pass_seconds, and times the pass.
    """
    rows = summary(records)
    rows = rows[rows["kind"] == "walk"]
    passes = rows[rows["param_way"] == "pass"].set_index("corpus")["median"]
    rows = rows.assign(pass_seconds=[passes[corpus] for corpus in rows["corpus"]])
    return rows.assign(
        label=rows["param_way"].map(WALKS),
        nanoseconds=1e9 * rows["median"] / rows["corpus_bytes"],
        times=rows["median"] / rows["pass_seconds"],
    )


def _merged(records: Records) -> Records:
    """Return the summary of the trainings.

    Besides: the seconds of the loop and of what it is compared with, and the positions looked at.
    """
    trained = records[records["kind"] == "merge"]
    places = trained["place_seconds"]
    known = {way: places.map(itemgetter(way)) for way in PLACE_SECONDS if way != "loop"}
    rows = summary(trained.assign(**known))
    read, recounted = (
        rows["operations"].map(itemgetter(f"positions_{done}")) for done in ("read", "recounted")
    )
    return rows.assign(
        loop=rows["median"], times=rows["median"] / rows["fetched"], positions=read + recounted
    )


def _swept(records: Records) -> dict[str, dict[int, float]]:
    """Return the sweeps: way -> size -> median nanoseconds."""
    values = records[records["kind"] == "sweep"].groupby("param_way")["nanoseconds_by_bytes"]
    return {
        way: {
            int(size): median(one[size] for one in values.get_group(way))
            for size in values.get_group(way).iloc[0]
        }
        for way in TOUCHES
    }


WALK_COLUMNS: Columns = {
    "text": sized_text,
    "way": "{label}",
    "ns per byte": short("nanoseconds"),
    "times the pass": short("times"),
    "spread": spread_text,
    "digest": digest_text,
}
MERGE_COLUMNS: Columns = {
    "text": sized_text,
    "ids": "{vocab_size:,.0f}",
    "array": lambda row: memory_size(row["array_bytes"]),
    "positions": "{positions:,}",
    **{label: short(way, 1e3) for way, label in PLACE_SECONDS.items()},
    "times the first": short("times"),
    "spread": spread_text,
    "digest": digest_text,
}


def table(records: Records) -> str:
    """Return the ways through texts, the trainings beside their places, and the sweeps."""
    curves = _swept(records)
    lines = [[TOUCHES[way], *map(significant, curve.values())] for way, curve in curves.items()]
    head = ["way", *map(memory_size, curves["passes"])]
    return (
        "Counting, one thread; each way does what those above it do, and more:\n\n"
        f"{rows_table(_walked(records), WALK_COLUMNS)}\n\n"
        "A slot is not compared: as if the first look were always the right one. The counter finds "
        "most words in a small table of recent ones, by a simpler hash: it can be faster than what "
        "stands above it.\n\n"
        "Merging, one thread; milliseconds of the loop (select and update), and of one touch of "
        "each position that it reads or recounts, in an array as large as its own:\n\n"
        f"{rows_table(_merged(records), MERGE_COLUMNS)}\n\n"
        "In order: the places ascend, and each is asked for in advance, or not, where that is "
        "faster. Waited for: in any order, one after the other. Both are estimates. They assume "
        "that a position costs one cell of 16 bits, one in 256 of the array in the mean, and that "
        "choosing, sums, counts and lists cost nothing. The pass: over the positions that are "
        "read, in made words of which each pair has 256 neighbours at most; in small arrays a "
        "merge has few positions, and what a merge costs by itself is most of it.\n\n"
        "Nanoseconds of a place, or of a position of a merge, by the size of the array:\n\n"
        f"{markdown_table(head, lines)}\n"
    )


def figure(records: Records) -> Figure:
    """Draw how many times the limit counting takes, step by step, and merging."""
    walks, merged = _walked(records), _merged(records)
    core = stage_color("core")
    colors = {"pass": UNKNOWN, "recent": core, "file": core, "fetched": UNKNOWN, "loop": core}
    groups: dict[str, list[Row]] = {}
    for _, row in walks.iterrows():
        groups.setdefault(f"Counting {sized_text(row)}", []).append(
            row_of(
                row,
                row["label"],
                f"{significant(row['times'])}: {significant(row['nanoseconds'])} ns per byte",
                colors.get(row["param_way"], PALETTE[1]),
                1 / row["pass_seconds"],
            )
        )
    for _, row in merged.iterrows():
        groups[f"Merging {sized_text(row)}, {row['vocab_size']:,.0f} ids"] = [
            Row(
                label=label,
                value=row[way] / row["fetched"],
                text=f"{significant(row[way] / row['fetched'])}: "
                f"{significant(1e9 * row[way] / row['positions'])} ns per position",
                color=colors.get(way, PALETTE[1]),
                least=row["least"] / row["fetched"] if way == "loop" else math.nan,
                most=row["most"] / row["fetched"] if way == "loop" else math.nan,
            )
            for way, label in PLACE_SECONDS.items()
        ]
    first = walks[walks["corpus"] == walks["corpus"].iloc[0]].set_index("param_way")["median"]
    passes, scans = (significant(first["file"] / first[way]) for way in ("pass", "scan"))
    return grouped_rows(
        # The texts are of several sizes: the groups name them.
        records.drop(columns=["corpus", "vocab_size"]),
        groups,
        f"Counting takes {passes} times as long as a pass over the bytes, {scans} times as long as "
        f"finding the words; merging {significant(merged['times'].iloc[-1])} times as long as one "
        "place each, in order",
        x_label="times the limit (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. One thread. The limit of "
        "counting: a pass over the bytes; of merging: one cell for each position looked at, "
        "in order.",
        reference=1,
    )


def limit_places(records: Records) -> Figure:
    """Draw the nanoseconds of a place, and of a position of a merge, against the array's size."""
    curves = _swept(records)
    sizes = list(curves["passes"])
    passed, waits = (significant(curves[way][sizes[-1]]) for way in ("passes", "waits"))
    caches = {
        name: kilobytes << 10
        for name, kilobytes in records["machine"].iloc[0]["caches_kb"].items()
        if sizes[0] < kilobytes << 10 < sizes[-1]
    }
    figure = draw_lines(
        records[records["kind"] == "sweep"].drop(columns=["corpus", "vocab_size"]),
        [
            Line(TOUCHES[way], sizes, list(curve.values()), color=color)
            for (way, curve), color in zip(curves.items(), PALETTE, strict=False)
        ],
        f"In an array of {memory_size(sizes[-1])} the pass of a merge takes {passed} ns for a "
        f"position, a miss that is waited for {waits} ns",
        x_label="size of the array of tokens (log scale)",
        y_label="nanoseconds of a place (log scale)",
        note="Cells of 16 bits, read and written at one in 256 in the mean: in any order, one "
        "after the other or as they overlap; ascending; ascending and fetched in advance. One "
        "thread." + (" Dashed: the sizes of the caches, as the system tells them." * bool(caches)),
        x_text=memory_size,
    )
    [axes] = figure.axes
    for name, size in caches.items():
        axes.axvline(size, color=QUIET, linewidth=0.8, linestyle="--", zorder=1)
        axes.text(size, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", color=QUIET)
    return figure


SUITE = Suite(
    id="limit",
    title="The limit of the machine",
    question=(
        "How far are counting and merging from one pass over memory, and from one access for each "
        "position?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native", "bpe_lab.experiments.pieces"),
    more_figures=(limit_places,),
)
