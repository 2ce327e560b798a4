"""Texts that try the native scanner, and its counts of them beside those of the definition."""

import io
import random
import sys
from collections.abc import Sequence
from typing import Any

import reference

from bpe_lab import native

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd


def nothing() -> None:
    """Report to nobody."""


GOOD: dict[str, Any] = {"threads": 1, "block_bytes": 1 << 20, "replace": False, "report": nothing}
"""What `native.count_files` takes."""


def scan_bytes(
    data: bytes, specials: Sequence[str] = (), **options: Any
) -> tuple[dict[bytes, int], tuple[int, int, int] | None]:
    """Count the words of bytes in memory: thousands of files would take longer."""
    special_tokens = [token.encode() for token in specials]
    table, invalid = native.count_files([io.BytesIO(data)], special_tokens, **{**GOOD, **options})
    return dict(table.items()), invalid


def count_bytes(data: bytes, specials: Sequence[str] = (), **options: Any) -> dict[bytes, int]:
    counts, invalid = scan_bytes(data, specials, **options)
    assert invalid is None
    return counts


def check_counts(text: str, specials: Sequence[str] = (), **options: Any) -> None:
    data = text.encode()
    expected = reference.count_words(data, specials)
    assert count_bytes(data, specials, **options) == expected, (text, specials, options)


ASCII_PIECES = [
    *"abzAZ019!?'\"-_.,@[`{/:",
    *("'s", "'d", "'m", "'t", "'ll", "'ve", "'re", "'l", "'v", "'r", "'S", "''s", "'s's", "!'s"),
    *(" ", "  ", "   ", "\n", "\r\n", "\t", "\x0b", "\x0c", " \n", "\n ", " '", " 's", " 'll"),
    *("\x00", "\x1c", "\x1f", "\x7f", "the", " the", "word" * 4, "12", " 345"),
]

LONG_PIECES = [*"é字🙂²Ⅷ", "\u00a0", "\u3000", "\u0085", "\u2028", "\u0301", "\ufeff"]

END = "<|endoftext|>"


def mixed_text(seed: int, size: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choices([*ASCII_PIECES, *LONG_PIECES, END, "<|", "<|endoftext"], k=size))
