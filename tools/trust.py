"""Run what tries to break the lab, note what it tried, and make the book's page of it.

    make trust                          # all, for hours
    make trust CHECK="counting kills"   # some

Each check is a command that exits with an error if it finds something; then nothing is noted. It
needs what `make test` installs.
"""

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.results.numbers import duration
from bpe_lab.results.tables import markdown_table

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "data" / "recorded" / "trust.jsonl"


@dataclass(frozen=True)
class Check:
    """A promise, the tests in `make test` that keep it, and a command that tries to break it."""

    promise: str
    tests: str
    command: str
    unit: str = "passed"
    """What follows the number of tries in the command's output; several such numbers are added."""
    least: int = 1
    """Fewer are no check: a compiler or a Python was left out."""


PYTEST = "python -m pytest -q -p no:cacheprovider"

CHECKS: dict[str, dict[str, Check]] = {
    "Wrong results": {
        "counting": Check(
            "The scanner of each pattern agrees with the portable one; that of GPT-2, and the "
            "counter, with slow versions, wherever a text is cut.",
            "test_patterns_cut, test_native_word_table, test_counters",
            "make fuzz PART=counting SECONDS=1980",
            "cases",
        ),
        "stages": Check(
            "Every compiled stage, complete or with one idea removed, makes the merges of brute "
            "force.",
            "test_stages_agree, test_native_stages, test_ablation",
            "make fuzz PART=stages SECONDS=2700",
            "cases",
        ),
        "encoding": Check(
            "The encoder gives the ids of the definition, wherever its text is cut.",
            "test_encoding",
            "make fuzz PART=encoding SECONDS=1800",
            "cases",
        ),
        "encoders": Check(
            "`tiktoken` and `tokenizers` give the same ids with every pattern, special tokens "
            "among them.",
            "test_formats",
            "python tests/other_encoders.py --seconds 3600 --texts 1000000",
            "texts",
        ),
        "patterns": Check(
            "Every pattern cuts all code points, all short strings of critical characters and "
            "random ones as `regex` does.",
            "test_patterns",
            "make check-patterns",
            "strings",
        ),
        "readers": Check(
            "A damaged tokenizer or counts file is read or refused in one line, and a truncated "
            "one never becomes other merges (a `.tiktoken` file alone does not say where it ends).",
            "test_strange_files, test_counts_files",
            "python tests/damaged_files.py --seconds 9000 --files 1000000",
            "files",
        ),
    },
    "Other compilers, processors and Pythons": {
        "platforms": Check(
            "GCC, Clang, no OpenMP, checked containers, no SIMD and arm64 (emulated) compute the "
            "same; address, undefined-behaviour, leak and thread sanitizers find nothing.",
            "the first three sanitizers in `.ci/run`",
            "make platforms",
            "builds",
            least=7,
        ),
        "pythons": Check(
            "The tests pass on Python 3.11, 3.12 and 3.13; sdist and wheel work.",
            "",
            "make test-pythons NOX=--error-on-missing-interpreters",
        ),
        "lowest": Check(
            "The tests pass with the lowest versions of all packages that `pyproject.toml` allows.",
            "test_environment",
            "make test-lowest NOX=--error-on-missing-interpreters",
        ),
        "warnings": Check(
            "Python's development mode, with each warning as an error, finds nothing in the tests.",
            "",
            # In one process: workers of pytest-xdist do not get these options.
            "python -X dev -W error -m pytest -q -p no:cacheprovider",
        ),
    },
    "Faults": {
        "kills": Check(
            "SIGINT, SIGTERM and SIGKILL at random moments of `train`, `count`, `encode`, `export` "
            "and `bench` damage no result (of several files SIGKILL can leave a part, never a "
            "mixture) and leave no process, nor a file after the next run; one line at most is "
            "said.",
            "test_faults, test_files",
            "python tests/faults.py --seconds 1200",
            "moments",
        ),
        "events": Check(
            "Killed at any file event, a writer leaves one whole tokenizer or a message; of two "
            "writers the first wins.",
            "test_files",
            f"{PYTEST} tests/test_files.py",
        ),
        "disks": Check(
            "A full or read-only disk, a vanished input, a killed worker: one line, no file.",
            "test_faults",
            f"{PYTEST} tests/test_faults.py",
        ),
        "inputs": Check(
            "A file that shrinks, grows or is replaced while it is read is named.",
            "test_changed_files",
            f"{PYTEST} tests/test_changed_files.py",
        ),
        "memory": Check(
            "Without memory, one line says what needed it and what helps.",
            "test_memory, test_native_limits",
            f"{PYTEST} tests/test_memory.py tests/test_native_limits.py",
        ),
        "processes": Check(
            "No process is left of a program that ended; a forked child can work.",
            "test_processes, test_dask_counter",
            f"{PYTEST} tests/test_processes.py tests/test_dask_counter.py",
        ),
    },
    "Hostile input": {
        "hostile": Check(
            "A gigabyte of one letter, on one line, of noise, or packed into a bomb is read in "
            "linear time and memory, or refused in one line.",
            "test_strange_files, test_special_tokens, test_text_inputs",
            "python tests/hostile_texts.py",
            "runs",
        ),
    },
    "Safety": {
        "safety": Check(
            "Pages escape what they show; JupyterLab is for this machine and asks for its token; "
            "no pickle, eval or shell (`make check`: ruff's rules S).",
            "test_report, test_lab",
            f"{PYTEST} tests/test_report.py tests/test_lab.py",
        ),
    },
    "Packages": {
        "packages": Check(
            "The sdist builds; the wheel (manylinux, by auditwheel) installs and trains without a "
            "checkout and a compiler; version and changelog agree.",
            "test_environment, and `make dist-check` in `.ci/run`",
            "make dist-check",
            "files",
        ),
    },
}
"""What the page has under each heading."""


