"""Promise: a function runs in a process of its own; however that ends, it is said, and nothing is
left."""

import contextlib
import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from bpe_lab.bench.child import Child, ChildEnded, ChildRaised, ChildTimeout

FUNCTIONS = """
import os, re, subprocess, sys, time

def names(): return [*sys.modules]
def pid(): return os.getpid()
def more(n): return len(bytearray(n))
def fails(x):
    return 1 / x
def ends(code):
    print("last words")
    os._exit(code)
def dies(number): os.kill(os.getpid(), number)
def closes():
    os.closerange(3, 100)
    time.sleep(60)
def starts():
    for apart in (False, True):
        print(subprocess.Popen(["sleep", "600"], start_new_session=apart).pid, flush=True)
    re.match("(a+)+b", "a" * 60)
def holds():
    large = b"a" * 200_000_000
    return lambda: len(large)
def works(seconds):
    end = time.time() + seconds
    while time.time() < end:
        sum(range(1000))
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "functions.py"
    path.write_text(FUNCTIONS)
    return str(path)


@pytest.fixture
def child() -> Iterator[Child]:
    with Child() as made:
        yield made


def test_one_process_serves_many_calls_and_imports_nothing_of_ours(child: Child, file: str) -> None:
    names = child.call(f"{file}:names", {})
    assert "json" in names
    assert not {"bpe_lab", "psutil", "numpy"} & {*names}
    first = child.call(f"{file}:pid", {})
    assert child.call(f"{file}:pid", {}) == first
    child.restart()
    assert child.call(f"{file}:pid", {}) != first
    assert child.call("os.path:basename", {"p": "a/b"}) == "b"


def test_an_exception_has_its_place(child: Child, file: str) -> None:
    with pytest.raises(ChildRaised, match="zero") as raised:
        child.call(f"{file}:fails", {"x": 0})
    assert raised.value.type == "ZeroDivisionError"
    assert raised.value.place == (file, 8, "fails", "return 1 / x")
    assert child.call(f"{file}:fails", {"x": 1}) == 1
    for function, params, noun in (
        ("no_such_module:f", {}, "no_such_module"),
        ("math:no_such_function", {}, "no_such_function"),
        ("math:sqrt", {"x": 1}, "keyword"),
        ("os:getcwdb", {}, "JSON"),
    ):
        with pytest.raises(ChildRaised, match=noun):
            child.call(function, params)


def test_how_its_process_ended_is_said(child: Child, file: str) -> None:
    for function, params, how in (
        ("ends", {"code": 3}, "exit code 3"),
        ("ends", {"code": 0}, "exit code 0"),
        ("dies", {"number": signal.SIGSEGV}, "SIGSEGV"),
        ("closes", {}, "connection"),
    ):
        with pytest.raises(ChildEnded, match=how) as ended:
            child.call(f"{file}:{function}", params, 30)
        assert ended.value.last == ("last words" if function == "ends" else "")
    assert child.call("os.path:basename", {"p": "a/b"}) == "b"


def waited_for(child: Child, text: str) -> None:
    while text not in child.printed():
        time.sleep(0.01)


def test_over_its_time_it_is_ended_with_all_that_it_started(child: Child, file: str) -> None:
    with pytest.raises(ChildTimeout, match="1 s"):
        child.call(f"{file}:starts", {}, 1.0)
    started = list(map(int, child.printed().split()))
    assert len(started) == 2 and not any(map(psutil.pid_exists, started))
    assert child.facts["process_seconds"] > 1


def test_where_it_was(child: Child, file: str) -> None:
    with pytest.raises(ChildTimeout) as late:
        child.call(f"{file}:works", {"seconds": 60}, 0.5)
    assert late.value.place
    assert late.value.place.function == "works"


def test_facts_about_a_call(child: Child, file: str) -> None:
    child.call(f"{file}:works", {"seconds": 0.3}, measure=True)
    assert child.facts["lines"][0][3] in ("sum(range(1000))", "while time.time() < end:")
    assert 0.3 < child.facts["seconds"] < child.facts["process_seconds"]
    assert child.facts["cpu_seconds"] > 0
    assert child.call(f"{file}:holds", {}) == 200_000_000
    assert 200 < child.facts["peak_rss_mb"] < 300
    assert sys.platform != "linux" or 195 < child.facts["peak_anonymous_mb"] < 300


def test_memory_has_a_limit(child: Child, file: str) -> None:
    assert child.call(f"{file}:more", {"n": 400_000_000}) == 400_000_000
    child.memory = 200_000_000
    with pytest.raises(ChildRaised, match="MemoryError") as raised:
        child.call(f"{file}:more", {"n": 4_000_000_000})
    assert raised.value.place and raised.value.place.function == "more"
    assert child.call(f"{file}:more", {"n": 1000}) == 1000


def test_a_function_of_this_process(child: Child) -> None:
    kept: list[int] = []

    def adds(number: int) -> Any:
        kept.append(number)
        return kept

    with Child(fork=True) as fork:
        assert [fork.call(adds, {"number": number}) for number in (1, 2)] == [[1], [1, 2]]
    assert kept == []


def test_a_program(child: Child, tmp_path: Path) -> None:
    assert child.run(["sh", "-c", "echo said; sleep 0.1; exit 3"]) == 3
    assert child.printed() == "said\n"
    assert 0.1 < child.facts["process_seconds"] < 60
    assert child.facts["peak_rss_mb"] > 0
    with pytest.raises(ChildTimeout):
        child.run(["sleep", "600"], 0.1)
    with pytest.raises(OSError, match="No such"):
        child.run([str(tmp_path / "none")])


PARENT = """
import sys
from bpe_lab.bench.child import Child
child = Child(fork=sys.argv[2] == "fork")
child.call(sys.argv[1] + ":starts", {})
"""


@pytest.mark.parametrize("how", ["fork", "fresh"])
def test_it_ends_with_its_parent(how: str, file: str) -> None:
    # The standard library's `re` keeps the GIL until it has an answer, as some trainers do.
    if sys.platform != "linux":
        pytest.skip("the kernel sends no signal for a closed pipe")
    parent = psutil.Popen([sys.executable, "-c", PARENT, file, how])
    while len(started := parent.children(recursive=True)) < 3:
        time.sleep(0.01)
    time.sleep(0.3)
    # Nobody is left who would end what has a session of its own.
    apart = [one.pid for one in started if os.getsid(one.pid) != os.getsid(started[0].pid)]
    parent.kill()
    parent.wait()
    in_its_session = [one for one in started if one.pid not in apart]
    _, alive = psutil.wait_procs(in_its_session, timeout=30)
    for one in started:
        with contextlib.suppress(psutil.NoSuchProcess):
            one.kill()
    assert alive == []


@pytest.mark.parametrize("version", ["3.8", "3.9", "3.13"])
def test_older_and_newer_interpreters(version: str, file: str) -> None:
    python = shutil.which(f"python{version}")
    if python is None or os.system(f"{python} -c 0 >{os.devnull} 2>&1"):
        pytest.skip(f"there is no Python {version}")
    with Child(python=python) as child:
        child.call(f"{file}:works", {"seconds": 0.1}, measure=True)
        assert child.facts["lines"]
