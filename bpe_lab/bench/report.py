"""One HTML page of everything that was measured, to show to others: `bpe-lab report`."""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import jinja2
import mistune
from markupsafe import Markup

import bpe_lab
from bpe_lab.bench.pages import (
    Part,
    UnfinishedSuiteError,
    load_suites,
    message,
    published_part,
    rest_command,
    suite_part,
)
from bpe_lab.bench.suites import SUITES
from bpe_lab.plots.style import png
from bpe_lab.results.machine_facts import code_text, machine_line
from bpe_lab.support.files import check_file, signals_held_back, write_aside, written

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TEMPLATE = Path(__file__).with_name("report.html")


@dataclass(frozen=True)
class Picture:
    """A figure in the page.

    :param data: the figure as a data URI.
    :param size: width and height of the figure, in points.
    :param alt: what it shows, for those who do not see it.
    """

    data: str
    size: tuple[int, int]
    alt: str


@dataclass(frozen=True)
class Section:
    """A part of the page.

    :param part: what is said.
    :param pictures: its figures.
    :param table: HTML.
    :param conditions: HTML: how it was measured.
    """

    part: Part
    pictures: list[Picture]
    table: Markup
    conditions: Markup


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


def write_report(folder: Path, out: Path) -> None:
    """Write the page of all suites that have records.

    :param folder: of `bpe-lab bench --out`.
    :param out: the page; an older one is replaced, folders above it are made.
    :raises FileNotFoundError: there are no records.
    :raises ValueError: the records cannot be compared, or are of several machines.
    :raises OSError: the page cannot be written.
    """
    check_file(out)
    page = report(load_suites(folder)).encode()
    with signals_held_back():
        write_aside(out, page)
        written.append(out)


def report(found: "Mapping[str, pandas.DataFrame]") -> str:
    """Return the page: HTML with its figures in it, no script, nothing from elsewhere.

    :param found: suite id -> its records, at least one, all of one machine.
    :raises ValueError: the records of a suite cannot be compared.
    """
    days = sorted(utc[:10] for records in found.values() for utc in records["utc"])
    codes = dict.fromkeys(code_text(code) for records in found.values() for code in records["code"])
    parts, unfinished = [published_part(found)], {}
    for suite, records in found.items():
        try:
            parts.append(suite_part(SUITES[suite], records))
        except UnfinishedSuiteError:
            unfinished[suite] = rest_command(SUITES[suite], records)
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        machine=machine_line(next(iter(found.values()))["machine"].iloc[0]),
        dates=" to ".join(dict.fromkeys((days[0], days[-1]))),
        version=bpe_lab.__version__,
        codes=list(codes),
        sections=[section(part) for part in parts if part is not None],
        missing=[
            Unmeasured(suite.title, suite.question, unfinished.get(id_, f"bpe-lab bench {id_}"))
            for id_, suite in SUITES.items()
            if id_ not in found or id_ in unfinished
        ],
    )


def section(part: Part) -> Section:
    """Return a part as it stands on the page."""
    return Section(
        part,
        [picture(figure) for figure in part.figures.values()],
        html(part.table),
        html("\n\n".join(part.conditions)),
    )


def picture(figure: "Figure") -> Picture:
    """Return a figure as it stands on the page."""
    width, height = (round(100 * inches) for inches in figure.get_size_inches())
    return Picture(
        "data:image/png;base64," + base64.b64encode(png(figure)).decode(),
        (width, height),
        f"Figure: {message(figure)}. Its numbers are in the table below.",
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
