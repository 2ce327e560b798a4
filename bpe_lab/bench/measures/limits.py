"""How fast this machine could count and merge: the parts of the work that cannot be left out.

On a small text or array each function is done in less than a second.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.training import SPECIAL_TOKENS, train_text
from bpe_lab.bench.texts import find_text
from bpe_lab.counting.api import count_words
from bpe_lab.experiments.pieces import WalkedText, look_words_up, merge_in_passes, touch_places

GAP = 256
"""Cells from a place to the next one in the mean: a pair stands at one of hundreds or more."""

CELL_BYTES = 2
"""Of the array of tokens, where 16 bits are enough for all ids."""

LEAST_ARRAY = 1 << 12
"""Bytes of the smallest array that is timed in place of that of a training."""

SLOT_BYTES, LEAST_SLOTS = 32, 1 << 12
"""Of the table of the counter `native`."""


def walk_text(
    *,
    way: str,
    text: str,
    text_bytes: int = 0,
    table_bytes: int = 0,
    anywhere: bool = False,
    loops: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Go through a text as far as counting must, by one thread.

    Each way does what those before it do, and more. All but the last one go through a text in
    memory, in the blocks of the counter.

    :param way: pass (read all bytes), scan (find the words), keys (and hash them), slots (and add
        to a slot for each, which is not compared), count (all that the counter `native` does), or
        file (`bpe_lab.count_words`).
    :param table_bytes: of slots: size of the table, a power of two; 0: that of the counter's table
        when it has all words.
    :param anywhere: of slots: each occurrence of a word has a slot of its own, as if no word came
        twice.

    >>> made = [walk_text(way=way, text="languages") for way in ("scan", "slots", "count", "file")]
    >>> len({one["digest"] for one in made}), made[0]["operations"]["words"]
    (1, 2867)
    """
    path, corpus = find_text(text, text_bytes, file)
    if way == "slots" and not table_bytes:
        table_bytes = table_size(len(count_words(path, SPECIAL_TOKENS, threads=1)))
    walked = (
        count_file(path, loops)
        if way == "file"
        else WalkedText(path.read_bytes(), [token.encode() for token in SPECIAL_TOKENS]).walk(
            way, table_bytes or SLOT_BYTES, anywhere, loops
        )
    )
    words, word_bytes = walked["words"], walked["word_bytes"]
    return {
        "seconds": walked["seconds"],
        # A pass finds no words: what it has read is its result.
        "digest": sha256_of([walked["checksum"] if way == "pass" else (words, word_bytes)]),
        "operations": {"bytes": corpus["bytes"], "words": words},
        "corpus": corpus,
        "threads": 1,
        "loops": loops,
        **({"table_bytes": table_bytes} if way == "slots" else {}),
    }


def count_file(path: Path, loops: int) -> dict[str, Any]:
    """Count the words of a file as users do, by one thread.

    >>> from bpe_lab import corpora
    >>> count_file(corpora.path("languages"), 1)["words"]
    2867
    """
    started = perf_counter()
    for _ in range(loops):
        counts = count_words(path, SPECIAL_TOKENS, threads=1)
    seconds = (perf_counter() - started) / loops
    return {"seconds": seconds, "words": counts.occurrences, "word_bytes": counts.text_bytes}


def table_size(words: int) -> int:
    """Return the bytes of the table of the counter `native`, which is half full at most.

    >>> table_size(2048), table_size(2049)
    (131072, 262144)
    """
    slots = LEAST_SLOTS
    while slots < 2 * words:
        slots *= 2
    return slots * SLOT_BYTES


def look_up_sweep(*, way: str, sizes: Sequence[int], look_ups: int) -> dict[str, Any]:
    """Look words up in tables from small to large.

    :param way: waits (the next word is known when the slot of the last one has come), overlaps (the
        next words are known), or queued (and their slots are fetched in advance, as the counter
        does).

    >>> look_up_sweep(way="queued", sizes=[1 << 12], look_ups=100)["operations"]
    {'look_ups': 100}
    """

    def look_up(size: int) -> tuple[float, dict[str, int]]:
        made = look_words_up(way, size, look_ups)
        return made["seconds"], {"look_ups": made["found"], "checksum": made["checksum"]}

    return swept(sizes, look_up)


