"""Texts to measure on: bundled corpora, larger ones made from them, hard ones; all seeded."""

import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from bpe_lab import corpora
from bpe_lab.corpora import made_texts
from bpe_lab.counting.api import count_words
from bpe_lab.support.files import PathLike, write_file
from bpe_lab.words.special_tokens import END_OF_TEXT

SEED = 2024

INVENTORY = 200_000
"""Words to draw from for the text of many words."""


def _many_words(n_bytes: int) -> bytes:
    """Return words that follow Zipf's law, four in ten of them distinct in 200 KB."""
    # A word of the inventory joins the beginning of one word of the stories to the end of another,
    # so its pairs are those of a language; repeating a corpus would add no distinct words.
    file = corpora.path("stories")
    draw = random.Random(SEED)
    words = sorted(word for word in count_words(file) if word[1:].isalpha() and len(word) > 4)
    inventory = []
    for _ in range(INVENTORY):
        first, second = draw.choice(words), draw.choice(words)
        start, end = first.strip()[: draw.randint(2, 6)], second.strip()[-draw.randint(1, 6) :]
        inventory.append(b" " + start + end)
    parts, size = [], 0
    while size < n_bytes:
        # Rank r is drawn about as often as 1 / r.
        batch = b"".join(inventory[int(INVENTORY ** draw.random())] for _ in range(100_000))
        parts.append(batch + END_OF_TEXT.encode())
        size += len(parts[-1])
    return b"".join(parts)[:n_bytes]


def _dna(n_bytes: int) -> bytes:
    """Return one word of random DNA letters."""
    return bytes(random.Random(SEED).choices(b"ACGT", k=n_bytes))


def _chinese_sentences(n_bytes: int) -> bytes:
    """Return random Chinese characters, some more often than others, in sentences, with commas and
    full stops but no spaces."""
    letters = [chr(0x4E00 + place) for place in range(3000)]
    weights = [1 / (place + 10) for place in range(3000)]
    characters = "".join(random.Random(SEED).choices(letters, weights, k=n_bytes // 3))
    draw = random.Random(SEED)
    parts, start = [], 0
    while start < len(characters):
        length = draw.randint(2, 12)
        parts += [characters[start : start + length], draw.choice("，，，。")]
        start += length
    return "".join(parts).encode()


def _letter_runs(n_bytes: int) -> bytes:
    """Return words that are runs of one letter, short ones often and long ones rarely."""
    draw = random.Random(SEED)
    parts, size = [], 0
    while size < n_bytes:
        parts.append(b"a" * min(int(1 / (1 - draw.random())) + 1, 10_000))
        size += len(parts[-1]) + 1
    return b" ".join(parts)[:n_bytes]


SUITE_TEXTS: Mapping[str, Callable[[int], bytes]] = {
    "stories": lambda n_bytes: _multiplied(corpora.path("stories"), n_bytes),
    "languages": lambda n_bytes: _multiplied(corpora.path("languages"), n_bytes),
    "many_words": _many_words,
    "dna": _dna,
    "chinese_sentences": _chinese_sentences,
    "letter_runs": _letter_runs,
}
"""Name -> size -> text for the suites, the same bytes on every machine."""


def _multiplied(file: PathLike, n_bytes: int) -> bytes:
    """Return a corpus, repeated until it has at least `n_bytes` bytes, without a cut."""
    content = Path(file).read_bytes()
    return content * -(-n_bytes // len(content))


def suite_text(text: str, n_bytes: int = 0) -> Path:
    """Return the file of a text of about `n_bytes` (0: as bundled), made on first use and kept.

    >>> suite_text("languages").stat().st_size, suite_text("dna", 1000).stat().st_size
    (13988, 1000)
    """
    if text in made_texts.PROFILES:
        # Its bytes are fixed, so the name identifies it; gigabytes are never all in memory.
        path = corpora.cache_folder() / f"{text}-{n_bytes}.txt"
        if not path.exists():
            made_texts.make(text, path, n_bytes)
        return path
    if text in corpora.CORPORA:
        if not n_bytes:
            return corpora.path(text)
        if n_bytes < corpora.CORPORA[text].size_bytes:
            return corpora.excerpt(text, n_bytes)
    path = corpora.generated_path(f"bench-{text}-{n_bytes}", __file__)
    if not path.exists():
        write_file(path, SUITE_TEXTS[text](n_bytes))
    return path


class UserText(NamedTuple):
    """A text of the user, checked by `user_text`.

    :param path: absolute.
    :param name: of the file alone: a record shows no folder of this machine.
    """

    path: Path
    name: str
    sha256: str


def user_text(file: PathLike, *, progress: bool = False) -> UserText:
    """Check a text of the user: a fault would be found after minutes by a counter or stage.

    :raises ValueError: it is not UTF-8, or has no pair to merge.
    """
    path = Path(file).resolve()
    counts = count_words(path, [END_OF_TEXT], progress=progress)
    if not any(len(word) > 1 for word in counts):
        raise ValueError(f"{path.name} has no word of two bytes: name a longer text")
    return UserText(path, path.name, corpora.digest(path))
