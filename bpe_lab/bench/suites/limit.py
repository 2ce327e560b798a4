"""Suite `limit`: how close counting and merging come to the limits of this machine.

Counting is compared with one pass over the bytes of the text, and with steps towards a counter;
merging with one access to each position it looks at, in an array as large as its own. What such an
access costs is measured in four ways: order and dependence, each alone.
"""

from operator import itemgetter
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256, repeat
from bpe_lab.bench.measures.training import train_text
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import PALETTE, UNKNOWN, stage_color
from bpe_lab.results.numbers import three_digits, two_digits
from bpe_lab.results.spread import ratio_by_round, spread_of
from bpe_lab.results.tables import Records, factor, over_first, short, sized_text, summary, table_of
from bpe_lab.support.files import PathLike
from bpe_lab.support.sizes import size_in_words

WALKS = {
    "pass": "one pass over the bytes",
    "scan": "and find the words",
    "recent": "the counter, from memory",
    "file": "the counter, from the file",
}
"""Way through a text -> its name in figures; each does the work of those before it, and more."""

PLACE_SECONDS = {
    "fetched": "one place each, in order",
    "loop": "select and update of core",
    "waits": "one place each, waited for",
}
"""The training and what it is compared with, in the order of the figure."""

BOTH = ("stories", "many_words")
TEXTS = {"tiny": ("languages",), "default": BOTH, "full": BOTH}
TEXT_BYTES = {"tiny": 40_000, "default": 48_000_000, "full": 500_000_000}
"""More than most caches hold."""

MERGED = {
    "tiny": {"languages": {"vocab_size": 300, "text_bytes": 0}},
    "default": {
        "stories": {"vocab_size": 10_000, "text_bytes": 0},
        "many_words": {"vocab_size": 16_000, "text_bytes": 4_000_000},
    },
    "full": {"many_words": {"vocab_size": 32_000, "text_bytes": 100_000_000}},
}
WAYS_TO_TOUCH = {
    (loads, order): {"dependent": loads == "dependent", "ascending": order == "ascending"}
    for loads in ("independent", "dependent")
    for order in ("ascending", "random")
}
"""Loads and order -> what `touch_places` takes for them."""

ARRAYS = {"tiny": (1 << 16,), "default": (1 << 26, 1 << 28), "full": (1 << 26, 1 << 28)}
"""Bytes of the arrays that are touched in all four ways."""

LEAST_SECONDS = {"tiny": 0.0, "default": 0.3, "full": 3.0}

