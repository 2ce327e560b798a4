"""Suite `ablation`: what is each idea of the core and of the counter worth?

The core is measured without one idea at a time, in turns with the whole; and on its way from
`cpp_positions`, with one idea more at each step. The counter, the same way, from what anybody would
write. A factor is the median of the turns, with an interval; where that holds 1, the idea is not
resolved there.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows, steps
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.results.intervals import Interval, median_interval
from bpe_lab.results.numbers import significant, text_size
from bpe_lab.results.tables import (
    RecordRow,
    Records,
    digest_text,
    markdown_table,
    sized_text,
    summary,
)

CORE, LONG_IDS = "core", "CoreLongIds"

IDEAS = {
    "a token's id in its last cell, too": ("CoreWalks", LONG_IDS),
    "positions in order": ("CoreUnsortedPositions", "CoreLookedUpWeights"),
    "cells asked for in advance": ("CoreNoFetch", LONG_IDS),
    "weights by position": ("CoreLookedUpWeights", LONG_IDS),
    "sums by neighbour": ("CoreNoSums", LONG_IDS),
    "a floor": ("CoreNoFloor", LONG_IDS),
    "no table for rare pairs": ("CoreAllInTable", "CoreNoLookAhead"),
    "a queue of ranges": ("CoreOneHeap", "CoreNoLookAhead"),
    "rare pairs asked for in advance": ("CoreNoLookAhead", LONG_IDS),
    "cells of 16 bits": (LONG_IDS, CORE),
    "nothing: the core beside itself": (CORE, CORE),
}
"""Idea -> the core without it, and what that is compared with: the same but for this idea.

What is in the table cannot be asked for in advance, nor what a heap has; and each list in the table
has memory of its own.
"""

PHASES_OF: dict[str, list[str]] = {"positions in order": ["select", "update"]}
"""Idea -> the phases that are compared, where others make the disorder."""

WAY = {
    "cpp_positions": "cpp_positions",
    "the core without these ideas": "CoreWithNone",
    "+ a token's id in its last cell": "CoreWithEnds",
    "+ cells asked for in advance": "CoreWithFetch",
    "+ weights by position": "CoreWithWeights",
    "+ sums by neighbour": "CoreWithSums",
    "+ a floor": "CoreWithFloor",
    "+ no table for rare pairs": "CoreOneHeap",
    "+ a queue of ranges": "CoreNoLookAhead",
    "+ rare pairs asked for in advance": LONG_IDS,
    "+ cells of 16 bits": CORE,
}
"""Step -> a stage that has all ideas up to it; each is measured in turns with the core."""

COUNTING = {
    "a table of slots": ("plain", "table"),
    "64 bytes at once": ("table", "masks"),
    "words that wait for their slots": ("masks", "queue"),
    "a small table before the large one": ("queue", "recent"),
    "nothing: the counter beside itself": ("recent", "recent"),
}
"""Idea of the counter -> the way without it, and with it."""

SHORT_IDS = 65_534
"""More ids than these need cells of 32 bits."""

Text: TypeAlias = tuple[str, int]
"""A text of the suites and its size; 0: as it is bundled, or the user's."""

MERGED: dict[str, list[Text]] = {
    "tiny": [("languages", 0)],
    "default": [("openwebtext", 60_000_000)],
    "full": [("openwebtext", 60_000_000), ("openwebtext", 600_000_000)],
}
"""Some 350 thousand and 1.3 million distinct words."""

LONG_TOKENS, LONG_TOKENS_IDS = ("letter_runs", 4_000_000), 1_200
"""A text whose tokens are long, of words of one letter: the first idea is about that."""

COUNTED = ("stories", "languages", "openwebtext")
COUNTED_BYTES = {"default": 20_000_000, "full": 100_000_000}
VOCAB_SIZES = {"tiny": (300,), "default": (32_000,), "full": (32_000, 128_000)}
TURNS = {"tiny": 1, "default": 4, "full": 4}
EVERY = {"tiny": 5, "default": 1, "full": 1}
"""Of the ideas and steps one of so many is measured."""

TOO_FEW = "Too few turns to say anything"


class Factor(NamedTuple):
    """What a case says: how many times as long one of two programs takes as the other."""

    row: RecordRow
    factor: Interval  # the first one's seconds over the other's, turn by turn
    seconds: float  # median of the first one
    beside_seconds: float

    @property
    def resolved(self) -> bool:
        """The interval is known, and 1 is outside of it."""
        return self.factor.excludes(1.0)


