"""Promise: every value is kept, a table says under which load, and older records say so."""

import io
import json
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_suites import nothing

from bpe_lab.bench import process, recorded, runner
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.pages import suite_page
from bpe_lab.results import code_facts as code_facts_module
from bpe_lab.results.code_facts import MEASURED, sources
from bpe_lab.results.conditions import busy_factor, footnote
from bpe_lab.results.records import Record, load, read_records, to_dataframe, write_records
from bpe_lab.results.spread import controls, reference_ratios
from bpe_lab.results.tables import over, summary

pytestmark = pytest.mark.usefixtures("in_this_process")


def only_stages(folder: str, names: list[str]) -> list[str]:
    """Leave out all but the package's own folder and its stages, for `shutil.copytree`."""
    kept = {"stages", "counting", "heaps"} if folder.endswith("bpe_lab") else set(names)
    return [name for name in names if name not in kept]


def run(monkeypatch: Any, out: Path, seconds: list[float], **options: object) -> list[Record]:
    """Run the suite of two cases while the fixed work takes the times that are given, and the host
    takes none."""
    monkeypatch.setattr(process, "_stolen_seconds", lambda: 0.0)
    given: Iterator[float] = iter(seconds)
    monkeypatch.setattr(runner, "fixed_work", lambda n_cpus: {"processor 0": next(given)})
    runner.run_suite(nothing({"one": 1, "two": 1}), out, **options)  # type: ignore[arg-type]
    assert next(given, None) is None, "it was timed less often"
    return read_records(out / "nothing.jsonl")[0]


def test_every_value_is_kept_and_the_footnote_says_how_busy_the_machine_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The look after a value is that before the next one; all but the last took half as long again.
    records = run(monkeypatch, tmp_path, [0.015, 0.015, 0.010], repeats=1)
    assert busy_factor(to_dataframe(records)) == pytest.approx(1.5)
    assert "Busy factor 1.50" in footnote(to_dataframe(records))
    assert run(monkeypatch, tmp_path, [], repeats=1, resume=True) == records


def test_at_scale_tiny_nobody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = run(monkeypatch, tmp_path, [], scale="tiny")
    assert not any("fixed_work" in one or "reference" in one for one in records)
    frame = to_dataframe(records)
    assert busy_factor(frame) is None and "Busy" not in footnote(frame)


def test_slow_values_are_fewer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "TURNS", {0.0: 9, 1e9: 2})
    records = run(monkeypatch, tmp_path, [0.010] * 5, repeats=3)
    made = [f"{one['case']} {one['round']}" for one in records]
    assert made == ["one 1", "two 1", "one 2", "two 2"]
    monkeypatch.setattr(runner, "TURNS", {})
    assert len(run(monkeypatch, tmp_path / "once", [0.010] * 3, repeats=3)) == 2


def test_each_value_has_its_reference_beside_it_before_and_after_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "fixed_work", lambda n_cpus: {"processor 0": 0.01})
    suite = nothing({"one": 1, "two": 1, "three": 1}, same_result_as="both")
    cases = [replace(suite.cases("")[0], same_result_as=""), *suite.cases("")[1:]]
    runner.run_suite(replace(suite, cases=lambda scale: cases), tmp_path, repeats=2)
    records = read_records(tmp_path / "nothing.jsonl")[0]
    beside = {(one["case"], one["round"]): one.get("reference") for one in records}
    assert beside["one", 1] is None, "nothing must agree with it"
    for case in ("two", "three"):
        turns = [beside[case, turn] for turn in (1, 2)]
        seen = [turn and (turn["case"], turn["first"]) for turn in turns]
        assert seen == [("three", False), ("three", True)]
        assert all(turn and turn["seconds"] > 0 for turn in turns)
    frame = to_dataframe(records)
    assert "A/A (`three`)" in footnote(frame)
    assert set(controls(frame).index) == {"three"}


def test_a_ratio_is_of_the_turns_and_of_whole_runs_only() -> None:
    turns = [(3.0, 1.0), (8.0, 2.0), (9.0, 3.0)]
    of = {"case": "slow", "stopped_by": "vocab_size"}
    fast = [{"case": "fast", "merge_seconds": other} for _, other in turns]
    slow = [{**of, "merge_seconds": mine} for mine, _ in turns]
    records = [{**mine, "reference": other} for mine, other in zip(slow, fast, strict=True)]
    records[2]["stopped_by"] = "time_budget"
    assert reference_ratios(to_dataframe(records))["slow"] == (3.5, 3.0, 4.0, 2, 0)


