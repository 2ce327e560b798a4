"""Promise: the report is one whole page of all that was measured, and of nothing else."""

import base64
import platform
import re
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pandas", reason="pandas is in the extra `lab`")
pytest.importorskip("matplotlib", reason="matplotlib is in the extra `lab`")
pytest.importorskip("pyperf", reason="pyperf is in the extra `lab`")
pytest.importorskip("mistune", reason="mistune is in the extra `lab`")

from bpe_lab.bench import pages, report, runner
from bpe_lab.bench.suites import SUITES
from bpe_lab.commands.cli import main
from bpe_lab.plots import style
from bpe_lab.results import records as bench_records
from bpe_lab.results.machine_facts import machine_line

MEASURED = {"ladder": ("inverted_index", "fine_grained", "core"), "vocab": ()}
"""Suite -> cases, all when empty."""


class Page(HTMLParser):
    """What a browser would make of the page: its elements, and the text that it shows."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))
        if tag not in ("meta", "link", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def measure(out: Path) -> None:
    for suite, cases in MEASURED.items():
        runner.run_suite(SUITES[suite], out, scale="tiny", repeats=2, cases=cases)


@pytest.fixture(scope="module", autouse=True)
def coarse_figures() -> Iterator[None]:
    """Figures are drawn as ever, in half of the time."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(style, "DOTS_PER_INCH", 50)
        yield


@pytest.fixture(scope="module")
def folder(made_once: Callable[..., Path]) -> Path:
    """Records of two suites."""
    return made_once("report", measure)


@pytest.fixture(scope="module")
def html(folder: Path, made_once: Callable[..., Path]) -> str:
    """The page of these records."""
    page = made_once("page", lambda out: page_of(folder, out / "page.html")) / "page.html"
    return page.read_text(encoding="utf-8")


@pytest.fixture
def another_machine(folder: Path, tmp_path: Path) -> Path:
    """The same records, those of one suite from a machine with more processors."""
    for suite in MEASURED:
        records, _ = bench_records.read_records(folder / f"{suite}.jsonl")
        if suite == "vocab":
            more = {**records[0]["machine"], "logical_cpus": 96}
            records = [{**one, "machine": more} for one in records]
        bench_records.write_records(tmp_path / f"{suite}.jsonl", records)
    return tmp_path


def page_of(folder: Path, out: Path, *words: str) -> str:
    assert main(["report", "--results", str(folder), "--out", str(out), *words]) == 0
    return out.read_text(encoding="utf-8")


def test_every_suite_with_records_has_its_part_and_every_other_its_command(html: str) -> None:
    page = Page(html)
    assert page.open == []
    sections = [attributes["id"] for attributes in page.of("section")]
    assert [section for section in sections if section in SUITES] == list(MEASURED)
    links = [str(attributes["href"]) for attributes in page.of("a")]
    assert sections == [link.removeprefix("#") for link in links], "each part is in the contents"
    for suite in SUITES.values():
        assert suite.question in page.text
        assert f"bpe-lab bench {suite.id}" in page.text
    _, _, rest = html.partition('id="not-measured"')
    for suite in SUITES:
        assert (f"bench {suite}<" in rest) == (suite not in MEASURED)


def test_tables_figures_and_conditions_are_those_of_the_suites(folder: Path, html: str) -> None:
    page = Page(html)
    found = pages.load_suites(folder)
    pictures = {str(attributes["src"]): str(attributes["alt"]) for attributes in page.of("img")}
    for suite, records in found.items():
        for line in SUITES[suite].table(records).splitlines():
            for cell in re.findall(r"[^|]+", line if line.startswith("| `") else ""):
                assert cell.strip(" `") in page.text
        figure = SUITES[suite].figure(records)
        source = "data:image/png;base64," + base64.b64encode(style.png(figure)).decode()
        assert " ".join(figure.get_suptitle().split()) in pictures[source]
        for draw in SUITES[suite].more_figures:
            assert any(" ".join(draw(records).get_suptitle().split()) in alt
                       for alt in pictures.values())  # fmt: skip
        assert re.search(r"apart \(.*\); more than 10% in \d+ of \d+ cases", page.text)
        assert records["code"].iloc[0] in page.text
        assert records["utc"].iloc[0][:10] in page.text
    assert machine_line(found["ladder"]["machine"].iloc[0]) in page.text
    assert (
        "--scale tiny --repeats 2 --case inverted_index --case fine_grained --case core"
        in page.text
    )
    assert "bpe-lab bench vocab --scale tiny --repeats 2\n" in page.text + "\n"


