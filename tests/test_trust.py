"""Promise: the page of what was tried names tests that are there, and only checks that held."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SPECIFICATION = importlib.util.spec_from_file_location("trust", ROOT / "tools" / "trust.py")
assert SPECIFICATION is not None and SPECIFICATION.loader is not None
trust = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(trust)

PAGE = trust.PAGE.read_text(encoding="utf-8")


def test_the_page_names_tests_and_commands_that_are_there_and_what_was_tried() -> None:
    for test in re.findall(r"`(test_\w+)`", PAGE):
        assert (ROOT / "tests" / f"{test}.py").exists(), test
    makefiles = "".join((ROOT / file).read_text() for file in ("tools/more.mk", "ext/sanitize.mk"))
    rows = trust.ROW.findall(PAGE)
    assert len(rows) == PAGE.count(": `") > 10
    for _, command, tried, _ in rows:
        for path in re.findall(r"(?:tests|tools)/\w+\.py", command):
            assert (ROOT / path).exists(), path
        for target in re.findall(r"^make ([\w-]+)", command):
            assert f"\n{target}: " in makefiles, target
        assert "dirty" not in tried and not tried.startswith("0 "), tried


SAYS = "print('a: 1,000 files, 3 s'); print('b: 20 files (3,) files')"


@pytest.mark.parametrize(
    ("program", "unit", "said"),
    [
        (f"{SAYS}; exit(1)", "files", "exit 1: python"),
        ("print('6 builds')", "builds", "6 builds: at least 7 make a check"),
        ("pass", "files", "0 files: at least 1"),
        (SAYS, "files", ""),
    ],
)
def test_a_check_that_finds_something_or_tries_nothing_is_not_noted(
    program: str, unit: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "trust.md"
    row = '| A promise. | | `{}`: `python -c "{}"` | 5 {} (3 s, 2026-01-01, abcdef) |\n'
    page.write_text(row.format("bad", program, unit) + row.format("good", SAYS, "files"))
    monkeypatch.setattr(trust, "ROOT", tmp_path)
    monkeypatch.setattr(trust, "PAGE", page)
    if said:
        with pytest.raises(SystemExit, match=f"trust: bad: {said}"):
            trust.main(["bad", "good"])
    else:
        trust.main([])
    bad, good = page.read_text().splitlines()
    assert (f"| 5 {unit} (3 s, 2026-01-01, abcdef) |" in bad) == bool(said)
    assert "| 1,020 files (" in good
