"""Promise: the race shows the merges of the recorded runs, in a browser and without scripts."""

import math
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.corpora import data_path
from bpe_lab.lessons.shared.timeline import timeline
from bpe_lab.results.numbers import duration
from bpe_lab.results.records import load
from bpe_lab.results.tables import median_run

STAGES = ("naive", "inverted_index", "core")


@pytest.fixture(scope="module")
def runs() -> Any:
    return median_run(load(data_path("recorded/bench/ladder.jsonl"))).loc[[*STAGES]]


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Two races on one page: a script must find its own."""
    home = tmp_path_factory.mktemp("page") / "page.html"
    html = timeline("naive", "core")._repr_html_() + timeline(*STAGES)._repr_html_()
    home.write_text(f'<!doctype html><meta charset="utf-8"><body>{html}', encoding="utf-8")
    page = browser.new_page()
    page.goto(home.as_uri())
    yield page
    page.close()


def merges_at(page: Any, seconds: float) -> list[int]:
    """Move the second slider to a time, and return what its rows say."""
    slider = page.locator("input").nth(1)
    slider.evaluate(
        "(slider, to) => { slider.step = 'any'; slider.value = to; "
        "slider.dispatchEvent(new Event('input')); }",
        math.log10(seconds),
    )
    rows = page.locator("table").nth(1).locator("tbody tr")
    said = [rows.nth(at).locator("td").nth(2).inner_text() for at in range(len(STAGES))]
    widths = [rows.nth(at).locator("rect").get_attribute("width") for at in range(len(STAGES))]
    assert said == [f"{int(width):,}" for width in widths]
    return [int(width) for width in widths]


def test_the_slider_shows_the_merges_that_were_made_until_then(page: Any, runs: Any) -> None:
    slider = page.locator("input").nth(1)
    assert slider.is_visible() and slider.get_attribute("min") == "-3"
    assert merges_at(page, 0.001) == [0, 0, 0]
    core, index = runs["seconds"]["core"], runs["seconds"]["inverted_index"]
    # One moment before the end of each stage it is not done: the clock begins with counting.
    assert merges_at(page, core * 0.999)[2] < 1_743 == merges_at(page, core * 1.001)[2]
    assert merges_at(page, index * 0.99)[1] < 1_743 == merges_at(page, index * 1.001)[1]
    assert merges_at(page, 60)[1:] == [1_743, 1_743]
    trace, before = runs["trace"]["naive"], runs[["phase_count", "phase_init"]].sum(axis=1)["naive"]
    at = 100
    seen = merges_at(page, before + trace["seconds"][at])[0]
    assert seen == pytest.approx(trace["rank"][at], abs=2)
    # Between two recorded merges that are some merges apart, a part of them.
    middle = before + (trace["seconds"][-2] + trace["seconds"][-1]) / 2
    assert trace["rank"][-2] + 1 < merges_at(page, middle)[0] < 1_743
    said = page.locator("[role=status]").nth(1).inner_text()
    assert said == f"after {middle / 60:.1f} minutes"
    merges_at(page, 0.0103)
    assert page.locator("[role=status]").nth(1).inner_text() == "after 10.3 ms"


def test_without_scripts_the_last_state_is_there(browser: Any, runs: Any, tmp_path: Path) -> None:
    home = tmp_path / "page.html"
    html = timeline(*STAGES)._repr_html_()
    home.write_text(f'<!doctype html><meta charset="utf-8"><body>{html}', encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(home.as_uri())
    assert not page.locator("input").is_visible()
    said = page.locator("tbody").inner_text().split()
    assert said[:4] == ["naive", "1,743", *duration(runs["seconds"]["naive"]).split()]
    assert said.count("1,743") == len(STAGES)
    context.close()
