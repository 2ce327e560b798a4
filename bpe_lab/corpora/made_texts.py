"""Texts of any size that imitate those of published experiments; the same bytes on every machine.

Words are drawn with the frequencies of the two regimes of Zipf's law: 1 / rank for common words,
and a steeper power of the rank for the endless number of others. The second power determines how
the distinct words grow with the text (Heaps' law). A smaller text is the beginning of a larger one,
so its curve is the same as far as it goes. All arithmetic uses integers.

The two regimes: Ferrer i Cancho and Solé, "Two regimes in the frequency of words and the origins of
complex lexicons" (2001). The curves of real texts: Gerlach and Altmann, "Stochastic model for the
vocabulary growth in natural languages" (2013).
"""

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise, product
from math import isqrt
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from bpe_lab.support.errors import find_entry
from bpe_lab.support.files import check_new_files, write_file
from bpe_lab.support.progress import Bar
from bpe_lab.words.special_tokens import END_OF_TEXT

if TYPE_CHECKING:  # compiled, and needed only where a text is made
    from bpe_lab.text_maker import TextMaker

BOUNDARY = f"\n{END_OF_TEXT}\n".encode()
"""After every document."""

CHUNK_BYTES = 8 << 20
"""Bytes to make at a time; the text never depends on it."""

SINGLE_RANKS = 1024
"""Ranks drawn individually; after them, sixteen ranges of ranks per doubling."""

MAX_RANKS = 1 << 32
KEPT_RANKS = 1 << 18
"""Words that are spelled in advance, 26 bytes each; rarer ones when they are drawn."""

UNIT = 1 << 128
"""Weights are whole numbers of 1 / UNIT."""

LETTERS = " abcdefghijklmnopqrstuvwxyz"
CHOICES = 64


class Profile(NamedTuple):
    """A kind of synthetic text.

    :param size_bytes: of the whole text.
    :param steep_from: rank from which on the second regime holds.
    :param quarters: its power of the rank, in quarters.
    :param shape: least words of a sentence and of a document, and chances of 65,536.
    :param reported: figures reported by students for the text it imitates.
    """

    name: str
    title: str
    size_bytes: int
    steep_from: int
    quarters: int
    shape: Mapping[str, int]
    reported: str


_DATA = tomllib.loads(Path(__file__).with_name("made_texts.toml").read_text(encoding="utf-8"))

PROFILES: Mapping[str, Profile] = MappingProxyType(
    {name: Profile(name, **facts) for name, facts in _DATA["profiles"].items()}
)
"""Name -> profile."""


class MadeText(NamedTuple):
    """A text that was made."""

    path: Path
    size_bytes: int
    documents: int
    sha256: str


def make(
    name: str,
    out: Path,
    size_bytes: int | None = None,
    *,
    force: bool = False,
    progress: bool = False,
) -> MadeText:
    """Write the first documents of a synthetic text to a file; the text is never in memory.

    :param name: a key of `PROFILES`.
    :param out: the file.
    :param size_bytes: least size in bytes, which the last document passes; None: that of the
        profile.
    :param force: replace an older file.
    :param progress: show a progress bar.
    :raises ValueError: unknown profile, or a size below 1.
    :raises OSError: there is such a file, or it cannot be written.
    :raises ImportError: the compiled part that makes the text was not built.
    """
    profile = find_entry("profile", name, PROFILES)
    size = profile.size_bytes if size_bytes is None else size_bytes
    if size < 1:
        raise ValueError(f"the size is {size} bytes: give 1 or more")
    check_new_files(out, force=force)
    maker = _text_maker(profile)
    whole = hashlib.sha256()
    done, documents = 0, 0

    def parts() -> Iterator[bytes | memoryview]:
        nonlocal done, documents
        buffer = bytearray(CHUNK_BYTES)
        while done < size:
            used, number = maker.fill(buffer, documents)
            if done + used > size:
                # It ends with the document that reaches the size.
                used = buffer.index(BOUNDARY, max(0, size - done - len(BOUNDARY)), used)
                used += len(BOUNDARY)
                number = documents + buffer.count(BOUNDARY, 0, used)
            part = memoryview(buffer)[:used]
            whole.update(part)
            documents, done = number, done + used
            yield part
            bar.update(used)

    with Bar(progress, f"make {name}", size, "B", scale=True) as bar:
        write_file(out, parts())
    return MadeText(out, done, documents, whole.hexdigest())


