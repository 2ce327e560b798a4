"""Promise: the scoreboard says what the records say, and nothing when there are none."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is in the extra `lab`")
pytest.importorskip("matplotlib", reason="matplotlib is in the extra `lab`")
pytest.importorskip("pyperf", reason="pyperf is in the extra `lab`")

from matplotlib.figure import Figure

from bpe_lab.bench.suites import SUITES
from bpe_lab.lessons import scoreboard
from bpe_lab.lessons.prose import Prose
from bpe_lab.results import records as bench_records

CASES = {
    "ladder": ("word_counts", "inverted_index", "max_heap", "core"),
    "vocab": ("core*",),
    "threads": ("counter native*",),
    "memory": ("max_heap", "core", "counter native*"),
    "scaling": ("core*", "regex*"),
    "peers": ("*small text",),
}


@pytest.fixture(scope="module")
def folder(tiny: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Records of every suite that the scoreboard shows."""
    out = tmp_path_factory.mktemp("bench")
    for suite, cases in CASES.items():
        records, _ = bench_records.read_records(tiny(suite) / f"{suite}.jsonl")
        chosen = [one for one in records if any(fnmatchcase(one["case"], name) for name in cases)]
        bench_records.write_records(out / f"{suite}.jsonl", chosen)
    return out


@pytest.fixture
def board(folder: Path, monkeypatch: pytest.MonkeyPatch) -> scoreboard.Scoreboard:
    monkeypatch.setenv("BPE_LAB_RESULTS", str(folder))
    return scoreboard.results()


def test_every_suite_is_shown_in_pictures_and_tables(board: scoreboard.Scoreboard) -> None:
    assert set(CASES) == set(board.suites)
    for suite in CASES:
        assert isinstance(board.figure(suite), Figure)
        assert board.table(suite) == SUITES[suite].table(board.suites[suite])
        assert f"bpe-lab bench {suite} --scale tiny" in str(board.conditions(suite))
    assert isinstance(board.phases(), Figure)
    assert isinstance(board.published_figure(), Figure)


def test_what_was_not_measured_is_said_with_its_command() -> None:
    empty = scoreboard.Scoreboard(scoreboard.OWN, {})
    for suite in CASES:
        for shown in (empty.figure, empty.table, empty.conditions):
            assert shown(suite) == f"Not measured. `bpe-lab bench {suite}` does it."
    assert isinstance(empty.phases(), Prose)
    assert "bpe-lab bench all" in str(empty.published_figure())
    assert "bpe-lab bench all" in empty.where()
    assert f"| {SUITES['counting'].question} | none |" in empty.others("ladder")
    assert "`ladder`" not in empty.others("ladder")


def test_the_readers_own_results_come_first_and_are_called_so(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BPE_LAB_RESULTS", raising=False)
    package = tmp_path / "bpe_lab" / "__init__.py"
    monkeypatch.setattr(scoreboard.bpe_lab, "__file__", str(package))
    monkeypatch.setattr(scoreboard, "data_path", lambda name: tmp_path / "data" / name)
    assert scoreboard.results().suites == {}
    recorded = tmp_path / "data" / "recorded" / "bench"
    recorded.mkdir(parents=True)
    text = (folder / "vocab.jsonl").read_bytes()
    (recorded / "vocab.jsonl").write_bytes(text)
    board = scoreboard.results()
    assert "**the results that come with the lab**, from `data/recorded/bench`" in board.where()
    own = tmp_path / "results" / "bench"
    own.mkdir(parents=True)
    (own / "ladder.jsonl").touch()
    assert scoreboard.results().folder == scoreboard.RECORDED, "a file without records is none"
    (own / "threads.jsonl").write_bytes((folder / "threads.jsonl").read_bytes())
    board = scoreboard.results()
    assert "**your own results**, from `results/bench`" in board.where()
    assert "Not measured there: `ladder`," in board.where()
    assert list(board.suites) == ["threads"], "never beside records of another machine"
