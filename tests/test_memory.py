"""Promise: lack of memory is one line that says what needed it and what helps."""

import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="limits of a process as Linux has them"
)

LIMITED = """
import resource, sys
from pathlib import Path
import bpe_lab.training.api, bpe_lab.training.training
from bpe_lab import native
from bpe_lab.counting import regex_counter, regex_parallel_counter
from bpe_lab.commands.cli import main

def limit() -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + int(sys.argv[2]) * 10**6
    resource.setrlimit(resource.RLIMIT_AS, (most, most))

def limited_merging(*args, **options):
    limit()
    # Else a stage that cannot fit would not even begin.
    bpe_lab.training.training.available_memory = lambda: 10**12
    return merge_counts(*args, **options)

if __name__ == "__main__":
    if sys.argv[1] == "stage":
        merge_counts = bpe_lab.training.training.merge_counts
        bpe_lab.training.training.merge_counts = limited_merging
    else:
        limit()
    sys.exit(main(sys.argv[3:]))
"""


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of rare words: 3 MB of it hold 200,000 different ones."""
    rng = random.Random(1)
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    letters = bytes(97 + byte % 26 for byte in range(256))
    words = (rng.randbytes(14).translate(letters) for _ in range(200_000))
    path.write_bytes(b" ".join(words))
    return path


@pytest.fixture
def train(tmp_path: Path, corpus: Path) -> Run:
    """Run the command with a few MB above what the process has when it, or its stage, begins."""

    def run(what: str, megabytes: int, *words: str) -> subprocess.CompletedProcess[str]:
        program, out = tmp_path / "limited.py", tmp_path / "out"
        program.write_text(LIMITED)
        options = ["--vocab-size", "300", "--threads", "2", "--quiet", "--out", str(out), *words]
        done = subprocess.run(
            [sys.executable, str(program), what, str(megabytes), "train", str(corpus), *options],
            capture_output=True,
            text=True,
            timeout=120,
        )
        # It either has enough, or says in one line that it has not, and leaves nothing behind.
        if done.returncode == 0:
            assert (out / "tokenizer.bpe.json").exists()
        else:
            assert done.returncode == 2, done.stderr
            assert done.stderr.startswith("bpe-lab: error: ")
            assert done.stderr.count("\n") == 1, done.stderr
            assert [path.name for path in tmp_path.iterdir()] == ["limited.py"]
        return done

    return run


@pytest.mark.parametrize(
    ("counter", "megabytes"),
    [("native", 4), ("native", 12), ("regex", 4), ("regex", 20), ("regex_parallel", 45)],
)
def test_counting_without_memory_is_explained(counter: str, megabytes: int, train: Run) -> None:
    done = train("counter", megabytes, "--counter", counter, "--threads", "1")
    assert re.fullmatch(
        rf"bpe-lab: error: counter '{counter}' ran out of memory in 3\.0 MB of files; "
        rf"[\d.]+ (MB|KB|bytes) were free when it began: use .*less text, or a machine with more "
        rf"memory\n",
        done.stderr,
    ), done.stderr


# With 12 MB, the last ones of a language come as far as their tables.
LATER = ("max_heap", "cython", "cpp_positions", "core")


@pytest.mark.parametrize(
    ("stage", "megabytes"), [(one, 1) for one in bpe_lab.STAGES] + [(one, 12) for one in LATER]
)
def test_merging_without_memory_is_explained(stage: str, megabytes: int, train: Run) -> None:
    done = train("stage", megabytes, "--stage", stage, "--threads", "1", "--time-budget", "0.1")
    if megabytes == 1 or done.returncode:
        assert re.fullmatch(
            rf"bpe-lab: error: stage '{stage}' ran out of memory in the phase '\w+'; "
            rf"it needs about [\d.]+ MB, with [\d.,]+ GB free: use .*\n",
            done.stderr,
        ), done.stderr


@pytest.mark.parametrize("name", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_limit_of_the_process_counts_before_a_training_begins(
    name: str, run_python: Callable[..., str]
) -> None:
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
