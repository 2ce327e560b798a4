"""Promise: the report is one page of all that was measured, and needs nothing else."""

import json
import platform
import re
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from conftest import InThisProcess
from nbconvert.filters import markdown2html

from bpe_lab.bench import notebooks, pages, runner, values
from bpe_lab.bench.catalog import SUITES
from bpe_lab.commands.cli import main
from bpe_lab.corpora import data_path
from bpe_lab.results import records as bench_records
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.support import files
from bpe_lab.support.columns import terminal_text
from bpe_lab.training.merge_loop import PHASES

MEASURED = {"ladder": ("inverted_index", "fine_grained", "core"), "vocab": ()}
"""Suite -> cases, all when empty."""


@pytest.fixture(scope="module")
def folder(made_once: Callable[..., Path]) -> Path:
    """Records of two suites."""

    def measure(out: Path) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(values, "Child", InThisProcess)
            for suite, cases in MEASURED.items():
                runner.run_suite(SUITES[suite], out, scale="tiny", repeats=2, cases=cases)

    return made_once("report", measure)


@pytest.mark.usefixtures("quick_figures")
def test_the_report_shows_what_was_measured_the_ladder_first(folder: Path, tmp_path: Path) -> None:
    for path in folder.glob("*.jsonl"):  # as if they were of texts to measure on
        records, _ = bench_records.read_records(path)
        lines = [{**one, "scale": "default"} for one in records]
        bench_records.write_records(tmp_path / "measured" / path.name, lines)
    folder = tmp_path / "measured"
    out = tmp_path / "new" / "page.html"
    for beside in (beside_it := ["notebooks/00_one.html", "notebooks/01_two.html"]):
        files.write_file(out.parent / beside, b"")
    files.write_file(folder / "published.md", b"# Published against measured\n")
    assert main(["report", "--results", str(folder), "--out", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    titles = ["The ladder", "Size of the vocabulary", "Phases", "Published against measured"]
    assert re.findall(r"<h1[^>]*>([^<]+)<", html) == ["Measured with bpe_lab", *titles]
    # Contents that lead to their places, and the day.
    contents = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', html)
    assert [name for _, name in contents] == titles
    assert all(f'id="{place}"' in html for place, _ in contents)
    suites = pages.load_suites(folder)
    assert f"2 suites, {suites['ladder']['utc'].iloc[0][:10]}" in html
    assert "prefers-color-scheme: dark" in html
    assert "at least 1 of 2 rounds" in html and "Recorded: from" not in html
    assert suites["ladder"]["digest"].iloc[0][:12] in html
    assert "--case inverted_index --case fine_grained --case core" in html
    figures = sum(1 + len(SUITES[suite].more_figures) for suite in suites)
    assert len(re.findall(r'<img [^>]*src="data:image/png;base64,', html)) == figures
    assert set(re.findall(r"<li><code>(\w+)</code>: ", html)) == {*PHASES}, "explained"
    # Nothing that a browser would load from elsewhere, and no link to what does not lie beside it.
    assert not re.search(r'src="(?!data:)|<link [^>]*href="(?!data:)', html)
    assert re.findall(r'<a [^>]*href="(?!#|https://)([^"]*)"', html) == beside_it
    assert notebooks._links_beside(tmp_path / "elsewhere" / "page.html") == []
    words = re.sub(r"base64,[^\"]*", "", html)
    for name in (platform.node(), str(Path.home()), sys.prefix, str(folder)):
        # A short host name could be a word.
        assert len(name) < 5 or name not in words


STRANGE = "my x**y<i>:__My__"
"""What the file and the class of a stage may be called."""


@pytest.mark.parametrize("scale", ["tiny", "default"])
def test_a_strangers_name_is_shown_as_it_is(scale: str, folder: Path) -> None:
    records, _ = bench_records.read_records(folder / "ladder.jsonl")
    records = [{**one, "scale": scale} for one in records]
    [_, own] = [one for one in records if one["case"] == "fine_grained"]
    mine = [{**own, "case": STRANGE, "stage": STRANGE}]
    rest = [one for one in records if one["case"] != "fine_grained"]
    shown = bench_records.to_dataframe([*mine, *rest])
    text = pages.suite_page(SUITES["ladder"], shown).text(lambda name, _: name)
    html = unescape(re.sub("</?(code|strong)>", "", markdown2html(text)))
    # In the table, and below it as the one with another n.
    for page in (terminal_text(text), html):
        assert page.count(STRANGE) == 2, page


def test_a_smoke_test_says_so_first_and_compares_nothing(folder: Path) -> None:
    # Programs that start make `core` 18 times as fast as `naive` where the course says 160,000.
    for suite, records in pages.load_suites(folder).items():
        page = pages.suite_page(SUITES[suite], records)
        text = page.text(lambda name, _: name)
        title, message, *table = text.strip().split("\n\n")
        assert (title, message) == (f"# {SUITES[suite].title}", pages.SMOKE_TEST)
        assert table[0].startswith("| case | result |\n") and "![" not in text
        assert not re.search(r"\btimes\b|\bx (naive|above)|fast", "".join(table)), "compared"
        for figure in page.figures.values():
            assert figure.get_suptitle() == "A smoke test: nothing is compared"


def test_the_command_under_a_part_says_all_that_was_chosen(folder: Path) -> None:
    ladder = pages.load_suites(folder)["ladder"]
    other = ladder.assign(options=[{"file": "novel", "budget": 1.5}] * len(ladder))
    said = pages.repeat_command(SUITES["ladder"], other)
    chosen = "--scale tiny --repeats 2 --file novel --time-budget 1.5 --case inverted_index"
    assert said.startswith(f"bpe-lab bench ladder {chosen} --case ")


@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_a_suite_that_was_stopped_early_names_the_command_for_its_rest(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    words = ["bench", "scaling", "--scale", "tiny", "--repeats", "1", "--quiet"]
    error = refused(*words, "--case", "regex*", "--out", ".")
    assert "scaling has records of 3 of 11 cases, too few for its table and figure" in error
    rest = "bpe-lab bench scaling --scale tiny --repeats 1 --resume"
    assert rest in error
    assert not (tmp_path / "scaling.md").exists()
    assert main([*rest.split()[1:], "--quiet", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "scaling.md").exists()


@pytest.mark.parametrize("exists", [True, False])
def test_without_records_it_says_what_makes_some(exists: bool, refused: Callable[..., str]) -> None:
    folder = Path("none")
    if exists:
        folder.mkdir()
        (folder / "ladder.jsonl").touch()
    said = refused("report", "--results", "none")
    assert "none has no records of our suites: make some with `bpe-lab bench all`" in said
    assert not (folder / "report.html").exists()
    assert folder.exists() == exists


@pytest.mark.parametrize(
    ("suite", "facts"),
    [
        ("ladder", {"stage": "nosuch"}),
        ("vocab", {"fixed_work": {"before": {"a": 0}, "after": {"a": 0}}}),
        ("vocab", {"reference": {"case": "core", "seconds": 0, "merge_seconds": 0}}),
        ("vocab", {"merge_seconds": None}),
        ("vocab", {"machine": {**machine_facts(), "caches_kb": {"L2": "x"}}}),
    ],
)
def test_records_that_their_suite_does_not_make_are_one_line(
    suite: str, facts: dict[str, Any], tmp_path: Path, refused: Callable[..., str]
) -> None:
    records, _ = bench_records.read_records(data_path(f"recorded/bench/{suite}.jsonl"))
    changed = [{k: v for k, v in {**one, **facts}.items() if v is not None} for one in records]
    bench_records.write_records(tmp_path / f"{suite}.jsonl", changed)
    said = refused("report", "--results", str(tmp_path))
    assert f"{suite}.jsonl holds records that {suite} does not make (" in said
    assert "measure again with --force" in said


BUILD = ("compiler", "flags", "openmp")
LOOKED_UP = {
    "corpus": ("name", "sha256", "bytes"),
    "machine": ("cpu", "logical_cpus", "caches_kb", "memory_gb", "kernel", "python", *BUILD),
    "code": ("version", "git", "sources"),
    "fixed_work": ("before", "after"),
    "reference": ("case", "seconds"),
}
"""Field of a record -> what readers of any suite take from it."""


def test_a_record_that_lacks_what_readers_look_up_is_one_line_that_names_it(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    one = bench_records.read_records(data_path("recorded/bench/ladder.jsonl"))[0][-1]
    for name, inside in ((name, one) for name, all_of in LOOKED_UP.items() for one in all_of):
        without = {key: value for key, value in one[name].items() if key != inside}
        with pytest.raises(ValueError, match=rf"^here: .* it has no valid '{name}\.{inside}'"):
            bench_records.check_record({**one, name: without}, "here")
    (tmp_path / "ladder.jsonl").write_text(json.dumps({**one, name: without}))
    said = refused("report", "--results", str(tmp_path))
    assert f"ladder.jsonl, line 1: not a record, it has no valid '{name}.{inside}'" in said


def test_a_file_of_any_name_can_be_measured(tmp_path: Path) -> None:
    from bpe_lab.bench.suites.ladder import SUITE

    [case, *_] = SUITE.chosen("tiny", {"file": str(tmp_path / "![a](b) <i>`c`.txt")})
    assert case.params["text"] == "_a_b) _>_c_"
