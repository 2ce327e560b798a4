"""Damaged files, more than `make test` has time for: read, or refused with one line; a program.

    python tests/damaged_files.py [READER ...] [--seconds N] [--files N] [--seed N]

Bits, bytes and numbers are changed, parts and lines removed, repeated and swapped, ends cut. What
is read without its end or lines is what was written. Anything else ends the program, with the seed
and the file, and so does a file that takes a minute; memory is limited.
"""

import argparse
import json
import random
import re
import resource
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.counting.counts_files import read_counts, write_counts
from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit
from bpe_lab.tokenizer.formats.known import FORMATS

MEMORY = 1 << 30
"""Bytes beyond those at the begin; a file has a few thousand."""

COUNTS = {b"low": 5, b" lower": 2, b"newest": 6, "été".encode(): 2}
TOKENIZER = bpe_lab.train_from_counts(COUNTS, 268, ["<|endoftext|>", "é字"]).tokenizer()
LOOKED_UP = bpe_lab.Tokenizer(
    {number + (number > 259): token for number, token in TOKENIZER.vocab.items()} | {260: b" qux"},
    TOKENIZER.merges,
    TOKENIZER.special_ids,
    whole_words=True,
)
"""With a word between the others, as in Llama 3."""

Reader = tuple[dict[str, bytes], Callable[[Path], Any]]
"""Files, and what reads the first of them."""


def tokenizer(path: Path, **options: Any) -> Any:
    parts = bpe_lab.Tokenizer.load(path, **options).parts
    if path.name not in ("tokenizer.json", "vocab.json"):
        return parts
    # These may lose a special token: nothing else in them names it.
    special = {*parts.special_ids.values()}
    return {id: token for id, token in parts.vocab.items() if id not in special}, parts.merges


def counts(path: Path) -> Any:
    words, *facts = read_counts(path)
    return dict(words), facts


def readers_in(folder: Path) -> dict[str, Reader]:
    """Return the readers, of our files and of files of others."""
    ours = {name: entry.write(TOKENIZER.parts) for name, entry in FORMATS.items() if entry.is_read}
    del ours["huggingface"]["tokenizer_config.json"]  # is not read
    merges = b"#version: 0.2\n" + ours["gpt2"]["merges.txt"].partition(b"\n")[2]
    said = json.loads(FORMATS["huggingface"].write(LOOKED_UP.parts)["tokenizer.json"])
    lines = {"tokenizer.json": json.dumps(said, indent=1).encode()}
    alone = {"a.tiktoken": ours["tiktoken"]["tokenizer.tiktoken"]}
    options = {"pattern": "gpt2", "special_tokens": TOKENIZER.special_ids}
    write_counts(folder / "whole", COUNTS, special_tokens=["<|endoftext|>", "é字"])
    return {name: (files, tokenizer) for name, files in ours.items()} | {
        "gpt2-others": (ours["gpt2"] | {"merges.txt": merges}, tokenizer),
        "huggingface-lines": (lines, tokenizer),
        "tiktoken-alone": (alone, lambda path: tokenizer(path, **options) and None),  # knows no end
        "counts": ({"counts.parquet": (folder / "whole").read_bytes()}, counts),
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


def fate(reader: Reader, folder: Path, right: Any, draw: random.Random) -> str:
    """Damage a file, and return "read", "refused", or what is wrong."""
    files, read = reader
    name = draw.choice([*files])
    content, lost = files[name], False
    while content == files[name]:
        content, lost = damage(files[name], draw)
    (folder / name).write_bytes(content)
    try:
        with TimeLimit(60):
            found = read(folder / next(iter(files)))
    except OutOfTime:
        return f"{name}: it takes a minute"
    except (ValueError, TypeError, OSError) as error:
        # A TypeError: a .tiktoken that begins with { by now is JSON, which needs no options.
        said = str(error)
        if str(folder) not in said or not said.isprintable() or len(said) > 1000:
            return f"{name}: {said!r}"
        (folder / name).write_bytes(files[name])
        return "refused"
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    if found != right and lost:
        return f"{name}: another one is read"
    (folder / name).write_bytes(files[name])
    return "read"


def check(name: str, reader: Reader, folder: Path, args: argparse.Namespace) -> None:
    """Read damaged files until the time or their number is over."""
    for file, content in reader[0].items():
        (folder / file).write_bytes(content)
    right, seen, begun = reader[1](folder / next(iter(reader[0]))), dict[str, int](), time.time()
    seed = args.seed
    while seed < args.seed + args.files and time.time() < begun + args.seconds:
        found = fate(reader, folder, right, random.Random(f"{name} {seed}"))
        if found not in ("read", "refused"):
            sys.exit(f"{name} --seed {seed}, see {folder}: {found}")
        seen[found] = seen.get(found, 0) + 1
        seed += 1
    print(f"{name}: {seed - args.seed:,} files, {seen}, {time.time() - begun:.0f} s", flush=True)


def main(words: list[str]) -> None:
    said = argparse.ArgumentParser()
    said.add_argument("readers", nargs="*")
    said.add_argument("--seconds", type=float, default=60, help="of all readers")
    said.add_argument("--files", type=int, default=sys.maxsize, help="of each reader")
    said.add_argument("--seed", type=int, default=0, help="of the first file")
    args = said.parse_args(words)
    warnings.simplefilter("ignore")
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(dir=memory if memory.is_dir() else None))
    readers = readers_in(made)
    if unknown := {*args.readers} - {*readers}:
        said.error(f"no reader is called {min(unknown)}: choose one of {', '.join(readers)}")
    names = args.readers or [*readers]
    args.seconds /= len(names)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, resource.RLIM_INFINITY))
    for name in names:
        (made / name).mkdir()
        check(name, readers[name], made / name, args)
    shutil.rmtree(made)


if __name__ == "__main__":
    main(sys.argv[1:])
