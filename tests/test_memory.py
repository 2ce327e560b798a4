"""Promise: lack of memory is one line that says what needed it and what helps."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")

LIMITED = """
import json, os, resource, sys
from pathlib import Path
import bpe_lab.training.api, bpe_lab.training.training
from bpe_lab import native
from bpe_lab.counting import regex_counter, regex_parallel_counter
from bpe_lab.commands.cli import main

def limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + megabytes * 10**6
    resource.setrlimit(resource.RLIMIT_AS, (most, most))

def limited_merging(*args, **options):
    limit()
    # Else a stage that cannot fit would not even begin.
    bpe_lab.training.training.available_memory = lambda: 10**12
    return merge_counts(*args, **options)

if __name__ == "__main__":
    merge_counts = bpe_lab.training.training.merge_counts
    for number, (what, megabytes, words) in enumerate(json.loads(sys.argv[1])):
        if child := os.fork():
            print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
            continue
        os.dup2(os.open(f"{number}.err", os.O_WRONLY | os.O_CREAT), 2)
        if what == "stage":
            bpe_lab.training.training.merge_counts = limited_merging
        else:
            limit()
        sys.exit(main([*words, "--quiet", "--out", f"out{number}"]))
"""

Case = tuple[str, int, list[str]]
"""What is limited, the counter or the stage; to how many MB more than it has; and by which words it
is chosen."""


def said_without_memory(folder: Path, cases: list[Case]) -> list[str]:
    """Train with a few MB above what the process has when it, or its stage, begins; return what is
    said in each case, "" where the memory was enough."""
    rng = random.Random(1)
    letters = bytes(97 + byte % 26 for byte in range(256))
    words = (rng.randbytes(14).translate(letters) for _ in range(200_000))
    (folder / "rare.txt").write_bytes(b" ".join(words))
    (folder / "limited.py").write_text(LIMITED)
    train = ["train", "rare.txt", "--vocab-size", "300", "--threads", "1"]
    given = json.dumps([(what, megabytes, train + words) for what, megabytes, words in cases])
    command = [sys.executable, "limited.py", given]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
    said = []
    for number, code in enumerate(done.stdout.split()):
        told = (folder / f"{number}.err").read_text()
        # It either has enough, or says in one line that it has not, and leaves nothing behind.
        assert (code, told.count("\n")) in (("0", 0), ("2", 1)), told
        assert (folder / f"out{number}").exists() == (code == "0")
        said.append(told)
    assert len(said) == len(cases), done.stderr
    return said


COUNTERS = [("native", 4), ("native", 12), ("regex", 4), ("regex", 20), ("regex_parallel", 45)]


def test_counting_without_memory_is_explained(tmp_path: Path) -> None:
    cases: list[Case] = [("counter", most, ["--counter", counter]) for counter, most in COUNTERS]
    for (counter, _), told in zip(COUNTERS, said_without_memory(tmp_path, cases), strict=True):
        assert re.fullmatch(
            rf"bpe-lab: error: counter '{counter}' ran out of memory in 3\.0 MB of files; [\d.]+ "
            rf"(MB|KB|bytes) were free when it began: use .*less text, or a machine with more "
            rf"memory\n",
            told,
        ), told


# With 12 MB, the last ones of a language come as far as their tables.
LATER = ("max_heap", "cython", "cpp_positions", "core")


def test_merging_without_memory_is_explained(tmp_path: Path) -> None:
    stages = [(one, 1) for one in bpe_lab.STAGES] + [(one, 12) for one in LATER]
    words = ["--time-budget", "0.1", "--stage"]
    cases: list[Case] = [("stage", megabytes, [*words, stage]) for stage, megabytes in stages]
    for (stage, megabytes), told in zip(stages, said_without_memory(tmp_path, cases), strict=True):
        assert (told == "" and megabytes > 1) or re.fullmatch(
            rf"bpe-lab: error: stage '{stage}' ran out of memory in the phase '\w+'; "
            rf"it needs about [\d.]+ MB, with [\d.,]+ GB free: use .*\n",
            told,
        ), told


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_counts_before_a_training_begins(name: str, run_python: Callable[..., str]) -> None:
    program = f"""
import resource
import bpe_lab
from bpe_lab.support.machine import available_memory
from bpe_lab.registry import load_stage
counts = bpe_lab.WordCounts({{b"%d" % number: 1 for number in range(100_000)}})
train = bpe_lab.train_from_counts  # loaded while there is room for it, as the stage is
load_stage("word_counts")
_, most = resource.getrlimit(resource.{name})
resource.setrlimit(resource.{name}, (10**9, most))
print(available_memory() < 10**9)
resource.setrlimit(resource.{name}, (10**6, most))
print(available_memory())
try:
    train(counts, 300, stage="word_counts")
except MemoryError as error:
    resource.setrlimit(resource.{name}, (most, most))
    print(error)
"""
    assert re.fullmatch(
        r"True\n0\nstage 'word_counts' needs about [\d.]+ MB, with 0 bytes free: use a machine "
        r"with more memory, or less text\n",
        run_python(program),
    )


def test_a_tokenizer_without_memory_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*args: object, **options: object) -> None:
        raise MemoryError

    training = bpe_lab.train_from_counts({b"low": 5}, 258, [])
    monkeypatch.setattr("bpe_lab.tokenizer.tokenizer.Tokenizer.__init__", no_memory)
    with pytest.raises(MemoryError, match=r"a tokenizer of 258 ids needs more memory .*: use a sm"):
        training.tokenizer()


def test_a_hook_without_memory_is_named() -> None:
    def hook(step: bpe_lab.MergeStep) -> None:
        raise MemoryError

    with pytest.raises(MemoryError, match="stage 'core' ran out of memory in the on_merge hook; "):
        bpe_lab.train_from_counts({b"low": 5}, 258, [], on_merge=hook)
