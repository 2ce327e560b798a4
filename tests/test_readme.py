"""Promise: the README says the numbers of recorded runs, and its commands and programs run."""

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_lab.bench import recorded
from bpe_lab.bench.suites import peers
from bpe_lab.bench.suites.ladder import PHASE_COLUMNS, ladder_rows
from bpe_lab.commands.cli import parser
from bpe_lab.results.numbers import duration, duration_in_words, three_digits, two_digits
from bpe_lab.results.records import load
from bpe_lab.results.tables import time_cell

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "data" / "recorded"
LARGE = RECORDED / "experiments" / "peers.jsonl"


TABLES = {
    "README.md": "`core`",
    "book/numbers.md": "`core`",
    "book/published.md": "the core",
    "ext/README.md": "cells of 16 bits",
}


@pytest.mark.parametrize(("readme", "row"), TABLES.items())
def test_the_tables_are_made_from_the_recorded_results(readme: str, row: str) -> None:
    text = (ROOT / readme).read_text(encoding="utf-8")
    made = recorded.with_blocks(text, ROOT / "data" / "recorded" / "bench")
    assert made == text, "stale: run bpe_lab.bench.recorded (see its head)"
    assert f"| {row} |" in text


def first_screen() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return " ".join(text.partition("## Read")[0].split())


def test_the_headline_is_what_was_measured() -> None:
    rows = ladder_rows(load(RECORDED / "bench" / "ladder.jsonl"))
    naive, core = (rows.loc[rung] for rung in ("naive", "core, two threads"))
    assert naive["complete"] and core["complete"] and naive["digest"] == core["digest"]
    whole = naive["whole"].median / core["whole"].median
    numbers = [f"about {float(f'{whole:.0e}'):,.0f} times"]
    numbers += [duration_in_words(row["whole"].median) for row in (naive, core)]
    numbers += [duration(row[PHASE_COLUMNS].sum()) for row in (naive, core)]
    assert all(number in first_screen() for number in numbers), numbers
    ids, merges = f"{int(naive['vocab_size']):,} ids", f"{naive['n_merges']:,} merges"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"{ids}, {merges}." in text
    again = load(RECORDED / "experiments/ladder-again.jsonl").groupby("case")["seconds"].median()
    factor = two_digits(again["naive"] / again["core, two threads"])
    page = (ROOT / "book" / "numbers.md").read_text(encoding="utf-8")
    said = f"{factor} times as fast; in the README's table it is {three_digits(whole)}."
    assert said in " ".join(page.split())


def test_the_public_trainers_are_the_recorded_ones() -> None:
    text, records = first_screen(), load(LARGE)
    rows = peers.ratios(records).set_index("param_trainer")
    ours, others = rows.loc[peers.OURS], rows.drop(peers.OURS)
    assert others["complete"].all() and len(others) == 7 and {*rows["param_threads"]} == {2}
    fastest = others["ratio"].idxmin()
    [alike] = others.index[others["digest"] == ours["digest"]]
    assert f"it takes {ours['median']:.0f} s with two threads" in text
    assert f"`{fastest}`, takes {others['ratio'][fastest]:.0f} times as long" in text
    whole = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert (
        f"Only `{alike}` makes our merges, in {two_digits(others['ratio'][alike])} times the time"
        in whole
    )
    assert f"itself: {time_cell(ours)}, n {ours['values']})" in whole
    ns = {"rustbpe": 1, "tokenizers": 1, "bpeasy": 1}
    assert others["values"].to_dict() == {name: ns.get(name, 3) for name in others.index}
    small = peers.ratios(load(RECORDED / "bench" / "peers.jsonl"))
    small = small[(small["corpus_bytes"] > 1e6) & (small["param_trainer"] != peers.OURS)]
    for on, of_text in small.groupby("on"):
        best = of_text.loc[of_text["ratio"].idxmin()]
        assert f"{two_digits(best['ratio'])} times" in whole.partition("On smaller texts")[2]
        assert f"`{best['param_trainer']}`" in whole, on


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
        parser(given[0]).parse_intermixed_args(given[1:])


@pytest.mark.slow
def test_the_python_of_the_readme_runs(tmp_path: Path, run_python: Callable[..., str]) -> None:
    blocks = code_blocks("python")
    assert len(blocks) == 10
    # One program: the other blocks read what the first has written.
    run_python("\n".join(blocks), folder=tmp_path)
