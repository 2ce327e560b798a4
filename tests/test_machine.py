"""Promise: the machine is asked what this process may use of it, limits of containers included."""

import os
import re
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import bpe_lab
from bpe_lab import native
from bpe_lab.counting.plan import MIN_THREAD_BYTES, plan_counting
from bpe_lab.counting.source import TextFile
from bpe_lab.results import code_facts as code_facts_module
from bpe_lab.results.code_facts import code_facts
from bpe_lab.support import machine
from bpe_lab.training.plan import Plan


@pytest.fixture(autouse=True)
def many_processors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 64 processors and no limits, whatever runs the tests."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(machine, "_CGROUPS", tmp_path)
    monkeypatch.setattr(machine, "_OWN_CGROUP", tmp_path / "own")


@pytest.fixture
def limit(tmp_path: Path) -> Callable[[str, dict[str, str]], None]:
    """Write which control groups are ours, and the files of control groups."""

    def write(own: str, files: dict[str, str]) -> None:
        for name, content in {"own": own, **files}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content)

    return write


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 64), ("200000 100000", 2), ("250000 100000", 3), ("1000 100000", 1),
     ("9900000 100000", 64), ("", 64), ("nonsense", 64)],
)  # fmt: skip
def test_the_limit_of_a_container_counts_rounded_up(quota: str, expected: int, limit: Any) -> None:
    assert machine.available_cpus() == 64
    limit("0::/\n", {"cpu.max": quota})
    assert machine.available_cpus() == expected


def test_the_narrowest_of_nested_limits_counts_and_what_is_not_seen_does_not(limit: Any) -> None:
    limits = {"a/cpu.max": "300000 100000", "a/b/cpu.max": "500000 100000", "c/cpu.max": "1 1"}
    for group, most in {"a": "3000", "a/b": "5000", "c": "1001"}.items():
        limits |= {f"{group}/memory.max": most, f"{group}/memory.current": "1000"}
        limits[f"{group}/memory.stat"] = "inactive_file 0\nactive_file 0\n"
    limit("0::/a/b\n", limits)
    assert (machine.available_cpus(), machine.available_memory()) == (3, 2_000)
    # A group of the host.
    limit("0::/docker/abc\n", {"cpu.max": "400000 100000"})
    assert machine.available_cpus() == 4


@pytest.mark.parametrize(("quota", "expected"), [("-1", 64), ("150000", 2)])
@pytest.mark.parametrize("mount", ["cpu,cpuacct", "cpu"])
def test_version_1_limits_count(quota: str, expected: int, mount: str, limit: Any) -> None:
    files = {
        f"{mount}/job/cpu.cfs_quota_us": quota,
        f"{mount}/job/cpu.cfs_period_us": "100000\n",
        "memory/job/memory.limit_in_bytes": "5000\n",
        "memory/job/memory.usage_in_bytes": "4000\n",
        "memory/job/memory.stat": "inactive_file 9\ntotal_inactive_file 70\ntotal_active_file 5\n",
    }
    limit("5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n", files)
    assert (machine.available_cpus(), machine.available_memory()) == (expected, 1_075)


@pytest.mark.parametrize(
    ("most", "expected"),
    [("1000000", 700_000), ("max", None), ("300000", 0), ("nonsense", None), (str(2**62), None)],
)
def test_the_memory_of_a_container_counts_and_pages_of_files_are_free(
    most: str, expected: int | None, limit: Any
) -> None:
    # After a corpus was read, nearly all memory of a container is pages of its file.
    free = machine.available_memory()
    stat = "anon 300000\ninactive_file 60000\nactive_file 40000\n"
    files = {"memory.max": most, "memory.current": "400000", "memory.stat": stat}
    limit("0::/\n", files)
    found = machine.available_memory()
    assert found == (pytest.approx(free, rel=0.5) if expected is None else expected)


@pytest.mark.parametrize(
    ("system", "remedy"),
    {"linux": "apt-get install g[+][+]", "darwin": "brew install libomp"}.items(),
)
def test_a_build_without_openmp_names_the_remedy_once(
    system: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine, "sys", SimpleNamespace(platform=system))
    monkeypatch.setattr(native, "openmp_version", lambda: 0)
    machine._warn_without_openmp.cache_clear()
    train = partial(bpe_lab.train, bpe_lab.corpora.path("worked_example"), 258)
    with warnings.catch_warnings(action="error"):  # nobody asks for more, or not of OpenMP
        for threads in (None, 1):
            train(stage="openmp_scan", threads=threads)
        train(stage="core", threads=2)
    with pytest.warns(RuntimeWarning, match=remedy) as said:
        for _ in range(2):
            train(stage="openmp_scan", threads=2)
    assert len(said) == 1
    machine._warn_without_openmp.cache_clear()


@pytest.mark.filterwarnings("ignore:bpe_lab was compiled without OpenMP")
@pytest.mark.parametrize("openmp", [True, False])
def test_openmp_limits_only_what_uses_it(openmp: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 201511 * openmp)
    most = 3 if openmp else 1
    threads = {"core": 3, "openmp_scan": most, "cpp_positions": most, "cpp_scan": 1, "naive": 1}
    for stage, used in threads.items():
        assert Plan(300, stage=stage, threads=3).stage_threads == used, stage
    texts = [TextFile(bpe_lab.corpora.path("stories"))]
    assert plan_counting(threads=3).threads_for(texts) == most
    assert plan_counting(counter="regex_parallel", threads=3).threads_for(texts) == 3


def test_a_small_text_is_counted_by_one_thread(write_text: Callable[..., Path]) -> None:
    least, most = MIN_THREAD_BYTES, 8 if native.openmp_version() else 1
    for size, threads in ((150, 1), (2 * least - 1, 1), (2 * least, 2), (9 * least, 8)):
        texts = [TextFile(write_text(b"x" * size))]
        assert plan_counting(threads=8).threads_for(texts) == min(threads, most)


def test_a_record_names_its_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = code_facts()
    assert facts["version"] == bpe_lab.__version__
    assert re.fullmatch(r"[0-9a-f]{12}", facts["native"] or "")
    # Where there is no checkout, a repository of somebody else around the package is not named.
    monkeypatch.setattr(code_facts_module, "PACKAGE", tmp_path / "bpe_lab")
    assert code_facts()["git"] is None and code_facts()["sources"] != facts["sources"]
