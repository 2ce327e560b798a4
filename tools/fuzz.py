"""Let a fuzzer look for wrong results of the compiled code, and note what it tried.

    python tools/fuzz.py PROGRAM --seconds 600 --record data/recorded/trust.jsonl

PROGRAM is that of `make fuzz`. Each part gets its share of the seconds; the first difference is
shown, and ends the program.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from bpe_lab.results.code_facts import code_facts

PARTS = {
    "counting": "the scanner of each pattern and the counter, beside slow ones",
    "stages": "each compiled stage and ablation, beside a slow training",
    "encoding": "the encoder, its text cut anywhere, beside a slow one",
}


def tried(program: str, part: str, seconds: int) -> int:
    """Return how many cases of a part a fuzzer tried; end if it found something."""
    words = [f"-max_total_time={seconds}", "-max_len=300", "-print_funcs=0", "-print_final_stats=1"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [program, *words, f"-artifact_prefix={folder}/", folder],
            env=os.environ | {"FUZZ": part},
            stderr=subprocess.PIPE,
            text=True,
        )
    if done.returncode:
        said = re.findall(r"^(?:check_native: .*|.*runtime error.*|Base64: .*)$", done.stderr, re.M)
        sys.exit("\n".join([f"fuzz: {part}: a case fails", *(said or [done.stderr[-2000:]])]))
    found = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    return int(found.group(1)) if found else 0


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description="Look for wrong results of the compiled code.")
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=60, help="of all parts (default: 60)")
    parser.add_argument("--part", choices=PARTS, action="append", help="repeatable; default: all")
    parser.add_argument("--record", type=Path, help="file that gets a line of JSON for each part")
    given = parser.parse_args()
    parts = given.part or list(PARTS)
    for part in parts:
        began = perf_counter()
        number = tried(given.program, part, max(1, given.seconds // len(parts)))
        seconds = perf_counter() - began
        print(f"fuzz: {part}: {number:,} cases in {seconds:.0f} s, nothing found", flush=True)
        if given.record:
            line = {
                "check": f"fuzz, {part}",
                "what": PARTS[part],
                "tried": number,
                "found": 0,
                "seconds": round(seconds),
                "utc": datetime.now(UTC).isoformat(timespec="seconds"),
                "code": code_facts()["git"],
            }
            with given.record.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line) + "\n")


if __name__ == "__main__":
    main()