PLACES = {"tiny": 2_000, "default": 1 << 19, "full": 1 << 23}
"""Accesses to the array of a training."""


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return the ways through each text, and the trainings."""
    texts, merged = TEXTS[scale], MERGED[scale]
    if file is not None:
        # A text of the user takes the place of the largest text for merging.
        texts, merged = (file,), {file: list(merged.values())[-1]}
    least = {"least_seconds": LEAST_SECONDS[scale]}
    touched = {"places": PLACES[scale], **least}
    chosen = []
    for text in texts:
        for way in WALKS:
            params = {"way": way, "text": text, "text_bytes": TEXT_BYTES[scale], **least}
            same = "" if way == "pass" else f"words of {text}"
            chosen.append(Case(f"{text}, {way}", f"{__name__}:walk_text", params, same, cpus=1))
    for text, of_training in merged.items():
        params = {"text": text, **of_training, **touched}
        chosen.append(Case(f"merging {text}", f"{__name__}:merge_text", params, cpus=1))
    for size in ARRAYS[scale]:
        for loads, order in WAYS_TO_TOUCH:
            params = {"loads": loads, "order": order, "array_bytes": size, **touched}
            name, same = f"{size_in_words(size, 1024)}, {loads}, {order}", f"places in {size} bytes"
            chosen.append(Case(name, f"{__name__}:touch_array", params, same, cpus=1))
    return chosen


CELL_BYTES = 2
"""Bytes per cell of the array of tokens, with 16 bits for all ids."""


def walk_text(*, way: str, path: PathLike, least_seconds: float = 0.0) -> dict[str, Any]:
    """Do one of the steps of counting on a text, with one thread.

    :param way: pass (read all bytes), scan (find the words) or recent (the counter `native`), of a
        text in memory: `ablations.count_by`; or file (`bpe_lab.count_words`).
    """
    from bpe_lab.experiments.ablations import count_by

    content = Path(path).read_bytes()
    started = perf_counter()
    for loops in repeat(least_seconds):
        if way == "file":
            words = count_words(path, SPECIAL_TOKENS, threads=1).occurrences
        else:
            counted = count_by(way, content)
            words = counted["words"]
    seconds = (perf_counter() - started) / loops
    return {
        "seconds": seconds,
        # A pass finds no words: the bytes read are its result.
        "digest": lines_sha256([counted["fingerprint"] if way == "pass" else words]),
        "operations": {"bytes": len(content), "words": words},
        "threads": 1,
        "loops": loops,
    }


def merge_text(
    *, path: PathLike, vocab_size: int, places: int, least_seconds: float = 0.0
) -> dict[str, Any]:
    """Train stage `core` with one thread, and time accesses to an array as large as its own."""
    from bpe_lab.experiments.pieces import touch_places

    if vocab_size > 0xFFFE:
        raise ValueError(f"vocab_size is {vocab_size:,}: give 65,534 at most, for 16 bits")
    training = train_text(
        stage="core", path=path, vocab_size=vocab_size, threads=1, least_seconds=least_seconds
    )
    counts = count_words(path, SPECIAL_TOKENS, threads=1)
    # A separator before the first word and after each.
    cells = 1 + counts.word_bytes + len(counts)
    operations = {**training["operations"], "cells": cells}
    size = max(CELL_BYTES * cells, 1 << 12)  # a smaller one is too fast to time
    looked_at = operations["positions_read"] + operations["positions_recounted"]
    waits, ascends, fetched = (
        looked_at * touch_places(size, places, *way)["seconds"] / places
        for way in ((True, False), (False, True), (False, True, True))
    )
    return {
        **training,
        "seconds": training["phases"]["select"] + training["phases"]["update"],
        "operations": operations,
        "array_bytes": CELL_BYTES * cells,
        "place_seconds": {"fetched": min(ascends, fetched), "waits": waits},
    }


def touch_array(
    *, loads: str, order: str, array_bytes: int, places: int, least_seconds: float = 0.0
) -> dict[str, Any]:
    """Read and write the cells at places of an array."""
    from bpe_lab.experiments.pieces import touch_places

    seconds = 0.0
    for loops in repeat(least_seconds):
        touched = touch_places(array_bytes, places, **WAYS_TO_TOUCH[loads, order])
        seconds += touched["seconds"]
    return {
        "seconds": seconds / loops,
        "digest": lines_sha256([touched["checksum"]]),
        "operations": {"places": places},
        "threads": 1,
        "loops": loops,
    }


def place_nanoseconds(
    array_bytes: int, places: int = 1 << 18, turns: int = 3
) -> dict[tuple[str, str], float]:
    """Return nanoseconds for one place in an array, by loads and order: medians of runs in turns.

    :param array_bytes: size of the array.
    :param places: how many are read and written in a run.
    :param turns: runs of each way.

    >>> list(place_nanoseconds(5000, 99))[-1]
    ('dependent', 'random')
    """
    seconds: dict[tuple[str, str], list[float]] = {way: [] for way in WAYS_TO_TOUCH}
    for _ in range(turns):
        for (loads, order), taken in seconds.items():
            run = touch_array(loads=loads, order=order, array_bytes=array_bytes, places=places)
            taken.append(run["seconds"])
    return {way: 1e9 * median(taken) / places for way, taken in seconds.items()}


def _walked(records: Records) -> Records:
    """Return the summary of the ways through texts, as multiples of the pass over the same text.

    Added: label; nanoseconds per byte; and beyond, per word beyond finding the words.
    """
    rows = summary(records)
    rows = rows[rows["param_way"].notna()]
    texts, ways = rows["corpus"], rows["param_way"]
    scans = rows["median"].where(ways == "scan").groupby(texts).transform("first")
    beyond = 1e9 * (rows["median"] - scans) / rows["operations"].map(itemgetter("words"))
    return rows.assign(
        times=over_first(rows, texts, ways == "pass"),
        label=ways.map(WALKS),
        nanoseconds=1e9 * rows["median"] / rows["corpus_bytes"],
        beyond=beyond.where(ways.isin(["recent", "file"])),
    )


def _merged(records: Records) -> Records:
    """Return the summary of the trainings.

    Added: the seconds of the loop and of what it is compared with, times, and positions looked at.
    """
    trained = records[records["array_bytes"].notna()]
    places = trained["place_seconds"]
    trained = trained.assign(
        **{way: places.map(itemgetter(way)) for way in PLACE_SECONDS if way != "loop"}
    )
    rows = summary(trained)
    ratios = (trained["seconds"] / trained["fetched"]).groupby(trained["case"]).agg(list)
    done = rows["operations"]
    return rows.assign(
        loop=rows["median"],
        times=ratios.map(spread_of).reindex(rows.index),
        positions=[one["positions_read"] + one["positions_recounted"] for one in done],
    )


def _touched(records: Records) -> Records:
    """Return the summary of the four ways to touch places, in nanoseconds for one.

    Added: label; and times, multiples of independent loads in order.
    """
    touched = records[records["agrees"].str.startswith("places in ")]
    if touched.empty:
        return touched
    rows = summary(touched.assign(ns=1e9 * touched["seconds"] / touched["param_places"]), "ns")
    return rows.assign(
        size=rows["param_array_bytes"].map(lambda size: size_in_words(size, 1024)),
        label=rows["param_loads"] + ", " + rows["param_order"],
        times=over_first(rows, rows["param_array_bytes"]),
    )


WALK_TABLE = table_of(
    _walked,
    {
        "text": sized_text,
        "way": "{label}",
        "ns per byte": short("nanoseconds"),
        "times the pass": factor("times"),
        "ns per word beyond finding them": lambda row: (
            "" if row["beyond"] != row["beyond"] else three_digits(max(row["beyond"], 0.0))
        ),
    },
)
MERGE_TABLE = table_of(
    _merged,
    {
        "text": sized_text,
        "ids": "{vocab_size:,.0f}",
        "array": lambda row: size_in_words(row["array_bytes"], 1024),
        "positions": "{positions:,}",
        **{label: short(way, 1e3) for way, label in PLACE_SECONDS.items()},
        "times the first": factor("times"),
    },
)
TOUCH_TABLE = table_of(
    _touched,
    {
        "array": "{size}",
        "loads": "{param_loads}",
        "order": "{param_order}",
        "ns per place": short("median"),
        "times the first": factor("times"),
    },
)


def table(records: Records) -> str:
    """Return tables of the ways through texts, of the trainings beside plain accesses, and of these
    in four ways."""
    text = (
        "Counting, one thread; each way does the work of those above it, and more. Beyond finding "
        "the words the counter looks them up: where few are new it waits for the second-level "
        "cache, where many are, for the word table in memory:\n\n"
        f"{WALK_TABLE(records)}\n\n"
        "The loop (select and update), one thread; its milliseconds, and those of one access to "
        "each position that it reads or recounts, in an array as large as its own:\n\n"
        f"{MERGE_TABLE(records)}\n\n"
        "In order: ascending places, each prefetched, or not if that is "
        "faster. Waited for: random places, each after the one before. Both are estimates. They "
        "assume that a position costs one cell of 16 bits, on average one in 256 of the array, "
        "and that select, sums, counts and lists cost nothing.\n"
    )
    if _touched(records).empty:
        return text
    return (
        f"{text}\nOne place each, read and written, in both orders; independent: all places are "
        "known in advance, dependent: a place is known when the cell of the one before has come:"
        f"\n\n{TOUCH_TABLE(records)}\n"
    )


COLORS = {"pass": UNKNOWN, "fetched": UNKNOWN} | dict.fromkeys(
    ("recent", "file", "loop"), stage_color("core")
)
"""Way -> its colour, if it is not that of the steps between."""


def figure(records: Records) -> Figure:
    """Draw counting and merging, step by step, as multiples of the limit."""
    import pandas

    walks, merged = _walked(records), _merged(records)
    counted = walks.assign(
        group="Counting " + walks.apply(sized_text, axis=1),
        each=walks["nanoseconds"].map(three_digits) + " ns per byte",
    ).rename(columns={"param_way": "way"})
    ids = merged["vocab_size"].map(", {:,.0f} ids".format)
    looped = [
        merged.assign(
            group="The loop (select, update), " + merged.apply(sized_text, axis=1) + ids,
            label=label,
            way=way,
            times=(merged[way] / merged["fetched"]).map(lambda one: spread_of([one])),
            each=(1e9 * merged[way] / merged["positions"]).map(three_digits) + " ns per position",
        )
        for way, label in PLACE_SECONDS.items()
    ]
    rows = pandas.concat([counted, *looped])
    first = walks[walks["corpus"] == walks["corpus"].iloc[0]].set_index("param_way")
    counting, loop = first["times"]["file"].median, merged["times"].iloc[-1].median
    scans = ratio_by_round(*first["by_round"][["file", "scan"]]).median
    return grouped_rows(
        # The texts are of several sizes: the groups name them.
        records.drop(columns=["corpus", "vocab_size"]),
        rows.assign(
            text=[f"{three_digits(one.median)}: " for one in rows["times"]] + rows["each"],
            color=[COLORS.get(way, PALETTE[1]) for way in rows["way"]],
        ),
        f"Counting takes {two_digits(counting)} times as long as a pass over the bytes, "
        f"{two_digits(scans)} times as long as finding the words; the merge loop "
        f"{two_digits(loop)} times as long as one place each, in order",
        x_label="times the limit (log scale)",
        note="Dot: median. One thread. The limit of "
        "counting: a pass over the bytes; of the loop: one cell for each position looked at, in "
        "order.",
        spread="times",
        reference=1,
    )


SUITE = Suite(
    id="limit",
    title="The limit of the machine",
    question="How far are counting and merging from one pass over memory, and from one access per "
    "position?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.experiments.pieces",),
)
