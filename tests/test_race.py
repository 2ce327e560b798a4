"""Promise: the race shows what the records say, in a browser and without one, and asks nobody."""

import datetime
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is in the extra `lab`")
pytest.importorskip("matplotlib", reason="matplotlib is in the extra `lab`")
pytest.importorskip("pyperf", reason="pyperf is in the extra `lab`")

from bpe_lab.corpora import data_path
from bpe_lab.lessons.race import RECORDED, race, runners_of
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import duration, significant
from bpe_lab.results.records import load

NOON = datetime.datetime(2026, 3, 5, 12, 0, 0)
"""A Thursday."""

LOADED = datetime.timedelta(seconds=30)


@pytest.fixture(scope="module")
def ladder() -> Any:
    """The recorded ladder, one row per stage."""
    return ladder_rows(load(data_path(RECORDED)))


@pytest.fixture
def open_race(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """Open a page of its own with a race, twice unless said otherwise, at noon of a Thursday."""
    opened = []

    def open_page(style: str = "", html: str = "", **options: Any) -> Any:
        context = browser.new_context(timezone_id="UTC", locale="en-US", **options)
        page = context.new_page()
        page.asked, page.errors = [], []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.errors.append(error))
        page.clock.install(time=NOON.replace(tzinfo=datetime.UTC))
        file = tmp_path / f"page{len(opened)}.html"
        file.write_text(
            '<!doctype html><meta charset="utf-8"><meta name="viewport" '
            f'content="width=device-width"><style>body{{margin:8px;{style}}}</style>'
            + (html or recorded_race() * 2),
            encoding="utf-8",
        )
        page.goto(file.as_uri())
        # From now on its clock stands still until a test moves it, however slow the machine is.
        page.clock.pause_at((NOON + LOADED).replace(tzinfo=datetime.UTC))
        opened.append((context, page))
        return page

    yield open_page
    for context, page in opened:
        assert not page.errors
        assert {url.partition(":")[0] for url in page.asked} == {"file"}, "it asks somebody"
        assert len(page.asked) == 1
        context.close()


