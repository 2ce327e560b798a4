"""Suite `limit`: how close counting comes to one pass over the bytes of the text, step by step."""

from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE, UNKNOWN, stage_color
from bpe_lab.results.tables import Records, factor, over, short, sized_text, summary
from bpe_lab.support.files import PathLike

WALKS = {
    "pass": ("one pass over the bytes", UNKNOWN),
    "scan": ("and find the words", PALETTE[1]),
    "recent": ("the counter, from memory", stage_color("core")),
    "file": ("the counter, from the file", stage_color("core")),
}
"""Way through a text -> its name and colour in figures; each does the work of those before it, and
more."""

TEXT_BYTES = 48_000_000
"""More than most caches hold."""


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return the ways through each text."""
    texts, text_bytes = ["stories", "many_words"], TEXT_BYTES
    if scale == "tiny":
        texts, text_bytes = ["languages"], 40_000
    chosen = []
    for text in texts if file is None else [file]:
        for way in WALKS:
            params = {"way": way, "text": text, "text_bytes": text_bytes}
            same = "" if way == "pass" else f"words of {text}"
            chosen.append(Case(f"{text}, {way}", f"{__name__}:walk_text", params, same, cpus=1))
    return chosen


def walk_text(*, way: str, path: PathLike) -> dict[str, Any]:
    """Do one of the steps of counting on a text, with one thread.

    :param way: pass (read all bytes), scan (find the words) or recent (the counter `native`), of a
        text in memory: `ablations.count_by`; or file (`bpe_lab.count_words`).
    """
    from bpe_lab.experiments.ablations import count_by

    content = Path(path).read_bytes()
    started = perf_counter()
    if way == "file":
        words = count_words(path, SPECIAL_TOKENS, threads=1).occurrences
    else:
        counted = count_by(way, content)
        words = counted["words"]
    seconds = perf_counter() - started
    return {
        "seconds": seconds,
        # A pass finds no words: the bytes read are its result.
        "digest": lines_sha256([counted["fingerprint"] if way == "pass" else words]),
        "operations": {"bytes": len(content), "words": words},
    }


def _walked(records: Records) -> Records:
    """Return the summary of the ways through texts, as multiples of the pass over the same text."""
    rows = summary(records)
    ways = rows["param_way"]
    return rows.assign(
        times=over(rows, rows["param_text"] + ", pass"),
        label=[WALKS[way][0] for way in ways],
        nanoseconds=1e9 * rows["median"] / rows["corpus_bytes"],
        group=rows.apply(sized_text, axis=1),
        color=[WALKS[way][1] for way in ways],
    )


SUITE = Suite.of_rows(
    id="limit",
    title="The limit of the machine",
    question="How far is counting from one pass over memory?",
    cases=cases,
    rows=_walked,
    columns={
        "text": "{group}",
        "way": "{label}",
        "ns per byte": short("nanoseconds"),
        "times the pass": factor("times"),
    },
    note="One thread; each way does the work of those above it, and more.",
    draw=rows_figure(
        x_label="times the limit (log scale)",
        note="One thread. The limit: a pass over the bytes.",
        spread="times",
        reference=1,
    ),
    requires=("bpe_lab.experiments.ablations",),
)