def _text_maker(profile: Profile) -> "TextMaker":
    from bpe_lab.text_maker import TextMaker

    words = _DATA["frequent_words"].encode().split()
    cells = _alias_cells(_rank_weights(profile.steep_from, profile.quarters))
    return TextMaker(words, _letter_chain(), cells, KEPT_RANKS, profile.shape)


def _rank_weights(steep_from: int, quarters: int) -> list[tuple[int, int, int]]:
    """Return (first rank, number of ranks, weight of all of them), the first rank being 0."""
    cells = [(rank, 1) for rank in range(SINGLE_RANKS)]
    start = SINGLE_RANKS
    while start < MAX_RANKS - 1:
        width = min((1 << start.bit_length() - 1) // 16, MAX_RANKS - 1 - start)
        cells.append((start, width))
        start += width
    top = UNIT // (steep_from + 2)

    def fourth_root(number: int) -> int:
        """Return 65,536 times the fourth root of a number, rounded down."""
        return isqrt(isqrt(number << 64))

    def weight(rank: int) -> int:
        """Mandelbrot's form of the law: the first ranks are closer than 1 and 1 / 2."""
        if rank < steep_from:
            return UNIT // (rank + 2)
        return top * fourth_root(steep_from**quarters) // fourth_root(rank**quarters)

    return [(first, width, width * weight(first + width // 2)) for first, width in cells]


def _alias_cells(weights: Sequence[tuple[int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Return (first rank, number of ranks, threshold, alias): Vose's table of a distribution."""
    n, total = len(weights), sum(weight for *_, weight in weights)
    left = [weight * n for *_, weight in weights]
    small = [cell for cell in range(n) if left[cell] < total]
    large = [cell for cell in range(n) if left[cell] >= total]
    thresholds, aliases = [(1 << 32) - 1] * n, list(range(n))
    while small and large:
        less, more = small.pop(), large.pop()
        thresholds[less], aliases[less] = (left[less] << 32) // total, more
        left[more] -= total - left[less]
        (small if left[more] < total else large).append(more)
    return [
        (first, width, threshold, alias)
        for (first, width, _), threshold, alias in zip(weights, thresholds, aliases, strict=True)
    ]


@cache
def _letter_chain() -> bytes:
    """Return the letters that follow two letters in words of the bundled stories, 64 choices each.

    A number is that of a letter in `LETTERS`, 0 the end of a word; before a word there are two.
    """
    words = Path(__file__).with_name("story_words.toml").read_text(encoding="utf-8").lower()
    after_two: dict[tuple[str, str], Counter[str]] = {}
    after_one: dict[str, Counter[str]] = {}
    for word in sorted(set(re.findall("[a-z]{2,}", words))):
        spelled = f"  {word} "
        for before, (last, letter) in zip(spelled, pairwise(spelled[1:]), strict=False):
            after_two.setdefault((before, last), Counter())[letter] += 1
            after_one.setdefault(last, Counter())[letter] += 1
    chain = bytearray()
    for before, last in product(LETTERS, repeat=2):
        counts = after_two.get((before, last)) or after_one.get(last) or {" ": 1}
        # Each letter in proportion to its frequency.
        seen = begin = 0
        for letter in sorted(counts):
            seen += counts[letter]
            end = seen * CHOICES // sum(counts.values())
            chain += bytes([LETTERS.index(letter)]) * (end - begin)
            begin = end
    return bytes(chain)
