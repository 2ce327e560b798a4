"""Suite `hashing`: maps and hash functions under the changes of the pair counts in a training."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, spread_text, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

MAPS = {"node": "std::unordered_map", "flat": "flat table (FlatMap)", "dict": "Python's dict"}

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
LOOPS, DICT_LOOPS = 30, 3
"""One replay takes milliseconds."""

SLOW_IN_FLAT = ("identity", BAD_HASH)
"""A flat table takes the low bits: with these, long runs of full slots."""


def cases(scale: str) -> list[Case]:
    """Return both maps with every hash function, and Python's dict with its own."""
    chosen = [(map_, hash_) for map_ in ("node", "flat") for hash_ in HASHES]
    return [
        Case(
            name=f"{map_}, {hash_}" if hash_ else map_,
            measure="bpe_lab.bench.measures.hashing:replay_changes",
            params={
                "map": map_,
                "hash": hash_,
                **TEXTS[scale],
                "loops": 1 if scale == "tiny" else loops(map_, hash_),
            },
            agrees="counts",
        )
        for map_, hash_ in [*chosen, ("dict", "")]
    ]


def loops(map_: str, hash_: str) -> int:
    """Return how often the changes are made for one value, but at tiny scale.

    >>> loops("flat", "identity"), loops("node", "identity"), loops("dict", "")
    (1, 30, 3)
    """
    if map_ == "dict":
        return DICT_LOOPS
    return 1 if map_ == "flat" and hash_ in SLOW_IN_FLAT else LOOPS


def table(records: "pandas.DataFrame") -> str:
    """Return nanoseconds and probes per look-up, and the number of hash values."""
    rows = summary(records)
    lines = []
    for _, row in rows.iterrows():
        counted = row["operations"]
        lines.append(
            [
                MAPS[row["param_map"]],
                HASHES.get(row["param_hash"], "its own"),
                significant(1e9 * row["median"] / counted["look_ups"]),
                spread_text(row),
                probes(row),
                f"{counted['hash_values']:,}" if "hash_values" in counted else "",
                f"{counted['look_ups']:,}",
                f"{counted['largest']:,}",
                f"`{row['digest'][:12]}`",
            ]
        )
    head = ("map", "hash function", "ns per look-up", "spread", "probes per look-up", "hash values",
            "look-ups", "most pairs at a time", "digest")  # fmt: skip
    return (
        markdown_table(head, lines)
        + "\n\nProbes: entries or slots that a look-up compares; those of `std::unordered_map` "
        "depend on the standard library.\n"
    )


def probes(row: "pandas.Series[Any]") -> str:
    """Return the probes per look-up of a case, "" where they are not known.

    :param row: of the summary.
    """
    number = row["probes_per_look_up"]
    if number is None or number != number:
        return ""
    return f"{number:,.0f}" if number >= 10 else f"{number:.2f}"


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw nanoseconds per look-up by map and hash function."""
    from bpe_lab.plots.grouped_rows import Row, grouped_rows
    from bpe_lab.plots.style import stage_color

    rows = summary(records)
    colors = {"node": "cpp_map", "flat": "cpp_flat", "dict": "max_heap"}
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        per_look_up = 1e9 / row["operations"]["look_ups"]
        beside = f"{significant(per_look_up * row['median'])} ns"
        groups.setdefault(MAPS[row["param_map"]], []).append(
            Row(
                label=HASHES.get(row["param_hash"], "its own hash"),
                value=per_look_up * row["median"],
                least=per_look_up * row["least"],
                most=per_look_up * row["most"],
                text=f"{beside}, {probes(row)} probes" if probes(row) else beside,
                color=stage_color(colors[row["param_map"]]),
            )
        )
    costs = [
        f"{significant(factor)} times in {name}"
        for map_, name in (("node", MAPS["node"]), ("flat", "a flat table"))
        if (factor := bad_factor(rows, map_)) is not None
    ]
    return grouped_rows(
        records,
        groups,
        f"With a bad hash a look-up takes longer: {', '.join(costs)}" if costs else SUITE.title,
        x_label="nanoseconds per look-up (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. The changes of the pair "
        "counts of a training in their order, in an empty map. "
        f"The bad hash is {HASHES[BAD_HASH]}.",
    )


def bad_factor(rows: "pandas.DataFrame", map_: str) -> float | None:
    """Return how many times the time of the best hash function the bad one takes, None if unknown.

    :param rows: the summary.
    :param map_: which map.
    """
    medians = rows[rows["param_map"] == map_].set_index("param_hash")["median"]
    return float(medians[BAD_HASH] / medians.min()) if BAD_HASH in medians else None


SUITE = Suite(
    id="hashing",
    title="Maps and hash functions",
    question="What do the map of pair counts and its hash function cost, and what does a bad one?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.experiments.pieces",),
)
