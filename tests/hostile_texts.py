"""Large texts that nobody means well: read in linear time and memory, or refused; a program.

    python tests/hostile_texts.py [--megabytes 1000] [TEXT ...]

Each text is counted, trained on and encoded, at a tenth of the size and at its size. What takes
more than fifteen times as long, or as much memory, ends the program; so does any other ending than
success or one line.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bpe_lab import corpora

STORIES = corpora.path("stories").read_bytes()


def repeated(part: bytes) -> Callable[[Path, int], object]:
    """Return what writes one part again and again."""

    def write(path: Path, size: int) -> None:
        many = part * (1 + (1 << 20) // len(part))
        with path.open("wb") as file:
            for _ in range(size // len(many)):
                file.write(many)
            file.write(many[: size % len(many) // len(part) * len(part)])

    return write


def long_word(path: Path, size: int) -> None:
    path.write_bytes(STORIES + b"x" * (size // 10) + STORIES)


def bomb(path: Path, size: int) -> None:
    with gzip.open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


def zstd_bomb(path: Path, size: int) -> None:
    from backports import zstd

    with zstd.open(path, "wb") as file:
        for _ in range(size >> 20):
            file.write(bytes(1 << 20))


def parquet(path: Path, size: int) -> None:
    path.write_bytes(b"PAR1" + os.urandom(size // 100) + b"PAR1")


COUNT = "count TEXT --out OUT/counts --force"
TRAIN = "train TEXT --vocab-size 300 --out OUT/trained --force"
ENCODE = "encode TOKENIZER TEXT --out OUT/ids --force"
FIELD = "count TEXT --text-field text --out OUT/counts --force"
READ, REPLACED = [COUNT, TRAIN, ENCODE], [f"{COUNT} --errors replace", TRAIN, ENCODE]

TEXTS: dict[str, tuple[Callable[[Path, int], object], list[str]]] = {
    "one letter": (repeated(b"x"), READ),
    "one space": (repeated(b" "), READ),
    "one line": (repeated(STORIES.replace(b"\n", b" ")), READ),
    "a word of a tenth": (long_word, READ),
    "digits": (repeated(b"0123456789"), READ),
    "combining marks": (repeated("\u0301".encode()), READ),
    "special tokens": (repeated(b"<|endoftext|>"), READ),
    "halves of special tokens": (repeated(b"<|endoftext"), READ),
    "all bytes": (repeated(bytes(range(256))), REPLACED),
    "overlong forms": (repeated(b"a\xc0\xaf"), REPLACED),
    "surrogates": (repeated(b"a\xed\xa0\x80"), REPLACED),
    "a bomb of gzip": (bomb, READ),
    "a bomb of zstd": (zstd_bomb, READ),
    "JSON, deep": (repeated(b'{"text":'), [FIELD]),
    "JSON, one string": (repeated(b'"'), [FIELD]),
    "Parquet of noise": (parquet, [FIELD]),
}
"""What writes a text, and the commands that it is given to."""


def run(command: str, folder: Path) -> tuple[str, float, float]:
    """Run a command; return "read" or the line that refuses, its seconds and MB."""
    for name in ("TEXT", "OUT", "TOKENIZER"):
        command = command.replace(name, str(folder / name.lower()))
    begun = time.perf_counter()
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "bpe_lab", *command.split(), "--quiet"], stdout=said, stderr=said
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        message = said.read().decode().strip()
    seconds, megabytes = time.perf_counter() - begun, usage.ru_maxrss / 1000
    if process.returncode == 0:
        return "read", seconds, megabytes
    if process.returncode not in (1, 2) or "\n" in message or len(message) > 1000:
        sys.exit(f"{command}: exit {process.returncode}: {message[-2000:]}")
    return message, seconds, megabytes


def main() -> None:
    """Try every text, or those that the command line names."""
    parser = argparse.ArgumentParser(description="Give large hostile texts to the commands.")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help=", ".join(TEXTS))
    parser.add_argument("--megabytes", type=int, default=1000)
    given, number = parser.parse_args(), 0
    largest = given.megabytes * 10**6
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train = "train --corpus stories --vocab-size 1000 --out TOKENIZER"
        assert run(train, folder)[0] == "read"
        for text in given.texts or TEXTS:
            write, commands = TEXTS[text]
            found = {}
            for size in (largest // 10, largest):
                write(folder / "text", size)
                for command in commands:
                    found[size, command] = run(command, folder)
                    fate, seconds, megabytes = found[size, command]
                    said = fate.replace(str(folder / "text"), "TEXT")
                    words = f"{text}, {command.split()[0]}, {size / 1e6:,.0f} MB:"
                    print(f"{words} {seconds:.1f} s, {megabytes:,.0f} MB: {said}", flush=True)
            for command in commands:
                (_, before, small), (_, after, large) = (
                    found[size, command] for size in (largest // 10, largest)
                )
                if after > 15 * before + 5 or large > 15 * small:
                    sys.exit(f"{text}, {command}: not linear")
            number += len(found)
    print(f"hostile texts: {number} inputs, each read or refused")


if __name__ == "__main__":
    main()
