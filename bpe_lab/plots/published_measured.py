"""Published speed-ups beside those of this machine."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.captions import two_digits
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    TEXT,
    UNKNOWN,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.registry import STAGES
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.published import RATE, Amount, Comparison

if TYPE_CHECKING:
    import pandas

ROW = 0.26
"""Inches."""

ALIKE = 2.0
"""Speed-ups within this factor are called alike in the title."""

MARKERS = {"": "o", "≈": "o", ">": ">", "<": "<"}


def published_measured(
    comparisons: Sequence[Comparison], suites: "Mapping[str, pandas.DataFrame]"
) -> Figure:
    """Draw one row per published speed-up that was measured here, too: a ring and a dot.

    :param comparisons: from `bpe_lab.results.published.compare`.
    :param suites: the records they were made of.
    :raises ValueError: there is no speed-up of both kinds.
    """
    drawn = [one for one in comparisons if pair(one) and not is_repetition(one, comparisons)]
    if not drawn:
        raise ValueError("no published speed-up was measured here: run `bpe-lab bench all`")
    groups: dict[str, list[Comparison]] = {}
    for one in drawn:
        groups.setdefault(group_name(one, comparisons), []).append(one)
    figure = new_figure(
        2.4 + ROW * (len(drawn) + len(groups)), message(drawn), caption(comparisons, drawn, suites)
    )
    axes, numbers = figure.subplots(1, 2, sharey=True, width_ratios=(1.0, 0.8))
    axes.set_xscale("log")
    axes.axvline(1, color="#BBBBBB", linewidth=1, zorder=1)
    numbers.set_axis_off()
    write(numbers, -1, ("published", "", "here", ""), TEXT)
    labels: list[str] = []
    for name, group in groups.items():
        heading = axes.annotate(
            name,
            (0.01, len(labels)),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=LABEL_SIZE - 2,
            fontweight="bold",
            color=TEXT,
        )
        # Over what is right of it, where the row is empty.
        heading.set_in_layout(False)
        heading.set_zorder(5)
        labels.append("")
        for one in group:
            draw_pair(axes, len(labels), one)
            write(numbers, len(labels), cells(one), QUIET)
            labels.append(row_name(one))
    every = [amount.value for one in drawn for amount in pair(one)]
    axes.set_xlim(min(every) / 2, max(every) * 2)
    axes.set_ylim(len(labels) - 0.4, -1.4)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_xlabel("times as fast as the baseline (log scale)")
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    axes.tick_params(axis="y", length=0, labelsize=LABEL_SIZE - 2)
    return figure


def draw_pair(axes: Axes, place: int, one: Comparison) -> None:
    """Draw the two speed-ups of a row, joined by a line."""
    published, measured = pair(one)
    axes.plot([published.value, measured.value], [place] * 2, color="#BBBBBB", zorder=2)
    axes.plot(
        measured.value,
        place,
        marker=MARKERS[measured.bound],
        markersize=7,
        color=color_of(one),
        zorder=3,
    )
    axes.plot(
        published.value,
        place,
        marker=MARKERS[published.bound],
        markersize=8,
        markerfacecolor="none",
        markeredgecolor=TEXT,
        zorder=4,
    )


def write(axes: Axes, place: int, texts: Sequence[str], color: str) -> None:
    """Write the cells of one row: seconds and speed-up, published and here."""
    for right, text in zip((0.2, 0.48, 0.72, 1.0), texts, strict=True):
        axes.annotate(
            text,
            (right, place),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="center",
            fontsize=LABEL_SIZE - 2,
            color=color,
        )


def pair(one: Comparison) -> list[Amount]:
    """Return the published and the measured speed-up, nothing when one is missing."""
    if one.published_ratio is None or one.measured_ratio is None:
        return []
    return [one.published_ratio, one.measured_ratio]


def is_repetition(one: Comparison, comparisons: Sequence[Comparison]) -> bool:
    """Tell whether a row shows nothing new: a case beside itself, as a baseline is, a total of
    which there is the merging, or a value that another row of the same corpus has shown before it.
    """
    baseline = comparisons[one.row.baseline[0] - 1]
    if not one.row.baseline_case and (one.case, one.row.measured_phase) == (
        baseline.case,
        baseline.row.measured_phase,
    ):
        return True
    same = [
        other.row.number
        for other in comparisons
        if (other.case, other.row.measured_phase, other.row.corpus, other.row.source[:6])
        == (one.case, one.row.measured_phase, one.row.corpus, one.row.source[:6])
        and not other.row.is_baseline
    ]
    merged = any(
        other.row.phase == "merge"
        and (other.row.version, other.row.source) == (one.row.version, one.row.source)
        for other in comparisons
    )
    total = one.row.phase == "total" and merged
    return total or one.row.number != same[0]


def group_name(one: Comparison, comparisons: Sequence[Comparison]) -> str:
    """Return what is measured, and over which baseline."""
    row, baseline = one.row, comparisons[one.row.baseline[0] - 1].row
    if row.suite == "heaps":
        return f"{row.version.partition(': ')[0]}, over {short(baseline.version)}"
    # Only the series ran everything on one machine.
    series = row.source.startswith("series")
    where = row.corpus.partition("-")[0] if series else row.source.split()[0]
    over = "32,000 ids" if row.suite == "vocab" else short(baseline.version)
    stage = f" ({baseline.cases[0]})" if row.suite == "ladder" else ""
    return f"{where}, {row.phase.replace('_', ' ')}, over {over}{stage}"


def row_name(one: Comparison) -> str:
    """Return the stage that was measured, the author's name of what is no stage."""
    if one.row.suite == "ladder":
        return one.case
    if one.row.suite == "vocab":
        return one.case.replace("000 ids", "000")
    threads = "" if one.row.suite == "heaps" else f" x{one.row.threads}"
    return f"{short(one.row.version)}{threads}"


