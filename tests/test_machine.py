"""Promise: the machine is asked what this process may use of it, limits of containers included."""

import os
import warnings
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab import machine, native


@pytest.fixture(autouse=True)
def many_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 64 processors and no affinity, whatever runs the tests."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)


def cpus(root: Path, own: str, files: dict[str, str]) -> int:
    """Write the files of control groups, and ask."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (root / "own").write_text(own)
    return machine.available_cpus(root, root / "own")


@pytest.mark.parametrize(
    ("limit", "expected"),
    [("max 100000", 64), ("200000 100000", 2), ("250000 100000", 3), ("1000 100000", 1),
     ("9900000 100000", 64), ("", 64), ("nonsense", 64)],
)  # fmt: skip
def test_the_limit_of_a_container_counts_rounded_up(
    limit: str, expected: int, tmp_path: Path
) -> None:
    assert cpus(tmp_path, "0::/\n", {"cpu.max": limit}) == expected


def test_the_narrowest_of_nested_limits_counts(tmp_path: Path) -> None:
    limits = {"a/cpu.max": "300000 100000", "a/b/cpu.max": "500000 100000", "c/cpu.max": "1 1"}
    assert cpus(tmp_path, "0::/a/b\n", limits) == 3


def test_a_group_of_the_host_that_the_container_does_not_see_is_passed_over(tmp_path: Path) -> None:
    assert cpus(tmp_path, "0::/docker/abc\n", {"cpu.max": "400000 100000"}) == 4


@pytest.mark.parametrize(("quota", "expected"), [("-1", 64), ("150000", 2)])
@pytest.mark.parametrize("mount", ["cpu,cpuacct", "cpu"])
def test_version_1_limits_count(quota: str, expected: int, mount: str, tmp_path: Path) -> None:
    own = "5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n"
    files = {f"{mount}/job/cpu.cfs_quota_us": quota, f"{mount}/job/cpu.cfs_period_us": "100000\n"}
    assert cpus(tmp_path, own, files) == expected


def test_a_machine_without_control_groups_has_its_processors(tmp_path: Path) -> None:
    assert machine.available_cpus(tmp_path / "no", tmp_path / "nor this") == 64


def test_a_build_without_openmp_says_so_once_and_names_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(native, "openmp", lambda: False)
    machine.warn_without_openmp.cache_clear()
    path = bpe_lab.corpora.path("worked_example")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for threads in (None, 1):
            bpe_lab.train(path, 258, stage="openmp_scan", threads=threads)
        assert caught == []  # nobody asked for more
        for _ in range(2):
            bpe_lab.train(path, 258, stage="openmp_scan", threads=2)
    assert [warning.category for warning in caught] == [RuntimeWarning]
    assert "reinstall it with a compiler that has OpenMP" in str(caught[0].message)
    machine.warn_without_openmp.cache_clear()
