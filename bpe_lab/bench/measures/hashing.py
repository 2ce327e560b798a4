"""Maps and hash functions, on the changes of the pair counts in a real training."""

from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.repeating import repeat
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.experiments.pieces import Changes
from bpe_lab.support.files import PathLike

FIRST_ID = 256 + len(SPECIAL_TOKENS)


def replay_changes(
    *, map: str, hash: str, path: PathLike, vocab_size: int, least_seconds: float = 0.0
) -> dict[str, Any]:
    """Repeat the changes of the pair counts in a training, in an empty map."""
    # Sorted: the order of a table of words is that of its hash.
    words = sorted(count_words(path, SPECIAL_TOKENS).items(), key=lambda word: (-word[1], word[0]))
    changes = Changes(dict(words), FIRST_ID, vocab_size)
    in_dict, seconds = list(changes) if map == "dict" else [], 0.0
    for loops in repeat(least_seconds):
        made = _replay_in_dict(in_dict) if map == "dict" else changes.replay(map, hash)
        seconds += made["seconds"]
    operations = {"look_ups": len(changes), "largest": made["largest"]}
    for name in ("hash_values", "probes"):
        # The buckets of std::unordered_map, and so its probes, depend on the standard library.
        if name in made and not (name == "probes" and map == "node"):
            operations[name] = made[name]
    return {
        "seconds": seconds / loops,
        "probes_per_look_up": made["probes"] / len(changes) if "probes" in made else None,
        "digest": sha256_of(made["counts"]),
        "operations": operations,
        "loops": loops,
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
