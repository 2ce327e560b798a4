"""Timings that others published, drawn like our own."""

import csv
import statistics
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.api import PathLike
from bpe_lab.plots.style import (
    LABEL_SIZE,
    TEXT,
    UNKNOWN,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)

PANELS = (("OpenWebText", 32_000), ("TinyStoriesV2-GPT4-train", 10_000))
"""Corpus and vocabulary size of each panel; "" in the file where the size is not stated."""

DRAWN = ("merge", "total")
"""Phases of the file that are drawn."""


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


@dataclass
class Version:
    """One published version: what it is, and its median seconds by phase.

    :param name: as published.
    :param stage: the stage of the lab that it corresponds to.
    :param threads: processes or threads.
    :param partial: its merge time leaves out the first pair counts.
    :param lower_bound: it was given up: it takes longer than its seconds.
    :param seconds: median seconds by phase.
    """

    name: str
    stage: str
    threads: str
    source: str
    partial: bool = False
    lower_bound: bool = False
    seconds: dict[str, float] = field(default_factory=dict)


def published_ladder(published_csv_path: PathLike) -> Figure:
    """Draw the published seconds by version, for OpenWebText and TinyStories.

    :param published_csv_path: data/published_timings.csv.
    :raises FileNotFoundError: there is none.
    :raises ValueError: it holds no row of these corpora.
    """
    with Path(published_csv_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    panels = {
        corpus: best_of_each(versions(rows, corpus, vocab_size)) for corpus, vocab_size in PANELS
    }
    panels = {corpus: found for corpus, found in panels.items() if found}
    if not panels:
        raise ValueError(f"{published_csv_path}: no row of {' or '.join(dict(PANELS))}")
    figure = new_figure(
        2.6 + 0.3 * sum(map(len, panels.values())), message(panels), caption(panels)
    )
    grid = figure.subplots(
        len(panels),
        1,
        sharex=True,
        squeeze=False,
        height_ratios=[len(v) + 1 for v in panels.values()],
    )
    for axes, (corpus, found) in zip(grid[:, 0], panels.items(), strict=True):
        draw_versions(axes, found)
        axes.set_title(
            f"{corpus}, {dict(PANELS)[corpus]:,} ids", loc="left", fontsize=LABEL_SIZE, color=TEXT
        )
    grid[-1, 0].set_xlabel("seconds, median of the published runs (log scale)")
    return figure


def versions(rows: list[dict[str, str]], corpus: str, vocab_size: int) -> list[Version]:
    """Return the versions that have a merge time or a total on a corpus, slowest first.

    :param rows: of the file.
    :param corpus: its name in the file.
    :param vocab_size: rows of another one are left out, rows that state none are kept.
    """
    found: dict[tuple[str, str, str], Version] = {}
    for row in rows:
        if row["corpus"] != corpus or row["vocab_size"] not in (str(vocab_size), ""):
            continue
        key = (row["source"], row["version"], row["threads"])
        version = found.setdefault(
            key, Version(row["version"], row["stage"], row["threads"], row["source"])
        )
        version.partial |= "first counts not included" in row["note"]
        version.lower_bound |= row["seconds_runs"].startswith(">")
        runs = row["seconds_runs"].removeprefix(">").split(";")
        version.seconds[row["phase"]] = statistics.median(map(float, runs))
    for version in found.values():
        seconds = version.seconds
        if "merge" not in seconds and {"total", "count"} <= set(seconds):
            seconds["merge"] = seconds["total"] - seconds["count"]
    timed = [version for version in found.values() if {"merge", "total"} & set(version.seconds)]
    return sorted(timed, key=merge_or_total, reverse=True)


def best_of_each(found: list[Version]) -> list[Version]:
    """Return the fastest version per source and idea, of those with a total where there are any.

    :param found: from `versions`.
    """
    best: dict[tuple[bool, str], Version] = {}
    for version in found:
        if version.stage not in IDEAS:
            continue
        key = (is_series(version), version.stage)
        kept = best.setdefault(key, version)
        if ("total" not in version.seconds, merge_or_total(version)) < (
            "total" not in kept.seconds,
            merge_or_total(kept),
        ):
            best[key] = version
    return sorted(best.values(), key=merge_or_total, reverse=True)


def merge_or_total(version: Version) -> float:
    """Return the seconds by which versions are ordered."""
    return version.seconds.get("merge", version.seconds.get("total", 0.0))


def draw_versions(axes: Axes, found: list[Version]) -> None:
    """Draw one row per version: a dot for merging, a ring for the total."""
    axes.set_xscale("log")
    for row, version in enumerate(found):
        color = stage_color(version.stage)
        ends = [version.seconds[phase] for phase in DRAWN if phase in version.seconds]
        axes.plot([min(ends), max(ends)], [row, row], color=color, linewidth=1.5, zorder=2)
        for phase in DRAWN:
            if phase in version.seconds:
                axes.plot(
                    version.seconds[phase],
                    row,
                    marker=">" if version.lower_bound else "o",
                    markersize=8,
                    markerfacecolor=color if phase == "merge" else "white",
                    markeredgecolor=color,
                    zorder=4 if phase == "merge" else 3,
                )
        axes.annotate(
            seconds_line(version),
            (max(ends), row),
            xytext=(9, 0),
            textcoords="offset points",
            va="center",
            fontsize=LABEL_SIZE - 1,
            color=TEXT,
        )
    axes.set_yticks(range(len(found)), [row_name(version) for version in found])
    axes.set_ylim(len(found) - 0.4, -0.8)
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=LABEL_SIZE - 1)


