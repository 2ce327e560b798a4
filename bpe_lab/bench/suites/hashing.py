"""Suite `hashing`: maps and hash functions under the changes of the pair counts in a training."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows, row_of
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import Columns, Records, digest_text, rows_table, spread_text, summary

MAPS = {"node": "std::unordered_map", "flat": "flat table (FlatMap)", "dict": "Python's dict"}
COLORS = {"node": "cpp_map", "flat": "cpp_flat", "dict": "max_heap"}
"""Map -> the stage that has its colour."""

HASHES = {
    "identity": "the pair itself",
    "shifted_xor": "left ^ right << 1",
    "boost_combine": "boost::hash_combine",
    "fibonacci": "Fibonacci, folded",
    "multiply_mix": "multiply and mix",
}

BAD_HASH = "shifted_xor"
"""Ids below 32,768 give no more than 65,536 values."""

TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 1_000},
    "default": {"text": "stories", "vocab_size": 10_000},
    "full": {"text": "many_words", "text_bytes": 2_000_000, "vocab_size": 30_000},
}
LOOPS = {"node": 30, "flat": 30, "dict": 3}
"""One replay takes milliseconds."""

SLOW_IN_FLAT = ("identity", BAD_HASH)
"""A flat table takes the low bits: with these, long runs of full slots."""


def cases(scale: str) -> list[Case]:
    """Return both maps with every hash function, and Python's dict with its own."""
    return [
        Case(
            name=f"{map_}, {hash_}" if hash_ else map_,
            measure="bpe_lab.bench.measures.hashing:replay_changes",
            params={
                "map": map_,
                "hash": hash_,
                **TEXTS[scale],
                "loops": 1
                if scale == "tiny" or (map_ == "flat" and hash_ in SLOW_IN_FLAT)
                else LOOPS[map_],
            },
            agrees="counts",
        )
        for map_ in MAPS
        for hash_ in (("",) if map_ == "dict" else HASHES)
    ]


def _rows(records: Records) -> Records:
    """Return the summary with ns (of a look-up) and probes (of it; "" where they are not known)."""
    rows = summary(records)
    look_ups = [operations["look_ups"] for operations in rows["operations"]]
    return rows.assign(
        ns=1e9 * rows["median"] / look_ups,
        look_ups=look_ups,
        probes=[
            "" if number != number else f"{number:,.0f}" if number >= 10 else f"{number:.2f}"
            for number in rows["probes_per_look_up"].astype(float)
        ],
    )


def table(records: Records) -> str:
    """Return nanoseconds and probes per look-up, and the number of hash values."""
    columns: Columns = {
        "map": lambda row: MAPS[row["param_map"]],
        "hash function": lambda row: HASHES.get(row["param_hash"], "its own"),
        "ns per look-up": lambda row: significant(row["ns"]),
        "spread": spread_text,
        "probes per look-up": "{probes}",
        "hash values": lambda row: (
            f"{row['operations']['hash_values']:,}" if "hash_values" in row["operations"] else ""
        ),
        "look-ups": "{look_ups:,}",
        "most pairs at a time": "{operations[largest]:,}",
        "digest": digest_text,
    }
    return (
        rows_table(_rows(records), columns)
        + "\n\nProbes: entries or slots that a look-up compares; those of `std::unordered_map` "
        "depend on the standard library.\n"
    )


def figure(records: Records) -> Figure:
    """Draw nanoseconds per look-up by map and hash function."""
    rows = _rows(records)
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        text = f"{significant(row['ns'])} ns"
        groups.setdefault(MAPS[row["param_map"]], []).append(
            row_of(
                row,
                HASHES.get(row["param_hash"], "its own hash"),
                f"{text}, {row['probes']} probes" if row["probes"] else text,
                stage_color(COLORS[row["param_map"]]),
                1e9 / row["look_ups"],
            )
        )
    costs = []
    for map_, name in (("node", MAPS["node"]), ("flat", "a flat table")):
        medians = rows[rows["param_map"] == map_].set_index("param_hash")["median"]
        if BAD_HASH in medians:
            costs.append(f"{significant(medians[BAD_HASH] / medians.min())} times in {name}")
    return grouped_rows(
        records,
        groups,
        f"With a bad hash a look-up takes longer: {', '.join(costs)}" if costs else SUITE.title,
        x_label="nanoseconds per look-up (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. The changes of the pair "
        "counts of a training in their order, in an empty map. "
        f"The bad hash is {HASHES[BAD_HASH]}.",
    )


SUITE = Suite(
    id="hashing",
    title="Maps and hash functions",
    question="What do the map of pair counts and its hash function cost, and what does a bad one?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.experiments.pieces",),
)