def tried(said: str, unit: str) -> int:
    """Return how much a command says it tried.

    >>> tried("gpt2: 1,000 files, 3 s\\nowns: 20 files", "files")
    1020
    """
    found = re.findall(rf"(?<![\w.,])(\d[\d,]*) {unit}\b", said)
    return sum(int(number.replace(",", "")) for number in found)


def run(name: str, check: Check) -> dict[str, Any]:
    """Run the command of a check and return its record.

    :raises ValueError: it found something, or tried too little, or tests were skipped.
    """
    words, code = shlex.split(check.command), version()
    if words[0] == "python":
        words[0] = sys.executable
    begun, lines = perf_counter(), []
    plain = os.environ | {"NO_COLOR": "1", "PY_COLORS": "0"}
    with subprocess.Popen(words, cwd=ROOT, env=plain, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            lines.append(line)
    said = "".join(lines)
    if process.returncode:
        raise ValueError(f"exit {process.returncode}: {check.command}")
    if check.command.startswith(PYTEST) and (skipped := tried(said, "skipped")):
        raise ValueError(f"{skipped} tests were skipped: `pytest -rs` says what they need")
    if (number := tried(said, check.unit)) < check.least:
        raise ValueError(f"{number} {check.unit}, {check.least} at least make a check")
    return {
        "check": name,
        "command": check.command,
        "tried": number,
        "unit": check.unit,
        "seconds": round(perf_counter() - begun),
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": code,
    }


def version() -> str:
    """Return which commit this is, with "-dirty" if a file but the record has changed since."""
    described, changed = (
        subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()
        for words in (
            ["describe", "--always"],
            ["status", "--short", "--", ".", f":!{RECORD.relative_to(ROOT)}"],
        )
    )
    return described + "-dirty" * bool(changed)


def records() -> dict[str, dict[str, Any]]:
    """Return the last record of each check."""
    if not RECORD.exists():
        return {}
    lines = RECORD.read_text(encoding="utf-8").splitlines()
    return {one["check"]: one for one in map(json.loads, lines)}


def page(found: dict[str, dict[str, Any]]) -> str:
    """Return the book's page of all checks and of what was tried last."""
    parts = [HEAD]
    for heading, checks in CHECKS.items():
        rows = [row(name, check, found.get(name)) for name, check in checks.items()]
        head = ["promise", "tests", "check", "tried"]
        parts += [f"## {heading}", markdown_table(head, rows)]
    return "\n\n".join(parts) + "\n"


def row(name: str, check: Check, record: dict[str, Any] | None) -> list[str]:
    """Return a row of the page."""
    cells = [check.promise, re.sub(r"\btest_\w+", r"`\g<0>`", check.tests), f"`{name}`"]
    if record is None:
        return [*cells, "not yet"]
    when = f"{duration(record['seconds'])}, {record['utc'][:10]}, {record['code']}"
    return [*cells, f"{record['tried']:,} {record['unit']} ({when})"]


HEAD = """# How we tried to break it

Each row is a promise, the tests in `make test` that keep it, and a check: its last run that found
nothing, with what it tried, for how long, when, and on which version of the code; "not yet" has not
run to its end. `make trust CHECK=NAME` repeats one and notes it in `data/recorded/trust.jsonl`, of
which this page is made. Some checks skip tests whose system packages are missing."""


def main(words: Iterable[str] | None = None) -> None:
    """Run the checks that the command line names, all of them even if one finds something."""
    known = {name: check for checks in CHECKS.values() for name, check in checks.items()}
    parser = argparse.ArgumentParser(description="Try to break the lab, for minutes or hours.")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(known))
    names = parser.parse_args(None if words is None else [*words]).checks or [*known]
    if unknown := {*names} - {*known}:
        parser.error(f"no check is called {min(unknown)}: choose of {', '.join(known)}")
    failed = []
    for name in names:
        try:
            record = run(name, known[name])
        except ValueError as error:
            failed.append(f"trust: {name}: {error}")
            continue
        with RECORD.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
    if failed:
        sys.exit("\n".join(failed))


if __name__ == "__main__":
    main()