def test_the_command_under_a_part_measures_the_same_cases(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for write in ("write_results", "write_published"):
        monkeypatch.setattr(pages, write, lambda *_: [])
    ladder = pages.load_suites(folder)["ladder"]
    command = pages.repeat_command(SUITES["ladder"], ladder)
    words = command.split()[1:]
    assert main([*words, "--quiet", "--out", str(tmp_path)]) == 0
    again = pages.load_suites(tmp_path)["ladder"]
    columns = ["case", "round", "digest", "scale"]
    assert again[columns].values.tolist() == ladder[columns].values.tolist()
    other = ladder.assign(options=[{"file": "novel", "budget": 1.5}] * len(ladder))
    again_other = pages.repeat_command(SUITES["ladder"], other)
    assert " --file novel --budget 1.5 --case inverted_index" in again_other


def test_the_page_needs_nothing_but_itself(html: str) -> None:
    page = Page(html)
    for _, attributes in page.elements:
        for name in ("src", "href", "srcset", "action", "data"):
            assert str(attributes.get(name, "#")).startswith(("#", "data:")), attributes
    assert not page.of("script") and not page.of("iframe")
    assert "url(" not in html and "@import" not in html
    # A browser enforces it: only what is in the page.
    assert any("default-src 'none'" in str(one.get("content")) for one in page.of("meta"))
    assert len(html) < 5_000_000


def test_the_page_names_neither_the_machine_nor_a_folder(folder: Path, html: str) -> None:
    words = re.sub(r"base64,[^\"]*", "", html)
    for name in (platform.node(), str(Path.home()), sys.prefix, str(folder.parent.parent)):
        # A short host name could be a word.
        assert len(name) < 5 or name not in words


@pytest.mark.usefixtures("quick_figures")
def test_a_suite_that_was_stopped_early_is_listed_with_the_command_for_its_rest(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "scaling", "--scale", "tiny", "--repeats", "1", "--quiet"]
    words += ["--case", "regex*", "--out", str(tmp_path)]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "scaling has records of 3 of 9 cases, too few for its table and figure" in error
    assert error.count("\n") == 1
    rest = "bpe-lab bench scaling --scale tiny --repeats 1 --resume"
    assert rest in error
    assert not (tmp_path / "scaling.md").exists()
    page = Page(page_of(tmp_path, tmp_path / "page.html"))
    assert [attributes["id"] for attributes in page.of("section")] == ["not-measured"]
    assert rest in page.text
    assert main([*rest.split()[1:], "--quiet", "--out", str(tmp_path)]) == 0
    page = Page(page_of(tmp_path, tmp_path / "page.html"))
    assert "scaling" in [attributes["id"] for attributes in page.of("section")]


def test_what_comes_from_the_user_is_text_and_never_markup(folder: Path, tmp_path: Path) -> None:
    records, _ = bench_records.read_records(folder / "ladder.jsonl")
    evil = "<script>alert(1)</script>"
    for one in records:
        one["code"] = evil
        one["params"]["text"] = evil
        one["machine"]["cpu"] = evil
    bench_records.write_records(tmp_path / "ladder.jsonl", records)
    page = Page(page_of(tmp_path, tmp_path / "page.html"))
    assert not page.of("script")
    assert page.text.count(evil) >= 3


def test_several_machines_are_refused(
    another_machine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    words = ["report", "--results", str(another_machine), "--out", str(out)]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "several machines: those of vocab differ from the first ones in logical_cpus" in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_what_lies_beside_a_suite_is_no_reason_to_fail(
    another_machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "threads", "--case", "counter native*", "--scale", "tiny", "--repeats", "1"]
    assert main([*words, "--quiet", "--out", str(another_machine)]) == 0
    said = capsys.readouterr().out
    assert "published timings: left out" in said and "of several machines" in said
    assert (another_machine / "threads.md").exists()
    assert not (another_machine / "published.md").exists()


def test_published_timings_stand_first(html: str) -> None:
    page = Page(html)
    assert page.of("section")[0]["id"] == "published"
    assert "Published against measured" in page.text


@pytest.mark.parametrize("exists", [True, False])
def test_without_records_it_says_which_command_makes_some(
    exists: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "none"
    if exists:
        folder.mkdir()
        (folder / "ladder.jsonl").touch()
    assert main(["report", "--results", str(folder)]) == 2
    error = capsys.readouterr().err
    assert "none has no records of our suites: make some with `bpe-lab bench all`" in error
    assert error.count("\n") == 1
    assert not (folder / "report.html").exists()
    assert folder.exists() == exists


def test_a_failure_leaves_the_earlier_page_and_nothing_half_written(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "page.html"
    out.write_text("earlier")

    def broken(found: Any) -> str:
        raise ValueError("broken")

    with monkeypatch.context() as patch:
        patch.setattr(report, "report", broken)
        assert main(["report", "--results", str(folder), "--out", str(out)]) == 2
    # What the page says is another matter.
    monkeypatch.setattr(report, "report", lambda found: "later")
    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", lambda *_: broken(None))
        assert main(["report", "--results", str(folder), "--out", str(out)]) == 2
    assert out.read_text() == "earlier"
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]
    assert page_of(folder, out) == "later"


def test_a_folder_is_no_page(
    folder: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report, "report", lambda found: "page")
    assert main(["report", "--results", str(folder), "--out", str(tmp_path)]) == 2
    assert "is a folder: name a file" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert (
        main(["report", "--results", str(folder), "--out", str(tmp_path / "new" / "p.html")]) == 0
    )
