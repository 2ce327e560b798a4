"""Promise: as many processors are used as we may use, a container's quota included."""

import os
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab import native
from bpe_lab.counting.api import MIN_THREAD_BYTES, plan_counting
from bpe_lab.counting.source import TextFile
from bpe_lab.results.machine_facts import commit, versions
from bpe_lab.support import machine
from bpe_lab.training.plan import Options, Plan


@pytest.mark.parametrize(
    ("quota", "expected"),
    [("max 100000", 64), ("200000 100000", 2), ("250000 100000", 3), ("1000 100000", 1),
     ("9900000 100000", 64), ("nonsense", 64), (None, 64)],
)  # fmt: skip
def test_the_quota_of_a_container_counts_rounded_up(
    quota: str | None, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(machine, "QUOTA", tmp_path / "cpu.max")
    if quota is not None:
        (tmp_path / "cpu.max").write_text(quota)
    assert machine.available_cpus() == expected


def test_a_build_without_openmp_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 0)
    train = partial(bpe_lab.train, bpe_lab.corpora.path("worked_example"), 258)
    with warnings.catch_warnings(action="error"):  # nobody asks for more, or not of OpenMP
        for threads in (None, 1):
            train(stage="openmp_scan", threads=threads)
        train(stage="core", threads=2)
    with pytest.warns(RuntimeWarning, match="brew install libomp.*apt-get install g"):
        train(stage="openmp_scan", threads=2)


@pytest.mark.filterwarnings("ignore:bpe_lab was compiled without OpenMP")
@pytest.mark.parametrize("openmp", [True, False])
def test_openmp_limits_only_what_uses_it(openmp: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 201511 * openmp)
    most = 3 if openmp else 1
    threads = {"core": 3, "openmp_scan": most, "cpp_positions": most, "cpp_scan": 1, "naive": 1}
    for stage, used in threads.items():
        assert Plan(Options(300, stage=stage, threads=3)).stage_threads == used, stage
    texts = [TextFile(bpe_lab.corpora.path("stories"))]
    assert plan_counting(threads=3).threads_for(texts) == most
    assert plan_counting(counter="regex_parallel", threads=3).threads_for(texts) == 3


def test_a_small_text_is_counted_by_one_thread(write_text: Callable[..., Path]) -> None:
    least, most = MIN_THREAD_BYTES, 8 if native.openmp_version() else 1
    for size, threads in ((150, 1), (2 * least - 1, 1), (2 * least, 2), (9 * least, 8)):
        texts = [TextFile(write_text(b"x" * size))]
        assert plan_counting(threads=8).threads_for(texts) == min(threads, most)


def test_a_record_names_its_versions_and_commit(tmp_path: Path) -> None:
    assert versions()["bpe_lab"] == bpe_lab.__version__
    assert commit(tmp_path) is None, "no checkout"
