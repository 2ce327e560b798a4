"""Promise: the registry says the truth about every stage and counter, and forgets none."""

import pkgutil
import re
from pathlib import Path

import pytest

import bpe_lab
import bpe_lab.stages
from bpe_lab.registry import STAGES, counter_for
from bpe_lab.words.patterns import find_pattern


def test_every_module_of_the_stages_is_registered_once() -> None:
    # A dict would silently keep the last of two equal ids.
    assert len(STAGES) == len(bpe_lab.registry._STAGES)
    assert len({entry.implementation for entry in STAGES.values()}) == len(STAGES)
    found = pkgutil.iter_modules(bpe_lab.stages.__path__, "bpe_lab.stages.")
    modules = {module.name for module in found if not module.ispkg}  # heaps
    registered = {entry.implementation.partition(":")[0] for entry in STAGES.values()}
    unregistered = {"interface", "template", "user_stage"}  # what to copy, and how it is loaded
    assert modules - registered == {f"bpe_lab.stages.{name}" for name in unregistered}


def test_a_stage_is_short_and_says_what_it_adds_and_lacks(stage: str, repository: Path) -> None:
    entry = STAGES[stage]
    assert entry.cost.startswith("O(") and len(entry.idea) <= 100
    source = (repository / entry.source).read_text(encoding="utf-8")
    # C++ says its types and its memory, too.
    assert source.count("\n") <= (300 if entry.source.endswith(".hpp") else 150)
    if entry.source.endswith(".hpp"):
        comment, _, _ = source.partition("#pragma once")
        header = re.sub(r"^// ?", "", comment, flags=re.MULTILINE)
        assert f"`{stage}`" in header  # other files are named by the id
    else:
        header = source.split('"""')[1]
    assert re.findall(r"^- (.*?):", header, flags=re.MULTILINE) == ["Adds", "Still slow"]


def test_a_pattern_finds_its_counter() -> None:
    named, users = find_pattern("gpt2"), find_pattern(r"\w+|\W+")
    for documents, able in ((False, "regex_parallel"), (True, "regex")):
        assert counter_for(named, documents=documents).id == "native"
        assert counter_for(users, documents=documents).id == able
        with pytest.raises(ValueError, match=able):
            counter_for(users, "native", documents=documents)
