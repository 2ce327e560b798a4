"""Promise: the page of what was tried names tests that are there, and only checks that held."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPECIFICATION = importlib.util.spec_from_file_location("trust", ROOT / "tools" / "trust.py")
assert SPECIFICATION is not None and SPECIFICATION.loader is not None
trust = importlib.util.module_from_spec(SPECIFICATION)
sys.modules["trust"] = trust  # where the dataclass looks for its module
SPECIFICATION.loader.exec_module(trust)

CHECKS = {name: check for checks in trust.CHECKS.values() for name, check in checks.items()}


@pytest.mark.parametrize("name", CHECKS)
def test_every_promise_names_tests_and_a_command_that_are_there(name: str) -> None:
    check = CHECKS[name]
    for test in re.findall(r"test_\w+", f"{check.tests} {check.command}"):
        assert (ROOT / "tests" / f"{test}.py").exists(), test
    for path in re.findall(r"(?:tests|tools)/\w+\.py", check.command):
        assert (ROOT / path).exists(), path
    made = "".join((ROOT / file).read_text() for file in ("tools/more.mk", "ext/sanitize.mk"))
    for target in re.findall(r"^make ([\w-]+)", check.command):
        assert f"\n{target}: " in made, target


def test_what_was_recorded_is_a_check_of_today_and_enough() -> None:
    for name, record in trust.records().items():
        assert record["command"] == CHECKS[name].command, name
        assert record["unit"] == CHECKS[name].unit and record["tried"] >= CHECKS[name].least, name
        assert "dirty" not in record["code"], name


SAYS = "print('a: 1,000 files, 3 s'); print('b: 20 files (3,) files')"


@pytest.mark.parametrize(
    ("program", "least", "said"),
    [
        (f"{SAYS}; exit(1)", 1, "exit 1: python"),
        (SAYS, 2_000, "1020 files, 2000 at least"),
        ("pass", 1, "0 files, 1 at least"),
        (SAYS, 1_000, ""),
    ],
)
def test_a_check_that_finds_something_or_tries_nothing_is_not_noted(
    program: str, least: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trust, "ROOT", tmp_path)
    monkeypatch.setattr(trust, "RECORD", tmp_path / "trust.jsonl")
    bad = trust.Check("Nothing is lost.", "test_files", f'python -c "{program}"', "files", least)
    good = trust.Check("All is well.", "", f'python -c "{SAYS}"', "files")
    monkeypatch.setattr(trust, "CHECKS", {"Files": {"bad": bad, "good": good}})
    if said:
        with pytest.raises(SystemExit, match=f"trust: bad: {said}"):
            trust.main(["bad", "good"])
        assert {*trust.records()} == {"good"}
        assert "| `bad` | not yet |" in trust.page(trust.records())
    else:
        trust.main(["bad"])
        found = trust.page(trust.records())
        assert "| Nothing is lost. | `test_files` | `bad` | 1,020 files (" in found
