"""One HTML page of everything that was measured, to show to others: `bpe-lab report`."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jinja2
import mistune
from markupsafe import Markup

import bpe_lab
from bpe_lab.bench.pages import (
    UnfinishedSuiteError,
    conditions,
    load_suites,
    machines,
    repeat_command,
    rest_command,
    table_and_figure,
)
from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import SUITES
from bpe_lab.files import check_file, signals_held_back, write_aside, written
from bpe_lab.plots.published_measured import published_measured
from bpe_lab.plots.style import png
from bpe_lab.results import published
from bpe_lab.results.machine_facts import machine_line

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TEMPLATE = Path(__file__).with_name("report.html")


@dataclass(frozen=True)
class Section:
    """A part of the page.

    :param id: anchor.
    :param title: a few words.
    :param question: one sentence.
    :param picture: the figure as a data URI.
    :param size: width and height of the figure, in points.
    :param alt: what the figure shows, for those who do not see it.
    :param table: HTML.
    :param conditions: HTML: how it was measured.
    :param command: makes it again.
    """

    id: str
    title: str
    question: str
    picture: str
    size: tuple[int, int]
    alt: str
    table: Markup
    conditions: Markup
    command: str


@dataclass(frozen=True)
class Unmeasured:
    """A suite without records, or with too few of them.

    :param title: of the suite.
    :param question: of the suite.
    :param command: measures it.
    """

    title: str
    question: str
    command: str


def write_report(folder: Path, out: Path, *, mixed: bool = False) -> None:
    """Write the page of all suites that have records.

    :param folder: of `bpe-lab bench --out`.
    :param out: the page; an older one is replaced, folders above it are made.
    :param mixed: show suites of several machines on one page.
    :raises FileNotFoundError: there are no records.
    :raises ValueError: the records cannot be compared, or are of several machines.
    :raises OSError: the page cannot be written.
    """
    check_file(out)
    page = report(load_suites(folder, mixed=mixed)).encode()
    with signals_held_back():
        write_aside(out, page)
        written.append(out)


def report(found: "Mapping[str, pandas.DataFrame]") -> str:
    """Return the page: HTML with its figures in it, no script, nothing from elsewhere.

    :param found: suite id -> its records, at least one.
    :raises ValueError: the records of a suite cannot be compared.
    """
    # A suite that was measured on two machines is listed with both.
    here: list[dict[str, Any]] = []
    for records in found.values():
        here += [machine for machine in machines(records) if machine not in here]
    days = sorted(utc[:10] for records in found.values() for utc in records["utc"])
    codes = dict.fromkeys(code for records in found.values() for code in records["code"])
    sections, unfinished = [], {}
    for suite, records in found.items():
        try:
            sections.append(suite_section(SUITES[suite], records))
        except UnfinishedSuiteError:
            unfinished[suite] = rest_command(SUITES[suite], records)
    if len(here) == 1 and (beside := published_section(found)):
        sections.insert(0, beside)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        machines=list(dict.fromkeys(map(machine_line, here))),
        dates=" to ".join(dict.fromkeys((days[0], days[-1]))),
        version=bpe_lab.__version__,
        codes=list(codes),
        sections=sections,
        missing=[
            Unmeasured(suite.title, suite.question, unfinished.get(id_, f"bpe-lab bench {id_}"))
            for id_, suite in SUITES.items()
            if id_ not in found or id_ in unfinished
        ],
    )


def suite_section(suite: Suite, records: "pandas.DataFrame") -> Section:
    """Return the part of the page about one suite."""
    table, figure = table_and_figure(suite, records)
    lines = [conditions(records), *(f"{machine_line(one)}." for one in machines(records))]
    return section(
        suite.id,
        suite.title,
        suite.question,
        figure,
        table,
        "\n\n".join(lines),
        repeat_command(suite, records),
    )


def published_section(found: "Mapping[str, pandas.DataFrame]") -> Section | None:
    """Return the published timings beside those of the suites; None when none was measured.

    :param found: suite id -> its records, all of one machine.
    """
    compared = published.compare(found)
    try:
        figure = published_measured(compared, found)
    except ValueError:  # there is nothing to draw; what cannot be compared was refused before
        return None
    return section(
        "published",
        "Published against measured",
        "Does each published idea bring here what it brought to its author?",
        figure,
        published.table(compared),
        "Sources and how far to trust them: `data/README.md`.",
        "bpe-lab bench all",
    )


def section(
    id: str, title: str, question: str, figure: "Figure", table: str, said: str, command: str
) -> Section:
    """Return a part of the page from a figure and Markdown."""
    message = " ".join(figure.get_suptitle().split())
    width, height = (round(100 * inches) for inches in figure.get_size_inches())
    return Section(
        id=id,
        title=title,
        question=question,
        picture="data:image/png;base64," + base64.b64encode(png(figure)).decode(),
        size=(width, height),
        alt=f"Figure: {message}. Its numbers are in the table below.",
        table=html(table),
        conditions=html(said),
        command=command,
    )


def html(markdown: str) -> Markup:
    """Return Markdown as HTML; tables scroll by themselves where the page is narrow.

    HTML in the Markdown is shown as text: names of files come from the user.

    >>> html("**a** <b>")
    Markup('<p><strong>a</strong> &lt;b&gt;</p>\\n')
    """
    convert = mistune.create_markdown(escape=True, plugins=["table"])
    assert isinstance(convert.renderer, mistune.HTMLRenderer)
    # A part that scrolls must be reachable by the keyboard.
    convert.renderer.register(
        "table", lambda _, rows: f'<div class="table" tabindex="0"><table>{rows}</table></div>\n'
    )
    return Markup(convert(markdown))
