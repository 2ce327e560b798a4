"""Ladders of several machines: those that readers have measured, and that of the lab."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_lab.corpora import data_path
from bpe_lab.results.code_facts import older_sentence
from bpe_lab.results.conditions import footnote
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.records import Record, load, write_records
from bpe_lab.results.tables import Records


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


def machines_text(found: Mapping[str, Records]) -> str:
    """Return what was measured on which machine, and how far machines differ."""
    lines = [
        f"- **{name}**: {footnote(records)} {older_sentence(records.iloc[0])}".rstrip()
        for name, records in found.items()
    ]
    return "\n\n".join(filter(None, ["\n".join(lines), agreement(found)])) + "\n"


def agreement(found: Mapping[str, Records]) -> str:
    """Return how far machines differ in the rate of a stage; "" for a single machine.

    Compared are those that did the same work as the first.
    """
    import pandas

    work = {name: _work(of) for name, of in found.items()}
    first = next(iter(work.values()))
    rows = {name: ladder_rows(of) for name, of in found.items() if work[name] == first}
    # A stage that took half an hour was run once, and says nothing of how far machines differ.
    rates = pandas.DataFrame({name: of["median"][of["values"] > 1] for name, of in rows.items()})
    apart = (rates.max(axis=1) / rates.min(axis=1))[rates.notna().sum(axis=1) > 1].dropna()
    if apart.empty:
        return ""
    return (
        f"The rates of a stage are {apart.median():.2f} times apart in the median of {len(apart)} "
        f"stages; the farthest apart is `{apart.idxmax()}`, {apart.max():.2f} times."
    )


def _work(records: Records) -> tuple[str, int]:
    """Return the text of a ladder, by its digest, and the ids of its vocabulary."""
    return str(records["corpus_sha256"].iloc[0]), int(records["vocab_size"].iloc[0])
