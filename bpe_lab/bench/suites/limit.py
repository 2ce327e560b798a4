"""Suite `limit`: how far counting and merging are from what this machine allows.

Counting is compared with one pass over the bytes of the text, and with steps towards a counter;
merging with one touch of each position that it looks at. What a touch costs depends on the size of
the table or array, so both are swept across the caches.
"""

from collections.abc import Mapping
from statistics import median
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.rows import Row, grouped_rows, row_of
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN, stage_color
from bpe_lab.results.numbers import memory_size, significant, text_size
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
    "keys": "and make their keys",
    "slots": "and add each to its slot",
    "count": "the counter, from memory",
    "file": "the counter, from the file",
}
"""Way through a text -> what figures call it; each does what those before it do, and more."""

LOOK_UPS = {
    "waits": "one after the other",
    "overlaps": "as they overlap",
    "queued": "fetched in advance",
}
"""Way to look up a word -> what figures call it."""

TOUCHES = {
    "waits": "one after the other",
    "overlaps": "as they overlap",
    "ascends": "ascending",
    "fetched": "fetched in advance",
}
"""The same of ways to touch a place."""

PASS = "the pass of a merge"

SWEEPS = {
    **{f"look-ups, {way}": ("look_ups", way) for way in LOOK_UPS},
    **{f"places, {way}": ("places", way) for way in TOUCHES},
    PASS: ("positions", ""),
}
"""Case -> what is done in tables or arrays of all sizes, and in which way."""

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

ANYWHERE = {
    "tiny": (1 << 12,),
    "default": (1 << 14, 1 << 18, 1 << 22, 1 << 27),
    "full": (1 << 14, 1 << 18, 1 << 22, 1 << 27, 1 << 30),
}
"""Bytes of tables in which each occurrence of a word has a slot of its own: one for each cache."""

SIZES = {
    "tiny": (1 << 12, 1 << 14, 1 << 16),
    "default": tuple(1 << power for power in range(13, 28, 2)),
    "full": tuple(1 << power for power in range(14, 31)),
}
"""Bytes of the tables and arrays of the sweeps."""

LOOK_UPS_OF_SIZE = {"tiny": 2_000, "default": 1 << 19, "full": 1 << 23}

MERGED: dict[str, dict[str, dict[str, float]]] = {
    "tiny": {"languages": {"vocab_size": 300, "text_bytes": 0}},
    "default": {
        "stories": {"vocab_size": 10_000, "text_bytes": 0, "least_seconds": 0.3},
        "many_words": {"vocab_size": 16_000, "text_bytes": 4_000_000, "least_seconds": 0.3},
    },
    "full": {"many_words": {"vocab_size": 32_000, "text_bytes": 100_000_000, "least_seconds": 3.0}},
}


ABOUT_WALKS = (
    "A slot is not compared: as if the first look were always the right one. Anywhere: each "
    "occurrence of a word has a slot of its own, as if no word came twice. The counter finds most "
    "words in a small table of recent ones, by a simpler hash: it can be faster than what stands "
    "above it."
)
ABOUT_MERGING = (
    "Fetched: the places ascend, and each is asked for in advance, or not, where that is faster. "
    "Waited for: in any order, one after the other. Both are estimates. They assume that a "
    "position costs one cell of 16 bits, one in 256 of the array in the mean, and that choosing, "
    "sums, counts and lists cost nothing. Passes: those over the positions that are read, in made "
    "words of which each pair has 256 neighbours at most; in small arrays a merge has few "
    "positions, and what a merge costs by itself is most of it."
)


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return the ways through each text, the trainings, and the sweeps."""
    number, sizes = LOOK_UPS_OF_SIZE[scale], list(SIZES[scale])
    texts = TEXTS[scale] if file is None else (file,)
    # The largest of the texts for merging is the one that the user's stands for.
    merged = MERGED[scale] if file is None else {file: list(MERGED[scale].values())[-1]}
    ways = [(text, way, 0) for text in texts for way in WALKS]
    ways += [(texts[0], "slots", size) for size in ANYWHERE[scale]]
    made: list[tuple[str, str, dict[str, Any], str]] = []
    for text, way, anywhere in ways:
        where = f" anywhere in {memory_size(anywhere)}" if anywhere else ""
        loops = PASSES[scale] if way == "pass" else 1
        of_text = {"text": text, "text_bytes": TEXT_BYTES[scale]}
        params = {"way": way, **of_text, "anywhere": anywhere, "loops": loops}
        agrees = "" if way == "pass" else f"words of {text}"
        made.append((f"{text}, {way}{where}", "walk_text", params, agrees))
    for text, of_training in merged.items():
        params = {"text": text, **of_training, "places": number}
        made.append((f"merging {text}", "merge_text", params, ""))
    for name, (of, way) in SWEEPS.items():
        made.append((name, "sweep", {"of": of, "way": way, "sizes": sizes, "number": number}, of))
    return [
        Case(name, f"{MEASURES}:{function}", params, agrees=agrees, cpus=1)
        for name, function, params, agrees in made
    ]


def _walked(records: Records) -> Records:
    """Return the summary of the ways through texts.

    Besides: label, nanoseconds of a byte, pass_seconds, and times the pass.
    """
    rows = summary(records)
    rows = rows[rows["param_anywhere"].notna()]
    passes = rows[rows["param_way"] == "pass"].set_index("corpus")["median"]
    rows = rows.assign(
        label=[
            f"a slot anywhere in {memory_size(size)}" if size else WALKS[way]
            for size, way in zip(rows["param_anywhere"], rows["param_way"], strict=True)
        ],
        pass_seconds=[passes[corpus] for corpus in rows["corpus"]],
        nanoseconds=1e9 * rows["median"] / rows["corpus_bytes"],
    )
    return rows.assign(times=rows["median"] / rows["pass_seconds"])


def _merged(records: Records) -> dict[str, Records]:
    """Return the summary of the trainings' loops, and those of what they are compared with."""
    trained = records[records["array_bytes"].notna()]
    places = trained["place_seconds"].tolist()
    return {
        way: summary(
            trained if way == "loop" else trained.assign(seconds=[one[way] for one in places])
        )
        for way in PLACE_SECONDS
    }


