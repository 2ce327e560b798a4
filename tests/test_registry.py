"""Promise: the registry says the truth about every stage and counter, and forgets none."""

import ast
import pkgutil
import re
from pathlib import Path

import pytest

import bpe_lab
import bpe_lab.stages
from bpe_lab.registry import COUNTERS, STAGES, counter_for, find_counter, find_stage
from bpe_lab.words.patterns import find_pattern

PROMISED = (
    "naive word_counts word_filter pair_table inverted_index fine_grained max_heap max_heap_python "
    "max_heap_heapq max_heap_cython cython cpp_map cpp_flat cpp_scan openmp_scan cpp_positions core"
)


def test_the_promised_stages_are_there_in_their_order() -> None:
    assert list(STAGES) == PROMISED.split(), "a new stage is promised here, in its place"
    for registered, entries in (
        (STAGES, bpe_lab.registry._STAGES),
        (COUNTERS, bpe_lab.registry._COUNTERS),
    ):
        # A dict would silently keep the last of two equal ids.
        assert len(registered) == len(entries)
        assert len({entry.implementation for entry in entries}) == len(entries)


def test_every_module_of_the_stages_is_registered() -> None:
    modules = {
        found.name
        for found in pkgutil.iter_modules(bpe_lab.stages.__path__, "bpe_lab.stages.")
        if not found.ispkg  # heaps
    }
    registered = {entry.implementation.partition(":")[0] for entry in STAGES.values()}
    assert "bpe_lab.stages.naive" in modules
    unregistered = {"bpe_lab.stages.interface", "bpe_lab.stages.template"}  # what to copy
    assert modules - registered == unregistered


def test_a_variant_varies_a_headline_stage(stage: str) -> None:
    entry = STAGES[stage]
    if entry.variant_of is None:
        assert re.fullmatch(r"\d", entry.number)
    else:
        headline = STAGES[entry.variant_of]
        assert headline.variant_of is None
        assert re.fullmatch(rf"{headline.number}[a-z]", entry.number)
        assert entry.notebook <= headline.notebook  # the core has steps of its own


def test_headline_stages_are_numbered_from_one() -> None:
    numbers = [int(entry.number) for entry in STAGES.values() if entry.variant_of is None]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_stage_is_described_in_short_lines(stage: str) -> None:
    entry = STAGES[stage]
    for line in (entry.title, entry.idea, entry.cost):
        assert line == line.strip() != ""
        assert "\n" not in line
        assert len(line) <= 100
    assert entry.cost.startswith("O(")


def test_a_stage_file_is_short_and_says_what_it_adds_and_what_is_still_slow(
    stage: str, repository: Path
) -> None:
    entry = STAGES[stage]
    source = (repository / entry.source).read_text(encoding="utf-8")
    # C++ says its types and its memory, too.
    assert source.count("\n") <= (300 if entry.source.endswith(".hpp") else 150)
    if entry.source.endswith(".hpp"):
        comment, _, _ = source.partition("#pragma once")
        header = re.sub(r"^// ?", "", comment, flags=re.MULTILINE)
    else:
        header = source.split('"""')[1]
    bullets = re.findall(r"^- (.*?):", header, flags=re.MULTILINE)
    assert bullets == ["Adds", "Still slow"]
    # Its first line has the number and the id that the registry has.
    first = header.partition(":")[0]
    assert re.match(rf"Stages? (.*and )?{entry.number}\b", first)
    assert f"`{stage}`" in first


def test_a_stage_measures_prints_and_plots_nothing(repository: Path) -> None:
    # The loop owns the clocks, the progress bar and the hook; the file is the algorithm alone.
    imported = set()
    for source in {entry.source for entry in STAGES.values() if entry.source.endswith(".py")}:
        for node in ast.walk(ast.parse((repository / source).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add((node.module or "").partition(".")[0])
            elif isinstance(node, ast.Name):
                assert node.id != "print", source
    assert imported <= {"bpe_lab", "collections", "heapq", "itertools", "types", "typing"}


def test_a_pattern_finds_its_counter() -> None:
    named, users = find_pattern("gpt2"), find_pattern(r"\w+|\W+")
    for documents, able in ((False, "regex_parallel"), (True, "regex")):
        assert counter_for(named, documents=documents).id == "native"
        assert counter_for(users, documents=documents).id == able
        with pytest.raises(ValueError, match=f"'native' has no scanner for .* use '{able}'$"):
            counter_for(users, "native", documents=documents)


def test_an_unknown_name_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match=f"unknown stage 'naïve': known are {', '.join(STAGES)}"):
        find_stage("naïve")
    with pytest.raises(ValueError, match=f"unknown counter '': known are {', '.join(COUNTERS)}"):
        find_counter("")
