"""Suite `ablation`: what is each idea of the core and of the counter worth?

The core is measured without one idea at a time, in turns with the core that has it; the counter is
built up step by step, from the obvious program. A factor is the median of the turns of a round,
with the spread of the rounds.
"""

from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.measures.interleaved import interleaved_facts, interleaved_seconds
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.results.numbers import size_in_words
from bpe_lab.results.records import MERGING, training_facts
from bpe_lab.results.spread import is_undecided, turn_ratios
from bpe_lab.results.tables import Records, factor, short, sized_text, summary
from bpe_lab.support.files import PathLike
from bpe_lab.training.api import check_worked_example
from bpe_lab.training.training import Training, train_from_counts

CORE, LONG_IDS = "core", "CoreLongIds"

IDEAS = {
    "a token's id in its last cell, too": ("CoreWalks", LONG_IDS),
    "positions in order": ("CoreUnsortedPositions", "CoreLookedUpWeights"),
    "prefetched cells": ("CoreNoFetch", LONG_IDS),
    "weights by position": ("CoreLookedUpWeights", LONG_IDS),
    "sums by neighbour": ("CoreNoSums", LONG_IDS),
    "a floor": ("CoreNoFloor", LONG_IDS),
    "no table for rare pairs": ("CoreAllInTable", "CoreNoLookAhead"),
    "a queue of ranges": ("CoreOneHeap", "CoreNoLookAhead"),
    "prefetched rare pairs": ("CoreNoLookAhead", LONG_IDS),
    "cells of 16 bits": (LONG_IDS, CORE),
    "nothing: A/A, the core": (CORE, CORE),
}
"""Idea -> the core without it, and the core it is compared with: the same except for this idea.

Pairs in the table cannot be prefetched, nor those in a heap; and each list in the table has its own
memory.
"""

PHASES_OF: dict[str, list[str]] = {"positions in order": ["select", "update"]}
"""Idea -> the phases that are compared, if other phases cause the disorder."""

COUNTING = {
    "a table of slots": ("plain", "table"),
    "64 bytes at once": ("table", "masks"),
    "batches of words, slots prefetched": ("masks", "queue"),
    "a small table before the large one": ("queue", "recent"),
    "nothing: A/A, the counter": ("recent", "recent"),
}
"""Idea of the counter -> the way without it, and with it."""

MERGED = ("openwebtext", 60_000_000, 32_000)
"""Text, bytes and ids: 355,251 distinct words."""

LONG_TOKENS = ("letter_runs", 4_000_000, 1_200)
"""A text of one-letter words, whose tokens get long: the case of the first idea."""

COUNTED = (("stories", 20_000_000), ("languages", 20_000_000), ("openwebtext", 20_000_000))


def cases(scale: str) -> list[Case]:
    """Return the ideas of the core and of the counter: two programs in turns, on one CPU."""
    if scale == "tiny":
        ideas = [(idea, "languages", 0, 300) for idea in IDEAS]
        steps, turns = [(idea, "languages", 0) for idea in COUNTING], 1
    else:
        ideas = [(idea, *MERGED) for idea in IDEAS] + [(next(iter(IDEAS)), *LONG_TOKENS)]
        steps, turns = [(idea, *text) for text in COUNTED for idea in COUNTING], 4
    chosen = []
    for idea, text, text_bytes, ids in ideas:
        stage, beside = map(stage_of, IDEAS[idea])
        params: dict[str, Any] = {"stage": stage, "beside": beside, "vocab_size": ids}
        if idea in PHASES_OF:
            params["phases"] = PHASES_OF[idea]
        on = f"{_sized(text, text_bytes)}, {ids:,} ids"
        chosen.append((on, "idea", idea, "merge_interleaved", text, text_bytes, params))
    for idea, text, text_bytes in steps:
        params = dict(zip(("way", "beside"), COUNTING[idea], strict=True))
        on = _sized(text, text_bytes)
        chosen.append((on, "counting", idea, "count_interleaved", text, text_bytes, params))
    return [
        Case(
            f"{on}, {kind}: {idea}",
            f"{__name__}:{function}",
            {"text": text, "text_bytes": text_bytes, "turns": turns, **params},
            same_result_as=f"{kind} on {on}",
            cpus=1,
            facts={"kind": kind, "idea": idea},
        )
        for on, kind, idea, function, text, text_bytes, params in chosen
    ]


