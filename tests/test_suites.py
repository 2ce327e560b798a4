"""Promise: every suite is well formed, and gives its table and figure."""

import getpass
import inspect
import json
import platform
import re
import shutil
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_lab import corpora, native
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.child_program import find_function
from bpe_lab.bench.pages import suite_page
from bpe_lab.bench.suite import SCALES
from bpe_lab.results.records import FIELDS, load, read_records

RECORDED = Path(__file__).resolve().parents[1] / "data" / "recorded"

QUICK = ("ablation", "counting", "select", "vocab")
SLOW = [pytest.param(suite, marks=pytest.mark.slow) for suite in SUITES if suite not in QUICK]


@pytest.mark.parametrize("suite", [*QUICK, *SLOW])
def test_every_suite_runs(suite: str, tiny: Callable[[str], Path]) -> None:
    out = tiny(suite)
    records = read_records(out / f"{suite}.jsonl")
    assert [one["case"] for one in records] == [case.name for case in SUITES[suite].cases("tiny")]
    for one in records:
        assert {*FIELDS} <= one.keys()
        assert re.fullmatch(r"[0-9a-f]{8,64}", one["digest"]), one["case"]
        assert one["operations"] and one["seconds"] > 0 and 5 < one["peak_rss_mb"] < 2000
    figure = f"figures/{suite}.png"
    assert (out / figure).exists()
    page = (out / f"{suite}.md").read_text(encoding="utf-8")
    assert "A smoke test" in page
    assert f"bpe-lab bench {suite} --scale tiny --repeats 1" in page
    assert SUITES[suite].question in page and f"]({figure})" in page and "| :-- |" in page
    assert "nan" not in page.lower().split()
    # A short host name could be a word.
    names = (platform.node(), str(Path.home()), sys.prefix, str(Path.cwd()), "hostname")
    for file in filter(Path.is_file, out.iterdir()):
        words = file.read_text(encoding="utf-8")
        assert not [name for name in names if len(name) > 4 and name in words], file.name
    values = set(map(str, records[0]["machine"].values()))
    assert values.isdisjoint((platform.node(), getpass.getuser()))


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_well_formed_at_every_scale(suite: str) -> None:
    for scale in SCALES:
        cases = SUITES[suite].cases(scale)
        assert len({case.name for case in cases}) == len(cases) > 1
        for case in cases:
            assert json.loads(json.dumps(case.settings)) == case.settings
            assert case.compare_tokens_with in {"", *(other.name for other in cases)}
            # Only those of the tiny scale are run.
            params = dict(case.params)
            if "text" in params:
                params = {"path": params.pop("text"), **params}
                params.pop("text_bytes", None)
            inspect.signature(find_function(case.measure, {})).bind(**params)
        if SUITES[suite].accepts("file", scale):  # the only text
            cases = SUITES[suite].chosen(scale, {"file": "novel.txt"})
            assert {case.params["text"] for case in cases if "text" in case.params} == {"novel"}
    assert SUITES[suite].id == suite


def test_what_is_measured_loads_no_pandas_nor_matplotlib(run_python: Callable[..., str]) -> None:
    # Their memory would stand in the column "peak MB".
    measures = {case.measure for suite in SUITES.values() for case in suite.cases("tiny")}
    code = (
        "import sys\n"
        "from bpe_lab.bench.child_program import find_function\n"
        f"for name in {sorted(measures)}: find_function(name, {{}})\n"
        "print(*sorted({'pandas', 'matplotlib', 'numpy', 'tqdm'} & set(sys.modules)))\n"
    )
    assert run_python(code) == "\n" and len(measures) >= 10


@pytest.mark.parametrize("file", sorted(RECORDED.glob("*/*.jsonl")), ids=lambda file: file.stem)
@pytest.mark.usefixtures("quick_figures")
def test_recorded_values_name_their_commit_and_make_a_page(file: Path) -> None:
    records = load(file)
    for commit in records["commit"].unique():
        assert re.fullmatch(r"(.+-g)?[0-9a-f]{7,40}", commit)
    suite = SUITES.get(records["suite"].iloc[0])
    if suite and file.parent.name == "bench":
        version = records["versions"].iloc[0]["bpe_lab"]
        page = suite_page(suite, records, lambda name, _: name)
        assert f"Measured with {version} (" in page and "nan" not in page.lower().split()
        # Any part of it makes one, too.
        part = records[records["case"].isin(records["case"].unique()[-2:])]
        try:
            assert "--case" in suite_page(suite, part, lambda name, _: name)
        except ValueError as error:
            assert "--resume" in str(error)


def test_the_recorded_ladder_can_be_recorded_again() -> None:
    cases = {case.name: case.params for case in SUITES["ladder"].cases("full")}
    for one in read_records(corpora.data_path("recorded/bench/ladder.jsonl")):
        assert (one["params"], one["scale"]) == (cases[one["case"]], "full")


@pytest.mark.parametrize("openmp", [True, False])
@pytest.mark.parametrize("suite", ["threads", "select"])
def test_without_openmp_it_says_so_and_leaves_out_several_threads(
    suite: str, openmp: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 201511 * openmp)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        cases = SUITES[suite].cases("tiny")
    assert [*{"compiled without OpenMP" in str(one.message) for one in said}] == [True] * (
        not openmp
    )
    several = {case.name.partition(",")[0] for case in cases if case.params["threads"] > 1}
    assert ("counter regex_parallel" in several) == (suite == "threads"), "it has processes"
    assert bool(several - {"counter regex_parallel"}) == openmp
    assert openmp or not any("OpenMP" in case.name for case in cases)


def test_without_valgrind_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None if "valgrind" in name else f"/{name}")
    assert "valgrind" in refused("bench", "processor", "--scale", "tiny", "--out", "out")
    assert not Path("out").exists()
