"""Promise: what notebooks show is read on a phone."""

import re
from typing import Any

import nbconvert
import nbformat

from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.lessons.shared.page import show_tokens
from bpe_lab.lessons.shared.source import show
from bpe_lab.stages.naive import Naive


def test_on_a_phone_what_is_wide_scrolls_in_its_own_box(browser: Any) -> None:
    exporter = nbconvert.HTMLExporter()
    wide = [show(Naive), show_tokens(20 * [*WORKED_EXAMPLE])]
    cells = [
        nbformat.v4.new_code_cell(
            f"# {number} {'wide ' * 30}",
            outputs=[nbformat.v4.new_output("execute_result", {"text/html": shown._repr_html_()})],
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
