"""Records of suites -> a page for each, and one of all."""

import base64
import contextlib
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.suite import Suite, typed
from bpe_lab.corpora import data_path
from bpe_lab.results.numbers import count_of
from bpe_lab.results.records import MERGING, load
from bpe_lab.results.tables import Columns, digest_text, footnote, rows_table, summary
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.files import check_file, write_file

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

AGAIN = "results/again"
"""Where a command writes that repeats a measurement."""

EXPERIMENTS = (
    "tinystories",
    "tinystories-1.0.0",
    "openwebtext",
    "openwebtext-1.0.0",
    "openwebtext-larger",
    "openwebtext-scan",
    "ladder-heaps",
    "series",
)
"""Files in `data/recorded/experiments` with values for published timings, or beside them."""

SMOKE_TEST = (
    "**A smoke test** (scale tiny): every case ran here, and those that must agree gave the same "
    "result. So short a run is mostly the start of programs: no time and no figure is shown, "
    "nothing is compared. Scale default measures."
)
"""On top of the page of a suite at scale "tiny"."""

PHASES_EXPLAINED = """\
# Phases

The time of a training is that of its phases. Merging is all of them but `count`.

- `count`: files to word counts;
- `init`: word counts to the words as the stage holds them;
- `count_pairs`: the first table of pair counts and, where there is one, the index; `naive` and
  `word_counts` count all pairs again for each merge;
- `select`: which pair is next, pushes and pops of a heap included;
- `update`: the merge itself, in the words, the counts and the index;
- `convert`: ids to bytes, and the records of the loop.
"""
"""What the phases of a training are, in Markdown."""

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


def is_smoke_test(records: "pandas.DataFrame") -> bool:
    """Tell whether records only show that a suite runs."""
    return bool(records["scale"].iloc[0] == "tiny")


def suite_table(suite: Suite, records: "pandas.DataFrame") -> str:
    """Return the table of a suite in Markdown; of a smoke test only its digests."""
    if is_smoke_test(records):
        columns: Columns = {"case": lambda row: named(row["case"]), "result": digest_text}
        return f"{SMOKE_TEST}\n\n{rows_table(summary(records), columns)}"
    return suite.table(records).strip()


def suite_page(suite: Suite, records: "pandas.DataFrame", place: Place) -> str:
    """Return the page of a suite in Markdown: question, figure, table, footnote.

    :param place: is called with the suite's id and its figure.
    """
    parts = [f"# {suite.title}", suite.question]
    if not is_smoke_test(records):
        figure: Any = suite.figure(records)
        title = named(" ".join(figure.get_suptitle().split()))
        parts += [f"![{title}]({place(suite.id, figure)})", figure.caption]
    parts += [suite_table(suite, records), footnote(records)]
    columns = ["corpus", "corpus_bytes", "corpus_sha256"]
    texts = records.reindex(columns=columns).dropna().drop_duplicates().to_numpy().tolist()
    if len(texts) == 1:
        [(name, size, digest)] = texts
        parts.append(f"`{name}`: {int(size):,} bytes, SHA-256 `{digest}`.")
    parts.append(f"Again: {as_code(repeat_command(suite, records))}.")
    return "\n\n".join(parts) + "\n"


def write_results(suite: Suite, records: "pandas.DataFrame", out: Path) -> list[Path]:
    """Write the page of a suite and its figure, and return the files, the page first."""
    from bpe_lab.plots.figure import save

    file = out / f"{suite.id}.md"
    files = [file]

    def place(name: str, figure: "Figure") -> str:
        files.append(out / "figures" / f"{name}.png")
        save(figure, files[-1])
        return f"figures/{name}.png"

    write_file(file, suite_page(suite, records, place).encode())
    return files


def write_report(folder: Path, out: Path) -> None:
    """Write one page of HTML of all that was measured in a folder: `bpe-lab report`."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    check_file(out)
    suites = load_suites(folder)
    texts = [suite_page(SUITES[suite], records, _embedded) for suite, records in suites.items()]
    titles = [SUITES[suite].title for suite in suites]
    if any(f"phase_{MERGING[0]}" in records for records in suites.values()):
        titles.append("Phases")
        texts.append(PHASES_EXPLAINED)
    contents = [f"- [{title}](#{title.replace(' ', '-').replace('`', '')})" for title in titles]
    if notebooks := sorted((out.parent / "notebooks").glob("*.html")):
        links = (f"[{page.stem[:2]}](notebooks/{page.name})" for page in notebooks)
        contents.append(f"- The notebooks, executed here: {', '.join(links)}")
    dates = sorted({str(utc)[:10] for records in suites.values() for utc in records["utc"]})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    head = f"# Measured with bpe_lab\n\n{count_of(len(suites), 'suite')}, {when} (UTC).\n\n"
    texts.insert(0, head + "\n".join(contents))
    cells = [new_markdown_cell(text) for text in texts]  # type: ignore[no-untyped-call]
    page = html_page(new_notebook(cells=cells), "bpe_lab, measured")  # type: ignore[no-untyped-call]
    write_file(out, page.replace("</head>", f"{LOOK}</head>", 1).encode(errors="backslashreplace"))


def html_page(notebook: Any, name: str) -> str:
    """Return a notebook as a page of HTML that loads nothing from elsewhere."""
    from nbconvert.exporters import HTMLExporter

    page, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": name}})  # type: ignore[no-untyped-call]
    return FROM_ELSEWHERE.sub("", page)


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
    if {*measured} < {case.name for case in suite.chosen(first["scale"], first["options"])}:
        words += [word for case in measured for word in ("--case", case)]
    # The folder of these records would refuse others.
    return shlex.join([*words, "--out", AGAIN])


def recorded_experiments() -> dict[str, "pandas.DataFrame"]:
    """Return the records that come with the lab beside those of `recorded/bench`, by their file.

    They are of suites on texts of the published sizes and, as `<suite>-<what>`, of more cases of a
    suite, or of its cases with that version, on another machine. A wheel has none.
    """
    experiments = {}
    for name in EXPERIMENTS:
        with contextlib.suppress(FileNotFoundError):
            experiments[name] = load(data_path(f"recorded/experiments/{name}.jsonl"))
    return experiments


def load_suites(folder: Path) -> dict[str, "pandas.DataFrame"]:
    """Return the records in a folder by suite; each suite is of one machine."""
    files = {suite: folder / f"{suite}.jsonl" for suite in SUITES}
    loaded = {suite: load(file) for suite, file in files.items() if file.exists()}
    measured = {suite: records for suite, records in loaded.items() if len(records)}
    if not measured:
        raise FileNotFoundError(
            f"{folder} has no records of our suites: make some with `bpe-lab bench all`, or name "
            "another folder"
        )
    return measured
