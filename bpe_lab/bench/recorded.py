"""Copy measurements into the recorded results, and write tables and figures of READMEs from them.

python -m bpe_lab.bench.recorded results/record data/recorded/bench [README.md book/numbers.md]
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bpe_lab.bench.pages import explained, repeat_command
from bpe_lab.bench.suite import Figure, Suite
from bpe_lab.bench.suites import ablation, ladder, peers, processor
from bpe_lab.plots.figure import save
from bpe_lab.results.code_facts import older_sentence
from bpe_lab.results.conditions import footnote, short_footnote
from bpe_lab.results.records import load, read_records, write_records
from bpe_lab.results.tables import Records, factor, markdown_table, rows_table
from bpe_lab.support.files import write_file


def _copy(measured: Path, recorded: Path) -> None:
    """Copy the records of a suite, unless they are torn or lack a case that was recorded before."""
    records, torn = read_records(measured)
    if torn or not records:
        raise ValueError(
            f"{measured} has {'a torn line' if torn else 'no records'}: measure with --resume"
        )
    earlier = read_records(recorded)[0] if recorded.exists() else []
    if lost := {one["case"] for one in earlier} - {one["case"] for one in records}:
        raise ValueError(
            f"{recorded} has records of {len(lost)} cases that are not in the new ones "
            f"({min(lost)}, "
            "...): measure all of them, or remove the file"
        )
    # A figure shows the seconds of each merge of the ladder.
    if measured.stem != "ladder" and any("trace" in one for one in records):
        records = [{**one, "trace": {}} for one in records]
    write_records(recorded, records)


def _floor(recorded: Path) -> float | None:
    """Return the floor of the ladder in a folder of records, None where it is not known."""
    if not (limit := recorded / "limit.jsonl").exists():
        return None
    return ladder.floor(load(recorded / "ladder.jsonl"), load(limit))


def ablation_tables(records: Records) -> str:
    """Return the tables of ideas, of the core and of the counter: a row for each, a column for each
    text."""
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


def _short_ladder(records: Records, floor: float | None) -> str:
    """Return the ladder of the README, with a footnote of two lines."""
    rows = ladder.table(records, floor).partition("\n\n")[0]
    link = "[Columns, machine, method](book/numbers.md#the-ladder-in-detail)."
    return f"{rows}\n\n{short_footnote(records)} {link}\n"


def _ladder_notes(recorded: Path, records: Records) -> str:
    """Return what the README's ladder leaves out, and the simulated instructions of each stage."""
    columns = ladder.table(records, _floor(recorded)).partition("\n\n")[2]
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
    """Return the footnote of a table: conditions, if the code is another, and where it is from."""
    place = (
        f"Records: `data/recorded/bench/{suite.id}.jsonl`, by `{repeat_command(suite, records)}`."
    )
    return " ".join(filter(None, [footnote(records), older_sentence(records), place]))


FIGURES: dict[str, tuple[Suite, str, Callable[[Path, Records], Figure]]] = {
    "bench": (
        ladder.SUITE, "road",
        lambda folder, made: ladder.fall_and_shares(made, _floor(folder), recorded=True),
    ),
    "experiments": (peers.SUITE, "peers", lambda _, made: peers.figure(made)),
}  # fmt: skip
"""Folder of records -> the suite of which the README has a figure, its file, and who draws it."""

BLOCKS: Mapping[str, tuple[Suite, Callable[[Path, Records], str]]] = {
    "ladder": (ladder.SUITE, lambda folder, made: _short_ladder(made, _floor(folder))),
    "ladder-details": (ladder.SUITE, _ladder_notes),
    "ablation": (ablation.SUITE, lambda _, made: ablation_tables(made)),
}
"""Name of a pair of markers -> the suite whose tables stand between them, and who makes them."""


def with_blocks(text: str, recorded: Path) -> str:
    """Return a README with what the records in a folder say between its markers.

    >>> with_blocks("no table", Path("."))
    Traceback (most recent call last):
    ValueError: the text has no lines <!-- ladder:begin --> and <!-- ladder:end -->
    """
    marked = re.compile(
        rf"(<!-- ({'|'.join(BLOCKS)}):begin -->\n).*?(<!-- \2:end -->\n)", re.DOTALL
    )
    written, number = marked.subn(lambda one: f"{one[1]}{_block(one[2], recorded)}{one[3]}", text)
    if not number:
        raise ValueError("the text has no lines <!-- ladder:begin --> and <!-- ladder:end -->")
    return written


def _block(name: str, recorded: Path) -> str:
    """Return what stands between a pair of markers."""
    suite, tables = BLOCKS[name]
    records = load(recorded / f"{suite.id}.jsonl")
    with explained(suite, records):
        return tables(recorded, records)


def write_figures(recorded: Path) -> None:
    """Write the README's figure of a folder of records, beside them."""
    if recorded.name in FIGURES:
        suite, name, draw = FIGURES[recorded.name]
        if (path := recorded / f"{suite.id}.jsonl").exists():
            records = load(path)
            with explained(suite, records):
                save(draw(recorded, records), recorded / f"{name}.png")


def main(words: Sequence[str]) -> str:
    """Copy the suites of one folder into another, and return what was copied."""
    if len(words) < 2 or Path(words[0]).resolve() == Path(words[1]).resolve():
        raise SystemExit("name two folders: the measured results and the recorded ones")
    measured, recorded, *readmes = map(Path, words)
    if not (paths := sorted(measured.glob("*.jsonl"))):
        raise SystemExit(f"{measured} has no records: make some with bpe-lab bench")
    recorded.mkdir(parents=True, exist_ok=True)
    copied, refused = [], []
    for path in paths:
        try:
            _copy(path, recorded / path.name)
            copied.append(path.stem)
        except ValueError as error:
            refused.append(str(error))
    try:
        write_figures(recorded)
        for readme in readmes:
            text = with_blocks(readme.read_text(encoding="utf-8"), recorded)
            write_file(readme, text.encode())
    except (ValueError, FileNotFoundError) as error:
        raise SystemExit(str(error)) from None
    summary = f"recorded: {', '.join(copied) or 'none of them'}"
    if refused:
        raise SystemExit("\n".join([*refused, summary]))
    return summary


if __name__ == "__main__":
    print(main(sys.argv[1:]))