def _sized(text: str, text_bytes: int) -> str:
    return f"{text} {size_in_words(text_bytes)}" if text_bytes else text


def stage_of(name: str) -> str:
    """Return the name of a stage of the registry or of `bpe_lab.experiments.ablations`."""
    return f"bpe_lab.experiments.ablations:{name}" if name[0].isupper() else name


TRAINED = ("digest", "n_merges", "operations", "phases", "stopped_by")


def merge_interleaved(
    *,
    stage: str,
    beside: str,
    path: PathLike,
    vocab_size: int,
    turns: int,
    phases: Sequence[str] = MERGING,
) -> dict[str, Any]:
    """Train two stages in turns, on the same word counts."""
    for name in {stage, beside}:
        check_worked_example(name)
    counts = count_words(path, SPECIAL_TOKENS)
    trained: dict[str, Training] = {}

    def train(name: str) -> float:
        trained.pop(name, None)  # before the next: both at once would need twice the memory
        trained[name] = train_from_counts(counts, vocab_size, SPECIAL_TOKENS, stage=name, threads=1)
        return sum(trained[name].phases[phase] for phase in phases)

    pairs = interleaved_seconds(lambda: train(stage), lambda: train(beside), turns)
    if trained[stage].merges_sha256 != trained[beside].merges_sha256:
        raise RuntimeError(f"{stage} and {beside} make different merges of {path}")
    facts = training_facts(trained[stage])
    return {
        **{name: facts[name] for name in TRAINED},
        **interleaved_facts(pairs),
        "distinct_words": len(counts),
        "vocab_size": vocab_size,
    }


def count_interleaved(*, way: str, beside: str, path: PathLike, turns: int) -> dict[str, Any]:
    """Count the words of a text in memory in two of `ablations.COUNTING_WAYS`, in turns."""
    from bpe_lab.experiments import ablations

    content = Path(path).read_bytes()
    counts: dict[str, dict[str, int]] = {}

    def count(name: str) -> float:
        started = perf_counter()
        counts[name] = ablations.count_by(name, content)
        return perf_counter() - started

    pairs = interleaved_seconds(lambda: count(way), lambda: count(beside), turns)
    if counts[way] != counts[beside]:
        raise RuntimeError(f"{way} and {beside} count the words of {path} differently")
    fingerprint = counts[way].pop("fingerprint")
    return {
        **interleaved_facts(pairs),
        "digest": lines_sha256([f"{fingerprint:016x}"]),
        "operations": {"bytes": len(content), **counts[way]},
    }


def compared(records: Records) -> Records:
    """Return the summary with factor (a `Spread`: times as long without the idea) and
    what a figure shows; grey: rounds disagree."""
    rows = summary(records).assign(factor=turn_ratios(records))
    ids = rows["param_vocab_size"].map(", {:,.0f} ids".format)
    is_counting = rows["kind"] == "counting"
    kinds = rows["kind"].map({"counting": "counting ", "idea": "merging "})
    # A control is grey, too.
    grey = rows["idea"].str.startswith("nothing") | rows["factor"].map(is_undecided)
    return rows.assign(
        group=kinds + rows.apply(sized_text, axis=1) + ids.where(~is_counting, ""),
        label=rows["idea"],
        text=rows["factor"].map(lambda factor: f"{factor.median:.2f}"),
        color=grey.map({True: UNKNOWN, False: stage_color("core")}),
    )


SUITE = Suite.of_rows(
    id="ablation",
    title="The core without one idea",
    question="How much does each idea of the core and of the counter gain?",
    cases=cases,
    rows=compared,
    columns={
        "what": "{group}",
        "without": "{idea}",
        "ms without": short("median", 1e3),
        "times as long": factor("factor"),
    },
    note="The programs with and without the idea took turns, in one process, on one thread; of the "
    "turns of a round the median counts. Merging: all phases but `count`; for sorted positions "
    "select and update. Compared cores have cells of 32 bits, except for the idea of 16.\n",
    draw=rows_figure(
        x_label="times as long without the idea (log scale)",
        note="Grey: rounds disagree. Merging: each idea is removed from the program that has all "
        "the others; counting: each row has one idea fewer than the row below it.",
        spread="factor",
        reference=1.0,
    ),
    requires=("bpe_lab.experiments.ablations",),
)
