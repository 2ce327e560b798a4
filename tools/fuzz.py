"""Let a fuzzer look for wrong results of the compiled code.

    python tools/fuzz.py PROGRAM --seconds 600

PROGRAM is that of `make fuzz`. Each part gets its share of the seconds; the first difference is
shown, and ends the program.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from time import perf_counter

PARTS = ("counting", "stages", "encoding")
"""The scanners and the counter; stages and ablations; the encoder: each beside a slow one."""


FAULT = r"^(?:check_native: .*|.*runtime error.*|.*ERROR: libFuzzer: .*|Base64: .*)$"
"""What is shown; the last line, by `base64 -d`, is a file for `FUZZ=PART PROGRAM FILE`."""


def tried(program: str, part: str, seconds: int) -> int:
    """Return how many cases of a part a fuzzer tried; end if it found something."""
    words = [f"-max_total_time={seconds}", "-max_len=256", "-print_funcs=0", "-print_final_stats=1"]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [program, *words, f"-artifact_prefix={folder}/", folder],
            env=os.environ | {"FUZZ": part},
            stderr=subprocess.PIPE,
            text=True,
        )
    if done.returncode:
        faults = re.findall(FAULT, done.stderr, re.M)
        sys.exit("\n".join([f"fuzz: {part}: a case fails", *(faults or [done.stderr[-2000:]])]))
    units = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    if not units:
        sys.exit(f"fuzz: {part}: the fuzzer does not say how many cases it tried")
    return int(units.group(1))


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description="Look for wrong results of the compiled code.")
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=60, help="of all parts (default: 60)")
    parser.add_argument("--part", choices=PARTS, help="default: all")
    args = parser.parse_args()
    parts = [args.part] if args.part else PARTS
    for part in parts:
        began = perf_counter()
        number = tried(args.program, part, max(1, args.seconds // len(parts)))
        seconds = perf_counter() - began
        print(f"fuzz: {part}: {number:,} cases in {seconds:.0f} s, nothing found", flush=True)


if __name__ == "__main__":
    main()
