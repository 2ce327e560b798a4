"""Promise: an idea is taken away alone, and a factor on which rounds disagree is marked."""

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from test_published import record

from bpe_lab import corpora, count_words, train_from_counts
from bpe_lab.bench.measures.interleaved import interleaved_seconds
from bpe_lab.bench.suites import ablation
from bpe_lab.experiments import ablations
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.records import to_dataframe
from bpe_lab.words.special_tokens import END_OF_TEXT

FOR_TESTS = {"CoreWide", "CoreParts"}
LETTERS = "ab é٣3!'\u3000 \n漢字s"


def test_every_idea_has_its_ablation_and_every_ablation_its_idea() -> None:
    named = {name for pair in ablation.IDEAS.values() for name in pair}
    made = {name for name in vars(ablations) if name.startswith("Core")} - FOR_TESTS
    assert {name for name in named if name.startswith("Core")} == made
    ways = list(ablations.COUNTING_WAYS)
    steps = [pair for idea, pair in ablation.COUNTING.items() if "nothing" not in idea]
    assert steps == list(pairwise(ways)), "each has one idea more"


def test_every_way_to_count_counts_the_same(tmp_path: Path) -> None:
    draw = random.Random(7)
    texts = ["".join(draw.choices(LETTERS, k=draw.randint(0, 300))).encode() for _ in range(60)] + [
        corpora.path("languages").read_bytes(),
        b"a" * 70 + b"<|endoftext|>b <|endoftext|>",
    ]
    file = tmp_path / "text"
    for text in texts:
        made = [ablations.count_by(way, text) for way in ablations.COUNTING_WAYS]
        assert all(one == made[0] for one in made), text
        file.write_bytes(text)
        counts = count_words(file, [END_OF_TEXT])
        assert (made[0]["words"], made[0]["distinct_words"]) == (counts.occurrences, len(counts))


def test_the_fingerprint_of_counts_tells_words_and_counts_apart() -> None:
    texts = [b"a b", b"a c", b"a b b", b"b a", b" a b", b"x" * 20, b"x" * 21, b"x" * 19 + b"y"]
    prints = [ablations.count_by("recent", text)["fingerprint"] for text in texts]
    assert len(set(prints)) == len(texts)


def test_an_idea_that_is_taken_away_is_gone() -> None:
    # Those that fetch in advance do the same work; the compiler is asked (ablations.hpp).
    counts = count_words(corpora.path("stories"), [END_OF_TEXT])
    done = {}
    for name in ("CoreLongIds", "CoreNoFloor", "CoreAllInTable", "CoreNoSums", "CoreOneHeap"):
        stage = getattr(ablations, name)
        made = train_from_counts(counts, 2_000, [END_OF_TEXT], stage=stage, threads=1)
        done[name] = made.operations
    whole = done["CoreLongIds"]
    assert whole["positions_recounted"] > 0
    assert done["CoreAllInTable"]["positions_recounted"] == 0
    assert done["CoreNoFloor"]["heap_pushes"] > 1.2 * whole["heap_pushes"]
    assert done["CoreNoSums"]["count_changes"] > 1.2 * whole["count_changes"]
    # Waiting pairs are counted again when their list is opened, in a heap when they come up.
    assert done["CoreOneHeap"]["stale_pops"] != whole["stale_pops"]
    assert done["CoreOneHeap"]["heap_pushes"] == whole["heap_pushes"]


def test_what_cannot_be_counted_is_refused() -> None:
    for way in ("scan", *ablations.COUNTING_WAYS):
        with pytest.raises(ValueError, match="the text is not UTF-8: mend it"):
            ablations.count_by(way, b"abc \xff def")


def test_who_begins_alternates_and_the_first_runs_do_not_count() -> None:
    called: list[str] = []
    seconds = iter(range(100))

    def run(name: str) -> float:
        called.append(name)
        return next(seconds)

    pairs = interleaved_seconds(lambda: run("one"), lambda: run("other"), 2)
    assert called == ["one", "other", "one", "other", "other", "one"]
    assert pairs == [(2, 3), (5, 4)]


def test_different_merges_are_an_error(write_text: Any) -> None:
    # The worked example has no such tie.
    options = {"stage": "core", "beside": "bpe_lab.trials.traps:JoinedTies", "turns": 1}
    with pytest.raises(RuntimeError, match=r"make different merges of .*corpus"):
        ablation.merge_interleaved(path=write_text("aaa\nab\n"), vocab_size=259, **options)


def records_of(factors: dict[str, list[float]]) -> Any:
    """Records of one text, as the suite writes them."""
    facts = {
        "scale": "tiny", "machine": machine_facts(), "params": {"vocab_size": 300}, "kind": "idea",
        "corpus": {"name": "languages", "sha256": "00", "bytes": 14_000}, "distinct_words": 1746,
        "n_merges": 43,
    }  # fmt: skip
    return to_dataframe(
        record("ablation", f"case {idea}", round=number, idea=idea, in_turns=[[one, 1.0]], **facts)
        for idea, of_idea in factors.items()
        for number, one in enumerate(of_idea, 1)
    )


WORTH, NOISE = [1.5] * 9, [0.9, 1.0, 1.1] * 3
SLIGHT = [1.07] * 8 + [0.97]
"""One of nine rounds points the other way, but for its ends it is inside the noise."""
TWO = [1.5] * 7 + [0.99] * 2


def test_the_table_marks_factors_on_which_rounds_disagree() -> None:
    factors = {"a floor": WORTH, "no queue": NOISE, "a heap": SLIGHT, "sums": TWO}
    rows = [line.split(" | ") for line in ablation.SUITE.table(records_of(factors)).splitlines()]
    said = {row[1]: row[3] for row in rows if row[1:2] and row[1] in factors}
    assert said.keys() == factors.keys()
    marked = {idea for idea, factor in said.items() if factor.startswith("~")}
    assert marked == {"no queue", "sums"}
