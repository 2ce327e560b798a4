"""Suite `hashing`: maps and hash functions, on the changes of the pair counts in a training."""

from operator import itemgetter
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Records, short, summary
from bpe_lab.support.files import PathLike

MAPS = {"node": "std::unordered_map", "flat": "flat table (FlatMap)", "dict": "Python's dict"}
COLORS = {"node": "cpp_map", "flat": "cpp_flat", "dict": "max_heap"}
"""Map -> the stage that has its colour."""

HASHES = {
    "identity": "the pair itself",
    "shifted_xor": "left ^ right << 1",  # for ids below 32,768 at most 65,536 values
    "boost_combine": "boost::hash_combine",
    "fibonacci": "Fibonacci, folded",
    "multiply_mix": "multiply and mix",
}

TINY: dict[str, Any] = {"text": "languages", "vocab_size": 1_000}
DEFAULT: dict[str, Any] = {"text": "stories", "vocab_size": 10_000}


def cases(scale: str) -> list[Case]:
    """Return both maps with every hash function, and Python's dict with its own."""
    on = TINY if scale == "tiny" else DEFAULT
    ways = [(f"{map_}, {hash_}", map_, hash_) for map_ in ("node", "flat") for hash_ in HASHES]
    return [
        Case(name, f"{__name__}:replay_changes", {"map": map_, "hash": hash_, **on}, "counts")
        for name, map_, hash_ in [*ways, ("dict", "dict", "")]
    ]


def replay_changes(*, map: str, hash: str, path: PathLike, vocab_size: int) -> dict[str, Any]:
    """Repeat the changes of the pair counts in a training, in an empty map."""
    from bpe_lab.experiments.pieces import Changes

    # Sorted: the order of a table of words is that of its hash.
    words = sorted(count_words(path, SPECIAL_TOKENS).items(), key=lambda word: (-word[1], word[0]))
    changes = Changes(dict(words), 256 + len(SPECIAL_TOKENS), vocab_size)
    replayed = _replay_in_dict(list(changes)) if map == "dict" else changes.replay(map, hash)
    probes, counts, seconds = (replayed.pop(name) for name in ("probes", "counts", "seconds"))
    return {
        "seconds": seconds,
        # The buckets of std::unordered_map, and so its probes, depend on the standard library.
        "probes_per_look_up": probes and probes / len(changes),
        "digest": lines_sha256(counts),
        "operations": {"look_ups": len(changes), **replayed},
    }


def _replay_in_dict(changes: list[tuple[int, int]]) -> dict[str, Any]:
    """Make changes in an empty dict, with the clock running; its probes are not known."""
    counts: dict[int, int] = {}
    started = perf_counter()
    for pair, change in changes:
        total = counts.get(pair, 0) + change
        if total:
            counts[pair] = total
        else:
            counts.pop(pair, None)
    return {
        "seconds": perf_counter() - started,
        "probes": None,
        "counts": sorted(counts.items()),
    }


def _rows(records: Records) -> Records:
    """Return the summary in nanoseconds per look-up, by map and hash."""
    look_ups = records["operations"].map(itemgetter("look_ups"))
    rows = summary(records.assign(ns=1e9 * records["seconds"] / look_ups), "ns")
    return rows.assign(
        group=rows["param_map"].map(MAPS),
        label=rows["param_hash"].map(HASHES).fillna("its own"),
        color=rows["param_map"].map(COLORS).map(stage_color),
    )


SUITE = Suite.of_rows(
    id="hashing",
    title="Maps and hash functions",
    question="What do the map of pair counts and its hash function cost, and what does a bad hash "
    "cost?",
    cases=cases,
    rows=_rows,
    columns={
        "map": "{group}",
        "hash function": "{label}",
        "ns per look-up": short("median"),
        # Those of Python's dict are not known.
        "probes per look-up": lambda row: (
            three_digits(row["probes_per_look_up"]) if row["param_hash"] else ""
        ),
        "hash values": lambda row: (
            f"{row['operations']['hash_values']:,}" if row["param_hash"] else ""
        ),
    },
    draw=rows_figure(
        x_label="nanoseconds per look-up (log scale)",
        note="The changes of the pair counts of a training in their order, in an empty map.",
    ),
    requires=("bpe_lab.experiments.pieces",),
)
