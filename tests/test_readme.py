"""Promise: the README says the numbers of recorded runs, and its commands and programs run."""

import importlib.util
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is in the extra `lab`")

from bpe_lab.bench import recorded
from bpe_lab.bench.suites import peers
from bpe_lab.commands.cli import parser
from bpe_lab.results.intervals import settled
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import one_digit
from bpe_lab.results.records import load

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize(
    ("readme", "row"), [("README.md", "`core`"), ("ext/README.md", "cells of 16 bits")]
)
def test_the_tables_are_made_from_the_recorded_results(readme: str, row: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    made = recorded.with_blocks(text, ROOT / "data" / "recorded" / "bench")
    assert made == text, "stale: run bpe_lab.bench.recorded (see its head)"
    assert f"| {row} |" in text


def test_the_headline_is_what_was_measured() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = ladder_rows(load(ROOT / "data" / "recorded" / "bench" / "ladder.jsonl"))
    begin = text.partition("## Read")[0]
    naive, core = (rows.loc[stage] for stage in ("naive", "core"))
    assert naive["complete"] and core["complete"] and naive["digest"] == core["digest"]
    milliseconds = settled(core["whole"].times(1e3))
    said = f"the definition took some half an hour and the last step {milliseconds} ms"
    assert said in " ".join(begin.split())
    factor = float(f"{core['factor']:.0e}")
    assert f"some {factor:,.0f} times as fast" in " ".join(begin.split())
    # A forecast that nobody waited for: not what this lab begins with.
    assert "69 hours" not in begin
    for page in ("index.md", "conf.py"):
        assert "From half an hour to milliseconds" in (ROOT / "book" / page).read_text("utf-8")
    assert 25 < naive["seconds"] / 60 < 35 and core["seconds"] < 0.1


def test_the_fastest_public_trainer_is_the_recorded_one() -> None:
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    large, small = (
        peers.ratios(load(ROOT / "data" / "recorded" / folder / "peers.jsonl"))
        for folder in ("experiments", "bench")
    )
    small = small[
        small["param_text"].isin(("stories", "many_words")) & (small["corpus_bytes"] > 1e6)
    ]
    others = [rows[rows["param_trainer"] != peers.OURS] for rows in (large, small)]
    assert all(rows["complete"].all() for rows in others) and len(others[0]) == 7
    fastest = {one_digit(ratio) for ratio in others[1].groupby("on")["ratio"].min()}
    first = one_digit(others[0]["ratio"].min())
    assert f"Of seven public trainers the fastest took some {first} times as long for 4 GB" in text
    assert len(fastest) == 1 and f"and some {fastest.pop()} times for 2 to 5 MB on one" in text
    assert {*large["param_threads"]} == {2} and {*small["param_threads"]} == {1}
    for rows in others:
        for _, row in rows.loc[rows.groupby("on")["ratio"].idxmin()].iterrows():
            assert row["param_trainer"] in text and f"n = {row['values']}" in text
            assert settled(row["beside"]) in text


def test_the_page_on_trust_says_what_one_run_of_the_definition_can_bear() -> None:
    text = " ".join((ROOT / "book" / "numbers.md").read_text(encoding="utf-8").split())
    rows = ladder_rows(load(ROOT / "data" / "recorded" / "bench" / "ladder.jsonl"))
    naive, core = (rows.loc[stage] for stage in ("naive", "core"))
    factor = one_digit(naive["merge_seconds"] / core["merge_seconds"])
    assert f"merges some {factor} times as fast" in text
    assert "ran for some half an hour, nearly all of it on a processor." in text
    assert 25 < naive["seconds"] / 60 < 35 and naive["cpu_seconds"] > 0.95 * naive["seconds"]


PAGES = ("README.md", "book/using.md", "book/measuring.md")
"""The README, and what it goes on to: one program, one list of commands."""


def code_blocks(language: str) -> list[str]:
    text = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


def test_every_command_of_the_readme_is_one_that_there_is() -> None:
    lines = [line.partition("#")[0] for block in code_blocks("sh") for line in block.splitlines()]
    # What stands behind ">" is the shell's.
    typed = [line.partition(" > ")[0] for line in lines if line.startswith("bpe-lab ")]
    commands = [shlex.split(line)[1:] for line in typed]
    names = {words[0] for words in commands}
    assert names >= {"train", "stages", "try", "bench", "report"}
    for words in commands:
        given = [word for word in words if word != "FILE..."]
        parser(given).parse_args(given)


def test_the_python_of_the_readme_runs_where_nothing_is(tmp_path: Path) -> None:
    blocks = code_blocks("python")
    assert len(blocks) == 9
    for name in ("tokenizers", "transformers", "tiktoken", "distributed"):
        if importlib.util.find_spec(name) is None:
            uses = re.compile(rf"^(?:from|import) {name}\b", re.MULTILINE)
            blocks = [block for block in blocks if not uses.search(block)]
    # One program: the other blocks read what the first has written.
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(blocks)], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_what_the_readme_writes_is_ignored_by_git() -> None:
    for block in code_blocks("sh"):
        for folder in re.findall(r"--out (\S+)", block):
            ignored = subprocess.run(
                ["git", "check-ignore", "--quiet", f"{folder}/file"], cwd=ROOT, check=False
            )
            assert ignored.returncode in (0, 128), folder  # 128: not a checkout of git
