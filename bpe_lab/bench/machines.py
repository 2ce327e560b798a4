"""Ladders of several machines: those that readers have measured, and that of the lab."""

from collections.abc import Mapping
from pathlib import Path

import pandas

from bpe_lab.bench.suite import Figure
from bpe_lab.bench.suites.ladder import ladder_rows
from bpe_lab.corpora import data_path
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import PALETTE
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
    return {chr(ord("A") + number): load(path) for number, path in enumerate(paths)}


def machines_text(ladders: Mapping[str, Records]) -> str:
    """Return what was measured on which machine, and how far the rates of a stage are apart on
    those that did the same work as the first."""
    lines, rates, work = [], {}, ["corpus_sha256", "vocab_size"]
    for name, records in ladders.items():
        lines.append(
            f"- **{name}**: {footnote(records)} {older_sentence(records.iloc[0])}".rstrip()
        )
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

    :param ladders: short name of a machine -> its records of the suite `ladder`.

    >>> machines_figure({"A": load(data_path("recorded/bench/ladder.jsonl"))}).get_suptitle()
    'The ladder on 1 machine'
    """
    rows = pandas.concat(
        ladder_rows(records).assign(label=name, color=PALETTE[number % len(PALETTE)])
        for number, (name, records) in enumerate(ladders.items())
    )
    return grouped_rows(
        None,
        rows.assign(group=rows.index, text=rows["median"].map(three_digits)),
        f"The ladder on {count_of(len(ladders), 'machine')}",
        x_label="merges per second (log scale)",
        note="Dot: median; bar: slowest to fastest run.",
    )
