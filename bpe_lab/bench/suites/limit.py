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
from bpe_lab.plots.style import PALETTE, UNKNOWN, stage_color
from bpe_lab.results.numbers import memory_size, significant, text_size
from bpe_lab.results.tables import (
    Columns,
    RecordRow,
    Records,
    TableRow,
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

PLACE_SECONDS = {
    "fetched": "one place each, in order",
    "passes": "the pass of a merge, alone",
    "median": "select and update of core",
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

MERGED: dict[str, dict[str, dict[str, int]]] = {
    "tiny": {"languages": {"vocab_size": 300, "text_bytes": 0, "loops": 1}},
    "default": {
        "stories": {"vocab_size": 10_000, "text_bytes": 0, "loops": 5},
        "many_words": {"vocab_size": 16_000, "text_bytes": 4_000_000, "loops": 5},
    },
    "full": {"many_words": {"vocab_size": 32_000, "text_bytes": 100_000_000, "loops": 3}},
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
    walks = [
        case
        for text in texts
        for case in (
            *(_walk(scale, text, way) for way in WALKS),
            *(_walk(scale, text, "slots", size) for size in ANYWHERE[scale] if text == texts[0]),
        )
    ]
    merges = [
        Case(
            name=f"merging {text}",
            measure=f"{MEASURES}:merge_text",
            params={"text": text, **params, "places": number},
            cpus=1,
        )
        for text, params in merged.items()
    ]
    sweeps = [
        *(
            _sweep(f"look-ups, {way}", "look_up_sweep", way=way, sizes=sizes, look_ups=number)
            for way in LOOK_UPS
        ),
        *(
            _sweep(f"places, {way}", "place_sweep", way=way, sizes=sizes, places=number)
            for way in TOUCHES
        ),
        _sweep(PASS, "pass_sweep", sizes=sizes, positions=number),
    ]
    return walks + merges + sweeps


def _walk(scale: str, text: str, way: str, anywhere: int = 0) -> Case:
    """Return the case of a way through a text; with slots anywhere in so many bytes."""
    params = {"way": way, "text": text, "text_bytes": TEXT_BYTES[scale]}
    return Case(
        name=f"{text}, {way}" + (f" anywhere in {memory_size(anywhere)}" if anywhere else ""),
        measure=f"{MEASURES}:walk_text",
        params={
            **params,
            **({"table_bytes": anywhere, "anywhere": True} if anywhere else {}),
            "loops": PASSES[scale] if way == "pass" else 1,
        },
        agrees="" if way == "pass" else f"words of {text}",
        cpus=1,
    )


def _sweep(name: str, function: str, **params: Any) -> Case:
    """Return the case of a measure that is taken for several sizes."""
    agrees = name.rpartition(", ")[0]
    return Case(name, f"{MEASURES}:{function}", params, agrees=agrees, cpus=1)


def _walked(records: Records) -> Records:
    """Return the summary of the ways through texts: nanoseconds of a byte, and times the pass."""
    rows = summary(records)
    rows = rows[rows["param_text"].notna() & rows["param_way"].notna()]
    passes = rows[rows["param_way"] == "pass"].set_index("corpus")["median"]
    rows = rows.assign(pass_seconds=[passes[corpus] for corpus in rows["corpus"]])
    return rows.assign(
        nanoseconds=1e9 * rows["median"] / rows["corpus_bytes"],
        times=rows["median"] / rows["pass_seconds"],
        anywhere=rows["param_anywhere"].notna(),
    )


def _merged(records: Records) -> Records:
    """Return the summary of the trainings, and the seconds of each way to touch their positions."""
    trained = records[records["array_bytes"].notna()]
    rows = summary(records).loc[trained["case"].unique()]
    for way in trained["place_seconds"].iloc[0]:
        values = trained["place_seconds"].map(lambda seconds, way=way: seconds[way])
        by_case = values.groupby(trained["case"])
        rows = rows.assign(
            **{way: by_case.median(), f"{way}_least": by_case.min(), f"{way}_most": by_case.max()}
        )
    return rows


def _swept(records: Records, case: str) -> dict[int, float]:
    """Return the median nanoseconds by size of a sweep."""
    values = records.set_index("case").loc[[case], "nanoseconds_by_bytes"].tolist()
    return {int(size): median(one[size] for one in values) for size in values[0]}


def _all_swept(records: Records) -> dict[str, dict[int, float]]:
    """Return the sweeps: case -> size -> nanoseconds."""
    names = [f"look-ups, {way}" for way in LOOK_UPS] + [f"places, {way}" for way in TOUCHES]
    return {name: _swept(records, name) for name in (*names, PASS)}


def _label_of(row: "TableRow | RecordRow") -> str:
    """Return what tables and figures call a way through a text."""
    if row["anywhere"]:
        return f"a slot anywhere in {memory_size(row['table_bytes'])}"
    return WALKS[row["param_way"]]


WALK_COLUMNS: Columns = {
    "text": sized_text,
    "way": lambda row: _label_of(row),
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
    "positions": lambda row: f"{_positions(row):,}",
    "loop": short("median", 1e3),
    "spread": spread_text,
    "fetched": short("fetched", 1e3),
    "loop / fetched": lambda row: significant(row["median"] / row["fetched"]),
    "passes": short("passes", 1e3),
    "waited for": short("waits", 1e3),
    "loop / waited for": lambda row: significant(row["median"] / row["waits"]),
    "digest": digest_text,
}


def table(records: Records) -> str:
    """Return the ways through texts, the trainings beside their places, and the sweeps."""
    curves = _all_swept(records)
    sizes = list(curves[PASS])
    swept_lines = [
        [name, *(significant(curve[size]) for size in sizes)] for name, curve in curves.items()
    ]
    parts = [
        "Counting, one thread; each way does what those above it do, and more:",
        rows_table(_walked(records), WALK_COLUMNS),
        ABOUT_WALKS,
        "Merging, one thread; milliseconds of the loop (select and update), and of one touch of "
        "each position that it reads or recounts, in an array as large as its own:",
        rows_table(_merged(records), MERGE_COLUMNS),
        ABOUT_MERGING,
        "Nanoseconds of a look-up, a place or a position, by the size of the table or array:",
        markdown_table(["what, way", *map(memory_size, sizes)], swept_lines),
    ]
    return "\n\n".join(parts) + "\n"


def _positions(row: "TableRow | RecordRow") -> int:
    """Return how many positions a training has looked at."""
    return int(row["operations"]["positions_read"] + row["operations"]["positions_recounted"])


def figure(records: Records) -> Figure:
    """Draw how many times the limit counting takes, step by step, and merging."""
    walks, trainings = _walked(records), _merged(records)
    _all_swept(records)  # what the other figures need is there
    groups: dict[str, list[Row]] = {}
    for _, row in walks.sort_values("anywhere", kind="stable").iterrows():
        text, size = row["corpus"], text_size(row["corpus_bytes"])
        name = f"{text}, if no word came twice" if row["anywhere"] else f"Counting {text} ({size})"
        groups.setdefault(name, []).append(_walk_row(row))
    for _, row in trainings.iterrows():
        size = text_size(row["corpus_bytes"])
        groups[f"Merging {row['corpus']} ({size}, {row['vocab_size']:,.0f} ids)"] = _merge_rows(row)
    return grouped_rows(
        # The texts are of several sizes: the groups name them.
        records.drop(columns=["corpus", "vocab_size"]),
        groups,
        _message(walks, trainings),
        x_label="times the limit (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. One thread. The limit of "
        "counting: a pass over the bytes; of merging: one cell for each position looked at, "
        "in order.",
        reference=1,
    )


def _walk_row(row: RecordRow) -> Row:
    """Return the row of a way through a text."""
    colors = {"pass": UNKNOWN, "count": stage_color("core"), "file": stage_color("core")}
    return row_of(
        row,
        _label_of(row),
        f"{significant(row['times'])}: {significant(row['nanoseconds'])} ns per byte",
        PALETTE[5] if row["anywhere"] else colors.get(row["param_way"], PALETTE[1]),
        1 / row["pass_seconds"],
    )


def _merge_rows(row: RecordRow) -> list[Row]:
    """Return the rows of a training: itself, and what it is compared with."""
    colors = {"fetched": UNKNOWN, "median": stage_color("core")}
    rows = []
    for name, label in PLACE_SECONDS.items():
        ends = ("least", "most") if name == "median" else (f"{name}_least", f"{name}_most")
        value, least, most = (row[column] / row["fetched"] for column in (name, *ends))
        beside = f"{significant(1e9 * row[name] / _positions(row))} ns per position"
        color = colors.get(name, PALETTE[1])
        rows.append(Row(label, value, least, most, f"{significant(value)}: {beside}", color))
    return rows


def _message(walks: Records, trainings: Records) -> str:
    """Return the title of the figure."""
    first = walks[(walks["corpus"] == walks["corpus"].iloc[0]) & ~walks["anywhere"]]
    medians = first.set_index("param_way")["median"]
    last = trainings.iloc[-1]
    passes, scans = (significant(medians["file"] / medians[way]) for way in ("pass", "scan"))
    places = significant(last["median"] / last["fetched"])
    return (
        f"Counting takes {passes} times as long as a pass over the bytes, {scans} times as long as "
        f"finding the words; merging {places} times as long as one place each, in order"
    )


def limit_look_ups(records: Records) -> Figure:
    """Draw the nanoseconds of a look-up against the size of the table."""
    curves = {name: _swept(records, f"look-ups, {way}") for way, name in LOOK_UPS.items()}
    waits, _, queued = (significant(list(curve.values())[-1]) for curve in curves.values())
    return _draw_sweep(
        records,
        "look-ups",
        curves,
        f"In a table of {memory_size(max(curves[LOOK_UPS['waits']]))} a look-up takes "
        f"{waits} ns; {queued} ns if its slot was asked for before",
        x_label="size of the table (log scale)",
        y_label="nanoseconds of a look-up (log scale)",
        note="Words of 8 to 15 bytes, in any order, in the table of the counter, half full. "
        "One after the other: the next one is not known before.",
    )


def limit_places(records: Records) -> Figure:
    """Draw the nanoseconds of a place, and of a position of a merge, against the array's size."""
    curves = {name: _swept(records, f"places, {way}") for way, name in TOUCHES.items()}
    curves[PASS] = _swept(records, PASS)
    last = max(curves[PASS])
    return _draw_sweep(
        records,
        "places",
        curves,
        f"In an array of {memory_size(last)} the pass of a merge takes "
        f"{significant(curves[PASS][last])} ns for a position, a miss that is waited for "
        f"{significant(curves[TOUCHES['waits']][last])} ns",
        x_label="size of the array of tokens (log scale)",
        y_label="nanoseconds of a place (log scale)",
        note="Cells of 16 bits, read and written at one in 256 in the mean: in any order, one "
        "after the other or as they overlap; ascending; ascending and fetched in advance.",
    )


def _draw_sweep(
    records: Records,
    cases_of: str,
    curves: Mapping[str, Mapping[int, float]],
    title: str,
    *,
    x_label: str,
    y_label: str,
    note: str,
) -> Figure:
    """Draw nanoseconds against bytes, line by line, with the borders of the known caches.

    The names of the cases begin with `cases_of`.
    """
    sizes = next(iter(curves.values()))
    caches = {
        name: kilobytes << 10
        for name, kilobytes in records["machine"].iloc[0]["caches_kb"].items()
        if min(sizes) < kilobytes << 10 < max(sizes)
    }
    drawn = records[records["case"].str.startswith((cases_of, *(PASS,) * (PASS in curves)))]
    return draw_lines(
        drawn.drop(columns=["corpus", "vocab_size"]),
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
        borders=caches,
    )


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
