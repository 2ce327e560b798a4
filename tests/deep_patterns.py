"""The scanners beside `regex` on more texts than `make test` has time for; a program.

    python tests/deep_patterns.py [PATTERN ...]

Of each pattern: every code point between what it may belong to; every string of up to six
characters of a critical alphabet, and of up to four of a larger one; a million random strings.
Each is cut by masks and word by word. The first difference is shown, and ends the program.
"""

import sys
import time
from collections.abc import Iterator
from itertools import islice

from pattern_texts import CRITICAL, check_words, random_strings, strings_of

from bpe_lab.words.patterns import PATTERNS

SIX = ["A", "s", "l", "日", "\u0301", "\u017f", "'", ".", "/", "3", " ", "\n", "\t", "\u00a0"]
"""Each class that some pattern knows, a contraction of each length, and a second of some."""

BATCH = 100_000
RANDOM = 1_000_000


def code_points() -> Iterator[str]:
    """Yield every code point between characters of every class, and twice in a row."""
    for code in range(2, 0x110000):
        if not 0xD800 <= code < 0xE000:
            c = chr(code)
            yield f"a{c}b {c}B.{c}\n{c}1'{c}s {c}{c}A{c} \n{c}日{c}'l{c}"
            yield f"'{c}"
            yield f"{c} "


def check_all(texts: Iterator[str], pattern: str) -> int:
    """Check texts, some at a time; return their number."""
    return sum(check_words(some, pattern) for some in iter(lambda: list(islice(texts, BATCH)), []))


def main(patterns: list[str]) -> None:
    """Check patterns, all when empty, and say how much was checked."""
    for pattern in patterns or PATTERNS:
        texts = {
            "of all code points": code_points(),
            f"of up to 6 of {len(SIX)} characters": strings_of(SIX, 6),
            f"of up to 4 of {len(CRITICAL)} characters": strings_of(CRITICAL, 4),
            "random": random_strings(2026, RANDOM),
        }
        for what, some in texts.items():
            started = time.perf_counter()
            number = check_all(some, pattern)
            seconds = time.perf_counter() - started
            print(f"{pattern}: {number:,} strings {what}: equal, {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    if unknown := set(sys.argv[1:]) - set(PATTERNS):
        sys.exit(f"no pattern is called {min(unknown)}: choose one of {', '.join(PATTERNS)}")
    main(sys.argv[1:])
