"""Copy measurements into the recorded results, and write tables and figures of READMEs from them.

python -m bpe_lab.bench.recorded results/record data/recorded/bench [README.md book/numbers.md]
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from runpy import run_path

from bpe_lab.bench.pages import repeat_command
from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import ablation, ladder, peers, processor
from bpe_lab.plots.figure import save
from bpe_lab.results.published import published_table
from bpe_lab.results.records import load, read_records, write_records
from bpe_lab.results.tables import (
    Records,
    factor,
    footnote,
    markdown_table,
    rows_table,
    short_footnote,
)
from bpe_lab.support.files import write_file


def _floor(recorded: Path) -> float | None:
    """Return the floor of the ladder in a folder of records, None where it is not known."""
    if not (limit := recorded / "limit.jsonl").exists():
        return None
    return ladder.floor(load(recorded / "ladder.jsonl"), load(limit))


def _ablation_tables(recorded: Path, _: str) -> str:
    """Return the tables of ideas, of the core and of the counter: a row for each, a column for each
    text."""
    records = load(recorded / "ablation.jsonl")
    rows = ablation.compared(records)
    rows["text"] = [factor("factor")(row) for row in rows.to_dict("records")]
    tables = []
    for kind in ("idea", "counting"):
        cells = rows[rows["kind"] == kind].pivot(index="idea", columns="group", values="text")
        ideas, groups = (
            rows.loc[rows["kind"] == kind, name].unique() for name in ("idea", "group")
        )
        lines = cells.reindex(index=ideas, columns=groups).fillna("").reset_index().to_numpy()
        tables.append(markdown_table(["without", *groups], lines.tolist()))
    turns = int(records["in_turns"].dropna().map(len).groupby(records["case"]).sum().min())
    last = f"{turns} turns of each. {_footnote(ablation.SUITE, records)}\n"
    return "\n\n".join([*tables, last])


def _short_ladder(recorded: Path, _: str) -> str:
    """Return the ladder of the README, with a footnote of two lines."""
    records = load(recorded / "ladder.jsonl")
    rows = ladder.table(records).partition("\n\n")[0]
    link = "[Columns, machine, method](book/numbers.md#the-ladder-in-detail)."
    return f"{rows}\n\n{short_footnote(records)} {link}\n"


def _ladder_notes(recorded: Path, _: str) -> str:
    """Return what the README's ladder leaves out, and the simulated instructions of each stage."""
    records = load(recorded / "ladder.jsonl")
    columns = ladder.table(records).partition("\n\n")[2]
    simulated = load(recorded / "processor.jsonl")
    parts = [
        f"Columns of the README's table. {columns} {_footnote(ladder.SUITE, records)}",
        "The phases, of the run with the median time:",
        ladder.ladder_details(records),
        "Simulated by cachegrind, per merge; text and merges are those of the row:",
        rows_table(processor.event_rows(simulated), processor.MERGE_COLUMNS),
        _footnote(processor.SUITE, simulated),
    ]
    return "\n\n".join(parts) + "\n"


def _footnote(suite: Suite, records: Records) -> str:
    """Return the footnote of a table, and where it is from."""
    command = repeat_command(suite, records)
    return f"{footnote(records)} Records: `data/recorded/bench/{suite.id}.jsonl`, by `{command}`."


def _published(recorded: Path, table: str) -> str:
    """Return a table of published timings beside ours."""
    return published_table(table, all_records(recorded))


def _series(recorded: Path, _: str) -> str:
    """Return the table of the published programs beside ours, as the tool makes it."""
    table = run_path(f"{Path(__file__).parents[2]}/tools/series.py")["series_table"]
    records = all_records(recorded)["series"]
    return f"{table(records)}\n{short_footnote(records)}\n"


@cache
def all_records(recorded: Path) -> Mapping[str, Records]:
    """Return the records of a folder and those of the experiments beside it, by file."""
    folders = (recorded.parent / "experiments", recorded)
    return {path.stem: load(path) for folder in folders for path in folder.glob("*.jsonl")}


BLOCKS: Mapping[str, Callable[[Path, str], str]] = {
    "ladder": _short_ladder,
    "ladder-details": _ladder_notes,
    "ablation": _ablation_tables,
    "published": _published,
    "series": _series,
}
"""First word of a marker -> who makes what stands between it and its end, from its other words."""


def with_blocks(text: str, recorded: Path) -> str:
    """Return a page with what the records in a folder say between its markers."""

    def block(match: re.Match[str]) -> str:
        begin, name, end = match.groups()
        kind, _, which = name.partition(" ")
        return f"{begin}{BLOCKS[kind](recorded, which)}{end}"

    marked = r"(<!-- ([^>\n]*):begin -->\n).*?(<!-- \2:end -->\n)"
    return re.sub(marked, block, text, flags=re.DOTALL)


def write_figures(recorded: Path) -> None:
    """Write the README's figure of a folder of records, beside them."""
    if recorded.name == "bench":
        records = load(recorded / "ladder.jsonl")
        road = ladder.fall_and_shares(records, _floor(recorded), recorded=True)
        save(road, recorded / "road.png")
    elif (path := recorded / "peers.jsonl").exists():
        save(peers.SUITE.figure(load(path)), recorded / "peers.png")


def main(words: Sequence[str]) -> None:
    """Copy the suites of one folder into another, and write tables and figures."""
    measured, recorded, *readmes = map(Path, words)
    paths = sorted(measured.glob("*.jsonl"))
    for path in paths:
        records = read_records(path)
        if path.stem != "ladder":  # a figure shows the seconds of each merge of the ladder
            for record in records:
                record.pop("trace", None)
        write_records(recorded / path.name, records)
    write_figures(recorded)
    for readme in readmes:
        text = with_blocks(readme.read_text(encoding="utf-8"), recorded)
        write_file(readme, text.encode())
    print(f"recorded: {', '.join(path.stem for path in paths)}")


if __name__ == "__main__":
    main(sys.argv[1:])