def cases(scale: str, *, file: str | None = None, vocab_size: int | None = None) -> list[Case]:
    """Return the ideas of the core, its way from `cpp_positions`, and the ideas of the counter."""
    merged, counted = MERGED[scale], [("languages", 0)]
    if file is not None:
        merged = counted = [(file, 0)]
    elif scale != "tiny":
        counted = [(text, COUNTED_BYTES[scale]) for text in COUNTED]
    programs = {
        "idea": IDEAS,
        "way": {step: (stage, CORE) for step, stage in WAY.items()},
        "counting": COUNTING,
    }
    chosen = [
        (text, size, kind, idea)
        for text in merged
        for size in ([vocab_size] if vocab_size else VOCAB_SIZES[scale])
        for kind in ("idea", "way")
        for idea in list(programs[kind])[:: EVERY[scale]]
        if size <= SHORT_IDS or not idea.endswith("cells of 16 bits")
    ]
    if file is None and scale != "tiny":
        chosen.append((LONG_TOKENS, LONG_TOKENS_IDS, "idea", next(iter(IDEAS))))
    chosen += [
        (text, 0, "counting", idea) for text in counted for idea in list(COUNTING)[:: EVERY[scale]]
    ]
    return [
        _in_turns(text, size, kind, idea, *programs[kind][idea], TURNS[scale])
        for text, size, kind, idea in chosen
    ]


def _in_turns(
    text: Text, vocab_size: int, kind: str, idea: str, one: str, other: str, turns: int
) -> Case:
    """Return the case of two programs in turns, on one CPU; without ids, of two that count."""
    name, text_bytes = text
    on = f"{name} {text_size(text_bytes)}" if text_bytes else name
    params: dict[str, Any] = {"text": name, "text_bytes": text_bytes, "turns": turns}
    if kind == "counting":
        function, agrees = "count_in_turns", f"counts of {on}"
        params = {"way": one, "beside": other, **params}
    else:
        function, agrees = "merge_in_turns", f"merges of {on} at {vocab_size:,} ids"
        phases = {"phases": PHASES_OF[idea]} if idea in PHASES_OF else {}
        programs = {"stage": stage_of(one), "beside": stage_of(other)}
        params = {**programs, "vocab_size": vocab_size, **phases, **params}
        on = f"{on}, {vocab_size:,} ids"
    return Case(
        f"{on}, {kind}: {idea}",
        f"bpe_lab.bench.measures.in_turns:{function}",
        params,
        agrees=agrees,
        cpus=1,
        facts={"kind": kind, "idea": idea},
    )


def stage_of(name: str) -> str:
    """Return what names a stage of the registry or of `bpe_lab.experiments.ablations`."""
    return f"bpe_lab.experiments.ablations:{name}" if name.startswith("Core") else name


def factors(records: Records, of: str) -> Iterator[tuple[str, list[Factor]]]:
    """Yield what the cases of a kind ("idea", "way" or "counting") say, by text and size."""
    rows = summary(records)
    turns: dict[str, list[list[float]]] = {}
    for case, pairs in zip(records["case"], records["in_turns"], strict=True):
        turns.setdefault(case, []).extend(pairs)
    groups: dict[str, list[Factor]] = {}
    for case, row in rows[rows["kind"] == of].iterrows():
        pairs = turns[str(case)]
        groups.setdefault(_group_name(row), []).append(
            Factor(
                row,
                median_interval([one / other for one, other in pairs]),
                median_interval([one for one, _ in pairs]).median,
                median_interval([other for _, other in pairs]).median,
            )
        )
    yield from groups.items()


def _group_name(row: RecordRow) -> str:
    """Return how tables and figures call the text and the size of a case."""
    text = sized_text(row)
    if row["kind"] == "counting":
        return text
    words = row["distinct_words"]
    return f"{text}, {words:,.0f} distinct words, {row['param_vocab_size']:,.0f} ids"


def factor_text(factor: Interval) -> str:
    """Return a factor and its interval: "1.23 (1.10 to 1.30)"."""
    digits = 2 if factor.median < 10 else 1
    low, middle, high = (
        f"{value:.{digits}f}" for value in (factor.low, factor.median, factor.high)
    )
    return f"{middle} ({low} to {high})"


TABLES = {
    "idea": ("Without one idea", ("idea", "ms without", "ms with", "times as long")),
    "way": ("With one idea more", ("step", "ms", "ms of core", "times the core")),
    "counting": ("Counting without one idea", ("idea", "ms without", "ms with", "times as long")),
}
"""Kind -> what stands above its tables, and their columns."""