def test_a_factor_is_of_rounds_and_alone_if_they_differ(tmp_path: Path, monkeypatch: Any) -> None:
    # The machine was ten times slower in the second round; the ends of both spreads would say 0.2
    # to 20.
    records = run(monkeypatch, tmp_path, [0.01] * 7, repeats=3)
    seconds = {("one", 1): 2.0, ("one", 2): 20.0, ("one", 3): 2.0,
               ("two", 1): 1.0, ("two", 2): 10.0, ("two", 3): 1.0}  # fmt: skip
    for one in records:
        one["seconds"] = seconds[one["case"], one["round"]]
    factors = over(summary(to_dataframe(records)), ["two", "two"])
    assert str(factors["one"]) == "2.00 (2.00 to 2.00)"
    once = [one for one in records if one["case"] == "two" or one["round"] == 1]
    assert str(over(summary(to_dataframe(once)), ["two", "two"])["one"]) == "2.00"
    assert "n = 3 (`one` 1)" in footnote(to_dataframe(once))


def test_records_are_not_lost_to_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    measured, kept = tmp_path / "measured", tmp_path / "recorded"
    records = run(monkeypatch, measured, [0.010] * 3, repeats=1)
    assert recorded.main([str(measured), str(kept)]) == "recorded: nothing"
    before = (kept / "nothing.jsonl").read_bytes()
    for fewer, message in (([], "no records"), (records[:1], "1 cases that are not in the new")):
        write_records(measured / "nothing.jsonl", fewer)
        with pytest.raises(SystemExit, match=message):
            recorded.main([str(measured), str(kept)])
        assert (kept / "nothing.jsonl").read_bytes() == before
    for words in ([], [str(kept)], [str(kept), str(kept)], [str(tmp_path / "none"), str(kept)]):
        with pytest.raises(SystemExit, match=r"name two folders|has no records"):
            recorded.main(words)
    assert (kept / "nothing.jsonl").read_bytes() == before


ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("changed", [False, True])
def test_the_page_of_a_suite_says_when_the_code_has_changed_since(changed: bool) -> None:
    suite, records = SUITES["vocab"], load(ROOT / "data" / "recorded" / "bench" / "vocab.jsonl")
    digest = "97dc97dc97dc" if changed else sources()
    code = {"version": "0.1.0", "git": "b17a5a6", "sources": digest}
    page = suite_page(suite, records.assign(code=[code] * len(records))).text(lambda name, _: name)
    said = "**Older than the code:** measured with 0.1.0 (b17a5a6)." in page
    assert said == changed == ("Older than the code" in page)


def recorded_codes() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in (ROOT / "data" / "recorded").rglob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            yield path, json.loads(line)["code"]


def test_every_recorded_value_names_a_clean_commit() -> None:
    for path, code in recorded_codes():
        assert re.fullmatch(r"(.+-g)?[0-9a-f]{7,40}", code["git"] or ""), path


def test_digests_of_recorded_code_are_those_of_the_commit_it_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Older records have a digest for each part of the code.
    named = {code["git"]: code for _, code in recorded_codes() if isinstance(code["sources"], str)}
    folders = sorted({pattern.partition("*")[0] for pattern in MEASURED})
    for commit, code in named.items():
        words = ["git", "-C", str(ROOT), "archive", commit, *folders]
        done = subprocess.run(words, capture_output=True, check=False)
        if done.returncode:
            pytest.skip("no history: a distribution, or a shallow clone")
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(tmp_path / commit, filter="data")
        monkeypatch.setenv("BPE_LAB_CHECKOUT", str(tmp_path / commit))
        assert sources() == code["sources"], commit


def test_only_a_change_of_code_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(code_facts_module.PACKAGE, tmp_path / "bpe_lab", ignore=only_stages)
    monkeypatch.setattr(code_facts_module, "PACKAGE", tmp_path / "bpe_lab")
    before = sources()
    naive = tmp_path / "bpe_lab" / "stages" / "naive.py"
    text = naive.read_text(encoding="utf-8")
    naive.write_text(f'"""Another text."""\n# And a comment.\n{text}', encoding="utf-8")
    assert sources() == before
    naive.write_text(f"{text}\nMORE = 1\n", encoding="utf-8")
    assert sources() != before
    # A line that leaves its loop is another program.
    at = text.index("            self.operations")
    naive.write_text(f"{text[:at]}{text[at + 4 :]}", encoding="utf-8")
    assert sources() != before
    naive.unlink()
    assert sources() != before
