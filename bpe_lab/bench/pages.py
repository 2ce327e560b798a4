"""Records of suites -> what every page says of them, a page each, and a file for pyperf."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpe_lab
from bpe_lab.bench.runner import MIXABLE
from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import SUITES
from bpe_lab.files import write_aside
from bpe_lab.plots.style import save
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.records import load
from bpe_lab.results.statistics import case_summary, write_pyperf
from bpe_lab.results.tables import UNSTABLE

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


def write_results(suite: Suite, records: "pandas.DataFrame", out: Path) -> list[Path]:
    """Write what is made of the records of a suite.

    :param suite: the suite.
    :param records: its records.
    :param out: folder; gets `<suite>.md`, `figures/<suite>.png` and `<suite>.pyperf.json`.
    :return: the files, the page first.
    :raises ValueError: the records cannot be compared.
    :raises OSError: the folder cannot be written.
    """
    # Both before anything is written: a table without its figure would be an older run's.
    table, figure = table_and_figure(suite, records)
    files = result_files(suite, out)
    write_aside(files[0], page(suite, records, table).encode())
    save(figure, files[1])
    write_pyperf(records, files[2])
    return files


def result_files(suite: Suite, out: Path) -> list[Path]:
    """Return the files that `write_results` writes.

    :param suite: the suite.
    :param out: folder.
    """
    return [
        out / f"{suite.id}.md",
        out / "figures" / f"{suite.id}.png",
        out / f"{suite.id}.pyperf.json",
    ]


def table_and_figure(suite: Suite, records: "pandas.DataFrame") -> tuple[str, "Figure"]:
    """Return the table of a suite, as Markdown, and its figure.

    :param suite: the suite.
    :param records: its records.
    :raises UnfinishedSuiteError: they are of too few of its cases.
    :raises ValueError: they cannot be compared.
    """
    try:
        return suite.table(records), suite.figure(records)
    except (KeyError, IndexError, TypeError) as error:
        known = {case.name for case in suite.cases(records["scale"].iloc[0])}
        measured = set(records["case"])
        if not measured < known:
            raise
        raise UnfinishedSuiteError(
            f"{suite.id} has records of {len(measured)} of {len(known)} cases, too few for its "
            f"table and figure; measure the rest: `{rest_command(suite, records)}`"
        ) from error


class UnfinishedSuiteError(ValueError):
    """The records of a suite are of too few of its cases to be shown."""


def page(suite: Suite, records: "pandas.DataFrame", table: str) -> str:
    """Return the page of a suite: its question, figure and table, the machine, how to repeat it.

    :param suite: the suite.
    :param records: its records.
    :param table: its table.
    :raises ValueError: the records cannot be compared.
    """
    lines = [
        f"# {suite.title}\n",
        f"{suite.question}\n",
        f"![{suite.title}](figures/{suite.id}.png)\n",
        table.strip() + "\n",
        f"{conditions(records)}\n",
        *(f"{machine_line(machine)}." for machine in machines(records)),
        f"Again: `{repeat_command(suite, records)}`.\n",
    ]
    return "\n".join(lines)


def conditions(records: "pandas.DataFrame") -> str:
    """Return how often and under which load a suite was measured, and how far its values spread.

    :param records: of one suite.
    :raises ValueError: the records cannot be compared.
    """
    rounds, rows = int(records["round"].max()), case_summary(records)
    loads = records["load"].dropna()
    load = f"load average {loads.min():.1f} to {loads.max():.1f}; " if len(loads) else ""
    codes = ", ".join(f"`{code}`" for code in dict.fromkeys(records["code"]))
    said = (
        f"{rounds} value{'s' * (rounds != 1)} per case, each in a fresh process, cases in turn; "
        f"{load}bpe_lab {bpe_lab.__version__}, code {codes}."
    )
    if rounds == 1:
        return f"{said} One value says nothing of its spread."
    unstable = int((rows["spread"] > UNSTABLE).sum())
    return (
        f"{said} Fastest and slowest value of a case are at most {rows['spread'].max():.0%} of its "
        f"median apart ({rows['spread'].idxmax()}); more than {UNSTABLE:.0%} in {unstable} of "
        f"{len(rows)} cases."
    )


def repeat_command(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the command that measures a suite again as it was measured.

    :param suite: the suite.
    :param records: its records.
    """
    measured, known = dict.fromkeys(records["case"]), suite.cases(records["scale"].iloc[0])
    cases = [word for case in measured for word in ("--case", case)]
    chosen = cases if set(measured) < {case.name for case in known} else []
    return shlex.join([*command_words(suite, records), *chosen])


def rest_command(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the command that measures what records of a suite lack.

    :param suite: the suite.
    :param records: its records.
    """
    return shlex.join([*command_words(suite, records), "--resume"])


def command_words(suite: Suite, records: "pandas.DataFrame") -> list[str]:
    """Return the command under which a suite was measured, but for the choice of its cases."""
    first = records.iloc[0]
    known = {case.name: case for case in suite.cases(first["scale"])}
    words = ["bpe-lab", "bench", suite.id, "--scale", str(first["scale"])]
    words += ["--repeats", str(records["round"].max())]
    given = known[first["case"]].params if first["case"] in known else {}
    for option, name in (("--file", "text"), ("--budget", "time_budget")):
        if name in given and given[name] != first[f"param_{name}"]:
            words += [option, str(first[f"param_{name}"])]
    return words


def load_suites(folder: Path, *, mixed: bool = False) -> dict[str, "pandas.DataFrame"]:
    """Return the records of every suite that has some in a folder, in the order of the suites.

    :param folder: of `bpe-lab bench --out`.
    :param mixed: accept records of several machines, or of several versions of the code in a suite.
    :raises FileNotFoundError: there are no records; names the command that makes them.
    :raises ValueError: they are of several machines, and `mixed` is false.
    :warns UserWarning: a line is torn: the process that wrote it was killed.
    """
    files = {suite: folder / f"{suite}.jsonl" for suite in SUITES}
    loaded = {suite: load(file) for suite, file in files.items() if file.exists()}
    found = {suite: records for suite, records in loaded.items() if len(records)}
    if not found:
        raise FileNotFoundError(
            f"{folder} has no records: make some with `bpe-lab bench all`, or name another folder"
        )
    if mixed:
        for records in found.values():
            records.attrs["mixed"] = MIXABLE
    else:
        refuse_several_machines(folder, found)
    return found


def refuse_several_machines(folder: Path, found: Mapping[str, "pandas.DataFrame"]) -> None:
    """Refuse suites that were not all measured on one machine.

    :param folder: where they are, for the message.
    :param found: suite -> its records.
    :raises ValueError: they are of several machines; says in which facts these differ.
    """
    first: dict[str, Any] = {}
    for suite, records in found.items():
        for machine in machines(records):
            first = first or machine
            names = [name for name in machine if machine[name] != first.get(name)]
            if names:
                raise ValueError(
                    f"{folder} has records of several machines: those of {suite} differ from the "
                    f"first ones in {', '.join(names)}; --mixed shows them together"
                )


def machines(records: "pandas.DataFrame") -> list[dict[str, Any]]:
    """Return the machines of records, each once."""
    found: list[dict[str, Any]] = []
    for machine in records["machine"]:
        if machine not in found:
            found.append(machine)
    return found
