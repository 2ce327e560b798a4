"""Suite `waking`: what it costs to wake a thread for one scan of the table of pairs."""

from resource import RUSAGE_SELF, getrusage
from statistics import median
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE
from bpe_lab.results.tables import Records, factor, over_first, short, summary
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import threads_used
from bpe_lab.tokenizer.merges import first_vocab

TABLES: dict[str, dict[str, Any]] = {
    "small table": {"text": "stories", "first_id": 1_303},
    "large table": {"text": "many_words", "text_bytes": 16_000_000, "first_id": 5_000},
}
"""Title -> the text, and the id of the first merge whose selection is timed."""

WAYS = {"one thread": ("passive", 1), "two, asleep": ("passive", 2), "two, spinning": ("active", 2)}
"""Way -> how OpenMP's threads wait (OMP_WAIT_POLICY), and how many share a scan."""


def cases(scale: str) -> list[Case]:
    """Return each table with each way; without OpenMP, which a warning says, with one thread."""
    most, is_tiny = threads_used(2, openmp=True), scale == "tiny"
    chosen = []
    for title, params in TABLES.items():
        if is_tiny:
            params = {"text": "languages", "first_id": 270}
        for way, (policy, threads) in WAYS.items():
            if threads > most:
                continue
            timed = {**params, "threads": threads, "selections": 5 if is_tiny else 100}
            wait = {"OMP_WAIT_POLICY": policy}  # OpenMP reads it once, when it is loaded
            measure = f"{__name__}:time_selections"
            chosen.append(Case(f"{title}, {way}", measure, timed, title, environment=wait))
    return chosen


def time_selections(
    *, path: PathLike, first_id: int, threads: int, selections: int
) -> dict[str, Any]:
    """Time the selections of `openmp_scan` between the merges of a training."""
    from bpe_lab.native import OpenmpScan

    counts = count_words(path, SPECIAL_TOKENS)
    stage = OpenmpScan(counts, first_vocab(SPECIAL_TOKENS), threads=threads)
    stage.count_pairs()
    stage.run(257, first_id, 60.0)
    slots = -stage.operations["slots_scanned"]
    seconds, chosen, sleeps = [], [], -getrusage(RUSAGE_SELF).ru_nvcsw
    for new_id in range(first_id, first_id + selections):
        begun = perf_counter()
        selection = stage.select()
        seconds.append(perf_counter() - begun)
        chosen.append(selection)
        if selection is None:
            break
        stage.update(selection[0], new_id)
    return {
        "seconds": median(seconds),
        "digest": lines_sha256(chosen),
        "slots": (slots + stage.operations["slots_scanned"]) // len(chosen),
        "sleeps": (sleeps + getrusage(RUSAGE_SELF).ru_nvcsw) / len(chosen),
        "operations": dict(stage.operations),
    }


def _rows(records: Records) -> Records:
    """Return the summary in microseconds, with way, and faster: than one thread."""
    rows = summary(records.assign(microseconds=1e6 * records["seconds"]), "microseconds")
    tables, ways = (rows.index.str.partition(", ").get_level_values(part) for part in (0, 2))
    groups = tables + rows["slots"].map(": {:,.0f} slots".format)
    faster = [takes and takes.inverse for takes in over_first(rows, groups)]
    return rows.assign(group=groups, label=ways, faster=faster, color=PALETTE[1])


SUITE = Suite.of_rows(
    id="waking",
    title="Waking a thread",
    question="What does a scan of the table of pairs cost if its second thread must be woken?",
    cases=cases,
    rows=_rows,
    columns={
        "table": "{group}",
        "threads": "{label}",
        "microseconds": short("median"),
        "times as fast": factor("faster"),
        "sleeps per scan": short("sleeps"),
    },
    note="Medians of 100 selections of `openmp_scan`, between the merges of a training. "
    "times as fast: as one thread. sleeps: how often a thread of the process went to sleep.",
    draw=rows_figure(
        x_label="microseconds per selection (log scale)",
        note="Between two selections a merge is made.",
    ),
)
