"""Suites `tinystories` and `openwebtext`: the published experiments, on texts of their shape.

At scale "full" the texts have the size of the published ones and every stage that ends within an
hour is run to its end: hours in all. `bpe-lab bench all` leaves these suites out.
"""

from functools import partial
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites import ladder
from bpe_lab.bench.suites.counting import COUNT, counter_name
from bpe_lab.bench.suites.scaling import TRAIN, exponent
from bpe_lab.corpora.made_texts import PROFILES
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.numbers import text_size
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    require_comparable,
    rows_table,
    short,
    spread_text,
    summary,
)

TEXT_BYTES = {"tiny": 100_000, "default": 8_000_000}
"""Scale -> size of the text; at "full" it is that of the profile."""

VOCAB_SIZE = {
    "tinystories": {"tiny": 300, "default": 2_000, "full": 10_000},
    "openwebtext": {"tiny": 300, "default": 4_000, "full": 32_000},
}
TIME_BUDGET = {"tiny": 2.0, "default": 4.0, "full": 3_600.0}

FIRST = {"tinystories": "word_counts", "openwebtext": "inverted_index"}
"""The first stage of the ladder that is run: those before it would take days."""

FIRST_MERGES = {"inverted_index": 600.0, "fine_grained": 600.0}
"""Stage -> seconds of merging on `openwebtext` at scale "full": it scans all pairs for each merge,
which took nine hours where it was published, so its first merges have to do."""

TINY = ("max_heap", "core", "native")

THREADS = (1, 2)

SIZES = (10_000_000, 100_000_000, 1_000_000_000)
"""Sizes at which `native` counts, too, on its way to the whole text."""


def cases(profile: str, scale: str, file: str | None = None) -> list[Case]:
    """Return the stages and counters on one text, and counting by size where the text is made."""
    size = TEXT_BYTES.get(scale, PROFILES[profile].size_bytes)
    chosen = [
        _counting_case(profile, size, counter, threads)
        for counter, entry in COUNTERS.items()
        if not entry.cluster and (scale != "tiny" or counter in TINY)
        for threads in (THREADS if entry.parallel else (1,))
    ]
    chosen += [
        Case(
            name=stage,
            measure=TRAIN,
            params={
                "stage": stage,
                "text": profile,
                "text_bytes": size,
                "vocab_size": VOCAB_SIZE[profile][scale],
                "time_budget": _budget(profile, scale, stage),
            },
            agrees="merges",
        )
        for stage in list(STAGES)[list(STAGES).index(FIRST[profile]) :]
        if STAGES[stage].in_ladder
        and not STAGES[stage].missing()
        and (scale != "tiny" or stage in TINY)
    ]
    if profile == "openwebtext" and file is None:
        # The first ones are those of the larger text, too: it is made document by document.
        sizes = SIZES if scale == "full" else (size // 4, size // 2)
        chosen += [_counting_case(profile, part, "native", 1, text_size(part)) for part in sizes]
    return chosen


def _counting_case(profile: str, size: int, counter: str, threads: int, first: str = "") -> Case:
    """Return the case of a counter on a text, or on the first megabytes of it."""
    name = counter_name(counter, threads)
    params = {"counter": counter, "threads": threads, "text": profile, "text_bytes": size}
    return Case(f"{name}, first {first}" if first else name, COUNT, params, f"counts of {size}")


def _budget(profile: str, scale: str, stage: str) -> float:
    """Return the seconds of merging after which a stage is stopped."""
    if (profile, scale) == ("openwebtext", "full"):
        return FIRST_MERGES.get(stage, TIME_BUDGET[scale])
    return TIME_BUDGET[scale]


def _stages_of(records: Records) -> Records:
    """Return the records of stages."""
    stages = records[records["param_stage"].notna()]
    # Beside counters, which have none, they are fractions.
    return stages.astype(dict.fromkeys(("n_merges", "vocab_size", "loops"), int))


def table(records: Records) -> str:
    """Return the stages as the suite `ladder` shows them, and the counters below."""
    columns: Columns = {
        "counter": "{case}",
        "text": lambda row: text_size(row["corpus_bytes"]),
        "seconds": short("median"),
        "MB/s": short("megabytes_per_second"),
        "spread": spread_text,
        "distinct words": "{operations[distinct_words]:,}",
        "peak MB": "{peak_rss_mb:.0f}",
        "digest": digest_text,
    }
    counters = summary(records[records["param_counter"].notna()])
    return f"{ladder.table(_stages_of(records))}\nCounting:\n\n{rows_table(counters, columns)}\n"


def figure(records: Records) -> Figure:
    """Draw merges per second by stage."""
    require_comparable(records)
    return ladder.SUITE.figure(_stages_of(records))


def counting_by_size(records: Records) -> Figure:
    """Draw the seconds of `native` on one thread against the size of the text."""
    records = records[(records["param_counter"] == "native") & (records["param_threads"] == 1)]
    records = records.drop(columns="vocab_size")
    rows = summary(records).sort_values("corpus_bytes")
    fitted = exponent(rows["corpus_bytes"], rows["median"])
    # The last document passes the size by some bytes, which no reader wants at an axis.
    megabytes = (rows["corpus_bytes"] / 1e6).round(1)
    line = Line("native", megabytes.tolist(), rows["median"].tolist())
    first, last = (text_size(rows["corpus_bytes"].iloc[place]) for place in (0, -1))
    return draw_lines(
        records,
        [line],
        f"From {first} to {last}, counting grows with the text to the power of {fitted:.2f}",
        x_label="size of the text, MB (log scale)",
        y_label="seconds (log scale)",
        note="One thread. Slope of a straight line fitted to the points; 1 is in proportion.",
    )


def _suite(profile: str, title: str, *more_figures: Any) -> Suite:
    """Return the suite of a profile."""
    return Suite(
        id=profile,
        title=title,
        question=(
            "What does each counter and stage take on a text of the shape and size of a published "
            "experiment?"
        ),
        cases=partial(cases, profile),
        table=table,
        figure=figure,
        requires=("bpe_lab.native", "bpe_lab.text_maker"),
        more_figures=more_figures,
        takes_file=True,
        takes=("file",),
        in_all=False,
    )


SUITES = (
    _suite("tinystories", "The size of TinyStories"),
    _suite("openwebtext", "The size of OpenWebText", counting_by_size),
)