def _swept(records: Records) -> dict[str, dict[int, float]]:
    """Return the sweeps: case -> size -> median nanoseconds."""
    by_case = records.set_index("case")["nanoseconds_by_bytes"]
    values = {name: by_case.loc[[name]].tolist() for name in SWEEPS}
    return {
        name: {int(size): median(one[size] for one in same) for size in same[0]}
        for name, same in values.items()
    }


def _positions(operations: Mapping[str, int]) -> int:
    """Return how many positions a training has looked at."""
    return operations["positions_read"] + operations["positions_recounted"]


WALK_COLUMNS: Columns = {
    "text": sized_text,
    "way": "{label}",
    "ns per byte": short("nanoseconds"),
    "MB/s": lambda row: significant(1e3 / row["nanoseconds"]),
    "times the pass": short("times"),
    "spread": spread_text,
    "table": lambda row: memory_size(row["table_bytes"]) if row["param_way"] == "slots" else "",
    "digest": digest_text,
}
MERGE_COLUMNS: Columns = {
    "text": sized_text,
    "ids": "{vocab_size:,.0f}",
    "array": lambda row: memory_size(row["array_bytes"]),
    "positions": lambda row: f"{_positions(row['operations']):,}",
    "loop": short("loop", 1e3),
    "spread": spread_text,
    "fetched": short("fetched", 1e3),
    "loop / fetched": lambda row: significant(row["loop"] / row["fetched"]),
    "passes": short("passes", 1e3),
    "waited for": short("waits", 1e3),
    "loop / waited for": lambda row: significant(row["loop"] / row["waits"]),
    "digest": digest_text,
}


def table(records: Records) -> str:
    """Return the ways through texts, the trainings beside their places, and the sweeps."""
    merged, curves = _merged(records), _swept(records)
    medians = {way: rows["median"] for way, rows in merged.items()}
    swept_lines = [[name, *map(significant, curve.values())] for name, curve in curves.items()]
    parts = [
        "Counting, one thread; each way does what those above it do, and more:",
        rows_table(_walked(records), WALK_COLUMNS),
        ABOUT_WALKS,
        "Merging, one thread; milliseconds of the loop (select and update), and of one touch of "
        "each position that it reads or recounts, in an array as large as its own:",
        rows_table(merged["loop"].assign(**medians), MERGE_COLUMNS),
        ABOUT_MERGING,
        "Nanoseconds of a look-up, a place or a position, by the size of the table or array:",
        markdown_table(["what, way", *map(memory_size, curves[PASS])], swept_lines),
    ]
    return "\n\n".join(parts) + "\n"


