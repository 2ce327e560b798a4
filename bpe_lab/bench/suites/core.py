"""Suite `core`: the compiled core by itself.

Its counter with one thread and two, its merge loop beside those of `cpp_positions` and `max_heap`,
and the loop for growing vocabularies. And the same training in several processes at once, each on a
CPU of its own: what they lose to each other, no program can gain by threads on this machine.
"""

from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows, row_of
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import count_of, significant, text_size
from bpe_lab.results.tables import (
    Columns,
    RecordRow,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)
from bpe_lab.support.machine import available_cpus
from bpe_lab.training.merge_loop import PHASES

TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "text_bytes": 0},
    "default": {"text": "many_words", "text_bytes": 4_000_000},
    "full": {"text": "many_words", "text_bytes": 100_000_000},
}
VOCAB_SIZE = {"tiny": 300, "default": 16_000, "full": 32_000}
"""The smallest: then it is doubled, twice."""

LOOPS: dict[str, dict[str, int]] = {
    "core": {"loops": 5, "count_loops": 3},
    "cpp_positions": {"loops": 2, "count_loops": 3},
}
"""How often the work is repeated for a value at scale default."""

TIME_BUDGET = {"tiny": 5.0, "default": 20.0, "full": 600.0}
"""Seconds of merging for `max_heap`."""


def cases(
    scale: str, *, threads: Sequence[int] | None = None, vocab_size: int | None = None
) -> list[Case]:
    """Return the core with numbers of threads and of processes, with more ids, and other stages."""
    numbers = threads or [number for number in (1, 2) if number <= available_cpus()]
    size = vocab_size or VOCAB_SIZE[scale]
    return [
        *(_case(scale, "core", size, threads=number) for number in numbers),
        *(_case(scale, "core", size, at_once=number) for number in numbers if number > 1),
        _case(scale, "core", 2 * size),
        _case(scale, "core", 4 * size),
        _case(scale, "cpp_positions", size),
        _case(scale, "max_heap", size, time_budget=TIME_BUDGET[scale]),
    ]


def _case(
    scale: str, stage: str, vocab_size: int, *, threads: int = 1, at_once: int = 1, **more: Any
) -> Case:
    """Return the case of a stage, in one process or in several at once."""
    where = f"{at_once} processes at once" if at_once > 1 else count_of(threads, "thread")
    loops = LOOPS.get(stage, {}) if scale == "default" else {}
    params = {"stage": stage, **TEXTS[scale], "vocab_size": vocab_size, "threads": threads}
    return Case(
        name=f"{stage}, {vocab_size:,} ids, {where}",
        measure="bpe_lab.bench.measures.training:train_text",
        params={**params, **loops, **more},
        agrees=f"merges at {vocab_size:,} ids",
        cpus=threads,
        at_once=at_once,
    )


def _loops_of(records: Records) -> Records:
    """Return the summary of the seconds of the merge loop (select and update) of each case.

    Besides: count_least and count_most; at_once; count_mb_per_second, of all processes at once
    together.
    """
    loop = records["phase_select"] + records["phase_update"]
    rows = summary(records.assign(loop=loop), "loop")
    by_case = records.groupby("case")
    rows["count_least"] = by_case["phase_count"].min()
    rows["count_most"] = by_case["phase_count"].max()
    at_once = records.reindex(columns=["case", "param_at_once"]).fillna(1).groupby("case")
    rows["at_once"] = at_once["param_at_once"].first().astype(int)
    megabytes = rows["at_once"] * rows["corpus_bytes"] / 1e6
    rows["count_mb_per_second"] = megabytes / rows["phase_count"]
    return rows


