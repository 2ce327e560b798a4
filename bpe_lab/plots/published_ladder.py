"""Timings that others published, drawn like our own."""

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.rows import name_rows, write_beside
from bpe_lab.plots.style import (
    LABEL_SIZE,
    TEXT,
    UNKNOWN,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.numbers import duration

if TYPE_CHECKING:
    import pandas

PANELS = (("OpenWebText", 32_000), ("TinyStoriesV2-GPT4-train", 10_000))
"""Corpus and vocabulary size of each panel; rows that state no size are in it, too."""

DRAWN = ("merge", "total")
"""Phases that are drawn."""

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


def published_ladder(timings: "pandas.DataFrame") -> Figure:
    """Draw the published seconds by version, for OpenWebText and TinyStories.

    :param timings: from `bpe_lab.results.published.published_timings`.
    """
    panels = {
        f"{corpus}, {vocab_size:,} ids": best_of_each(versions(timings, corpus, vocab_size))
        for corpus, vocab_size in PANELS
    }
    sizes = [len(found) for found in panels.values()]
    figure = new_figure(2.6 + 0.3 * sum(sizes), message(panels), caption(panels))
    grid = figure.subplots(
        len(panels), 1, sharex=True, squeeze=False, height_ratios=[size + 1 for size in sizes]
    )
    for axes, (panel, found) in zip(grid[:, 0], panels.items(), strict=True):
        draw_versions(axes, found)
        axes.set_title(panel, loc="left", fontsize=LABEL_SIZE, color=TEXT)
    grid[-1, 0].set_xlabel("seconds, median of the published runs (log scale)")
    return figure


def versions(timings: "pandas.DataFrame", corpus: str, vocab_size: int) -> "pandas.DataFrame":
    """Return the versions that have a merge time or a total on a corpus, slowest first.

    :param timings: from `published_timings`.
    :param corpus: its name there.
    :param vocab_size: rows of another one are left out, rows that state none are kept.
    :return: author, version, stage, threads; merge and total (median seconds, NaN where neither is
        stated nor follows), bound, partial (merging leaves out the first pair counts), order (the
        seconds by which it is sorted).
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


def best_of_each(found: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the fastest version per author and idea, of those with a total where there are any.

    :param found: from `versions`.
    """
    found = found[found["stage"].isin(list(IDEAS))]
    best = found.assign(no_total=found["total"].isna()).sort_values(["no_total", "order"])
    return best.drop_duplicates(["author", "stage"]).sort_values("order", ascending=False)


def draw_versions(axes: Axes, found: "pandas.DataFrame") -> None:
    """Draw one row per version: a dot for merging, a ring for the total."""
    axes.set_xscale("log")
    for row, (_, version) in enumerate(found.iterrows()):
        color, seconds = stage_color(version["stage"]), version[list(DRAWN)].dropna()
        axes.plot([seconds.min(), seconds.max()], [row, row], color=color, linewidth=1.5, zorder=2)
        for phase, value in seconds.items():
            axes.plot(
                value,
                row,
                marker=">" if version["bound"] else "o",
                markersize=8,
                markerfacecolor=color if phase == "merge" else "white",
                markeredgecolor=color,
                zorder=4 if phase == "merge" else 3,
            )
        limit = "more than " if version["bound"] else ""
        said = [f"{phase} {limit}{duration(value)}" for phase, value in seconds.items()]
        write_beside(axes, row, seconds.max(), ", ".join(said), color=TEXT)
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, [row_name(version) for _, version in found.iterrows()])
    axes.set_ylim(top=-0.8)
    axes.tick_params(axis="y", labelsize=LABEL_SIZE - 1)


def row_name(version: "pandas.Series[Any]") -> str:
    """Return the name of a row: idea, language, threads, and its marks."""
    # Of the blog series all was timed on one machine.
    marks = ("†" if version["partial"] else "") + ("" if version["author"] == "series" else "*")
    threads = f", {version['threads']} threads" if version["threads"] != "1" else ""
    return f"{IDEAS[version['stage']]}{threads} {marks}".strip()


def message(panels: "dict[str, pandas.DataFrame]") -> str:
    """Return the title: the slowest and the fastest total of the first panel."""
    corpus, totals = PANELS[0][0], next(iter(panels.values()))["total"]
    return f"Published: {corpus} from {duration(totals.max())} to {duration(totals.min())}"


def caption(panels: "dict[str, pandas.DataFrame]") -> str:
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
