"""Suite `hashing`: maps and hash functions, on the changes of the pair counts in a training.

And whole trainings, as in part 9 of the published series: both maps, with hash sets or vectors as
posting lists, every changed pair pushed into the heap or only those that rise.
"""

from operator import itemgetter
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.ablation import stage_of
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Records, factor, over_first, short, summary, table_of
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

TRAINED = {
    "NodeMapSetsAllRise": ("node", "hash sets", "changed"),
    "NodeMapSets": ("node", "hash sets", "risen"),
    "NodeMapAllRise": ("node", "vectors", "changed"),
    "cpp_map": ("node", "vectors", "risen"),
    "FlatMapSetsAllRise": ("flat", "hash sets", "changed"),
    "FlatMapSets": ("flat", "hash sets", "risen"),
    "FlatMapAllRise": ("flat", "vectors", "changed"),
    "cpp_flat": ("flat", "vectors", "risen"),
}
"""Stage, of the registry or of `bpe_lab.experiments.ablations` -> its map, what its posting lists
are, and which pairs it pushes."""

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 1_000},
    "default": {"text": "stories", "vocab_size": 10_000},
    "full": {"text": "many_words", "text_bytes": 2_000_000, "vocab_size": 30_000},
}


def cases(scale: str) -> list[Case]:
    """Return both maps with every hash function, Python's dict with its own, and the trainings."""
    on, chosen = SCALES[scale], []
    for stage, made_of in TRAINED.items():
        params = {"stage": stage_of(stage), "threads": 1, **on}
        chosen.append(Case(f"training, {', '.join(made_of)}", TRAIN, params, "merges"))
    for map_ in MAPS:
        for hash_ in ("",) if map_ == "dict" else HASHES:
            name, params = f"{map_}, {hash_}" if hash_ else map_, {"map": map_, "hash": hash_, **on}
            chosen.append(Case(name, f"{__name__}:replay_changes", params, "counts"))
    return chosen


def replay_changes(*, map: str, hash: str, path: PathLike, vocab_size: int) -> dict[str, Any]:
    """Repeat the changes of the pair counts in a training, in an empty map."""
    from bpe_lab.experiments.pieces import Changes

    # Sorted: the order of a table of words is that of its hash.
    words = sorted(count_words(path, SPECIAL_TOKENS).items(), key=lambda word: (-word[1], word[0]))
    changes = Changes(dict(words), 256 + len(SPECIAL_TOKENS), vocab_size)
    replayed = _replay_in_dict(list(changes)) if map == "dict" else changes.replay(map, hash)
    operations = {"look_ups": len(changes), "largest": replayed["largest"]}
    for name in ("hash_values", "probes"):
        # The buckets of std::unordered_map, and so its probes, depend on the standard library.
        if name in replayed and not (name == "probes" and map == "node"):
            operations[name] = replayed[name]
    return {
        "seconds": replayed["seconds"],
        "probes_per_look_up": replayed["probes"] / len(changes) if "probes" in replayed else None,
        "digest": lines_sha256(replayed["counts"]),
        "operations": operations,
    }


def _replay_in_dict(changes: list[tuple[int, int]]) -> dict[str, Any]:
    """Make changes in an empty dict, with the clock running; and again, for its largest size."""
    counts: dict[int, int] = {}
    started = perf_counter()
    for pair, change in changes:
        total = counts.get(pair, 0) + change
        if total:
            counts[pair] = total
        else:
            counts.pop(pair, None)
    seconds = perf_counter() - started
    live: dict[int, int] = {}
    largest = 0
    for pair, change in changes:
        live[pair] = live.get(pair, 0) + change
        if not live[pair]:
            del live[pair]
        largest = max(largest, len(live))
    return {"seconds": seconds, "largest": largest, "counts": sorted(counts.items())}


def _rows(records: Records) -> Records:
    """Return the summary in nanoseconds per look-up, with probes and hash_values, by map and hash.

    Probes and hash values of Python's dict are not known.
    """
    records = records[records["agrees"] == "counts"]
    look_ups = records["operations"].map(itemgetter("look_ups"))
    rows = summary(records.assign(ns=1e9 * records["seconds"] / look_ups), "ns")
    operations, probes = rows["operations"], rows["probes_per_look_up"].astype(float)
    return rows.assign(
        group=rows["param_map"].map(MAPS),
        label=rows["param_hash"].map(HASHES).fillna("its own"),
        probes=probes.map(three_digits, na_action="ignore").fillna(""),
        color=rows["param_map"].map(COLORS).map(stage_color),
        hash_values=[
            f"{done['hash_values']:,}" if "hash_values" in done else "" for done in operations
        ],
    )


def _trained(records: Records) -> Records:
    """Return the summary of the trainings, of the seconds of merging.

    Added: made_of, as `TRAINED` has it; and faster: how many times as fast as the first.
    """
    rows = summary(records[records["agrees"] == "merges"], "merge_seconds")
    return rows.assign(
        made_of=rows["param_stage"].map(lambda stage: TRAINED[stage.rpartition(":")[2]]),
        faster=over_first(rows, rows["agrees"]).map(lambda one: one.inverse, na_action="ignore"),
    )


LOOK_UPS = table_of(
    _rows,
    {
        "map": "{group}",
        "hash function": "{label}",
        "ns per look-up": short("median"),
        "probes per look-up": "{probes}",
        "hash values": "{hash_values}",
    },
)
TRAININGS = table_of(
    _trained,
    {
        "map": lambda row: MAPS[row["made_of"][0]],
        "posting lists": "{made_of[1]}",
        "pushed": "{made_of[2]}",
        "merging, ms": short("median", 1e3),
        "times as fast as the first": factor("faster"),
        "pushes": "{operations[heap_pushes]:,}",
        "stale": "{operations[stale_pops]:,}",
    },
)


def table(records: Records) -> str:
    """Return the tables of the look-ups and of the trainings."""
    parts = [LOOK_UPS(records)]
    if "merges" in set(records["agrees"]):
        parts.append(
            "Trainings; their heap gets every pair that has changed, or those that have risen:"
        )
        parts.append(TRAININGS(records))
    return "\n\n".join(parts) + "\n"


SUITE = Suite(
    id="hashing",
    title="Maps and hash functions",
    question="What do the map of pair counts and its hash function cost, and what does a bad hash "
    "cost?",
    cases=cases,
    table=table,
    figure=rows_figure(
        _rows,
        "Maps and hash functions: nanoseconds per look-up",
        x_label="nanoseconds per look-up (log scale)",
        note="The changes of the pair counts of a training in their order, in an empty map.",
    ),
    requires=("bpe_lab.experiments.pieces",),
)
