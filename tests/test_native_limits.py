"""Promise: whatever the settings and limits of the machine, what is compiled gives the same.

Or an error that says what is missing, with nothing changed.

Each test runs a program in a process of its own, whose settings it may change.
"""

import gzip
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab import corpora, native

RunPython = Callable[..., str]

TRAIN = """
import os, sys, bpe_lab
from bpe_lab import corpora
from bpe_lab.support.machine import available_cpus
if sys.argv[1] == "pinned":
    os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    assert available_cpus() == 1
path = corpora.path("languages")
for threads in (1, 4, None):
    for stage in ("core", "openmp_scan", "cpp_positions"):
        print(bpe_lab.train(path, 500, stage=stage, threads=threads).merges_sha256)
"""


@pytest.mark.parametrize(
    "setting", ["pinned", "OMP_NUM_THREADS=3", "OMP_THREAD_LIMIT=1", "OMP_DYNAMIC=true"]
)
def test_no_setting_of_openmp_and_no_lack_of_processors_changes_a_merge(
    setting: str, run_python: RunPython
) -> None:
    if setting == "pinned" and not hasattr(os, "sched_setaffinity"):
        pytest.skip("no affinity here")
    path = corpora.path("languages")
    expected = bpe_lab.train(path, 500, stage="max_heap", counter="regex").merges_sha256
    environment = dict([setting.split("=")]) if "=" in setting else {}
    assert set(run_python(TRAIN, setting, **environment).split()) == {expected}


LOADED = """
import importlib, os, sys
os.dup2(1, 2)  # where OpenMP says its settings
importlib.import_module(sys.argv[1])
print(os.environ.get("OMP_WAIT_POLICY"))
"""


