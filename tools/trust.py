"""Run what tries to break the lab, and note on the book's page what it tried.

    make trust                          # all, for hours
    make trust CHECK="counting kills"   # some

Each check is a command in a row of `book/trust.md` that exits with an error if it finds something;
then nothing is noted. It needs what `make test` installs.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

from bpe_lab.results.numbers import duration

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "book" / "trust.md"

ROW = re.compile(r"\| `(\w+)`: `([^`]+)` \| ([\d,]+ (\w+) \(.*\)) \|$", re.M)
"""End of a row: the name of a check, its command, and what was tried, with its unit."""

N_BUILDS = 7
"""Fewer are no check: a compiler was left out."""


def number_tried(output: str, unit: str) -> int:
    """Return the sum of the numbers before a unit in the output of a command.

    >>> number_tried("gpt2: 1,000 files, 3 s\\nowns: 20 files", "files")
    1020
    """
    numbers = re.findall(rf"(?<![\w.,])(\d[\d,]*) {unit}\b", output)
    return sum(int(number.replace(",", "")) for number in numbers)


def run(command: str, unit: str) -> str:
    """Run the command of a check and return what it tried.

    :raises ValueError: it found something, or tried too little.
    """
    words = shlex.split(command)
    if words[0] == "python":
        words[0] = sys.executable
    code, began, output = version(), perf_counter(), ""
    plain = os.environ | {"NO_COLOR": "1", "PY_COLORS": "0"}
    with subprocess.Popen(words, cwd=ROOT, env=plain, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            output += line
    if process.returncode:
        raise ValueError(f"exit {process.returncode}: {command}")
    number, needed = number_tried(output, unit), N_BUILDS if unit == "builds" else 1
    if number < needed:
        raise ValueError(f"{number} {unit}: at least {needed} make a check")
    day = datetime.now(UTC).date()
    return f"{number:,} {unit} ({duration(perf_counter() - began)}, {day}, {code})"


def version() -> str:
    """Return which commit this is, with "-dirty" if a file but the page has changed since."""
    described, changed = (
        subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout.strip()
        for words in (
            ["describe", "--always"],
            ["status", "--short", "--", ".", f":!{PAGE.relative_to(ROOT)}"],
        )
    )
    return described + "-dirty" * bool(changed)


def main(words: Iterable[str] | None = None) -> None:
    """Run the checks that the command line names, all of them even if one finds something."""
    checks = {name: (command, unit) for name, command, _, unit in ROW.findall(PAGE.read_text())}
    parser = argparse.ArgumentParser(description="Try to break the lab, for minutes or hours.")
    parser.add_argument("checks", nargs="*", metavar="CHECK", help=", ".join(checks))
    names = parser.parse_args(None if words is None else [*words]).checks or [*checks]
    if unknown := {*names} - {*checks}:
        parser.error(f"no check is called {min(unknown)}: choose of {', '.join(checks)}")
    failures = []
    for name in names:
        try:
            tried = run(*checks[name])
        except ValueError as error:
            failures.append(f"trust: {name}: {error}")
            continue
        page = PAGE.read_text(encoding="utf-8")
        row = next(row for row in ROW.finditer(page) if row[1] == name)
        PAGE.write_text(page[: row.start(3)] + tried + page[row.end(3) :], encoding="utf-8")
    if failures:
        sys.exit("\n".join(failures))


if __name__ == "__main__":
    main()
