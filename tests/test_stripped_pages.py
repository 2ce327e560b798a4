"""Promise: what notebooks show reads without styles and scripts, in colour and on a phone."""

import re
from html.parser import HTMLParser
from typing import Any

import nbconvert
import nbformat
import pytest

from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.lessons.shared.source import show, show_diff, stage_source
from bpe_lab.lessons.shared.worked_steps import steps
from bpe_lab.stages.naive import Naive

PAIRS = [
    ("naive", "word_counts"),
    ("word_counts", "word_filter"),
    ("pair_table", "inverted_index"),
    ("fine_grained", "max_heap"),
]

LEFT = {*re.findall(r"\w+", """
    a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption
    figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp
    small source span strike strong sub summary sup table tbody td tfoot th thead time tr tt
    ul var wbr
""")}  # fmt: skip
"""The tags that the largest code hosting site leaves in a page."""

BLOCKS = {"p", "div", "tr", "li", "table", "thead", "tbody", "pre", "h1", "h2", "h3", "h4", "ul"}


def stripped(html: str) -> str:
    """Return a page as a code hosting site shows it: no styles, no classes, no scripts."""
    import nh3

    kept = {"a": {"href"}, "img": {"src", "alt"}, "td": {"colspan", "valign"}}
    return str(nh3.clean(html, tags=LEFT, attributes=kept, clean_content_tags={"script", "style"}))


class Text(HTMLParser):
    """The lines of text that a browser would show of a page, and what is marked in them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.said = ""
        self.open: list[str] = []
        self.marked: list[tuple[frozenset[str], str]] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: object) -> None:
        if tag in BLOCKS or tag == "br":
            self.said += "\n"
        if tag not in ("br", "img", "hr"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
        self.said += "\n" if tag in BLOCKS else " | " if tag in ("td", "th") else ""

    def handle_data(self, data: str) -> None:
        # Only where the author has said so does a browser keep the white space of the source.
        self.said += data if "pre" in self.open else re.sub(r"\s+", " ", data)
        self.marked.append((frozenset(self.open), data))


def html_of(thing: Any) -> str:
    return str(thing._repr_html_())


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_a_difference_keeps_its_lines_and_says_of_each_what_happened(old: str, new: str) -> None:
    said = Text(stripped(html_of(show_diff(old, new, context=10_000)))).said.split("\n")
    before, after = stage_source(old).splitlines(), stage_source(new).splitlines()
    files = [f"{sign} bpe_lab/stages/{of}.py" for sign, of in (("---", old), ("+++", new))]
    assert all(file in said for file in files)
    shown = [line for line in said if line not in files]
    for sign, source in (("-", before), ("+", after)):
        assert [line[1:] for line in shown if line[:1] in (sign, " ")] == source


def test_steps_mark_what_is_merged_and_what_was_made() -> None:
    trained = steps(WORKED_EXAMPLE, 4)
    page = Text(stripped(html_of(trained)))
    assert "l o w × 5" in page.said, "tokens of a word stand apart"
    bold = [text for tags, text in page.marked if {"b", "code"} <= tags]
    underlined = [text for tags, text in page.marked if {"ins", "code"} <= tags]
    for moment, (left, right) in zip(trained, trained.merges, strict=False):
        # In the list of pairs, in the choice, and at each place in the words.
        places = sum(
            tokens[place : place + 2] == (left, right)
            for tokens in moment.words
            for place in range(len(tokens))
        )
        assert places
        assert bold[: 2 * (places + 2)] == [left.decode(), right.decode()] * (places + 2)
        del bold[: 2 * (places + 2)]
        assert (left + right).decode() in underlined
        assert f"{left.decode()} {right.decode()} → {(left + right).decode()}" in page.said
    assert not bold
    assert "Bold" in page.said and "Underlined" in page.said  # what the marks mean


def test_on_a_phone_what_is_wide_scrolls_in_its_own_box(browser: Any) -> None:
    exporter = nbconvert.HTMLExporter()
    wide = [
        show_diff("fine_grained", "max_heap"),
        show(Naive),
        steps(WORKED_EXAMPLE, 2),
    ]
    cells = [
        nbformat.v4.new_code_cell(
            f"# {number} {'wide ' * 30}",
            outputs=[nbformat.v4.new_output("execute_result", {"text/html": html_of(shown)})],
        )
        for number, shown in enumerate(wide)
    ]
    html, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells))
    # The libraries for mathematics that nbconvert wants from the network are not needed here.
    html = re.sub(r'<script[^>]*\bsrc="[^"]*"[^>]*></script>', "", html)
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_content(html)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(BEYOND_THE_EDGE) == []


BEYOND_THE_EDGE = """
[...document.querySelectorAll("main td, main th, main pre, main p, main code")].filter(element => {
    if (element.getBoundingClientRect().right <= innerWidth) return false;
    for (let box = element.parentElement; box; box = box.parentElement)
        if (["auto", "scroll"].includes(getComputedStyle(box).overflowX)) return false;
    return true;
}).map(element => element.outerHTML.slice(0, 80))
"""
"""What reaches over the edge of the page and stands in no box that scrolls."""
