"""Kill commands at random moments, and look at what they leave, how they end and what they say."""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bpe_lab import corpora

COMMANDS = {
    "train": "train TEXT --vocab-size 400 --counter regex_parallel --threads 2 --out OUT",
    "count": "count TEXT --out OUT/counts.parquet",
    "encode": "encode TOKENIZER TEXT --out OUT/ids --threads 2",
    "export": "export TOKENIZER --format gpt2 --out OUT",
    "bench": "bench ladder --case core --case cpp_* --scale tiny --repeats 1 --out OUT",
}
"""TEXT and TOKENIZER are one of two; OUT is a folder that both write into."""

OWN = "tokenizer.bpe.json"

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGKILL]


def start(words: str, folder: Path, which: int) -> "subprocess.Popen[bytes]":
    """Start a command for one of the two texts, in a group of processes of its own."""
    for word in ("TEXT", "TOKENIZER"):
        words = words.replace(word, f"{folder}/{word.lower()}{which}")
    command = f"-m bpe_lab {words.replace('OUT', f'{folder}/out')} --force".split()
    asked, null = [sys.executable, *command], subprocess.DEVNULL
    with (folder / "said").open("wb") as said:
        return subprocess.Popen(asked, stdout=null, stderr=said, start_new_session=True)


def ended_well(code: int, how: int, said: str) -> bool:
    """Tell whether a command ended in time or by a signal, with one line at most."""
    begins = not said or ("Traceback" in said and "__main__.py" not in said)
    if how == signal.SIGINT and code in (1, -how) and begins:
        return True  # in the start of Python, before our first line
    # On a slow machine there is a progress bar, with a line end behind it.
    lines = [line for line in said.splitlines() if line and "%|" not in line]
    if "Traceback" in said or "Exception" in said:
        return False
    # Raised inside `exec`, of a dataclass say, Python ends by SIGINT whatever we return.
    ended = (-how, 128 + how, -signal.SIGINT)
    return code == 0 or (code in ended and len(lines) <= 1)


def seen(out: Path) -> dict[str, object]:
    """Return the files that a reader sees; of what names the clock, merges and digests only."""
    if records := [*out.glob("*.jsonl")]:
        lines = [json.loads(line) for line in records[0].read_bytes().splitlines()]
        return {line["case"]: line["digest"] for line in lines}
    files: dict[str, object] = {path.name: path.read_bytes() for path in out.glob("[!.]*")}
    if (own := out / OWN).exists():
        files[own.name] = json.loads(own.read_bytes())["merges"]
    return files


def group_is_left(group: int) -> bool:
    """Tell whether a process of a group goes on after ten seconds; it is killed."""
    for _ in range(1000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    os.killpg(group, signal.SIGKILL)
    return True


def try_moments(
    name: str, folder: Path, seed: int, *, seconds: float = 60, moments: int = 1 << 30
) -> dict[str, int]:
    """Kill a command at random moments; return how many, and what went wrong."""
    print(f"{name}: seed {seed}")
    words, out, chance = COMMANDS[name], folder / "out", random.Random(seed)
    out.mkdir()
    wholes, longest, text = [], 0.0, corpora.path("stories").read_bytes()
    for which, content in enumerate((text, text[: len(text) // 2] * 2)):
        (folder / f"text{which}").write_bytes(content)
        if "TOKENIZER" in words:
            train = f"train TEXT --vocab-size {300 + which} --out {folder}/tokenizer{which}"
            assert start(train, folder, which).wait() == 0
        if which and "TEXT" not in words and "TOKENIZER" not in words:
            break  # it would do the same again
        begun = time.perf_counter()
        assert start(words, folder, which).wait() == 0
        longest = max(longest, time.perf_counter() - begun)
        wholes.append(seen(out))
    figures = {"moments": 0, "damaged": 0, "orphans": 0, "bad endings": 0}
    until = time.perf_counter() + seconds
    while time.perf_counter() < until and figures["moments"] < moments:
        before, process = seen(out), start(words, folder, figures["moments"] % 2)
        time.sleep(chance.uniform(0, longest))
        process.send_signal(how := chance.choice(SIGNALS))
        code, said = process.wait(), (folder / "said").read_text()
        if not ended_well(code, how, said):
            figures["bad endings"] += 1
            print(f"{name}, {how.name}: exit {code}: {said}")
        figures["orphans"] += group_is_left(process.pid)
        left = seen(out)
        # One file is replaced at once, and other signals wait until several are. Of records, and of
        # several files after SIGKILL, some can be missing, but none is of another run; the lab's
        # own file of a tokenizer is always there.
        killed = how == signal.SIGKILL and name in ("train", "export")
        part = any(left.items() <= whole.items() for whole in wholes)
        part = part and (name != "train" or not before or OWN in left)
        may = part if killed or name == "bench" else left == before or left in wholes
        figures["damaged"] += not may
        figures["moments"] += 1
    assert start(words, folder, 0).wait() == 0
    figures["damaged"] += seen(out) != wholes[0]
    # What a killed one has left hidden, the next one has removed.
    figures["left"] = len([*out.rglob(".bpe_lab-*")])
    return figures


def main() -> int:
    """Try every command; print a line for each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=120, help="for all commands together")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)))
    given, bad = parser.parse_args(), 0
    seconds = given.seconds / len(COMMANDS)
    for name in COMMANDS:
        with tempfile.TemporaryDirectory() as place:
            figures = try_moments(name, Path(place), given.seed, seconds=seconds)
        print(f"{name}:", ", ".join(f"{value} {figure}" for figure, value in figures.items()))
        bad += sum(figures.values()) - figures["moments"]
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
