"""Damaged files, more than `make test` has time for: read, or refused with one line; a program.

    python tests/damaged_files.py [READER ...] [--seconds N] [--files N] [--seed N]

Bits, bytes and numbers are changed, parts and lines removed, repeated and swapped, ends cut. What
is read without its end or lines is what was written. Anything else ends the program, with the seed
and the file, and so does a file that takes a minute; memory is limited.
"""

import argparse
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.counting.counts_files import read_counts, write_counts
from bpe_lab.support.time_limit import OutOfTime, time_limit
from bpe_lab.tokenizer.formats.registry import FORMATS

MEMORY = 1 << 30
"""Bytes beyond those at the begin; a file has a few thousand."""

COUNTS = {b"low": 5, b" lower": 2, b"newest": 6, "été".encode(): 2}
TOKENIZER = bpe_lab.train_from_counts(COUNTS, 268, ["<|endoftext|>", "é字"]).tokenizer()
Reader = tuple[bytes, Callable[[Path], Any]]
"""A file's content, and what reads it."""


def own(path: Path) -> Any:
    return bpe_lab.Tokenizer.load(path).data


def others(path: Path) -> Any:
    data = own(path)
    # It may lose a special token: nothing else in the file names it.
    special = {*data.special_ids.values()}
    return {id: token for id, token in data.vocab.items() if id not in special}, data.merges


def counts(path: Path) -> Any:
    words, *facts = read_counts(path)
    return dict(words), facts


def readers_in(folder: Path) -> dict[str, Reader]:
    """Return the readers by name; `folder` is for a file of counts."""
    ours = FORMATS["bpe_lab"].write(TOKENIZER.data)["tokenizer.bpe.json"]
    theirs = FORMATS["huggingface"].write(TOKENIZER.data)["tokenizer.json"]
    write_counts(folder / "whole", COUNTS, special_tokens=["<|endoftext|>", "é字"])
    return {
        "bpe_lab": (ours, own),
        "huggingface": (theirs, others),
        "counts": ((folder / "whole").read_bytes(), counts),
    }


def damage(content: bytes, draw: random.Random) -> tuple[bytes, bool]:
    """Return a damaged file, and whether it lost only its end, or lines."""
    lines = content.splitlines(keepends=True)
    first, second = draw.randrange(len(lines)), draw.randrange(len(lines))
    begin, end = sorted(draw.choices(range(len(content)), k=2))
    end = min(end, begin + draw.choice([1, 4, 40, end]))
    changed = bytearray(content)
    match draw.randrange(8):
        case 0:
            return content[:begin], True
        case 1:
            return b"".join(lines[:first] + lines[first + 1 :]), True
        case 2:
            return b"".join(line for line in lines if draw.random() < 0.5), True
        case 3:
            changed[begin : draw.choice([begin, end])] = changed[begin:end] * draw.choice([0, 2])
        case 4:
            lines[first], lines[second] = lines[second], lines[first]
            changed = bytearray(b"".join(lines))
        case 5:
            number = draw.choice([*re.finditer(rb"\d+", content)] or [re.match(b"", content)])
            other = draw.choice([-1, 0, 7, 255, 2**31, 2**63, 10**30])
            changed[slice(*number.span())] = b"%d" % other
        case 6:
            for _ in range(draw.choice([1, 3, 20])):
                new = draw.choice([draw.randrange(256), *b'"{}[],:0 \n', 255])
                changed[draw.randrange(len(changed))] = new
        case 7:
            changed[begin] ^= 1 << draw.randrange(8)
    return bytes(changed), False


def fate(reader: Reader, path: Path, right: Any, draw: random.Random) -> str:
    """Damage a file, and return "read", "refused", or what is wrong."""
    whole, read = reader
    content, lost = whole, False
    while content == whole:
        content, lost = damage(whole, draw)
    path.write_bytes(content)
    try:
        with time_limit(60):
            found = read(path)
    except OutOfTime:
        return "it takes a minute"
    except (ValueError, OSError) as error:
        said = str(error)
        good = str(path) in said and said.isprintable() and len(said) <= 1000
        return "refused" if good else repr(said)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "another one is read" if lost and found != right else "read"


def check(name: str, reader: Reader, path: Path, args: argparse.Namespace) -> None:
    """Read damaged files until the time or their number is over."""
    path.write_bytes(reader[0])
    right, seen, begun = reader[1](path), Counter[str](), time.time()
    seed = args.seed
    while seed < args.seed + args.files and time.time() < begun + args.seconds:
        found = fate(reader, path, right, random.Random(f"{name} {seed}"))
        if found not in ("read", "refused"):
            sys.exit(f"{name} --seed {seed}, see {path}: {found}")
        seen[found] += 1
        seed += 1
    print(
        f"{name}: {seed - args.seed:,} files, {dict(seen)}, {time.time() - begun:.0f} s", flush=True
    )


def main(words: list[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--seconds", type=float, default=60, help="of all readers")
    parser.add_argument("--files", type=int, default=sys.maxsize, help="of each reader")
    parser.add_argument("--seed", type=int, default=0, help="of the first file")
    args = parser.parse_args(words)
    warnings.simplefilter("ignore")
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    readers = readers_in(made)
    if unknown := {*args.readers} - {*readers}:
        parser.error(f"no reader is called {min(unknown)}: choose one of {', '.join(readers)}")
    names = args.readers or [*readers]
    args.seconds /= len(names)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    for name in names:
        check(name, readers[name], made / name, args)
    shutil.rmtree(made)


if __name__ == "__main__":
    main(sys.argv[1:])
