"""Promise: trainers are compared in fresh processes, on the same CPUs, from the same text, and what
is said of their words and ties is true.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab import corpora, machine
from bpe_lab.bench import core_figures, peers, process, runner, texts
from bpe_lab.bench.measures import peer_trainers
from bpe_lab.pretokenize import PATTERN
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.records import to_dataframe

pytest.importorskip("pandas")
pytest.importorskip("pyperf")

from bpe_lab.bench.suites import peers as suite

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
        pytest.skip(f"{name} is not installed: it is in the extra `peers`")
    _, ours = peers.measure(peers.OURS, text, 262, threads=1)
    made, tokens = peers.measure(name, text, 262, threads=1)
    assert made["n_merges"] == len(tokens) >= len(ours)
    assert peers.leading_equal(tokens, ours) >= 1
    if name == "ffbpe":
        assert tokens == ours


# One line without a special token: here every trainer that splits by the pattern finds our words.
ONE_LINE = " ".join(corpora.path("stories").read_text(encoding="utf-8")[:15_000].split()).replace(
    "<|endoftext|>", ""
)

Token = tuple[int, ...]
"""Bytes, or characters."""


peer_trainers.from_letters("a")
LETTER_NUMBERS = {byte: ord(letter) for letter, byte in peer_trainers.LETTERS.items()}

TIE_KEYS: dict[str, Callable[[tuple[Token, Token], dict[Token, int]], Any]] = {
    peers.GREATEST_BYTES: lambda pair, ids: pair,
    peers.BYTE_IDS: lambda pair, ids: [-ids.get(token, token[0]) for token in pair],
    peers.LETTER_IDS: lambda pair, ids: [
        -ids.get(token, LETTER_NUMBERS[token[0]]) for token in pair
    ],
    peers.FIRST_IN_TEXT: lambda pair, ids: 0,
    peers.SHORTEST: lambda pair, ids: (
        -len(pair[0] + pair[1]),
        [-(0x2581 if character == ord(" ") else character) for character in pair[0] + pair[1]],
    ),
}  # fmt: skip
"""Tie rule -> of pairs with the highest count, the one with the greatest key is merged; the first
of them in the text when keys are equal."""


N_MERGES = 100


@cache
def brute_force(characters: bool, ties: str) -> list[str]:
    """Train as the definition says, with a tie rule, and return the tokens in hexadecimal."""
    if characters:
        words = [tuple(map(ord, word)) for word in re.findall(" ?[^ ]+", ONE_LINE)]
    else:
        words = [tuple(word.encode()) for word in PATTERN.findall(ONE_LINE)]
    tokens = [([(symbol,) for symbol in word], n) for word, n in Counter(words).items()]
    ids: dict[Token, int] = {}
    for number in range(N_MERGES):
        counts: Counter[tuple[Token, Token]] = Counter()
        for word, n in tokens:
            for pair in pairwise(word):
                counts[pair] += n
        best = max(counts, key=lambda pair: (counts[pair], TIE_KEYS[ties](pair, ids)))
        ids[best[0] + best[1]] = 1_000 + number
        for word, _ in tokens:
            for place in range(len(word) - 1):
                if tuple(word[place : place + 2]) == best:
                    word[place : place + 2] = [best[0] + best[1]]
    return ["".join(map(chr, t)).encode().hex() if characters else bytes(t).hex() for t in ids]


@pytest.mark.parametrize("name", peers.PEERS)
def test_a_trainer_has_the_tie_rule_that_is_said(
    name: str, write_text: Callable[..., Path]
) -> None:
    if name not in peers.installed():
        pytest.skip(f"{name} is not installed: it is in the extra `peers`")
    characters = "by characters" in peers.PEERS[name].differs
    _, tokens = peers.measure(name, write_text(ONE_LINE), 257 + N_MERGES, threads=1)
    equal = {ties: peers.leading_equal(tokens, brute_force(characters, ties)) for ties in TIE_KEYS}
    assert [ties for ties in equal if equal[ties] == N_MERGES] == [peers.PEERS[name].ties], equal


@pytest.mark.parametrize("name", [name for name, peer in peers.PEERS.items() if not peer.differs])
def test_a_trainer_cuts_documents_where_we_do(name: str, write_text: Callable[..., Path]) -> None:
    if name not in peers.installed():
        pytest.skip(f"{name} is not installed: it is in the extra `peers`")
    # Without the cut, "!" and "?" or the two blanks would stand side by side, more often than "ab".
    text = write_text("!<|endoftext|>?ab  <|endoftext|>  " * 5 + "ab" * 2 + " -- " * 4)
    _, tokens = peers.measure(name, text, 260, threads=1)
    assert b"ab".hex() in tokens
    assert b"!?".hex() not in tokens
    assert not any(bytes.fromhex(token).startswith(b"   ") for token in tokens)
    assert {b"!<".hex(), b"<|".hex()}.isdisjoint(tokens)


def test_every_trainer_is_declared_and_written() -> None:
    for peer in peers.PEERS.values():
        assert callable(getattr(peer_trainers, peer.name))
        assert peer.splits and peer.ties


def test_the_pattern_is_the_same() -> None:
    assert PATTERN.pattern == peer_trainers.PATTERN


def test_a_training_over_its_limit_is_stopped(text: Path) -> None:
    made, tokens = peers.measure(peers.OURS, text, 270, threads=1, time_limit=0.001)
    assert made["seconds"] is None and made["stopped_after"] == 0.001 and tokens == []


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
def test_cpus_are_given_back() -> None:
    before = os.sched_getaffinity(0)
    with process.pinned(1):
        assert len(os.sched_getaffinity(0)) == 1
    assert os.sched_getaffinity(0) == before
    with pytest.raises(ValueError, match="CPUs are asked for"), process.pinned(len(before) + 1):
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


def test_a_stopped_training_is_a_lower_bound(text: Path) -> None:
    file = {"path": str(text), "name": "mine", "sha256": "0" * 64, "bytes": text.stat().st_size}
    request: dict[str, Any] = {"text": "mine", "text_bytes": 0, "vocab_size": 270, "file": file}
    made = peers.train_peer(trainer=peers.OURS, time_budget=0.001, **request)
    assert (made["stopped_by"], made["seconds"], made["n_merges"]) == ("time_budget", 0.001, 0)
    assert made["peak_rss_mb"] > 0 and made["cpu_seconds"] >= 0
    whole = peers.train_peer(trainer=peers.OURS, time_budget=60.0, **request)
    stamp = {"suite": "peers", "scale": "tiny", "round": 1, "code": "c", "agrees": "", "load": 0.0,
             "utc": "2025-01-01T00:00:00", "machine": machine_facts()}  # fmt: skip
    params = {"text": "mine", "text_bytes": 0, "vocab_size": 270, "time_budget": 1.0}
    records = to_dataframe(
        {**stamp, **one, "case": f"{trainer}, mine", "params": {**params, "trainer": trainer}}
        for trainer, one in ((peers.OURS, whole), ("tokenizers", {**made, "seconds": 1000.0}))
    )
    row = next(
        line for line in suite.table(records).splitlines() if line.startswith("| tokenizers")
    )
    assert "| > 1000.000 | > " in row
    assert "stopped" in row
    assert "Left out, not chosen" in suite.table(records) or "not installed" in suite.table(records)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no anonymous memory here")
def test_the_memory_of_a_record_is_that_of_the_trainer(tmp_path: Path) -> None:
    # A process beside it, which would hold pandas or our own training, has more than this trainer.
    records = runner.run_suite(
        suite.SUITE, tmp_path, scale="tiny", repeats=1, cases=["minbpe_style, small text"]
    )
    [one] = records.to_dict("records")
    assert 5 < one["anonymous_mb"] < 1.1 * one["peak_anonymous_mb"]
    assert one["peak_anonymous_mb"] < one["peak_rss_mb"] < 40


def test_trainers_that_are_not_installed_are_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    everything = {case.params["trainer"] for case in suite.cases("tiny")}
    monkeypatch.setattr(suite, "installed", lambda: [peers.OURS, "minbpe_style"])
    assert {case.params["trainer"] for case in suite.cases("tiny")} == {peers.OURS, "minbpe_style"}
    assert everything == set(peers.installed())
    said = suite.left_out([["gigabpe", "rustbpe"]], [peers.OURS, "minbpe_style"])
    assert "not installed: gigabpe, rustbpe (pip install gigabpe rustbpe)" in said
    assert "not chosen: tokenizers" in said


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


@pytest.mark.skipif(machine.available_cpus() < 2, reason="needs two CPUs")
def test_processes_at_once_are_records_of_their_own(text: Path) -> None:
    made = core_figures.run(text, [core_figures.Case("core", 270, 1, 1, at_once=2)])
    assert [one["at_once"] for one in made] == [2, 2]
    assert len({one["merges_sha256"] for one in made}) == 1
    (row,) = core_figures.markdown(made).splitlines()[2:]
    assert "| 1 | 2 |" in row and row.endswith("| 2 |")


def test_texts_are_the_same_each_time(text: Path) -> None:
    made = texts.repeated([text], 10 * text.stat().st_size, at_least=True)
    assert made == texts.repeated([text], 10 * text.stat().st_size, at_least=True)
    assert len(made) >= 10 * text.stat().st_size
    assert made.endswith(texts.SPECIAL_TOKEN.encode())
    assert b" " not in texts.minified_json(10_000) and len(texts.dna(1000)) == 1000
    json.loads(texts.minified_json(5_000).rpartition(b",{")[0] + b"]")
