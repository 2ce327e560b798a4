"""Published timings beside those of this machine: `python -m bpe_lab.results.published DIR`.

Seconds of two machines, texts and languages say little beside each other; what can be compared is
how many times as fast a version is as the one it is measured against, there and here. Which case of
which suite stands for a published row, and its baseline, is in `data/published_mapping.csv`.
"""

import argparse
import csv
import statistics
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_lab.api import PathLike
from bpe_lab.corpora import data_path
from bpe_lab.files import write_aside
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.records import load
from bpe_lab.results.tables import refuse_mixed, require_same_conditions, row_line

if TYPE_CHECKING:
    import pandas

RATE = "merges_per_second"

PHASES = {
    "merge": ("init", "count_pairs", "select", "update"),
    "select+update": ("select", "update"),
    "count_pairs": ("count_pairs",),
    "select": ("select",),
    "update": ("update",),
}
"""Phase of the mapping -> phases of a record that it is the sum of. Two others are fields of a
record: "total", its seconds, and "merges_per_second".
"""


@dataclass(frozen=True)
class Amount:
    """Seconds, merges per second, or a ratio.

    :param value: the number.
    :param bound: ">" or "<": what is known is only that it is more or less; "≈": extrapolated.
    """

    value: float
    bound: str = ""

    def __str__(self) -> str:
        number = f"{self.value:,.0f}" if self.value >= 100 else f"{self.value:.3g}"
        return f"{self.bound} {number}".strip()


@dataclass(frozen=True)
class PublishedRow:
    """One published figure, and what stands for it in this lab.

    :param number: its place in the file, from 1.
    :param source: who published it.
    :param version: the author's name for it.
    :param corpus: what it was measured on.
    :param vocab_size: ids, "" where not stated.
    :param threads: processes or threads.
    :param phase: as published.
    :param amount: median of the runs: seconds, or merges per second.
    :param suite: id of the suite that measures it; "" for none.
    :param cases: names of its cases, the best match first; the first that was measured counts.
    :param measured_phase: a key of `PHASES`, "total" or "merges_per_second".
    :param baseline: number of the row it is compared with; of two, the first less the second.
    :param baseline_case: the case to compare with, where it is not that of the baseline.
    :param note: how the case differs, or why there is none.
    """

    number: int
    source: str
    version: str
    corpus: str
    vocab_size: str
    threads: str
    phase: str
    amount: Amount
    suite: str
    cases: tuple[str, ...]
    measured_phase: str
    baseline: tuple[int, ...]
    baseline_case: str
    note: str

    @property
    def is_baseline(self) -> bool:
        """Whether it is its own baseline."""
        return self.baseline == (self.number,)


@dataclass(frozen=True)
class Comparison:
    """A published row beside what was measured here.

    :param row: the row.
    :param published_ratio: times as fast as the published baseline.
    :param case: the case that was measured; "" for none.
    :param measured: seconds or merges per second here; None: not run here.
    :param measured_ratio: times as fast as the baseline here.
    :param remark: why it was not run, or how the case differs.
    """

    row: PublishedRow
    published_ratio: Amount | None
    case: str
    measured: Amount | None
    measured_ratio: Amount | None
    remark: str


def published_rows() -> list[PublishedRow]:
    """Return all published rows with their mapping.

    >>> row = published_rows()[53]
    >>> row.version, str(row.amount), row.suite
    ('Python merge', '> 600', 'ladder')
    """
    rows = []
    for number, (timing, mapping) in enumerate(
        zip(read_csv("published_timings.csv"), read_csv("published_mapping.csv"), strict=True), 1
    ):
        runs = timing["seconds_runs"].split(";")
        rows.append(
            PublishedRow(
                number=number,
                source=timing["source"],
                version=timing["version"],
                corpus=timing["corpus"],
                vocab_size=timing["vocab_size"],
                threads=timing["threads"],
                phase=timing["phase"],
                amount=Amount(
                    statistics.median(float(run.removeprefix(">")) for run in runs),
                    ">" if any(run.startswith(">") for run in runs) else "",
                ),
                suite=mapping["suite"],
                cases=tuple(mapping["cases"].split(";")) if mapping["cases"] else (),
                measured_phase=mapping["phase"],
                baseline=tuple(map(int, mapping["baseline"].split("-"))),
                baseline_case=mapping["baseline_case"],
                note=mapping["note"],
            )
        )
    return rows


