"""Suite `openwebtext`: the published experiments on the large text, on one like it.

The text is synthetic; at scale "full" it has the published size and every stage that finishes
within an hour is run to its end: hours in all. `bpe-lab bench all` leaves this suite out.
"""

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites import ladder, vocab
from bpe_lab.bench.suites.counting import COUNT, counters
from bpe_lab.corpora.made_texts import PROFILES
from bpe_lab.results.spread import turn_ratios
from bpe_lab.results.tables import Columns, Records, short, summary, table_of

COUNT_RANGES = "bpe_lab.bench.measures.counting:count_ranges"

RANGE_BYTES = {"tiny": 30_000, "default": 4_000_000, "full": 1_000_000_000}
"""Scale -> bytes that a counter in Python and `native` count in turn: the whole would take one of
them half an hour, in which the machine changes."""

TEXT_BYTES = {"tiny": 100_000, "default": 8_000_000}
"""Scale -> size of the text; at "full" that of the profile."""

VOCAB_SIZE = {"tiny": 300, "default": 4_000, "full": 32_000}
TIME_BUDGET = {"tiny": 2.0, "default": 4.0, "full": 3_600.0}

FIRST = "inverted_index"
"""The first stage of the ladder to run: those before it would take days."""

LARGER = {"tiny": (350,), "default": (8_000, 12_000), "full": (64_000, 96_000)}
"""Scale -> larger vocabularies, each by `LARGER_BY`: a heap in Python, a scan, two heaps in C++."""

LARGER_BY = ("max_heap", "cpp_scan", "cpp_flat", "core")

TINY = ("max_heap", "core", "core, 350 ids", "regex", "native x1", "native x2")


def cases(scale: str) -> list[Case]:
    """Return the counters and stages."""
    size = TEXT_BYTES.get(scale, PROFILES["openwebtext"].size_bytes)
    on = {"text": "openwebtext", "text_bytes": size}
    stages, ids = ladder.IN_LADDER, VOCAB_SIZE[scale]
    trained = [(stage, ids) for stage in stages[stages.index(FIRST) :]]
    trained += [(stage, more) for more in LARGER[scale] for stage in LARGER_BY]
    turns = {"beside": "native", "range_bytes": RANGE_BYTES[scale]}
    chosen = [
        Case(name, COUNT, {**way, **on}, same_result_as="counts")
        if way["counter"] == "native"
        else Case(name, COUNT_RANGES, {**way, **turns, **on}, same_result_as="counts")
        for name, way in counters().items()
        if name != "regex_parallel x1"  # as `regex`, in a process more
    ]
    for stage, vocab_size in trained:
        more = "" if vocab_size == ids else f", {vocab_size:,} ids"
        params = {"vocab_size": vocab_size, "time_budget": TIME_BUDGET[scale]}
        train = {"stage": stage, **on, **params}
        chosen.append(Case(f"{stage}{more}", ladder.TRAIN, train, same_result_as=f"merges{more}"))
    return [case for case in chosen if scale != "tiny" or case.name in TINY]


def _stages_of(records: Records, *, larger: bool = False) -> Records:
    """Return the records of stages: with the vocabulary of the ladder, or with `larger` ones, too,
    of the stages that have them."""
    of_stages = records[records["agrees"] != "counts"]
    of_ladder = of_stages["case"] == of_stages["param_stage"]
    stages = of_stages[of_stages["param_stage"].isin(LARGER_BY) if larger else of_ladder]
    # In a table with counters, which have none, they become floats.
    return stages.astype(dict.fromkeys(("n_merges", "vocab_size"), int))


def table(records: Records) -> str:
    """Return the stages as in the suite `ladder`; below it, larger vocabularies and counters."""
    counted, parts = records[records["agrees"] == "counts"], []
    if len(counted) < len(records):
        parts.append(ladder.table(_stages_of(records)))
        if records["param_vocab_size"].nunique() > 1:
            larger = vocab.SUITE.table(_stages_of(records, larger=True))
            parts.append(f"Larger vocabularies:\n\n{larger}")
    if len(counted):
        turns = turn_ratios(counted).map(str)
        columns: Columns = {
            "counter": "{case}",
            "seconds": short("median"),
            "MB/s": short("megabytes_per_second"),
            "x native's time": lambda row: turns.get(row["case"], ""),
            "distinct words": "{operations[distinct_words]:,}",
        }
        parts.append(f"Counting:\n\n{table_of(summary, columns)(counted)}")
    return "\n\n".join(parts)


def figure(records: Records) -> Figure:
    """Draw the time of each stage, and its phases."""
    return ladder.SUITE.figure(_stages_of(records))


SUITE = Suite(
    id="openwebtext",
    title="The size of OpenWebText",
    question="How long does each counter and stage take on a text like that of a published "
    "experiment?",
    cases=cases,
    table=table,
    figure=figure,
    takes_file=True,
    in_all=False,
)
