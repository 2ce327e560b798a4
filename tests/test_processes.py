"""Promise: however a program ends, no process that it started is left; a forked child can work."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import pytest

from bpe_lab import corpora, count_words
from bpe_lab.bench.child import Child
from bpe_lab.bench.suites import peers

SLEEP = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "execution_count": None,
         "source": "import time; time.sleep(600)"}  # fmt: skip
NOTEBOOK = {"cells": [SLEEP], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


class Program(NamedTuple):
    """A program, and the words of the processes that it starts."""

    words: str
    """After `python`; TEXT, NOTEBOOK and OUT stand for paths."""

    starts: list[str]


THREADS = ["resource_tracker", "spawn_main", "spawn_main"]
MEASURED = "child_program.py"

POOL = """
if __name__ == "__main__":
    from bpe_lab.bench.suites.negative.stages import PooledMaximum
    stage = PooledMaximum({b"low": 1}, [bytes([byte]) for byte in range(256)], threads=2)
    input()
"""
EXECUTE = """
import sys
from pathlib import Path
from bpe_lab.bench.notebooks import executed
executed(Path(sys.argv[1]), {})
"""

BENCH = "-m bpe_lab bench --out OUT"
PROGRAMS = {
    "a training": Program(
        "-m bpe_lab train TEXT --vocab-size 300 --counter regex_parallel --threads 2", THREADS
    ),
    "a pool for the maximum": Program(f"-c {shlex.quote(POOL)}", THREADS),
    "a value with workers": Program(
        f"{BENCH} threads --case 'counter regex_parallel, 2' --file TEXT", [MEASURED, *THREADS]
    ),
    "a value of another trainer": Program(
        f"{BENCH} peers --case 'bpe_lab, *' --repeats 9 --file TEXT", [MEASURED]
    ),
    "a value": Program(f"{BENCH} threads --case 'whole job, core, 1' --file TEXT", [MEASURED]),
    "a notebook": Program(f"-c {shlex.quote(EXECUTE)} NOTEBOOK", ["ipykernel"]),
}


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[Program], subprocess.Popen[bytes]]]:
    """Start a program and return when all that it is to start is there."""
    text, notebook = tmp_path / "text.txt", tmp_path / "sleep.ipynb"
    text.write_bytes(corpora.path("stories").read_bytes() * 6)
    notebook.write_text(json.dumps(NOTEBOOK))
    paths = {"TEXT": str(text), "NOTEBOOK": str(notebook), "OUT": str(tmp_path / "out")}

    started: list[subprocess.Popen[bytes]] = []

    def begin(program: Program) -> subprocess.Popen[bytes]:
        words = [paths.get(word, word) for word in shlex.split(program.words)]
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        running = subprocess.Popen([sys.executable, *words], stdin=pipe, stdout=null, stderr=pipe)
        started.append(running)
        deadline = time.monotonic() + 60
        while not have_started(program, running):
            assert running.poll() is None, running.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return running

    yield begin
    for running in started:
        running.kill()
        running.communicate(timeout=60)  # a child that goes on holds the pipe


def have_started(program: Program, running: subprocess.Popen[bytes]) -> bool:
    """Tell whether each process that is to be started is there."""
    lines = []
    for child in psutil.Process(running.pid).children(recursive=True):
        with contextlib.suppress(psutil.Error):
            lines.append(" ".join(child.cmdline()))
    seen = Counter(word for line in lines for word in {*program.starts} if word in line)
    return seen >= Counter(program.starts)


def check_that_all_end(running: subprocess.Popen[bytes], number: int) -> None:
    children = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(number)
    try:
        check_that_they_have_ended(children)
    finally:
        running.communicate(timeout=60)


def check_that_they_have_ended(children: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(children, timeout=60)
    # A process that has ended stays in the list of processes until its parent takes notice.
    left = [child for child in alive if child.status() != psutil.STATUS_ZOMBIE]
    for child in left:
        child.kill()
    assert left == []


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_is_left_of_what_an_ended_program_started(
    name: str, start: Callable[[Program], subprocess.Popen[bytes]]
) -> None:
    number = signal.SIGINT if name == "a value" else signal.SIGKILL
    check_that_all_end(start(PROGRAMS[name]), number)


def test_the_process_of_another_trainer_has_imported_nothing_of_ours(tmp_path: Path) -> None:
    file = tmp_path / "functions.py"
    returns = "runpy.run_path(program) and list(sys.modules)"
    file.write_text(f"import runpy, sys\ndef names(program): return {returns}\n")
    program = peers.TRAIN.rpartition(":")[0]
    with Child() as child:
        names = child.call(f"{file}:names", {"program": program})
    assert "json" in names
    assert "bpe_lab" not in names


def test_workers_are_not_forked_and_run_functions_of_the_package(
    write_text: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The hang itself depends on the compiler's OpenMP, so the cause is asserted, not the effect.
    modules: list[str] = []
    start = SpawnProcess.start

    def watched(process: Any) -> None:
        modules.append(process._target.__module__)
        start(process)

    monkeypatch.setattr(SpawnProcess, "start", watched)
    count_words(write_text("low low"), [], counter="regex_parallel", threads=2)
    # All of them are spawned, and none runs __main__: a notebook's own functions fail.
    assert modules and all(module.startswith("bpe_lab.") for module in modules)


# A child that was forked has none of its parent's threads, and must not wait for them.

FORKED = """
import multiprocessing, os, sys, warnings
warnings.simplefilter("ignore")
import bpe_lab
from bpe_lab import native
from bpe_lab.experiments import ablations

