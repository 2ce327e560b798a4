"""Promise: programs of the published series are run from a checkout as they are, and compared only
where their merges are ours; nothing is written into it, and no record names its folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from series_checkout import COMPILED, PYTHON, write_checkout

from bpe_lab.bench import runner
from bpe_lab.bench.pages import suite_page
from bpe_lab.bench.suites import series
from bpe_lab.bench.texts import suite_text
from bpe_lab.results.records import read_records, to_dataframe
from bpe_lab.training.api import train

pytestmark = pytest.mark.slow  # a dozen programs, each in a fresh interpreter


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return write_checkout(tmp_path / "private folder" / "checkout")


def change(file: Path, old: str, new: str) -> None:
    """Change the source of a program."""
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_programs_make_our_merges_and_no_record_names_their_folder(
    tiny: Callable[[str], Path], made_once: Callable[..., Path]
) -> None:
    out, folder = tiny("series"), made_once("checkout", write_checkout)
    records, _ = read_records(out / "series.jsonl")
    assert {one["case"] for one in records} >= {*PYTHON, *series.PAIRS}
    text = suite_text("stories", 5_000)
    assert {one["digest"] for one in records} == {train(text, 280).merges_sha256}
    assert {one["leading_equal"] for one in records} == {280 - 257}
    assert {one["options"]["checkout"] for one in records} == {folder.name}
    for file in filter(Path.is_file, out.rglob("*")):
        assert str(folder).encode() not in file.read_bytes(), file.name
    written = {file.name for file in folder.rglob("*") if file.is_file()}
    assert written == {*COMPILED, *(f"{name}.py" for name in PYTHON), "__init__.py", "merging.py",
                       "program.py"}  # fmt: skip


def test_each_program_is_run_beside_the_stage_with_its_idea() -> None:
    cases = {case.name: case for case in series.cases("default")}
    for program, pair in series.PAIRS.items():
        assert runner._reference(cases[program], cases) is cases[pair.stage]
        assert runner._reference(cases[pair.stage], cases) is cases[pair.stage]
    assert {case.cpus for case in cases.values()} == {1}
    # Ours end; a program of another one's that does not is ended.
    assert {case.name for case in cases.values() if case.patience} == {*series.PAIRS}


@pytest.mark.parametrize(
    ("case", "file", "old", "new", "message"),
    [
        (
            "bpe_v1", "cs336_basics/merging.py", "return all_", "return all_[:2] + all_[3:]",
            "bpe_v1 makes other merges than ours, from merge 2 on",
        ),
        (
            "fine_grained_heap_opt", "cs336_basics/merging.py", "return all_", "return all_[:5]",
            "fine_grained_heap_opt makes other merges than ours, from merge 5 on",
        ),
        ("bpe_v5", "cs336_basics/bpe_v5.py", "{}, merges", "merges", "case 'bpe_v5': "),
        (
            "fine_grained_emhash8", "cppupdate/build/program.py", "import json", "0 / 0",
            "fine_grained_emhash8 ended with code 1, saying ZeroDivisionError",
        ),
        (
            "fine_grained_emhash8", "cppupdate/build/program.py", "bpe_train_step2", "it",
            "fine_grained_emhash8 ended with code 0, saying it: 3 milliseconds.",
        ),
    ],
)  # fmt: skip
def test_a_program_that_makes_other_merges_or_none_is_named_and_not_recorded(
    case: str, file: str, old: str, new: str, message: str, checkout: Path, tmp_path: Path
) -> None:
    change(checkout / file, old, new)
    out = tmp_path / "out"
    with pytest.raises(RuntimeError, match=message) as refused:
        options = {"scale": "tiny", "repeats": 1, "cases": [case], "checkout": checkout}
        runner.run_suite(series.SUITE, out, **options)
    assert "\n" not in str(refused.value)
    assert (out / "series.jsonl").read_bytes() == b""


def test_a_missing_checkout_gets_one_line(refused: Callable[..., str], checkout: Path) -> None:
    for words, message in (
        (["series"], "suite 'series' needs --checkout: a folder made by `git clone https://"),
        (["series", "--checkout", "nowhere"], "nowhere has none of the series' trainers, such as"),
        (["series", "--checkout", str(checkout.parent)], "folder made by `git clone https://"),
        (["ladder", "--checkout", str(checkout)], "suite 'ladder' takes no --checkout"),
    ):
        assert message in refused("bench", *words, "--out", "out", "--quiet", "--scale", "tiny")
    assert not Path("out").exists()


def test_what_is_not_compiled_is_named(tiny: Callable[[str], Path], checkout: Path) -> None:
    folder = write_checkout(checkout.parent / "other", compiled=COMPILED[:1])
    (folder / "cppupdate" / "build" / COMPILED[1]).write_text("a program for no machine")
    (folder / "cs336_basics" / "bpe_v6.py").unlink()
    cases = series.cases("tiny", checkout=folder)
    left_out = ["max_heap_python", "bpe_v6", "cpp_map", "fine_grained_heap_opt"]
    left_out += ["cpp_flat", "fine_grained_heap_emhash8_set9_opt"]
    assert cases[0].facts["left_out"] == left_out
    names = [case.name for case in cases]
    assert {*names} == {case.name for case in series.cases("tiny")} - {*left_out}
    records, _ = read_records(tiny("series") / "series.jsonl")
    # At scale "tiny" a page compares nothing.
    more = {"left_out": left_out, "scale": "default"}
    kept = [{**one, **more} for one in records if one["case"] in names]
    page = suite_page(series.SUITE, to_dataframe(kept)).text(lambda name, _: name)
    assert "compiled there: bpe_v6, fine_grained_heap_opt, fine_grained_heap_emhash8_set9" in page
    assert "--checkout made --out results/again`" in page, "all that there are: no --case"
    only_ours = to_dataframe(one for one in kept if one["case"] in ("word_counts", "cpp_scan"))
    with pytest.raises(ValueError, match=r"of 2 of 10 cases, too few .* --checkout made --resume"):
        suite_page(series.SUITE, only_ours)


def test_a_factor_is_that_of_turns(tiny: Callable[[str], Path]) -> None:
    records, _ = read_records(tiny("series") / "series.jsonl")
    seconds = {"max_heap": 2.0, "bpe_v7": 4.0}
    turns = [
        {**one, "seconds": seconds[one["case"]], "round": number, "version": "8b42b14"}
        for one in records
        if one["case"] in seconds
        for number in range(1, 7)
    ]
    beside = [{**one, "reference": {"case": "max_heap", "seconds": 2.5}} for one in turns]
    for made, factor in ((turns, 2.0), (beside, 1.6)):
        rows = series.compared(to_dataframe(made))
        assert {one: rows["factor"][one].median for one in rows.index} == {"bpe_v7": factor}
    assert "Commit of the checkout: 8b42b14." in series.table(to_dataframe(beside))
    title = " ".join(series.figure(to_dataframe(beside)).get_suptitle().split())
    assert title == "The series' programs take 1.6 to 1.6 times as long as our stages"