def place_sweep(*, way: str, sizes: Sequence[int], places: int) -> dict[str, Any]:
    """Read and write cells at places of arrays from small to large.

    :param way: waits (in any order, and the next place is known when the cell of the last one has
        come), overlaps (in any order), ascends (as the list of a pair), or fetched (and asked for
        in advance, as the pass of a merge does).

    >>> place_sweep(way="waits", sizes=[4096, 8192], places=100)["operations"]
    {'places': 200}
    """

    def touch(size: int) -> tuple[float, dict[str, int]]:
        made = touch_places(way, size, GAP, places)
        return made["seconds"], {"places": places, "checksum": made["checksum"]}

    return swept(sizes, touch)


def pass_sweep(*, sizes: Sequence[int], positions: int) -> dict[str, Any]:
    """Merge pairs by the pass of stage `core`, in arrays of made words from small to large.

    >>> pass_sweep(sizes=[4096], positions=500)["operations"]
    {'positions': 505, 'stale': 0}
    """

    def merge(size: int) -> tuple[float, dict[str, int]]:
        made = merge_in_passes(size, positions)
        return made["seconds"], {name: made[name] for name in ("positions", "stale", "checksum")}

    return swept(sizes, merge)


def swept(
    sizes: Sequence[int], measure: Callable[[int], tuple[float, dict[str, int]]]
) -> dict[str, Any]:
    """Return what a record says of a measure that was taken for several sizes.

    >>> swept([64, 128], lambda size: (2e-6, {"adds": 1000, "checksum": size}))["operations"]
    {'adds': 2000}
    """
    seconds, nanoseconds, results = 0.0, {}, []
    operations: dict[str, int] = {}
    for size in sizes:
        took, counts = measure(size)
        results.append((size, counts.pop("checksum")))
        for name, count in counts.items():
            operations[name] = operations.get(name, 0) + count
        seconds += took
        nanoseconds[str(size)] = 1e9 * took / next(iter(counts.values()))
    return {
        "seconds": seconds,
        "nanoseconds_by_bytes": nanoseconds,
        "digest": sha256_of(results),
        "operations": operations,
    }


def merge_text(
    *,
    text: str,
    vocab_size: int,
    places: int,
    text_bytes: int = 0,
    loops: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Train stage `core` by one thread, and time places in an array as large as its own.

    >>> made = merge_text(text="languages", vocab_size=400, places=1000)
    >>> sorted(made["place_seconds"]), made["array_bytes"] == 2 * made["operations"]["cells"]
    (['fetched', 'passes', 'waits'], True)
    """
    if vocab_size > 0xFFFE:
        raise ValueError(f"vocab_size is {vocab_size:,}: give 65,534 at most, for 16 bits")
    made = train_text(
        stage="core",
        text=text,
        vocab_size=vocab_size,
        text_bytes=text_bytes,
        threads=1,
        loops=loops,
        file=file,
    )
    counts = count_words(find_text(text, text_bytes, file)[0], SPECIAL_TOKENS, threads=1)
    # A separator before the first word and behind each.
    cells = 1 + counts.word_bytes + len(counts)
    operations = {**made["operations"], "cells": cells}
    size, read = max(CELL_BYTES * cells, LEAST_ARRAY), operations["positions_read"]
    looked_at = read + operations["positions_recounted"]
    passed = merge_in_passes(size, places)

    def touch(way: str) -> float:
        return float(touch_places(way, size, GAP, places)["seconds"]) / places

    place_seconds = {
        "fetched": looked_at * min(touch(way) for way in ("ascends", "fetched")),
        "passes": read * passed["seconds"] / passed["positions"],
        "waits": looked_at * touch("waits"),
    }
    return {
        **made,
        "seconds": made["phases"]["select"] + made["phases"]["update"],
        "operations": operations,
        "array_bytes": CELL_BYTES * cells,
        "place_seconds": place_seconds,
    }
