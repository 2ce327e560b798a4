"""Records of a suite -> its table, its figure, and a file for pyperf."""

from pathlib import Path
from typing import TYPE_CHECKING

import bpe_lab
from bpe_lab.bench.machine_facts import machine_line
from bpe_lab.bench.statistics import write_pyperf
from bpe_lab.bench.suite import Suite
from bpe_lab.files import write_aside
from bpe_lab.plots.style import save

if TYPE_CHECKING:
    import pandas


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
    text, figure = page(suite, records), suite.figure(records)
    files = [
        out / f"{suite.id}.md", out / "figures" / f"{suite.id}.png", out / f"{suite.id}.pyperf.json"
    ]  # fmt: skip
    files[1].parent.mkdir(parents=True, exist_ok=True)
    write_aside(files[0], text.encode())
    save(figure, files[1])
    write_pyperf(records, files[2])
    return files


def page(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the page of a suite: its question, figure and table, the machine, how to repeat it.

    :param suite: the suite.
    :param records: its records.
    :raises ValueError: the records cannot be compared.
    """
    first = records.iloc[0]
    rounds = int(records["round"].max())
    command = f"bpe-lab bench {suite.id} --scale {first['scale']} --repeats {rounds}"
    loads = records["load"].dropna()
    load = f" load average {loads.min():.1f} to {loads.max():.1f};" if len(loads) else ""
    lines = [
        f"# {suite.title}\n",
        f"{suite.question}\n",
        f"![{suite.title}](figures/{suite.id}.png)\n",
        suite.table(records).strip() + "\n",
        f"{rounds} value{'s' * (rounds != 1)} per case, each in a fresh process, cases in turn;"
        f"{load} bpe_lab {bpe_lab.__version__}, code `{first['code']}`.",
        *(f"{machine_line(machine)}." for machine in machines(records)),
        f"Again: `{command}`.\n",
    ]
    return "\n".join(lines)


def machines(records: "pandas.DataFrame") -> list[dict[str, object]]:
    """Return the machines of records, each once."""
    found: list[dict[str, object]] = []
    for machine in records["machine"]:
        if machine not in found:
            found.append(machine)
    return found