path = bpe_lab.corpora.path("stories")
words = bpe_lab.count_words(path)
vocab = [bytes([byte]) for byte in range(256)]

def merged(stage):
    stage.count_pairs()
    return list(stage.run(256, 266, 60.0)[0])

# One part of each list for each thread: the pool of the core is used, and is kept with the stage.
def at_work():
    stage = ablations.CoreParts(words, vocab, threads=2)
    stage.count_pairs()
    stage.run(256, 258, 60.0)
    return stage

USES = {
    "train": lambda: bpe_lab.train(path, 260).merges,
    "count_words": lambda: sorted(bpe_lab.count_words(path, threads=2).items()),
    "encode_batch": lambda: tokenizer.encode_batch(["low slow" * 9_999] * 9, threads=2),
    "OpenmpScan": lambda: merged(ablations.OpenmpScanAlways(words, vocab, threads=2)),
    "CppPositions": lambda: merged(native.CppPositions(words, vocab, threads=2)),
    "CoreParts": lambda: merged(ablations.CoreParts(words, vocab, threads=2)),
    "an older stage": lambda: list(kept.run(258, 262, 60.0)[0]),
}
tokenizer = bpe_lab.train_from_counts(words, 300).tokenizer()

for other in USES.values():
    if other is not USES["an older stage"]:
        other()
reader, writer = os.pipe()
def child():
    os.write(writer, b"%d" % hash(repr(use()).encode()))
    if use is USES["an older stage"]:
        globals().pop("kept")  # its pool must not wait for threads either

def fork():
    if (number := os.fork()) == 0:
        child()
        os._exit(0)
    assert os.waitpid(number, 0)[1] == 0

def pool():
    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join()
    assert process.exitcode == 0

for way in (fork, pool):
    kept = at_work()
    for name, use in USES.items():
        print(way.__name__, name, file=sys.stderr)
        way()
        assert os.read(reader, 100) == b"%d" % hash(repr(use()).encode())  # the parent works, too
"""


def test_a_forked_child_does_the_same_as_its_parent() -> None:
    command = [sys.executable, "-c", FORKED]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True) as running:
        try:
            _, said = running.communicate(timeout=120)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)  # the child, too, if it waits
    assert running.returncode == 0, said.decode()