class Cells(HTMLParser):
    """The cells of tables, row by row, and the tags that were met."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(html)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def recorded_race() -> str:
    """The race of the ladder that comes with the lab, in HTML."""
    return race().html


def stripped(html: str) -> str:
    """What a site leaves that takes out styles, scripts and attributes."""
    html = re.sub(r"<(style|script)>.*?</\1>", "", html, flags=re.DOTALL)
    return re.sub(r"<(\w+) [^>]*>", r"<\1>", html)


def lanes(race: Any) -> dict[str, str]:
    """What is written beside each stage at this moment."""
    names = race.locator(".lane .name").all_inner_texts()
    return dict(zip(names, race.locator(".lane .note").all_inner_texts(), strict=True))


def race_to_the_end(page: Any, race: Any) -> None:
    """Run a race on the growing clock; an hour has passed long before 30 s are over."""
    race.get_by_role("combobox").select_option("0")
    race.get_by_role("button", name="Start", exact=True).click()
    page.clock.run_for(30_000)


def test_without_styles_and_scripts_a_table_says_what_the_records_say(ladder: Any) -> None:
    cells = Cells(stripped(recorded_race()))
    assert cells.tags <= {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "code"}
    rows = {row[1]: row for row in cells.rows[1:]}
    assert set(rows) == set(ladder.index), "every recorded stage is in it, and no other"
    total = ladder["n_merges"].max()
    for stage, (place, _, rate, time, clock) in rows.items():
        median, complete = ladder["median"][stage], ladder["complete"][stage]
        assert int(place) == 1 + (ladder["median"] > median).sum()
        assert rate.partition(" (")[0] == significant(median)
        assert time.removeprefix("at most ") == duration(total / median)
        # Who shows a stopped stage as finished shows a forecast as a measurement.
        assert time.startswith("at most") == clock.startswith("by ") == (not complete)
        if not complete:
            assert rate.endswith(f"(first {ladder['n_merges'][stage]:,} merges)")
    rates = [float(ladder["median"][row[1]]) for row in cells.rows[1:]]
    assert rates == sorted(rates, reverse=True), "the order of finishing is that of the rates"


def test_records_of_another_ladder_are_played_too(tiny: Callable[[str], Path]) -> None:
    records = load(tiny("ladder") / "ladder.jsonl")
    total, runners = runners_of(records)
    assert total == records["n_merges"].max()
    assert {runner.name for runner in runners} == set(records["stage"])
    for runner in runners:
        moments, merges = zip(*runner.moments, strict=True)
        assert list(moments) == sorted(moments)
        assert list(merges) == sorted(set(merges))
        assert merges[-1] == runner.recorded
        assert moments[-1] <= runner.finish * 1.001
    with pytest.raises(ValueError, match="no stage finished"):
        runners_of(records.assign(stopped_by="time_budget"))


def test_who_finishes_is_who_was_recorded_in_the_order_of_the_rates(
    open_race: Callable[..., Any], ladder: Any
) -> None:
    page = open_race()
    race, other = page.locator(".bpe-race").all()
    assert set(lanes(race)) == set(ladder.index)
    rates = {stage: f"{significant(rate)} merges/s" for stage, rate in ladder["median"].items()}
    assert lanes(race) == rates, "before the start: the rates of the records"
    arrived: list[str] = []
    for _ in ladder.index:
        race.get_by_role("button", name="Next finish").click()
        done = race.locator(".lane.done .name").all_inner_texts()
        arrived += [name for name in done if name not in arrived]
    assert arrived == ladder["median"].sort_values(ascending=False).index.tolist()
    total = ladder["n_merges"].max()
    for stage, note in lanes(race).items():
        most = "" if ladder["complete"][stage] else "at most "
        place = 1 + arrived.index(stage)
        assert re.fullmatch(
            rf"✓ {place}\w\w, {most}{duration(total / ladder['median'][stage])}", note
        )
    assert lanes(other) == rates, "another race of the page stands still"


def test_the_clock_runs_as_fast_as_the_reader_wants(
    open_race: Callable[..., Any], ladder: Any
) -> None:
    page = open_race()
    race, slow = page.locator(".bpe-race").all()
    # It begins with the growing clock: in real time the first ones are never seen to run, and in
    # slow motion nobody waits for the last ones.
    assert slow.get_by_role("combobox").input_value() == "0"
    slow.get_by_role("combobox").select_option("0.01")
    total = ladder["n_merges"].max()

    def done(race: Any) -> set[str]:
        return set(race.locator(".lane.done .name").all_inner_texts())

    def finished_after(seconds: float) -> set[str]:
        return set(ladder.index[total / ladder["median"] <= seconds])

    race.get_by_role("combobox").select_option("1")
    for one in (race, slow):
        one.get_by_role("button", name="Start", exact=True).click()
    page.clock.run_for(8_000)
    assert done(race) == finished_after(8), "real time"
    assert done(slow) == finished_after(0.08), "a hundredth of it"
    # What the time budget stopped runs on at its rate, hollow.
    made = int(lanes(race)["word_counts"].removesuffix(" merges").replace(",", ""))
    assert made == pytest.approx(8 * ladder["median"]["word_counts"], rel=0.03)
    widths = race.locator(".lane").nth(ladder.index.get_loc("word_counts")).locator("i")
    hollow, solid = (widths.nth(n).evaluate("one => one.style.width") for n in range(2))
    recorded = ladder["n_merges"]["word_counts"]
    assert float(solid.removesuffix("%")) == pytest.approx(100 * recorded / total)
    assert float(hollow.removesuffix("%")) > float(solid.removesuffix("%"))
    race.get_by_role("button", name="Pause").click()
    before = lanes(race)
    page.clock.run_for(5_000)
    assert lanes(race) == before, "a pause is a pause"
    race.get_by_role("button", name="Restart").click()
    race.get_by_role("combobox").select_option("1000")
    page.clock.run_for(1_000 * total / ladder["median"]["naive"] / 1000 + 500)
    assert done(race) == set(ladder.index)


def test_on_paper_the_result_is_a_table(open_race: Callable[..., Any]) -> None:
    page = open_race()
    table = page.locator(".bpe-race table").first
    assert not table.is_visible()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert table.is_visible()
    assert not page.locator(".bpe-race .field").first.is_visible()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert not table.is_visible()


def test_naive_finishes_at_a_time_of_day(open_race: Callable[..., Any], ladder: Any) -> None:
    seconds = ladder["n_merges"].max() / ladder["median"]["naive"]
    ends = NOON + LOADED + datetime.timedelta(seconds=seconds)
    page = open_race()
    race = page.locator(".bpe-race").first
    said = race.locator(".said")
    # Before anybody has looked, the question, and no answer that is seen.
    assert said.inner_text() == "When is naive done, in real time? Guess, then start."
    assert "minutes" not in race.inner_text()
    race_to_the_end(page, race)
    # It ends at the time of real time, however fast it is played.
    assert said.inner_text() == (
        f"Started at 12:00, naive finishes at {ends:%-H:%M}, at the latest."
    )
    # A hundred times as long: another day, which is named.
    slower = recorded_race().replace(
        f"&quot;finish&quot;: {seconds}", f"&quot;finish&quot;: {100 * seconds}"
    )
    ends = NOON + LOADED + datetime.timedelta(seconds=100 * seconds)
    page = open_race(html=slower)
    page.get_by_role("button", name="Next finish").click()
    said = page.locator(".said")
    assert f"naive finishes on {ends:%A} at {ends:%-H:%M}, " in said.inner_text()


def test_the_keyboard_is_enough(open_race: Callable[..., Any], ladder: Any) -> None:
    page = open_race()
    race = page.locator(".bpe-race").first
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "field"
    page.keyboard.press("n")
    assert race.locator(".lane.done .name").all_inner_texts() == [ladder["median"].idxmax()]
    page.keyboard.press("Home")
    assert race.locator(".lane.done").count() == 0
    page.keyboard.press("Space")
    page.clock.run_for(4_000)
    page.keyboard.press("Space")
    before = lanes(race)
    page.clock.run_for(1_000)
    assert lanes(race) == before
    assert race.locator(".lane.done").count() > 1
    # The clock is a slider: its end is the end.
    race.get_by_role("slider").focus()
    page.keyboard.press("End")
    assert race.locator(".lane.done").count() == len(ladder)


def test_who_wants_little_motion_gets_steps(open_race: Callable[..., Any], ladder: Any) -> None:
    page = open_race(reduced_motion="reduce")
    race = page.locator(".bpe-race").first
    race.get_by_role("button", name="Start", exact=True).click()
    page.clock.run_for(900)
    assert race.locator(".lane.done").count() == 0
    page.clock.run_for(1_000)
    assert race.locator(".lane.done").count() == 1
    page.clock.run_for(1_000 * len(ladder))
    assert race.locator(".lane.done").count() == len(ladder)


def test_it_fits_a_phone_and_is_read_on_dark_ground(open_race: Callable[..., Any]) -> None:
    page = open_race("background:#111;color:#ddd", viewport={"width": 390, "height": 800})
    race = page.locator(".bpe-race").first
    race.locator("summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert "dark" in race.get_attribute("class").split()
    button = race.get_by_role("button", name="Start", exact=True)
    assert button.evaluate("one => getComputedStyle(one).color") == "rgb(221, 221, 221)"
    # A theme that is changed while the page is open.
    page.evaluate("document.body.setAttribute('style', 'background:#fff;color:#222')")
    page.clock.run_for(100)
    assert "dark" not in race.get_attribute("class").split()
