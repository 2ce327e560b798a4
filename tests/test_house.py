"""Promise: the house stays small: each room keeps its budget, and a training goes a short way."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

BUDGETS = {
    "commands": 1_350,
    "support": 680,
    "words, corpora": 1_070,
    "counting": 1_580,
    "stages": 1_450,
    "training": 830,
    "tokenizer": 1_610,
    "trials": 3_400,
    "the own tokenizer": 1_390,
    "bench, results, plots": 5_900,
    "lessons, experiments": 2_700,
    "ext": 8_500,
    "tests": 12_585,
}
"""Room -> its lines, at most. To raise one is a commit of its own, which says why."""

NO_ROOMS = {"ext", "tests", "the own tokenizer"}

DATA = ("wrong_tokenizers.py", "wrong_trainers.py")
"""Files of tests that are test data."""

FUNCTIONS, FILES, RAISES = 100, 26, 210


def lines_of(paths: list[Path]) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in paths)


def files_of(repository: Path, room: str) -> list[Path]:
    package = repository / "bpe_lab"
    tokenizers = [*(package / "trials").glob("tokenizer*.py")]
    if room == "the own tokenizer":
        return tokenizers
    if room == "tests":
        return [path for path in (repository / "tests").glob("*.py") if path.name not in DATA]
    if room == "ext":
        ends = (".hpp", ".cpp", ".pyx", ".pxi", ".pxd")
        paths = (repository / "ext").rglob("*")
        return [path for path in paths if path.suffix in ends and "tests" not in path.parts]
    files = [path for name in room.split(", ") for path in (package / name).rglob("*.py")]
    files = [path for path in files if path not in tokenizers]
    alone = {"commands": ["__main__.py"], "stages": ["registry.py"]}
    return files + [package / name for name in alone.get(room, [])]


@pytest.mark.parametrize("room", BUDGETS)
def test_a_room_keeps_its_budget(room: str, repository: Path) -> None:
    assert lines_of(files_of(repository, room)) <= BUDGETS[room]


def test_every_room_has_a_budget(repository: Path) -> None:
    rooms = {path.parent.name for path in (repository / "bpe_lab").glob("*/__init__.py")}
    assert rooms == {name for room in BUDGETS for name in room.split(", ")} - NO_ROOMS


def test_raise_stands_where_a_user_makes_the_mistake(repository: Path) -> None:
    sources = (path.read_text(encoding="utf-8") for path in (repository / "bpe_lab").rglob("*.py"))
    assert (
        sum(len(re.findall(r"^\s*raise\b", source, re.MULTILINE)) for source in sources) <= RAISES
    )


TRACE = """
import os, sys, threading
entered = set()
def profile(frame, event, argument):
    code = frame.f_code
    inside = f"{os.sep}bpe_lab{os.sep}" in code.co_filename and not code.co_name.startswith("<")
    if event == "call" and inside and code.co_flags & 1:
        entered.add(code)
threading.setprofile(profile)
sys.setprofile(profile)
from bpe_lab.__main__ import main
try:
    main()
finally:
    sys.setprofile(None)
    print(len(entered), len({code.co_filename for code in entered}))
"""


def test_a_training_enters_few_functions_in_few_files(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("low lower newest widest low newest\n" * 300)
    words = ["train", "text.txt", "--vocab-size", "300", "--out", "out", "--quiet"]
    command = [sys.executable, "-c", TRACE, *words, "--stage", "max_heap"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONWARNINGS": "ignore"})  # fmt: skip
    functions, files = map(int, done.stdout.split()[-2:])
    assert (tmp_path / "out").exists() and functions <= FUNCTIONS and files <= FILES
