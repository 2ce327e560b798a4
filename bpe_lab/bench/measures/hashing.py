"""Maps and hash functions under the changes of the pair counts in a real training."""

from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.bench.texts import find_text
from bpe_lab.counting.api import count_words
from bpe_lab.experiments.pieces import Changes

FIRST_ID = 256 + len(SPECIAL_TOKENS)


def replay_changes(
    *,
    map: str,
    hash: str,
    text: str,
    vocab_size: int,
    text_bytes: int = 0,
    loops: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Make the changes of the pair counts in a training again, in an empty map."""
    path, corpus = find_text(text, text_bytes, file)
    # Sorted: the order of a table of words is that of its hash.
    words = sorted(count_words(path, SPECIAL_TOKENS).items(), key=lambda word: (-word[1], word[0]))
    changes = Changes(
        [word for word, _ in words], [count for _, count in words], FIRST_ID, vocab_size
    )
    made = (
        _replay_in_dict(list(changes), loops) if map == "dict" else changes.replay(map, hash, loops)
    )
    operations = {"look_ups": len(changes), "largest": made["largest"]}
    for name in ("hash_values", "probes"):
        # The buckets of std::unordered_map, and so its probes, depend on the standard library.
        if name in made and not (name == "probes" and map == "node"):
            operations[name] = made[name]
    return {
        "seconds": made["seconds"],
        "nanoseconds_per_look_up": made["seconds"] / len(changes) * 1e9,
        "probes_per_look_up": made["probes"] / len(changes) if "probes" in made else None,
        "digest": sha256_of(made["counts"]),
        "operations": operations,
        "loops": loops,
        "corpus": corpus,
    }


def _replay_in_dict(changes: list[tuple[int, int]], loops: int) -> dict[str, Any]:
    """Make changes in an empty dict."""
    seconds, largest = 0.0, 0
    for _ in range(loops):
        counts: dict[int, int] = {}
        started = perf_counter()
        for pair, change in changes:
            total = counts.get(pair, 0) + change
            if total:
                counts[pair] = total
            else:
                counts.pop(pair, None)
        seconds += perf_counter() - started
    size: dict[int, int] = {}
    for pair, change in changes:
        size[pair] = size.get(pair, 0) + change
        if not size[pair]:
            del size[pair]
        largest = max(largest, len(size))
    return {"seconds": seconds / loops, "largest": largest, "counts": sorted(counts.items())}