def seconds_line(version: Version) -> str:
    """Return the times of a version, as they stand beside it."""
    limit = "more than " if version.lower_bound else ""
    return ", ".join(
        f"{phase} {limit}{duration(version.seconds[phase])}"
        for phase in DRAWN
        if phase in version.seconds
    )


def row_name(version: Version) -> str:
    """Return the name of a row: idea, language, threads, and its marks."""
    marks = ("†" if version.partial else "") + ("" if is_series(version) else "*")
    threads = f", {version.threads} threads" if version.threads != "1" else ""
    return f"{IDEAS[version.stage]}{threads} {marks}".strip()


def is_series(version: Version) -> bool:
    """Tell whether a version is from the blog series, all of it timed on one machine."""
    return version.source.startswith("series")


def message(panels: dict[str, list[Version]]) -> str:
    """Return the title: the slowest and the fastest total of the first panel."""
    corpus, found = next(iter(panels.items()))
    totals = [version.seconds["total"] for version in found if "total" in version.seconds]
    if not totals:
        return f"Published timings on {corpus}"
    return f"Published: {corpus} from {duration(max(totals))} to {duration(min(totals))}"


def caption(panels: dict[str, list[Version]]) -> str:
    """Return who published what, and how to read it."""
    shown = [version for found in panels.values() for version in found]
    notes = ["Dot: merging; ring: total. Merging is total less counting where it is not stated."]
    if any(version.partial for version in shown):
        notes.append("†: without the first pair counts.")
    if any(stage_color(version.stage) == UNKNOWN for version in shown):
        notes.append("Grey: the lab has no such stage.")
    notes.append(
        'From "Building and Optimizing a BPE Tokenizer from Scratch" by lili, 2025, 64 CPUs.'
    )
    if not all(map(is_series, shown)):
        notes.append("*: Koschei, 2025, another machine (32 cores), vocabulary size not stated.")
    return " ".join(notes)


def duration(seconds: float) -> str:
    """Return seconds in the unit in which they are easily read.

    >>> duration(35358), duration(207), duration(1.081)
    ('9.8 h', '3.5 min', '1.1 s')
    """
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    if seconds >= 120:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
