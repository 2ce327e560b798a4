"""Timings that others published, drawn like our own."""

from typing import TYPE_CHECKING

from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.results.numbers import duration
from bpe_lab.results.tables import RecordRow, Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS = (("OpenWebText", 32_000), ("TinyStoriesV2-GPT4-train", 10_000))
"""Corpus and vocabulary size of each group; rows that state no size are in it, too."""

IDEAS = {
    "word_counts": "distinct words, Python",
    "inverted_index": "inverted index, Python",
    "parallel_max": "maximum by a pool, Python",
    "fine_grained": "only the neighbours, Python",
    "max_heap": "heap, Python",
    "cython": "heap, Cython",
    "cpp_scan": "scan, C++",
    "openmp_scan": "parallel scan, C++",
    "cpp_map": "heap and node table, C++",
    "cpp_flat": "heap and flat table, C++",
    "cpp_positions": "positions, C++",
}
"""Stage -> idea and language of the rows that are drawn; of one stage the best version is."""


def published_ladder(timings: Records) -> "Figure":
    """Draw the published seconds by version, for OpenWebText and TinyStories.

    :param timings: from `bpe_lab.results.published.published_timings`.
    """
    panels = {
        f"{corpus}, {vocab_size:,} ids": _best_of_each(_versions(timings, corpus, vocab_size))
        for corpus, vocab_size in PANELS
    }
    totals = next(iter(panels.values()))["total"]
    return grouped_rows(
        None,
        {panel: [_row(one) for _, one in found.iterrows()] for panel, found in panels.items()},
        f"Published: {PANELS[0][0]} from {duration(totals.max())} to {duration(totals.min())}",
        x_label="seconds, median of the published runs (log scale)",
        note=_caption(panels),
        room=0.4,
    )


def _versions(timings: Records, corpus: str, vocab_size: int) -> Records:
    """Return the versions that have a merge time or a total on a corpus, slowest first.

    Rows of another vocabulary size are left out, rows that state none are kept. Columns: author,
    version, stage, threads; merge and total (median seconds, NaN where neither is stated nor
    follows), bound, partial (merging leaves out the first pair counts), order (the seconds by which
    it is sorted).
    """
    rows = timings[
        (timings["corpus"] == corpus) & timings["vocab_size"].isin([str(vocab_size), ""])
    ]
    rows = rows.assign(partial=rows["note"].str.contains("first counts not included"))
    by_version = rows.groupby(["author", "source", "version", "stage", "threads"])
    seconds = rows.pivot_table(index=by_version.keys, columns="phase", values="value")
    seconds = seconds.reindex(columns=["merge", "total", "count"])
    merge = seconds["merge"].fillna(seconds["total"] - seconds["count"])
    found = seconds.assign(
        merge=merge,
        order=merge.fillna(seconds["total"]),
        bound=by_version["bound"].max(),
        partial=by_version["partial"].any(),
    )
    return found.dropna(subset=["order"]).sort_values("order", ascending=False).reset_index()


def _best_of_each(found: Records) -> Records:
    """Return the fastest version per author and idea, of those with a total where there are any."""
    found = found[found["stage"].isin(list(IDEAS))]
    best = found.assign(no_total=found["total"].isna()).sort_values(["no_total", "order"])
    return best.drop_duplicates(["author", "stage"]).sort_values("order", ascending=False)


def _row(version: RecordRow) -> Row:
    """Return the row of a version: a dot for merging, a ring for the total."""
    seconds = version[["merge", "total"]].dropna()
    limit = "more than " if version["bound"] else ""
    marker = ">" if version["bound"] else "o"
    # Of the blog series all was timed on one machine.
    marks = ("†" if version["partial"] else "") + ("" if version["author"] == "series" else "*")
    threads = f", {version['threads']} threads" if version["threads"] != "1" else ""
    first = float(seconds.iloc[0])
    return Row(
        label=f"{IDEAS[version['stage']]}{threads} {marks}".strip(),
        value=first,
        least=first,
        most=first,
        text=limit
        + ", ".join(
            f"{'total ' if phase == 'total' else ''}{duration(value)}"
            for phase, value in seconds.items()
        ),
        color=stage_color(version["stage"]),
        ring=float(seconds["total"]) if "total" in seconds else None,
        marker=marker,
        ring_marker=marker,
    )


def _caption(panels: dict[str, Records]) -> str:
    """Return who published what, and how to read it."""
    notes = ["Dot: merging; ring: total. Merging is total less counting where it is not stated."]
    if any(found["partial"].any() for found in panels.values()):
        notes.append("†: without the first pair counts.")
    if any(stage_color(stage) == UNKNOWN for found in panels.values() for stage in found["stage"]):
        notes.append("Grey: the lab has no such stage.")
    notes.append(
        'From "Building and Optimizing a BPE Tokenizer from Scratch" by lili, 2025, 64 CPUs.'
    )
    if any((found["author"] != "series").any() for found in panels.values()):
        notes.append("*: Koschei, 2025, another machine (32 cores), vocabulary size not stated.")
    return " ".join(notes)
