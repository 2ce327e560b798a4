"""Promise: what a processor does for a merge or a byte is counted alone, and named if it grows."""

import shutil
from collections.abc import Callable
from pathlib import Path

import processor_counts
import pytest
from processor_counts import CACHES, built_with, differences, frozen, measured, merging

from bpe_lab.bench.suites import processor
from bpe_lab.bench.suites.processor import IN_CPP
from bpe_lab.results.records import read_records

AGAIN = "if the change is meant: python tests/processor_counts.py"


def needs_simulator(test: Callable[..., None]) -> Callable[..., None]:
    """Mark a test that simulates runs of the program, which takes the longest."""
    lacking = not shutil.which(processor.SIMULATOR)
    return pytest.mark.slow(pytest.mark.skipif(lacking, reason="needs valgrind")(test))


@needs_simulator
def test_no_event_is_much_more_often_than_it_was() -> None:
    if frozen()["built_with"] != built_with():
        pytest.skip(f"frozen for {frozen()['built_with']}, this is {built_with()}")
    lines = differences(frozen()["counts"], measured())
    assert not lines, "\n".join([*lines, AGAIN])


@needs_simulator
def test_a_simulated_count_is_the_same_each_time() -> None:
    run = (["native"], processor_counts.text())
    assert processor.simulated(run, CACHES) == processor.simulated(run, CACHES)


@needs_simulator
def test_counting_is_no_part_of_a_merge(tmp_path: Path) -> None:
    # The same distinct words, twice as often: counting takes twice as much, merging the same.
    text = processor_counts.text().read_bytes()
    twice = tmp_path / "twice.txt"
    twice.write_bytes(text + text)
    once, both = measured()["core: merge"], merging("core", twice)["merge"]
    for event in ("instructions", "branches", "d1_misses"):
        assert both[event] == pytest.approx(once[event], rel=0.02), event


@needs_simulator
def test_smaller_caches_miss_more_and_change_nothing_else() -> None:
    run = (["core", "457"], processor_counts.text())
    large, small = (
        processor.simulated(run, {**CACHES, "D1": size}) for size in ("65536,8,64", "2048,8,64")
    )
    assert small["d1_misses"] > 2 * large["d1_misses"]
    assert small["instructions"] == large["instructions"]
    assert small["mispredictions"] == large["mispredictions"]


def test_the_program_knows_every_stage_in_cpp(repository: Path) -> None:
    source = (repository / "ext" / "stages.cpp").read_text(encoding="utf-8")
    assert len(IN_CPP) >= 6
    assert [stage for stage in IN_CPP if f'"{stage}"' not in source] == []


@needs_simulator
@pytest.mark.parametrize("words", [["no_such_stage", "300"], ["core"], ["core", "3x"], []])
def test_what_the_program_does_not_know_is_one_clear_line(words: list[str]) -> None:
    with pytest.raises(RuntimeError, match=r"one_stage.*(unknown stage|usage|no number)") as caught:
        processor.run_program([], (words, Path("/dev/null")))
    assert "\n" not in str(caught.value)


@needs_simulator
def test_a_stage_in_python_is_counted_without_its_interpreter(tiny: Callable[[str], Path]) -> None:
    records = read_records(tiny("processor") / "processor.jsonl")
    [made] = [one for one in records if one["case"] == "stories, first merges, max_heap"]
    assert made["n_merges"] == 270 - 257
    instructions = made["simulated"]["merge"]["instructions"]
    assert 0 < instructions < 100_000_000, "a start takes more"