def read_csv(name: str) -> list[dict[str, str]]:
    """Return the rows of a file of the `data` folder."""
    with data_path(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_suites(folder: PathLike) -> "dict[str, pandas.DataFrame]":
    """Return the records of the suites that the mapping names and that were run.

    :param folder: of `bpe-lab bench --out`.
    :return: suite id -> records.
    :raises FileNotFoundError: there are none.
    :raises ValueError: the records cannot be compared.
    """
    suites = sorted({row.suite for row in published_rows()} - {""})
    files = {suite: Path(folder, f"{suite}.jsonl") for suite in suites}
    found = {suite: load(file) for suite, file in files.items() if file.exists()}
    found = {suite: records for suite, records in found.items() if len(records)}
    if not found:
        raise FileNotFoundError(
            f"{folder} has no records of {', '.join(suites)}: run `bpe-lab bench all` first"
        )
    return found


def compare(suites: "Mapping[str, pandas.DataFrame]") -> list[Comparison]:
    """Return every published row beside what was measured here.

    :param suites: suite id -> its records.
    :raises ValueError: the records of a suite, or the machines of two, cannot be compared.
    """
    import pandas

    for records in suites.values():
        require_same_conditions(records)
    refuse_mixed("machines", pandas.concat([records["machine"] for records in suites.values()]))
    rows = published_rows()
    return [compare_row(row, rows, suites) for row in rows]


def compare_row(
    row: PublishedRow, rows: Sequence[PublishedRow], suites: "Mapping[str, pandas.DataFrame]"
) -> Comparison:
    """Return one published row beside what was measured here.

    :param row: the row.
    :param rows: all rows, by number.
    :param suites: suite id -> its records.
    """
    first, *less = [rows[number - 1] for number in row.baseline]
    published = Amount(
        first.amount.value - sum(one.amount.value for one in less), first.amount.bound
    )
    baseline_phase = row.measured_phase if less or row.baseline_case else first.measured_phase
    baseline_cases = (row.baseline_case,) if row.baseline_case else first.cases
    case, measured = measured_amount(suites, row.suite, row.cases, row.measured_phase)
    _, baseline = measured_amount(suites, row.suite, baseline_cases, baseline_phase)
    return Comparison(
        row=row,
        published_ratio=speed_up(published, row.amount, row.phase),
        case=case,
        measured=measured,
        measured_ratio=speed_up(baseline, measured, row.phase),
        remark=row.note if measured else f"not run here: {why_not(row, suites)}",
    )


def measured_amount(
    suites: "Mapping[str, pandas.DataFrame]", suite: str, cases: Sequence[str], phase: str
) -> tuple[str, Amount | None]:
    """Return the first of some cases that was measured, and its median; "" and None without one.

    :param suites: suite id -> its records.
    :param suite: where to look.
    :param cases: names, the best match first.
    :param phase: a key of `PHASES`, "total" or "merges_per_second".
    """
    if suite not in suites:
        return "", None
    records = suites[suite]
    for case in cases:
        runs = records[records["case"] == case]
        if runs.empty:
            continue
        if phase == "total":
            values = runs["seconds"]
        elif phase == RATE:
            values = runs[RATE]
        else:
            values = runs[[f"phase_{name}" for name in PHASES[phase]]].sum(axis=1)
        stopped = "stopped_by" in runs and bool((runs["stopped_by"] == "time_budget").any())
        bound = ("≈" if phase == RATE else ">") if stopped else ""
        return case, Amount(float(values.median()), bound)
    return "", None


def speed_up(baseline: Amount | None, amount: Amount | None, phase: str) -> Amount | None:
    """Return how many times as fast something is as its baseline; None where that is not known.

    >>> str(speed_up(Amount(600, ">"), Amount(1.081), "merge"))
    '> 555'
    >>> str(speed_up(Amount(0.08), Amount(10.18), "merges_per_second"))
    '127'
    >>> speed_up(Amount(6, ">"), Amount(6, ">"), "merge") is None
    True
    """
    if baseline is None or amount is None:
        return None
    if phase == RATE:
        return Amount(amount.value / baseline.value, amount.bound or baseline.bound)
    if baseline.bound and amount.bound:
        return None
    # Something that takes longer than is known is faster by less than is known.
    return Amount(baseline.value / amount.value, "<" if amount.bound else baseline.bound)


def why_not(row: PublishedRow, suites: "Mapping[str, pandas.DataFrame]") -> str:
    """Return why a row has no measured value.

    :param row: the row.
    :param suites: suite id -> its records.
    """
    if not row.suite:
        return row.note
    if row.suite not in suites:
        return f"suite `{row.suite}` was not run"
    return f"no case {row.cases[0]!r} at scale {suites[row.suite]['scale'].iloc[0]}"


def table(comparisons: Sequence[Comparison]) -> str:
    """Return comparisons as a Markdown table, one line per published row.

    :param comparisons: from `compare`.
    """
    head = ("version", "corpus", "ids", "threads", "phase", "published, s", "x baseline",
            "here: case", "here: phase", "here, s", "x baseline here", "remark")  # fmt: skip
    lines = []
    for one in comparisons:
        row = one.row
        lines.append(
            [
                f"{row.number} {row.version}",
                row.corpus,
                row.vocab_size,
                row.threads,
                row.phase,
                with_unit(row.amount, row),
                "baseline" if row.is_baseline else shown(one.published_ratio),
                f"{row.suite}: {one.case}" if one.measured else "",
                row.measured_phase if one.measured else "",
                with_unit(one.measured, row),
                "baseline" if row.is_baseline and one.measured else shown(one.measured_ratio),
                one.remark,
            ]
        )
    # Names to the left, numbers to the right.
    numbers = {"ids", "threads", "published, s", "x baseline", "here, s", "x baseline here"}
    aligned = ["--:" if name in numbers else ":--" for name in head]
    return (
        "\n".join(map(row_line, [head, aligned, *lines]))
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads here are those of "
        "the case, not the published ones; a total here counts words with `native`. Heaps: one "
        'repetition here. ">" and "<": one of the two was stopped, so more or less than that; '
        '"≈": the rate of the first merges only.\n'
    )


def with_unit(amount: Amount | None, row: PublishedRow) -> str:
    """Return an amount for a table; merges per second say so, seconds do not."""
    return f"{amount} merges/s" if amount and row.phase == RATE else shown(amount)


def shown(amount: Amount | None) -> str:
    """Return an amount for a table, "" for none."""
    return "" if amount is None else str(amount)


def write_published(folder: PathLike) -> list[Path]:
    """Write the table and the figure of published against measured.

    :param folder: with records of suites; gets `published.md` and `figures/published.png`.
    :return: the files.
    :raises FileNotFoundError: it has no records.
    :raises ValueError: the records cannot be compared.
    :raises OSError: it cannot be written.
    """
    from bpe_lab.plots.published_measured import published_measured
    from bpe_lab.plots.style import save

    suites = read_suites(folder)
    comparisons = compare(suites)
    first = next(iter(suites.values())).iloc[0]
    text, figure = table(comparisons), published_measured(comparisons, suites)
    files = [Path(folder, "published.md"), Path(folder, "figures", "published.png")]
    page = [
        "# Published against measured\n",
        "![Published and measured speed-ups](figures/published.png)\n",
        text,
        f"Here: {machine_line(first['machine'])}. Sources: `data/README.md`.\n",
    ]
    # First what may be refused: a page without its figure would be half of the result.
    save(figure, files[1])
    write_aside(files[0], "\n".join(page).encode())
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the table and the figure beside the records of a folder."""
    parser = argparse.ArgumentParser(
        prog="python -m bpe_lab.results.published", description=__doc__.splitlines()[0]
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="the --out of bpe-lab bench")
    args = parser.parse_args(arguments)
    try:
        files = write_published(args.folder)
    except (OSError, ValueError) as error:
        print(f"bpe-lab: error: {error}", file=sys.stderr)
        return 2
    print(f"written: {', '.join(map(str, files))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
