"""Large hostile texts: each is read in linear time and memory, or refused; a program.

    python tests/hostile_texts.py [--megabytes 1000] [TEXT ...]

Each text is counted, trained on and encoded, at a hundredth of the size, at a tenth and at its
size. What takes more than fifteen times as many seconds of its own, or as much memory, as at a
tenth of its size ends the program; so does half an hour, and a refusal that is not expected, or not
one line. Where all memory is needed, one line that says so will do, but not at the first size.
"""

import argparse
import gzip
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from native_texts import zstd

from bpe_lab import corpora

MEMORY = 20_000_000_000
"""Bytes of a process; what needs more is refused."""

SECONDS = 1_800.0
"""On the clock: what takes longer hangs."""

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


def bomb(packed: Callable[..., Any]) -> Callable[[Path, int], object]:
    """Return what packs zeros; `packed` opens the file."""

    def write(path: Path, size: int) -> None:
        with packed(path, "wb") as file:
            for begin in range(0, size, 1 << 20):
                file.write(bytes(min(1 << 20, size - begin)))

    return write


def noise(path: Path, size: int) -> None:
    with path.open("wb") as file:
        for begin in range(0, size, 1 << 20):
            file.write(os.urandom(min(1 << 20, size - begin)))


def parquet(path: Path, size: int) -> None:
    noise(path, size)
    with path.open("r+b") as file:
        file.write(b"PAR1")
        file.seek(-4, os.SEEK_END)
        file.write(b"PAR1")


READ = [
    "count TEXT --out OUT/counts --force",
    "train TEXT --vocab-size 300 --out OUT/trained --force",
    "encode TOKENIZER TEXT --out OUT/ids --force",
]
SPECIAL = [*READ, f"{READ[2]} --no-special-tokens"]
REPLACED = [f"{command} --errors replace" for command in READ]
FIELD = ["count TEXT --text-field text --out OUT/counts --force"]

TEXTS: dict[str, tuple[Callable[[Path, int], object], list[str], str]] = {
    "one letter": (repeated(b"x"), READ, ""),
    "one space": (repeated(b" "), READ, ""),
    "one line": (repeated(STORIES.replace(b"\n", b" ")), READ, ""),
    "a word of a tenth": (long_word, READ, ""),
    "digits": (repeated(b"0123456789"), READ, ""),
    "combining marks": (repeated("\u0301".encode()), READ, ""),
    "special tokens": (repeated(b"<|endoftext|>"), SPECIAL, ""),
    "halves of special tokens": (repeated(b"<|endoftext"), SPECIAL, ""),
    "all bytes": (repeated(bytes(range(256))), REPLACED, ""),
    "overlong forms": (repeated(b"a\xc0\xaf"), REPLACED, ""),
    "surrogates": (repeated(b"a\xed\xa0\x80"), REPLACED, ""),
    "noise": (noise, REPLACED, ""),
    "noise, as it is": (noise, READ, "not UTF-8"),
    "a bomb of gzip": (bomb(gzip.open), READ, ""),
    "a bomb of zstd": (bomb(zstd.open), READ, ""),
    "JSON, deep": (repeated(b'{"text":'), FIELD, "line 1"),
    "JSON, quotation marks": (repeated(b'["'), FIELD, "line 1"),
    "CSV, quotation marks": (repeated(b'"'), FIELD, "line 1"),
    "Parquet of noise": (parquet, FIELD, "Parquet"),
}
"""What writes a text, the commands that it is given to, and what they answer; "": it is read."""


def run(command: str, folder: Path) -> tuple[str, float, float]:
    """Run a command; return what it refuses with, "" if it does not, its seconds and its MB."""
    words = command.split()
    for name in ("TEXT", "OUT", "TOKENIZER"):
        words = [word.replace(name, str(folder / name.lower())) for word in words]
    command_line = [sys.executable, "-m", "bpe_lab", *words, "--quiet"]
    with (folder / "said").open("w+b") as said:
        process = subprocess.Popen(command_line, stdout=said, stderr=said, start_new_session=True)
        timer = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().decode().splitlines()
    # Not the kernel's, in which a guest waits for pages of its host; not the clock's.
    took, megabytes = usage.ru_utime, usage.ru_maxrss * 1024 / 1e6
    if process.returncode == 0:
        return "", took, megabytes
    message = "\n".join(line for line in lines if not line.startswith("bpe-lab: warning: "))
    head, one_line = "bpe-lab: error: ", "\n" not in message and len(message) <= 1000
    if process.returncode != 2 or not message.startswith(head) or not one_line:
        sys.exit(f"{command}: exit {process.returncode}, {took:.0f} s: {message[-2000:]}")
    return message.removeprefix(head), took, megabytes


def check(text: str, folder: Path, largest: int) -> int:
    """Give a text to its commands in three sizes; return the number of runs."""
    write, commands, answer = TEXTS[text]
    before: dict[str, tuple[float, float]] = {}
    for size in (largest // 100, largest // 10, largest):
        write(folder / "text", size)
        for command in commands:
            said, seconds, megabytes = run(command, folder)
            name = f"{text}, {command}, {size / 1e6:,.0f} MB: {seconds:.1f} s, {megabytes:,.0f} MB"
            print(f"{name}: {said.replace(str(folder), '') or 'read'}", flush=True)
            refused_for_memory = command in before and "memory" in said
            if (bool(said) != bool(answer) or answer not in said) and not refused_for_memory:
                sys.exit(f"{text}, {command}: not what is expected")
            of_a_tenth, memory = before.get(command, (seconds, megabytes))
            if seconds > 15 * of_a_tenth + 5 or megabytes > 15 * memory:
                sys.exit(f"{text}, {command}: not linear")
            before[command] = seconds, megabytes
    return 3 * len(commands)


def main() -> None:
    """Try every text, or those that the command line names."""
    parser = argparse.ArgumentParser(description="Give large hostile texts to the commands.")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help=", ".join(TEXTS))
    parser.add_argument("--megabytes", type=int, default=1000)
    given = parser.parse_args()
    if unknown := {*given.texts} - {*TEXTS}:
        parser.error(f"no text is called {min(unknown)}: choose one of {', '.join(TEXTS)}")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.RLIM_INFINITY))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        train = "train --corpus stories --vocab-size 1000 --out TOKENIZER"
        assert not run(train, folder)[0]
        runs = [check(text, folder, given.megabytes * 10**6) for text in given.texts or TEXTS]
    print(f"hostile texts: {sum(runs)} runs on {len(runs)} texts, each read or refused")


if __name__ == "__main__":
    main()
