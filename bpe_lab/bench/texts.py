"""Texts for measuring: large ones made of a folder of corpora, and the worst cases; all seeded."""

import argparse
import json
import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bpe_lab.api import PathLike, count_words
from bpe_lab.files import write_aside

SPECIAL_TOKEN = "<|endoftext|>"
SEED = 2024

ENGLISH_BYTES = 250_000_000
MIXED_BYTES = 100_000_000
MANY_WORDS_BYTES = 100_000_000
WORST_CASE_BYTES = 20_000_000

INVENTORY = 2_000_000
"""Words to draw from for the text of many words."""


def repeated(files: list[Path], n_bytes: int, *, at_least: bool) -> bytes:
    """Return the documents of files, repeated as a whole and shuffled.

    :param files: texts whose documents end with the special token.
    :param n_bytes: size to come near to.
    :param at_least: do not stay below it.
    """
    mark = SPECIAL_TOKEN.encode()
    found = [text for file in files for text in file.read_bytes().split(mark) if text.strip()]
    size = sum(len(text) + len(mark) for text in found)
    times = -(-n_bytes // size) if at_least else max(1, round(n_bytes / size))
    chosen = found * times
    random.Random(SEED).shuffle(chosen)
    return b"".join(text + mark for text in chosen)


def english(file: PathLike) -> bytes:
    """Return one corpus repeated to about 250 MB, its documents shuffled."""
    return repeated([Path(file)], ENGLISH_BYTES, at_least=False)


def mixed(folder: PathLike) -> bytes:
    """Return all corpora (`*.txt`) of a folder, repeated to 100 MB or more, documents shuffled."""
    return repeated(sorted(Path(folder).glob("*.txt")), MIXED_BYTES, at_least=True)


def many_words(file: PathLike, n_bytes: int = MANY_WORDS_BYTES) -> bytes:
    """Return words that follow Zipf's law, about a million distinct ones in 100 MB.

    A word of the inventory is the beginning of one word of the corpus and the end of another, so
    its pairs are those of a language; a repeated corpus has no more distinct words than the corpus.

    :param file: a corpus to take the words from.
    :param n_bytes: size to reach.
    """
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
        parts.append(batch + SPECIAL_TOKEN.encode())
        size += len(parts[-1])
    return b"".join(parts)


def dna(n_bytes: int = WORST_CASE_BYTES) -> bytes:
    """Return one word of random DNA letters.

    >>> dna(8)
    b'CGCTCGCA'
    """
    return bytes(random.Random(SEED).choices(b"ACGT", k=n_bytes))


def minified_json(n_bytes: int = WORST_CASE_BYTES) -> bytes:
    """Return records of random names and numbers as JSON without a space.

    >>> minified_json(20)
    b'[{"id":0,"key":"2e84'
    """
    draw = random.Random(SEED)
    parts, size, number = ["["], 1, 0
    while size < n_bytes:
        record = {
            "id": number,
            "key": f"{draw.getrandbits(64):016x}",
            "price": round(draw.uniform(0, 1000), 2),
            "tags": ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(3)],
            "ok": draw.random() < 0.5,
        }
        parts.append(json.dumps(record, separators=(",", ":")) + ",")
        size += len(parts[-1])
        number += 1
    return "".join(parts).encode()[:n_bytes]


def chinese(n_bytes: int = WORST_CASE_BYTES) -> bytes:
    """Return random Chinese characters, the first ones often, without a space or a full stop.

    >>> len(chinese(30).decode())
    10
    """
    draw = random.Random(SEED)
    characters = [chr(0x4E00 + place) for place in range(3000)]
    weights = [1 / (place + 10) for place in range(3000)]
    return "".join(draw.choices(characters, weights, k=n_bytes // 3)).encode()


WORST_CASES = {"dna": dna, "json": minified_json, "chinese": chinese}


def write_texts(folder: PathLike, corpora: PathLike, english_file: str) -> dict[str, Path]:
    """Write the texts that are not there yet and return their paths by name.

    :param folder: where they go.
    :param corpora: a folder of texts.
    :param english_file: the name of the English one in it.
    """
    made: dict[str, Callable[[], bytes]] = {
        "english": lambda: english(Path(corpora, english_file)),
        "mixed": lambda: mixed(corpora),
        "many_words": lambda: many_words(Path(corpora, english_file)),
        **WORST_CASES,
    }
    Path(folder).mkdir(parents=True, exist_ok=True)
    paths = {}
    for name, make in made.items():
        path = paths[name] = Path(folder, f"{name}.txt")
        if not path.exists():
            write_aside(path, make())
    return paths


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the texts: `python -m bpe_lab.bench.texts --corpora DIR --english FILE --out DIR`."""
    parser = argparse.ArgumentParser(
        prog="python -m bpe_lab.bench.texts", description=__doc__.splitlines()[0]
    )
    parser.add_argument(
        "--corpora", type=Path, required=True, metavar="DIR", help="folder of *.txt"
    )
    parser.add_argument("--english", required=True, metavar="NAME", help="a file in it")
    parser.add_argument("--out", type=Path, default=Path("results/texts"), metavar="DIR")
    args = parser.parse_args(arguments)
    for name, path in write_texts(args.out, args.corpora, args.english).items():
        print(f"{name}: {path.stat().st_size:,} bytes, {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
