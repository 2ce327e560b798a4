"""Ladders of several machines: those that readers have measured, and that of the lab."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_lab.corpora import data_path
from bpe_lab.results.code_facts import code_text
from bpe_lab.results.conditions import conditions
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import estimate
from bpe_lab.results.records import Record, load, write_records
from bpe_lab.results.tables import Records, markdown_table

SHOWN = ("word_counts", "inverted_index", "max_heap", "cpp_flat", "core")
"""Stages in the table; the figure has all."""


def contribute(records: Iterable[Record], path: Path) -> None:
    """Write the records of a ladder as a file for `data/recorded/machines`, without the seconds of
    each merge."""
    write_records(path, [{**one, "trace": {}} for one in records])


def ladders(folder: Path | None = None) -> dict[str, Records]:
    """Return the ladders that come with the lab, by a short name of each machine: A, B, ...

    :param folder: of contributed files; None: `data/recorded/machines`.
    """
    own = data_path("recorded/bench/ladder.jsonl")
    paths = [own, *sorted((folder or own.parents[1] / "machines").glob("*.jsonl"))]
    return {chr(ord("A") + number): load(path) for number, path in enumerate(paths)}


def machines_table(found: Mapping[str, Records]) -> str:
    """Return what was measured on which machine, and merges per second of some stages."""
    rows = []
    for name, records in found.items():
        rates = ladder_rows(records)["median"]
        said = conditions(records)
        rows.append(
            [
                name,
                machine_line(records["machine"].iloc[0]),
                code_text(records["code"].iloc[0]),
                f"{said.count('idle')} of {len(said)}",
                *(estimate(rates[stage]) if stage in rates else "" for stage in SHOWN),
            ]
        )
    head = ["", "machine", "bpe_lab", "values on an idle machine", *(f"`{one}`" for one in SHOWN)]
    return "\n\n".join(filter(None, [markdown_table(head, rows), agreement(found)])) + "\n"


def agreement(found: Mapping[str, Records]) -> str:
    """Return how far machines differ in the rate of a stage; "" for a single machine."""
    import pandas

    rates = pandas.DataFrame({name: ladder_rows(of)["median"] for name, of in found.items()})
    apart = (rates.max(axis=1) / rates.min(axis=1))[rates.notna().sum(axis=1) > 1].dropna()
    if apart.empty:
        return ""
    return (
        f"The rates of a stage are {apart.median():.2f} times apart in the median of "
        f"{len(apart)} stages, and {apart.max():.2g} times at most (`{apart.idxmax()}`)."
    )