def figure(records: Records) -> "Figure":
    """Draw how many times the limit counting takes, step by step, and merging."""
    walks, merged = _walked(records), _merged(records)
    _swept(records)  # what the other figures need is there
    groups: dict[str, list[Row]] = {}
    colors = {"pass": UNKNOWN, "count": stage_color("core"), "file": stage_color("core")}
    for _, row in walks.iterrows():
        text, anywhere = row["corpus"], row["param_anywhere"]
        counting = f"Counting {text} ({text_size(row['corpus_bytes'])})"
        groups.setdefault(f"{text}, if no word came twice" if anywhere else counting, []).append(
            row_of(
                row,
                row["label"],
                f"{significant(row['times'])}: {significant(row['nanoseconds'])} ns per byte",
                PALETTE[5] if anywhere else colors.get(row["param_way"], PALETTE[1]),
                1 / row["pass_seconds"],
            )
        )
    colors = {"fetched": UNKNOWN, "loop": stage_color("core")}
    for number, (_, fetched) in enumerate(merged["fetched"].iterrows()):
        size = text_size(fetched["corpus_bytes"])
        limit, looked_at = fetched["median"], _positions(fetched["operations"])
        groups[f"Merging {fetched['corpus']} ({size}, {fetched['vocab_size']:,.0f} ids)"] = [
            row_of(
                row := merged[way].iloc[number],
                label,
                f"{significant(row['median'] / limit)}: "
                f"{significant(1e9 * row['median'] / looked_at)} ns per position",
                colors.get(way, PALETTE[1]),
                1 / limit,
            )
            for way, label in PLACE_SECONDS.items()
        ]
    first = walks[walks["corpus"] == walks["corpus"].iloc[0]].set_index("param_way")["median"]
    passes, scans = (significant(first["file"] / first[way]) for way in ("pass", "scan"))
    places = merged["loop"]["median"].iloc[-1] / merged["fetched"]["median"].iloc[-1]
    return grouped_rows(
        # The texts are of several sizes: the groups name them.
        records.drop(columns=["corpus", "vocab_size"]),
        groups,
        f"Counting takes {passes} times as long as a pass over the bytes, {scans} times as long as "
        f"finding the words; merging {significant(places)} times as long as one place each, in "
        "order",
        x_label="times the limit (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. One thread. The limit of "
        "counting: a pass over the bytes; of merging: one cell for each position looked at, "
        "in order.",
        reference=1,
    )


def limit_look_ups(records: Records) -> "Figure":
    """Draw the nanoseconds of a look-up against the size of the table."""
    curves = _swept(records)
    last = max(curves["look-ups, waits"])
    waits, queued = (significant(curves[f"look-ups, {way}"][last]) for way in ("waits", "queued"))
    return _draw_sweep(
        records,
        {name: curves[f"look-ups, {way}"] for way, name in LOOK_UPS.items()},
        f"In a table of {memory_size(last)} a look-up takes {waits} ns; {queued} ns if its slot "
        "was asked for before",
        x_label="size of the table (log scale)",
        y_label="nanoseconds of a look-up (log scale)",
        note="Words of 8 to 15 bytes, in any order, in the table of the counter, half full. "
        "One after the other: the next one is not known before.",
    )


def limit_places(records: Records) -> "Figure":
    """Draw the nanoseconds of a place, and of a position of a merge, against the array's size."""
    curves = _swept(records)
    last = max(curves[PASS])
    passed, waits = (significant(curves[name][last]) for name in (PASS, "places, waits"))
    return _draw_sweep(
        records,
        {**{name: curves[f"places, {way}"] for way, name in TOUCHES.items()}, PASS: curves[PASS]},
        f"In an array of {memory_size(last)} the pass of a merge takes {passed} ns for a position, "
        f"a miss that is waited for {waits} ns",
        x_label="size of the array of tokens (log scale)",
        y_label="nanoseconds of a place (log scale)",
        note="Cells of 16 bits, read and written at one in 256 in the mean: in any order, one "
        "after the other or as they overlap; ascending; ascending and fetched in advance.",
    )


def _draw_sweep(
    records: Records,
    curves: Mapping[str, Mapping[int, float]],
    title: str,
    *,
    x_label: str,
    y_label: str,
    note: str,
) -> "Figure":
    """Draw nanoseconds against bytes, line by line, with the borders of the known caches."""
    sizes = next(iter(curves.values()))
    caches = {
        name: kilobytes << 10
        for name, kilobytes in records["machine"].iloc[0]["caches_kb"].items()
        if min(sizes) < kilobytes << 10 < max(sizes)
    }
    figure = draw_lines(
        records[records["case"].isin(SWEEPS)].drop(columns=["corpus", "vocab_size"]),
        [
            Line(name, list(curve), list(curve.values()), color=color)
            for (name, curve), color in zip(curves.items(), PALETTE, strict=False)
        ],
        title,
        x_label=x_label,
        y_label=y_label,
        note=f"{note} One thread."
        + (" Dashed: the sizes of the caches, as the system tells them." if caches else ""),
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
    more_figures=(limit_look_ups, limit_places),
    takes_file=True,
    takes=("file",),
)