def table(records: Records) -> str:
    """Return milliseconds by phase, MB/s of counting, memory and merges of each case."""
    columns: Columns = {
        "text": lambda row: f"{row['corpus']} ({text_size(row['corpus_bytes'])})",
        "stage": "`{param_stage}`",
        "ids": "{param_vocab_size:,}",
        "CPUs": "{param_threads}",
        "at once": "{at_once}",
        **{phase: short(f"phase_{phase}", 1e3) for phase in PHASES},
        "loop": short("median", 1e3),
        "spread": spread_text,
        "count MB/s": short("count_mb_per_second"),
        "peak MB": "{peak_rss_mb:.0f}",
        "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
        "digest": digest_text,
    }
    return (
        rows_table(_loops_of(records), columns)
        + "\n\nMilliseconds, medians; loop: select and update, and its spread. At once: processes "
        "that did the same at the same time, each on a CPU of its own; the times are those of the "
        "slowest, the MB/s those of all of them together: what these fall short of that many times "
        "the speed of one, threads must fall short of, too.\n"
    )


def figure(records: Records) -> Figure:
    """Draw the milliseconds of counting by threads, and of the merge loop by stage and by ids."""
    rows = _loops_of(records)
    least = rows["param_vocab_size"].min()
    smallest, core = rows["param_vocab_size"] == least, rows["param_stage"] == "core"
    alone = (rows["param_threads"] == rows["param_threads"].min()) & (rows["at_once"] == 1)
    groups = {
        "Counting the words": [_counted(row) for _, row in rows[core & smallest].iterrows()],
        f"Merge loop, {least:,} ids": [
            _merged(row, row["param_stage"]) for _, row in rows[alone & smallest].iterrows()
        ],
        "Merge loop of core": [
            _merged(row, f"{row['param_vocab_size']:,} ids")
            for _, row in rows[alone & core].iterrows()
        ],
    }
    return grouped_rows(
        records,
        {name: group for name, group in groups.items() if group},
        _message(rows[smallest & (rows["at_once"] == 1)]),
        x_label="milliseconds (log scale)",
        note=(
            "Dot: median; bar: fastest to slowest, where wider. Of processes at once the slowest "
            'counts. ">": stopped, it takes longer.'
        ),
    )


def _counted(row: RecordRow) -> Row:
    """Return the row of the figure on the counting of a case."""
    label, together = count_of(int(row["param_threads"]), "thread"), ""
    if row["at_once"] > 1:
        label, together = f"{row['at_once']} processes at once, each", " together"
    return Row(
        label=label,
        value=1e3 * row["phase_count"],
        least=1e3 * row["count_least"],
        most=1e3 * row["count_most"],
        text=f"{significant(row['count_mb_per_second'])} MB/s{together}",
        color=stage_color("core"),
    )


def _merged(row: RecordRow, label: str) -> Row:
    """Return the row of the figure on the merge loop of a case."""
    text = f"{'' if row['complete'] else '> '}{significant(1e3 * row['median'])} ms"
    return row_of(row, label, text, stage_color(str(row["param_stage"])), 1e3)


def _message(rows: Records) -> str:
    """Return the title of the figure, as far as its cases were measured."""
    loops = rows.groupby("param_stage")["median"].first()
    parts = []
    if {"core", "cpp_positions"} <= set(loops.index):
        factor = significant(loops["cpp_positions"] / loops["core"])
        parts.append(f"the merge loop of cpp_positions takes {factor} times as long as core's")
    counts = rows[rows["param_stage"] == "core"].set_index("param_threads")["phase_count"]
    if len(counts) > 1:
        gain = counts.iloc[0] / counts.iloc[-1]
        how = f"{significant(max(gain, 1 / gain))} times as {'fast' if gain >= 1 else 'slow'}"
        parts.append(f"counting by {counts.index[-1]} threads is {how} as by one")
    title = "; ".join(parts) or SUITE.title
    return title[0].upper() + title[1:]


SUITE = Suite(
    id="core",
    title="The core by itself",
    question=(
        "How fast does the core count and merge, by threads, by ids, and beside other processes?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
    takes_file=True,
    takes=("threads", "vocab_size"),
)
