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
