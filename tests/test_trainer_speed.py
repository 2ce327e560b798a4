"""Promise: a reader's trainer has its place among the stages, and its lines with most time."""

import shlex
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

import bpe_lab
from bpe_lab.bench.child_program import Sampler
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.trials import trainer_program
from bpe_lab.trials.outcome import Outcome
from bpe_lab.trials.running import (
    CommandTrainer,
    FileTrainer,
    FunctionTrainer,
    Line,
    Measured,
)
from bpe_lab.trials.speed import Beside, Speed, measure, not_measured
from bpe_lab.trials.texts import Text

COUNTING = {"regex": 0.1, "native": 0.01}


def run(seconds: float, *lines: Line) -> Measured:
    return Measured(Outcome(), seconds, 50_000_000, lines)


def beside(**seconds: float) -> list[Beside]:
    """Stages whose whole job takes so many seconds with `regex`; of a negative one, over these."""
    return [
        Beside(stage, COUNTING, dict.fromkeys(PHASES, 0.0) | {"update": abs(one) - 0.1}, one > 0)
        for stage, one in seconds.items()
    ]


STAGES = {"core": 0.2, "max_heap": 0.4, "inverted_index": 0.8, "pair_table": -4.0}


def test_it_stands_between_stages() -> None:
    table = Speed("mine", {64_000: run(2.5)}, beside(**STAGES)).parts()[2]
    rows = [line.split("|")[1].strip(" `*") for line in table.splitlines()[2:]]
    assert rows == ["pair_table", "mine", "inverted_index", "max_heap", "core"]
    assert "over 4.00 s" in table


STEPS = {  # stage: seconds of choosing, and of the rest of merging
    "core": (0.001, 0.01),
    "max_heap": (0.01, 0.3),
    "inverted_index": (0.4, 0.31),
    "pair_table": (0.4, 1.1),
}
NEXT = {
    "best = max(pairs, key=pairs.get)": "`max_heap`, notebook 04",
    "for word in words:": "`pair_table`, notebook 03",
    "for match in PATTERN.finditer(text):": "Count each distinct string once",
}


def next_of(source: str, share: float) -> str:
    stages = [
        Beside(stage, COUNTING, {"select": select, "update": update}, True)
        for stage, (select, update) in STEPS.items()
    ]
    line = Line("/home/me/mine.py", 7, "train", source, share)
    return Speed("mine", {64_000: run(2.5, line)}, stages).parts()[-1]


@pytest.mark.parametrize("source", NEXT)
def test_what_is_next_is_the_next_step_where_its_time_goes(source: str) -> None:
    said = next_of(source, 0.7)
    assert said.startswith(f"**What next?** {NEXT[source]}")
    assert said.endswith("Look at mine.py:7 first: it takes 70% of the time.")


def hot(until: float) -> int:
    number = 0
    while perf_counter() < until:
        number += 1
    return number


def lets_others_run(until: float) -> None:
    while perf_counter() < until:
        time.sleep(0)


def test_the_lines_of_its_own_code_have_shares_and_waiting_is_one_row() -> None:
    sampler, begun = Sampler(), perf_counter()
    with sampler:
        hot(begun + 0.4)
        # A thread that looks would see nothing but a line like this one, which gives up the GIL.
        lets_others_run(begun + 0.5)
        # What a library does is of the line that called it, but for waiting for other processes.
        while sampler.seen.get(("", 0, ""), 0) < 0.05:
            subprocess.run([sys.executable, "-S", "-c", "pass"], check=True)
    lines = sampler.lines()
    assert sum(line[-1] for line in lines) == pytest.approx(1)
    of = {name: sum(line[-1] for line in lines if line[2] == name) for _, _, name, _, _ in lines}
    assert of["hot"] > 1.5 * of.get("lets_others_run", 0)
    loop = {"while perf_counter() < until:", "number += 1"}
    assert {line[3] for line in lines if line[2] == "hot"} <= loop
    assert [line[:4] for line in lines if not line[0]] == [["", 0, "", ""]]


@pytest.mark.filterwarnings("ignore:no pair is left")
def test_what_is_measured_is_of_one_call_in_a_fresh_process() -> None:
    calls: list[Any] = []

    def counts_calls(path: str, vocab_size: int, special_tokens: list[str]) -> Any:
        calls.append(path)
        vocab, merges = bpe_lab.train_bpe(path, vocab_size, special_tokens, stage="max_heap")
        return vocab, merges[: len(merges) // len(calls)]

    trainer = FunctionTrainer(counts_calls)
    try:
        found = measure(trainer, 60, sizes=(1_000, 2_000))
    finally:
        trainer.close()
    assert found is not None and [*found.runs] == [1_000, 2_000]
    # The second call of a process would make half of the merges.
    right = bpe_lab.train(bpe_lab.corpora.excerpt("stories", 2_000), 2_000).merges
    assert [*found.runs[2_000].outcome.merges] == right
    assert found.beside[0].stage == "core" and calls == []
    slower = len(found.beside) - len(found.faster())
    assert slower <= 1, "behind the first that is slower none is run"


def test_a_trainer_that_needs_too_long_is_measured_as_far_as_it_gets() -> None:
    def slow(path: str, vocab_size: int, special_tokens: list[str]) -> Any:
        if Path(path).stat().st_size > 1_000:
            raise MemoryError
        return bpe_lab.train_bpe(path, vocab_size, special_tokens)

    with closing(FunctionTrainer(slow)) as trainer:
        found = measure(trainer, 600, sizes=(1_000, 2_000, 3_000))
        failed = measure(trainer, 600, sizes=(2_000,))
    assert isinstance(found, Speed) and [*found.runs] == [1_000]
    assert isinstance(failed, Outcome)
    assert "stories it raises `MemoryError` in `slow`" in not_measured(failed, 600)


HOLDS = "held = b'x' * 40_000_000"
LARGE = {
    "mine.py": f"def train_bpe(input_path, vocab_size, special_tokens):\n    {HOLDS}\n"
    "    return {}, []",
    "mine.sh": f'{shlex.quote(sys.executable)} -S -c "import time; {HOLDS}; time.sleep(0.2)"\n'
    """echo '{"merges": []}' > $2""",
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a process may tell our peak")
@pytest.mark.parametrize("name", LARGE)
def test_the_peak_is_of_its_largest_process_and_not_ours(name: str, tmp_path: Path) -> None:
    ours = b"x" * 150_000_000
    file = tmp_path / name
    file.write_text(LARGE[name])
    is_command = file.suffix == ".sh"
    command = f"sh {file} {{text}} {{out}}"
    with closing(CommandTrainer(command) if is_command else FileTrainer(f"{file}")) as trainer:
        found = trainer.measure(Text("a pair", "", 5, b"ab"), 60)
    assert not found.outcome.failed and found.peak is not None
    assert 40_000_000 < found.peak < len(ours)


def test_the_program_of_its_process_needs_the_standard_library_only() -> None:
    code = (
        "import sys; before = set(sys.modules)\n"
        f"sys.path.insert(0, {str(trainer_program.__file__).rpartition('/')[0]!r})\n"
        "import trainer_program\n"
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(new - set(sys.stdlib_module_names)))"
    )
    command = [sys.executable, "-I", "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['trainer_program']\n"
