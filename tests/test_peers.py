"""Promise: trainers are compared in fresh processes, on the same CPUs, from the same text, and what
is said of their words and ties is true.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import pairwise, takewhile
from operator import eq
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab import corpora
from bpe_lab.bench import runner, texts
from bpe_lab.bench.suites import peers
from bpe_lab.bench.suites.peers import trainers as peer_trainers
from bpe_lab.results.records import Record, read_records
from bpe_lab.words.pretokenize import pretokenize

TEXT = "the lowest and the newest, the widest<|endoftext|>lower than the low  \n\n" * 20


@pytest.fixture
def text(write_text: Callable[..., Path]) -> Path:
    return write_text(TEXT)


def records_of(text: Path, out: Path, **options: Any) -> list[Record]:
    """Run a suite on a text and return its records as they stand in the file."""
    runner.run_suite(peers.SUITE, out, scale="tiny", file=texts.user_text(text), **options)
    return read_records(out / "peers.jsonl")


def trained(name: str, text: Path, vocab_size: int) -> dict[str, Any]:
    """Train with a trainer in a process of its own, and return the value with its tokens."""
    case = peers.case(name, text.stem, 0, vocab_size, 1, 60.0)
    stamp = {"scale": "tiny", "options": {}}
    return runner._measure(case, stamp, texts.user_text(text))


def skip_unless_installed(name: str) -> None:
    if name not in peers.installed():
        pytest.skip(f"{name} is not installed: it is in the extra `peers`")


def test_a_value_is_a_whole_training(text: Path, tmp_path: Path) -> None:
    [made] = records_of(text, tmp_path, cases=["bpe_lab*"], repeats=1, vocab_size=270)
    assert made["params"]["trainer"] == peers.OURS
    assert made["n_merges"] == made["leading_equal"] == 270 - 257
    assert made["version"] == bpe_lab.__version__
    assert 0 < made["seconds"] < made["process_seconds"]
    assert made["corpus"]["bytes"] == text.stat().st_size
    assert "tokens" not in made
    assert str(tmp_path) not in (tmp_path / "peers.jsonl").read_text()


# One line without a special token: here every trainer that splits by the pattern finds our words.
ONE_LINE = " ".join(corpora.path("stories").read_text(encoding="utf-8")[:8_000].split()).replace(
    "<|endoftext|>", ""
)

Token = tuple[int, ...]
"""Bytes, or characters."""

LETTER_NUMBERS = {byte: ord(letter) for letter, byte in peer_trainers.LETTERS.items()}

TIE_KEYS: dict[str, Callable[[tuple[Token, Token], dict[Token, int]], Any]] = {
    peers.GREATEST_BYTES: lambda pair, ids: pair,
    peers.BYTE_IDS: lambda pair, ids: [-ids.get(token, token[0]) for token in pair],
    peers.LETTER_IDS: lambda pair, ids: [
        -ids.get(token, LETTER_NUMBERS[token[0]]) for token in pair
    ],
    peers.SHORTEST: lambda pair, ids: (
        -len(pair[0] + pair[1]),
        [-(0x2581 if character == ord(" ") else character) for character in pair[0] + pair[1]],
    ),
}  # fmt: skip
"""Tie rule -> of pairs with the highest count, the one with the greatest key is merged."""

N_MERGES = 70


def leading_equal(tokens: list[str], others: list[str]) -> int:
    return sum(takewhile(bool, map(eq, tokens, others)))


@cache
def brute_force(characters: bool, ties: str) -> list[str]:
    """Train as the definition says, with a tie rule, and return the tokens in hexadecimal."""
    if characters:
        words = [tuple(map(ord, word)) for word in re.findall(" ?[^ ]+", ONE_LINE)]
    else:
        words = [tuple(word.encode()) for word in pretokenize(ONE_LINE)]
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
    skip_unless_installed(name)
    characters = "by characters" in peers.PEERS[name].differs
    made = trained(name, write_text(ONE_LINE), 257 + N_MERGES)
    tokens = made["tokens"]
    assert made["n_merges"] == len(tokens) >= N_MERGES
    equal = {ties: leading_equal(tokens, brute_force(characters, ties)) for ties in TIE_KEYS}
    assert [ties for ties in equal if equal[ties] == N_MERGES] == [peers.PEERS[name].ties], equal


@pytest.mark.parametrize("name", [name for name, peer in peers.PEERS.items() if not peer.differs])
def test_a_trainer_cuts_documents_where_we_do(name: str, write_text: Callable[..., Path]) -> None:
    skip_unless_installed(name)
    # Without the cut, "!" and "?" or the two blanks would stand side by side, more often than "ab".
    text = write_text("!<|endoftext|>?ab  <|endoftext|>  " * 5 + "ab" * 2 + " -- " * 4)
    tokens = trained(name, text, 260)["tokens"]
    assert b"ab".hex() in tokens
    assert b"!?".hex() not in tokens
    assert not any(bytes.fromhex(token).startswith(b"   ") for token in tokens)
    assert {b"!<".hex(), b"<|".hex()}.isdisjoint(tokens)


def test_a_trainer_that_is_stopped_is_a_lower_bound(text: Path, tmp_path: Path) -> None:
    made = records_of(text, tmp_path, cases=["bpe_lab*"], repeats=1, vocab_size=270, budget=0.01)[0]
    assert (made["stopped_by"], made["seconds"], made["n_merges"]) == ("time_budget", 0.01, 0)
    assert made["peak_rss_mb"] > 0 and made["process_seconds"] > 0.01
    assert (made["params"]["time_budget"], made["options"]["budget"]) == (0.01, 0.01)


def test_trainers_that_are_not_installed_are_left_out_and_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cases = peers.SUITE.chosen("tiny", {"file": "novel", "threads": [1, 2]})
    assert {case.params["trainer"] for case in cases} <= set(peers.installed())
    for case in cases:  # on the same CPUs, from the same text
        assert case.environment["OMP_NUM_THREADS"] == str(case.cpus) == str(case.params["threads"])
        assert case.compare_tokens_with.startswith("bpe_lab, novel")
    monkeypatch.setattr(peers, "installed", lambda: [peers.OURS])
    cases = peers.cases("tiny")
    assert {case.params["trainer"] for case in cases} == {peers.OURS}
    assert {"gigabpe", "rustbpe"} <= set(cases[0].facts["left_out"])
