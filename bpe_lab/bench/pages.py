"""Records of suites -> a page for each, and one of all."""

import base64
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.suite import Suite, typed
from bpe_lab.results.records import load
from bpe_lab.results.tables import footnote
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.files import check_file, write_file

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

AGAIN = "results/again"
"""Where a command writes that repeats a measurement."""

FROM_ELSEWHERE = re.compile(r'<script src="https://[^"]*">\s*</script>')
"""For formulas and widgets, which our pages do not have."""

LOOK = """<style>
.jp-RenderedHTMLCommon img { max-width: min(100%, 760px); }
.jp-RenderedHTMLCommon table { display: block; overflow-x: auto; }
</style>
"""
"""Of the report: a wide table is moved sideways."""

Place = Callable[[str, "Figure"], str]
"""Where a figure of some name is."""


def suite_page(suite: Suite, records: "pandas.DataFrame", place: Place) -> str:
    """Return the page of a suite in Markdown: question, figure, table, footnote.

    :param place: is called with the suite's id and its figure.
    """
    figure: Any = suite.figure(records)
    title = named(" ".join(figure.get_suptitle().split()))
    parts = [f"# {suite.title}", suite.question]
    parts += [f"![{title}]({place(suite.id, figure)})", figure.caption]
    parts += [suite.table(records).strip(), footnote(records)]
    parts += [f"Again: {as_code(repeat_command(suite, records))}."]
    return "\n\n".join(parts) + "\n"


def write_results(suite: Suite, records: "pandas.DataFrame", out: Path) -> list[Path]:
    """Write the page of a suite and its figure, and return the files, the page first."""
    from bpe_lab.plots.figure import save

    page, drawn = out / f"{suite.id}.md", out / "figures" / f"{suite.id}.png"

    def place(_: str, figure: "Figure") -> str:
        save(figure, drawn)
        return f"figures/{drawn.name}"

    write_file(page, suite_page(suite, records, place).encode())
    return [page, drawn]


def write_report(folder: Path, out: Path) -> None:
    """Write one page of HTML of all that was measured in a folder: `bpe-lab report`."""
    from nbconvert.exporters import HTMLExporter
    from nbformat.v4 import new_markdown_cell, new_notebook

    check_file(out)
    files = {suite: folder / f"{suite}.jsonl" for suite in SUITES}
    loaded = {suite: load(file) for suite, file in files.items() if file.exists()}
    suites = {suite: records for suite, records in loaded.items() if len(records)}
    if not suites:
        raise FileNotFoundError(
            f"{folder} has no records of our suites: make some with `bpe-lab bench all`, or name "
            "another folder"
        )
    texts = [suite_page(SUITES[suite], records, _embedded) for suite, records in suites.items()]
    titles = [SUITES[suite].title for suite in suites]
    contents = [f"- [{title}](#{title.replace(' ', '-').replace('`', '')})" for title in titles]
    texts.insert(0, "\n".join(["# Measured with bpe_lab\n", *contents]))
    cells = [new_markdown_cell(text) for text in texts]  # type: ignore[no-untyped-call]
    notebook: Any = new_notebook(cells=cells, metadata={"title": "bpe_lab, measured"})  # type: ignore[no-untyped-call]
    page, _ = HTMLExporter().from_notebook_node(notebook)  # type: ignore[no-untyped-call]
    page = FROM_ELSEWHERE.sub("", page).replace("</head>", f"{LOOK}</head>", 1)
    write_file(out, page.encode(errors="backslashreplace"))


def _embedded(_: str, figure: "Figure") -> str:
    """Return a figure as an address that holds it."""
    from bpe_lab.plots.figure import png

    return f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"


def repeat_command(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the command that repeats a measurement."""
    first, measured = records.iloc[0], dict.fromkeys(records["case"])
    words = ["bpe-lab", "bench", suite.id, "--scale", str(first["scale"])]
    words += ["--repeats", str(records["round"].max())]
    for option, value in first["options"].items():
        numbers = value if isinstance(value, list) else [value]
        words += [typed(option), ",".join(map(str, numbers))]
    if {case.name for case in suite.chosen(first["scale"], first["options"])} - {*measured}:
        words += [word for case in measured for word in ("--case", case)]
    # The folder of these records would refuse others.
    return shlex.join([*words, "--out", AGAIN])