def table(records: Records) -> str:
    """Return the factor of each idea with its interval, and the steps of the way."""
    parts = []
    for kind, (first, head) in TABLES.items():
        for group, found in factors(records, kind):
            lines = [
                [
                    str(one.row["idea"]),
                    significant(1e3 * one.seconds),
                    significant(1e3 * one.beside_seconds),
                    factor_text(one.factor),
                    _verdict(one),
                    digest_text(one.row),
                ]
                for one in found
            ]
            parts += [f"{first}, {group}:", markdown_table((*head, "", "digest"), lines)]
    parts.append(
        "Both programs of a row ran in turns in one process, by one thread; milliseconds are "
        "medians, factors medians of the turns with an interval of 95%, which takes the turns for "
        "independent. Merging is to lay the words out, to count the first pairs, to choose and to "
        "update; of positions in order only to choose and to update. What is compared has cells of "
        "32 bits, but for the idea of 16."
    )
    return "\n\n".join(parts) + "\n"


def _verdict(one: Factor) -> str:
    """Return "" for a factor that is resolved from 1, and what it is else."""
    if not one.factor.known:
        return "too few turns"
    return "" if one.resolved else "not resolved"


def figure(records: Records) -> Figure:
    """Draw how many times as long the core takes without each of its ideas."""
    said = "Each idea is taken away from the program that has all others."
    return _factor_figure(records, "idea", "merging", said)


def ablation_counting(records: Records) -> Figure:
    """Draw how many times as long the counter takes without each of its ideas."""
    said = "Each row has one idea less than the one below it."
    return _factor_figure(records, "counting", "counting", said)


def _factor_figure(records: Records, of: str, what: str, said: str) -> Figure:
    """Draw the factors of ideas, text by text."""
    found = dict(factors(records, of))
    return grouped_rows(
        records[records["kind"] == of],
        {group: [_factor_row(one) for one in ones] for group, ones in found.items()},
        message(found, what),
        x_label="times as long without the idea (log scale)",
        note="Dot: median of turns; bar: its interval of 95%, or least to greatest of fewer than "
        f"six; grey: not resolved from 1, or too few turns to tell. {said}",
        reference=1.0,
    )


def _factor_row(one: Factor) -> Row:
    """Return the row of the figure on one idea."""
    said = _verdict(one)
    return Row(
        label=str(one.row["idea"]),
        value=one.factor.median,
        least=one.factor.low,
        most=one.factor.high,
        text=f"{one.factor.median:.2f}{f', {said}' if said else ''}",
        color=UNKNOWN if said else stage_color("core"),
    )


def message(found: dict[str, list[Factor]], what: str) -> str:
    """Return the title: the idea that is worth most, where any is resolved."""
    if not any(one.factor.known for ones in found.values() for one in ones):
        return TOO_FEW
    resolved = [one for ones in found.values() for one in ones if one.resolved]
    if any("nothing" in str(one.row["idea"]) for one in resolved):
        return "Nothing is resolved from nothing: what was measured here is the noise"
    best = max(resolved, key=lambda one: one.factor.median, default=None)
    if best is None:
        return "No idea is resolved: it takes more turns, or a quieter machine"
    idea = str(best.row["idea"])
    without = f"With {idea[3:]}" if idea.startswith("no ") else f"Without {idea}"
    return f"{without} {what} takes {significant(best.factor.median)} times as long"


def ablation_way(records: Records) -> Figure:
    """Draw the way from `cpp_positions` to the core: what each idea takes away."""
    found = dict(factors(records, "way"))
    known = all(one.factor.known for ones in found.values() for one in ones)
    firsts = sorted(ones[0].factor.median for ones in found.values())
    factor = " to ".join(dict.fromkeys(significant(one) for one in (firsts[0], firsts[-1])))
    return grouped_rows(
        records[records["kind"] == "way"],
        {
            group: steps([(str(one.row["idea"]), *one.factor[:3]) for one in ones])
            for group, ones in found.items()
        },
        f"From cpp_positions to the core: {factor} times as fast, idea by idea"
        if known
        else TOO_FEW,
        x_label="times the core (log scale)",
        note="Each bar goes from the time of the step before it to its own; with caps: "
        f"{'interval of 95% of the median' if known else 'least to greatest'}. Each step ran in "
        "turns with the core. Steps depend on their order: an idea gains what those before it have "
        "left.",
    )


SUITE = Suite(
    id="ablation",
    title="The core with one idea less",
    question="What is each idea of the core and of the counter worth, and is it resolved?",
    cases=cases,
    table=table,
    figure=figure,
    more_figures=(ablation_way, ablation_counting),
    requires=("bpe_lab.experiments.ablations",),
    takes_file=True,
    takes=("file", "vocab_size"),
)