def short(version: str) -> str:
    """Return an author's name for a version without what its group says.

    >>> short("bpe_train_updater_omp_v7"), short("heap micro-benchmark 1: C module")
    ('omp_v7', 'C module')
    """
    return version.removeprefix("bpe_train_updater_").rpartition(": ")[2]


def cells(one: Comparison) -> tuple[str, str, str, str]:
    """Return seconds and speed-up, published and here."""
    unit = "/s" if one.row.phase == RATE else " s"
    published, measured = pair(one)
    return (
        f"{brief(one.row.amount)}{unit}",
        f"x {brief(published)}",
        f"{brief(one.measured)}{unit}",
        f"x {brief(measured)}",
    )


def brief(amount: Amount | None) -> str:
    """Return an amount with two significant digits.

    >>> brief(Amount(32_437)), brief(Amount(555.2, ">")), brief(Amount(0.00816))
    ('32,000', '> 560', '0.0082')
    """
    return "" if amount is None else f"{amount.bound} {two_digits(amount.value)}".strip()


def color_of(one: Comparison) -> str:
    """Return the colour of the stage that was measured; grey for what is no stage."""
    return stage_color(one.case) if one.case in STAGES else UNKNOWN


def message(drawn: Sequence[Comparison]) -> str:
    """Return the title: how many speed-ups are alike."""
    known = [one for one in drawn if not any(amount.bound for amount in pair(one))]
    alike = [
        one
        for one in known
        for published, measured in [pair(one)]
        if 1 / ALIKE <= measured.value / published.value <= ALIKE
    ]
    return (
        f"Of {len(known)} published speed-ups, {len(alike)} come out within a factor of "
        f"{ALIKE:g} on this machine"
    )


def caption(
    comparisons: Sequence[Comparison],
    drawn: Sequence[Comparison],
    suites: "Mapping[str, pandas.DataFrame]",
) -> str:
    """Return how to read it, and where it was measured."""
    first = next(iter(suites.values())).iloc[0]
    scales = "; ".join(f"{suite} ({records['scale'].iloc[0]})" for suite, records in suites.items())
    missing = sum(one.measured is None for one in comparisons)
    return (
        f"Ring: published; dot: here. Arrow: at least or at most. {len(drawn)} of "
        f"{len(comparisons)} published rows; the rest are baselines and repetitions, and {missing} "
        f"were not run here. Other texts and vocabularies than published. Suites: {scales}.\n"
        "Published: lili, 2025 (64 CPUs); Koschei, 2025; word-frequency post, 2025.\n"
        f"{machine_line(first['machine'])}."
    )
