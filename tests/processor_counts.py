"""What a simulated processor counts on fixed texts: `python tests/processor_counts.py` freezes it.

The caches are as small as the texts: in those of the suite `processor` all of such a text has room,
and no change of the code would show. The counts are of one compiler, so the file says which.
"""

import json
import platform
import sys
from functools import cache
from pathlib import Path
from typing import Any

from bpe_lab import corpora, native
from bpe_lab.bench.suites.processor import counted
from bpe_lab.support.files import write_file

FROZEN = Path(__file__).with_suffix(".json")

CACHES = {"I1": "32768,8,64", "D1": "8192,8,64", "LL": "131072,16,64"}
TEXT_BYTES = 150_000
VOCAB_SIZE = "657"
STAGES = ("cpp_map", "core")

EXACT = ("instructions", "branches")
EXACT_TOLERANCE = 1.25
"""Other versions of the compiler and of valgrind stay well below."""

ROUGH_TOLERANCE = 1.8
"""Of mispredictions and misses; a change that doubles them is to be named."""

Counts = dict[str, dict[str, int]]
"""Part of a stage or counter -> event -> how often."""


def text() -> Path:
    return corpora.excerpt("stories", TEXT_BYTES)


def built_with() -> str:
    """Return compiler and processor: `gcc 12, linux x86_64`."""
    name, version = native.compiler().split()[:2]
    return f"{name} {version.split('.')[0]}, {sys.platform} {platform.machine()}"


@cache
def measured() -> Counts:
    """Return the counts of the counter and of two stages."""
    counter, path = ["native"], text()
    runs = {"start": (counter, Path("/dev/null")), "count": (counter, path)}
    counts = {"native: count": counted(runs, CACHES)["count"]}
    for stage in STAGES:
        made = merging(stage, path)
        counts |= {f"{stage}: {part}": events for part, events in made.items()}
    return counts


def merging(stage: str, path: Path) -> Counts:
    words = [stage, VOCAB_SIZE]
    runs = {"count": (["native"], path), "set_up": ([*words, "0"], path), "merge": (words, path)}
    return counted(runs, CACHES)


def frozen() -> dict[str, Any]:
    return json.loads(FROZEN.read_text(encoding="utf-8"))


def differences(was: Counts, now: Counts) -> list[str]:
    """Return one line per event that is not about as often as it was: stage, part, event, was, is.

    >>> differences({"core: merge": {"d1_misses": 90}}, {"core: merge": {"d1_misses": 180}})
    ['core: merge: d1_misses was 90, is 180']
    """
    lines = []
    for part in was | now:
        old, new = was.get(part, {}), now.get(part, {})
        for event in old | new:
            before, after = old.get(event, 0), new.get(event, 0)
            tolerance = EXACT_TOLERANCE if event in EXACT else ROUGH_TOLERANCE
            if max(before, after) > tolerance * min(before, after):
                lines.append(f"{part}: {event} was {before:,}, is {after:,}")
    return lines


def main() -> int:
    """Write the counts, and print what has changed."""
    now = measured()
    lines = differences(frozen()["counts"] if FROZEN.exists() else {}, now)
    made = {"built_with": built_with(), "counts": now}
    write_file(FROZEN, (json.dumps(made, indent=1) + "\n").encode())
    print("\n".join(lines) or "nothing has changed by much")
    return 0


if __name__ == "__main__":
    sys.exit(main())
