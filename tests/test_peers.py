"""Promise: trainers are compared in fresh processes, on the same CPUs, from the same text."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab.bench import core_figures, peer_trainers, peers, texts
from bpe_lab.pretokenize import PATTERN

TEXT = "the lowest and the newest, the widest<|endoftext|>lower than the low  \n\n" * 20


@pytest.fixture
def text(write_text: Callable[..., Path]) -> Path:
    return write_text(TEXT)


def test_a_value_is_a_whole_training(text: Path, tmp_path: Path) -> None:
    out = tmp_path / "peers.jsonl"
    (made,) = peers.compare([text], 270, trainers=[], repeats=1, out=out)
    assert json.loads(out.read_text()) == made
    assert made["trainer"] == peers.OURS
    assert made["n_merges"] == made["leading_equal"] == 270 - 257
    assert made["version"] == bpe_lab.__version__
    assert 0 < made["import_seconds"] < made["seconds"] < made["process_seconds"]
    assert made["corpus"]["bytes"] == text.stat().st_size
    assert str(tmp_path) not in out.read_text()


def test_the_tokens_are_ours(text: Path) -> None:
    _, tokens = peers.measure(peers.OURS, text, 270, threads=1)
    merges = bpe_lab.train(text, 270).merges
    assert tokens == [(left + right).hex() for left, right in merges]


@pytest.mark.parametrize("name", [name for name in peers.PEERS if name != peers.OURS])
def test_an_installed_trainer_makes_merges(text: Path, name: str) -> None:
    if name not in peers.installed():
        pytest.skip(f"{name} is not installed: pip install 'bpe_lab[peers]'")
    _, ours = peers.measure(peers.OURS, text, 262, threads=1)
    made, tokens = peers.measure(name, text, 262, threads=1)
    assert made["n_merges"] == len(tokens) >= len(ours)
    assert peers.leading_equal(tokens, ours) >= 1
    if name == "ffbpe":
        assert tokens == ours


def test_every_trainer_is_declared_and_written() -> None:
    for peer in peers.PEERS.values():
        assert callable(getattr(peer_trainers, peer.name))
        assert peer.splits and peer.ties


def test_the_pattern_is_the_same() -> None:
    assert PATTERN.pattern == peer_trainers.PATTERN


def test_the_program_of_a_value_imports_nothing_of_ours() -> None:
    # Another trainer's time must not hold our imports.
    names = subprocess.run(
        [sys.executable, "-P", "-c", "import runpy, sys; "
         f"runpy.run_path({str(peers.PROGRAM)!r}); print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert "bpe_lab" not in names


def test_a_training_over_its_limit_is_stopped(text: Path) -> None:
    made, tokens = peers.measure(peers.OURS, text, 270, threads=1, time_limit=0.001)
    assert made["seconds"] is None and made["stopped_after"] == 0.001 and tokens == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
def test_cpus_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with peers.pinned(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
    with pytest.raises(ValueError, match="CPUs are asked for"), peers.pinned(len(before) + 1):
        pass


def test_the_table_has_medians_and_ratios() -> None:
    run = {
        "corpus": {"name": "low"}, "threads": 1, "trainer": peers.OURS, "version": "1",
        "seconds": 2.0, "process_seconds": 2.5, "n_merges": 3, "leading_equal": 3,
    }  # fmt: skip
    other = {**run, "trainer": "gigabpe", "seconds": 6.0}
    stopped = {**run, "trainer": "ffbpe", "seconds": None, "stopped_after": 10}
    table = peers.markdown([run, {**run, "seconds": 3.0}, {**run, "seconds": 2.2}, other, stopped])
    assert "| low | 1 | bpe_lab 1 | 2.200 | 1.00 | 45% |" in table
    assert "| low | 1 | gigabpe 1 | 6.000 | 2.73 |" in table
    assert "| > 10 | > 5 |" in table


def test_unknown_trainers_and_no_repeats_are_refused(text: Path) -> None:
    with pytest.raises(ValueError, match="unknown trainer 'nobody': known are bpe_lab"):
        peers.compare([text], 270, trainers=["nobody"])
    with pytest.raises(ValueError, match="repeats is 0"):
        peers.compare([text], 270, trainers=[], repeats=0)


def test_core_figures_are_records(text: Path, tmp_path: Path) -> None:
    case = core_figures.Case("core", 270, 1, 1)
    out = tmp_path / "core_figures.jsonl"
    (made,) = core_figures.run(text, [case], out=out)
    assert made["merges_sha256"] == bpe_lab.train(text, 270).merges_sha256
    assert core_figures.loop_seconds(made) > 0
    assert "`core`" in core_figures.markdown([made]) or "| core |" in core_figures.markdown([made])


def test_texts_are_the_same_each_time(text: Path) -> None:
    made = texts.repeated([text], 10 * text.stat().st_size, at_least=True)
    assert made == texts.repeated([text], 10 * text.stat().st_size, at_least=True)
    assert len(made) >= 10 * text.stat().st_size
    assert made.endswith(texts.SPECIAL_TOKEN.encode())
    assert b" " not in texts.minified_json(10_000) and len(texts.dna(1000)) == 1000
    json.loads(texts.minified_json(5_000).rpartition(b",{")[0] + b"]")
