"""Promise: no stage does more work than it did: its operation counts are frozen."""

import re
from collections.abc import Callable, Sequence

import pytest
from operation_counts import CORPORA, LANGUAGES, LONG_WORDS, STORIES, differences, frozen, measured

import bpe_lab
from bpe_lab.stages.max_heap import MaxHeap

AGAIN = "if the change is meant: python tests/operation_counts.py"


def changes(stage: str, threads: int = 1, corpora: Sequence[str] = CORPORA) -> list[str]:
    """Return what a stage does otherwise than it did, one line per operation."""
    file = frozen()
    was = {name: {stage: file[name][stage]} for name in corpora if stage in file[name]}
    now = measured([stage], threads, corpora)
    return differences(was, {corpus: stages for corpus, stages in now.items() if stages})


def test_a_stage_does_the_work_it_did(stage: str) -> None:
    lines = changes(stage)
    assert not lines, "\n".join([*lines, AGAIN])


def test_nothing_is_frozen_that_is_gone() -> None:
    assert set(frozen()[LANGUAGES]) == set(bpe_lab.STAGES)
    assert set(frozen()[STORIES]) == set(frozen()[LONG_WORDS]) < set(bpe_lab.STAGES)


def test_the_frozen_runs_reach_what_is_rare() -> None:
    # A guard on a path that is never taken guards nothing.
    assert frozen()[LONG_WORDS]["core"]["rebuilds"] >= 1
    core = frozen()[STORIES]["core"]
    assert core["stale_pops"] > 100 and core["stale_positions"] > 100


@pytest.mark.parametrize(
    "stage", [s for s, entry in bpe_lab.STAGES.items() if hasattr(entry.load(), "keywords")]
)
def test_threads_share_the_work_and_add_none(stage: str) -> None:
    # What is frozen is the work of one thread.
    assert changes(stage, threads=2) == []


def test_a_stage_that_does_more_work_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    # The same merges, but every pair is pushed again before every merge.
    select: Callable[[MaxHeap], object] = MaxHeap.select

    def push_everything(self: MaxHeap) -> object:
        self.risen = list(self.pair_counts)
        return select(self)

    monkeypatch.setattr(MaxHeap, "select", push_everything)
    lines = "\n".join(changes("max_heap", corpora=[LANGUAGES]))
    assert re.search(r"max_heap: stale_pops \(languages.*was.*is", lines)
