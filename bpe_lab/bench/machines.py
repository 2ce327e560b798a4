"""Ladders of several machines: those that readers have measured, and that of the lab."""

from collections.abc import Mapping
from itertools import cycle
from pathlib import Path

import pandas

from bpe_lab.bench.pages import explained
from bpe_lab.bench.suite import Figure
from bpe_lab.bench.suites.ladder import SUITE, ladder_rows
from bpe_lab.corpora import data_path
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.plots.style import PALETTE, ROW_HEIGHT, new_figure
from bpe_lab.results.code_facts import older_sentence
from bpe_lab.results.conditions import footnote
from bpe_lab.results.numbers import count_of, three_digits
from bpe_lab.results.records import load
from bpe_lab.results.tables import Records


def ladders(folder: Path | None = None) -> dict[str, Records]:
    """Return the ladders that come with the lab, by a short name of each machine: A, B, ...

    :param folder: of contributed files; None: `data/recorded/machines`.
    """
    own = data_path("recorded/bench/ladder.jsonl")
    paths = [own, *sorted((folder or own.parents[1] / "machines").glob("*.jsonl"))]
    return {chr(ord("A") + number): _ladder(path) for number, path in enumerate(paths)}


def _ladder(path: Path) -> Records:
    """Return the records of a ladder, or say why they are none."""
    records = load(path)
    with explained(SUITE, records):
        ladder_rows(records), footnote(records), older_sentence(records)
    return records


def machines_text(ladders: Mapping[str, Records]) -> str:
    """Return what was measured on which machine, and how far the rates of a stage are apart on
    those that did the same work as the first."""
    lines, rates, work = [], {}, ["corpus_sha256", "vocab_size"]
    for name, records in ladders.items():
        lines.append(f"- **{name}**: {footnote(records)} {older_sentence(records)}".rstrip())
        if (records[work].iloc[0] == next(iter(ladders.values()))[work].iloc[0]).all():
            rows = ladder_rows(records)
            # A stage that took half an hour was run once, and says nothing of how far they differ.
            rates[name] = rows["median"][rows["values"] > 1]
    table = pandas.DataFrame(rates)
    apart = (table.max(axis=1) / table.min(axis=1))[table.notna().sum(axis=1) > 1]
    if len(apart):
        lines.append(
            f"\nThe rates of a stage are {apart.median():.2f} times apart in the median of "
            f"{len(apart)} stages; the farthest apart is `{apart.idxmax()}`, {apart.max():.2f} "
            "times."
        )
    return "\n".join(lines) + "\n"


def machines_figure(ladders: Mapping[str, Records]) -> Figure:
    """Draw merges per second of each stage, by machine.

    >>> machines_figure({"A": load(data_path("recorded/bench/ladder.jsonl"))}).get_suptitle()
    'The ladder on 1 machine'
    """
    rates = pandas.DataFrame({name: ladder_rows(ladders[name])["median"] for name in ladders})
    texts = rates.apply(lambda row: ", ".join(map(three_digits, row.dropna())), axis=1)
    figure = new_figure(
        1.8 + ROW_HEIGHT * len(rates),
        f"The ladder on {count_of(len(ladders), 'machine')}",
        "Dots: medians; the numbers are in the order of the machines.",
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    for name, color in zip(rates, cycle(PALETTE)):
        axes.plot(
            rates[name], range(len(rates)), "o", color=color, markersize=8, label=name, alpha=0.8
        )
    for row, text in enumerate(texts):
        write_beside(axes, row, rates.iloc[row].max(), text)
    row_axes(axes, rates.index.tolist(), "merges per second (log scale)")
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=len(rates), frameon=False)
    return figure