@pytest.mark.skipif(not native.openmp_version(), reason="one thread does all the work")
@pytest.mark.parametrize(
    ("module", "chosen"),
    [("training.api", "active")]
    + [(one, None) for one in ("training.api", "tokenizer.tokenizer", "experiments.pieces")],
)
def test_threads_of_openmp_sleep_while_they_wait(
    module: str, chosen: str | None, run_python: RunPython, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    setting = {"OMP_WAIT_POLICY": chosen} if chosen else {}
    said = run_python(LOADED, f"bpe_lab.{module}", OMP_DISPLAY_ENV="true", **setting)
    [policy] = re.findall(r"OMP_WAIT_POLICY *= *'(\w+)'", said)
    assert policy == (chosen or "passive").upper()
    assert said.split()[-1] == str(chosen)  # other libraries and processes see no change


TRAINS = """
import os, signal, sys, time, bpe_lab
from pathlib import Path
from bpe_lab import corpora, native
from bpe_lab.experiments import ablations, pieces
from bpe_lab.tokenizer.merges import first_vocab

def train(stage_class, n_pairs, threads=3):
    counts = {pair.to_bytes(2, "big"): 1 + pair % 9 for pair in range(n_pairs)}
    stage = stage_class(counts, first_vocab([]), threads=threads)
    stage.count_pairs()
    stage.run(256, 266, 1e9)
    return stage
"""

N_THREADS = f"""{TRAINS}
for use in sys.argv[1:]:
    eval(use)
    print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no way to count the threads")
@pytest.mark.skipif(not native.openmp_version(), reason="one thread does all the work")
def test_threads_are_woken_for_large_tables_only(run_python: RunPython) -> None:
    # OpenMP keeps the threads of its first region: where there are none, there was no region.
    count = "bpe_lab.count_words(corpora.path('{}'), threads=3)"
    for small, large in (
        ("train(native.OpenmpScan, 5_000)", "train(native.OpenmpScan, 60_000)"),
        ("train(native.CppPositions, 5_000)", "train(native.CppPositions, 60_000)"),
        ("None", "train(ablations.OpenmpScanAlways, 50)"),
        (count.format("worked_example"), count.format("stories")),
    ):
        assert run_python(N_THREADS, small, large) == "1\n3\n", large


HEARD_BY = (
    TRAINS
    + """
USES = {
    "count_words": lambda: bpe_lab.count_words(corpora.path("stories"), threads=threads),
    "OpenmpScan": lambda: train(native.OpenmpScan, 60_000, threads),
    "CppPositions": lambda: train(native.CppPositions, 60_000, threads),
    "select": lambda: pieces.select_pairs("scan", "flat", 9_999, 3, threads, "dynamic"),
    "CoreParts": lambda: train(ablations.CoreParts, 5_000, threads),
}
ended_by = {signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGALRM, signal.SIGUSR1}

def blocked(thread):
    while True:
        try:
            lines = Path("/proc/self/task", thread, "status").read_text().splitlines()
        except OSError:  # it has ended
            return []
        facts = dict(line.split(":", 1) for line in lines)
        if facts["State"].split()[0] == "S":  # at first the system itself blocks some
            return [int(facts["SigBlk"], 16)]
        time.sleep(0.001)

# Each starts one thread more than the one before: OpenMP keeps those it has.
for threads, (name, use) in enumerate(USES.items(), 2):
    before, kept = set(os.listdir("/proc/self/task")), use()
    new = set(os.listdir("/proc/self/task")) - before
    masks = [mask for thread in new for mask in blocked(thread)]
    hear = [mask for mask in masks if any(not mask >> (one - 1) & 1 for one in ended_by)]
    deaf_to_faults = [mask for mask in masks if mask >> (signal.SIGSEGV - 1) & 1]
    print(name, len(masks) > 0, hear, deaf_to_faults, signal.pthread_sigmask(0, []) or "{}")
"""
)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no way to see the threads")
@pytest.mark.skipif(not native.openmp_version(), reason="one thread does all the work")
def test_no_signal_comes_to_a_thread_of_compiled_code(run_python: RunPython) -> None:
    # After Ctrl-Z, `kill %1` one that waits would take it, and Python's own thread went on.
    names = ["count_words", "OpenmpScan", "CppPositions", "select", "CoreParts"]
    told = run_python(HEARD_BY).splitlines()
    assert told == [f"{name} True [] [] {{}}" for name in names]


ROOM = """
import resource
from pathlib import Path

def leave(room):
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
"""


@pytest.mark.skipif(not native.openmp_version(), reason="one thread does all the work")
@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process as Linux has them")
def test_threads_that_cannot_be_started_are_an_exception(run_python: RunPython) -> None:
    program = """
import bpe_lab
from bpe_lab import corpora
path = corpora.path("languages")
leave(300_000_000)  # for the stacks of a few threads, not of a thousand
try:
    bpe_lab.count_words(path, threads=1_000, block_bytes=10)
except RuntimeError as error:
    print(error)
print(len(bpe_lab.count_words(path, threads=2)))
"""
    message, n_words = run_python(ROOM + program).splitlines()
    assert "of 1000 threads: ask for fewer" in message
    assert int(n_words) == len(bpe_lab.count_words(corpora.path("languages")))


@pytest.mark.skipif(not native.openmp_version(), reason="one thread does all the work")
@pytest.mark.skipif(sys.platform != "linux", reason="stacks are looked at with glibc only")
def test_a_stack_that_is_too_small_is_an_exception(run_python: RunPython) -> None:
    program = """
import bpe_lab
from bpe_lab import corpora
for threads in (2, 1):
    try:
        print(len(bpe_lab.count_words(corpora.path("languages"), threads=threads, block_bytes=99)))
    except RuntimeError as error:
        print(error)
"""
    message, n_words = run_python(program, OMP_STACKSIZE="16k").splitlines()
    assert re.match("the stack of a thread of OpenMP has only 16 kB: set OMP_STACKSIZE=1M", message)
    assert n_words == run_python(program, OMP_STACKSIZE="128k").split()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process as Linux has them")
def test_a_table_that_finds_no_memory_stays_as_it_was(run_python: RunPython) -> None:
    program = """
from bpe_lab.native import WordTable
table, huge = WordTable(), b"h" * 300_000_000
leave(30_000_000)
for n_words in range(10_000_000):  # until some slots must be twice as many
    word = n_words.to_bytes(4, "big")
    try:
        table.add(word, 1)
    except MemoryError:
        break
print(len(table) - n_words, table.count(word))
try:
    table.add(huge, 1)
except MemoryError:
    print(len(table) - n_words, table.count(huge))
leave(1 << 30)
table.add(word, 1)
print(len(table) - n_words, table.count(word), sum(1 for _ in table) - n_words)
"""
    assert run_python(ROOM + program).split() == ["0", "0", "0", "0", "1", "1", "1"]


@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
def test_more_files_than_may_be_open(tmp_path: Path, ending: str, run_python: RunPython) -> None:
    for number in range(200):
        pack = gzip.compress if ending.endswith("gz") else bytes
        (tmp_path / f"{number}.{ending}").write_bytes(pack(b"one word more "))
    program = """
import resource, sys
from pathlib import Path
import bpe_lab
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
counts = bpe_lab.count_words(sorted(Path(sys.argv[1]).iterdir()), threads=3, block_bytes=99)
print(counts[b" word"])
"""
    assert run_python(program, str(tmp_path)) == "200\n"
