"""Events of a processor in runs of a program without Python, and in the parts of such runs.

By cachegrind, which simulates a processor, so that the counts depend on the compiler and the
libraries, not on the clock or the load; and by the processor's own counters (`perf stat`), where
there are some.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bpe_lab.bench.stage_program import SIMULATOR, first_error, stage_program

Events = dict[str, int]
"""Event -> how often."""

Run = tuple[Sequence[str], Path]
"""Arguments of the program, and what it reads."""

CACHEGRIND = {
    "instructions": ("Ir",),
    "branches": ("Bc", "Bi"),
    "mispredictions": ("Bcm", "Bim"),
    "d1_misses": ("D1mr", "D1mw"),
    "ll_misses": ("ILmr", "DLmr", "DLmw"),
}
"""Event -> the columns of cachegrind that it is the sum of."""

PERF = {
    "instructions": "instructions:u",
    "branches": "branches:u",
    "mispredictions": "branch-misses:u",
    "d1_misses": "L1-dcache-load-misses:u",
    "ll_misses": "LLC-load-misses:u",
}
"""Event -> that of `perf stat`; of the misses, those of loads only."""


def counted(runs: Mapping[str, Run], caches: Mapping[str, str]) -> dict[str, Any]:
    """Return what the last parts of runs take: each run does what the one before does."""
    made: dict[str, Any] = {"simulated": parts(runs, lambda run: simulated(run, caches))}
    try:
        made["hardware"] = parts(runs, by_hardware)
        made["no_hardware"] = ""
    except OSError as reason:
        made["hardware"], made["no_hardware"] = {}, str(reason)
    return made


def parts(runs: Mapping[str, Run], count: Callable[[Run], Events]) -> dict[str, Events]:
    """Return the events of each part: those of its run less those of the run before it."""
    whole = {part: count(run) for part, run in runs.items()}
    return {
        part: {
            event: count - whole[before][event]
            for event, count in whole[part].items()
            # Hardware counts some of them now and then only.
            if event in whole[before]
        }
        for before, part in pairwise(whole)
    }


def simulated(run: Run, caches: Mapping[str, str]) -> Events:
    """Run the program under cachegrind and return its events."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "events")
        sizes = [f"--{cache}={size}" for cache, size in caches.items()]
        tool = ["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *sizes]
        run_program([SIMULATOR, *tool, f"--cachegrind-out-file={out}"], run)
        return cachegrind_events(out.read_text(encoding="utf-8", errors="replace"))


def cachegrind_events(written: str) -> Events:
    """Return the events of a whole run.

    >>> cachegrind_events("events: Ir Bc Bcm Bi Bim D1mr D1mw ILmr DLmr DLmw\\n"
    ...     "summary: 100 20 3 1 1 7 2 1 1 1\\n")["mispredictions"]
    4
    """
    lines = dict(line.split(": ", 1) for line in written.splitlines() if ": " in line)
    columns = dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))
    return {event: sum(map(columns.__getitem__, names)) for event, names in CACHEGRIND.items()}


def by_hardware(run: Run) -> Events:
    """Run the program under `perf stat` and return those of its events that this machine counts."""
    if shutil.which("perf") is None:
        raise OSError("perf is not installed")
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "events")
        try:
            run_program(["perf", "stat", "-x,", "-o", str(out), "-e", ",".join(PERF.values())], run)
        except RuntimeError as error:
            raise OSError(str(error)) from None
        return perf_events(out.read_text(encoding="utf-8"))


def perf_events(written: str) -> Events:
    """Return the events that were counted.

    >>> perf_events("900,,instructions:u,5,100.00,,\\n<not supported>,,branches:u,0,100.00,,")
    {'instructions': 900}
    """
    rows = [line.split(",") for line in written.splitlines() if line.count(",") > 2]
    counts = {row[2]: int(row[0]) for row in rows if row[0].isdecimal()}
    if not counts:
        raise OSError(f"perf counts none of {', '.join(PERF.values())} on this machine")
    return {event: counts[name] for event, name in PERF.items() if name in counts}


def run_program(before: Sequence[str], run: Run) -> str:
    """Run the program and return what it prints."""
    program, (words, path) = stage_program(), run
    # By its full path: there is no PATH in the environment below.
    prefix = [shutil.which(before[0]) or before[0], *before[1:]] if before else []
    with path.open("rb") as text:
        # Arguments and environment lie on the stack: the same ones, so that it lies where it lay.
        done = subprocess.run(
            [*prefix, f"./{program.name}", *words],
            stdin=text,
            cwd=program.parent,
            env={"LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        raise RuntimeError(f"one_stage {' '.join(words)} failed: {first_error(done)}")
    return done.stdout
