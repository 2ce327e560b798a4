"""Promise: a tokenizer that is extended keeps its ids, and goes on as if all merges were ours."""

import json
import random
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import reference
from test_stages_agree import is_too_large, random_corpus, reference_merges

import bpe_lab
from bpe_lab import native
from bpe_lab.commands.cli import main
from bpe_lab.experiments import ablations
from bpe_lab.stages.template import MyStage
from bpe_lab.tokenizer.merges import first_vocab

pytestmark = pytest.mark.filterwarnings("ignore:no pair is left")

Merge = tuple[bytes, bytes]

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
EST = [(b"s", b"t"), (b"e", b"st")]


def tokenizer_of(merges: Iterable[Merge], specials: Iterable[str] = ()) -> bpe_lab.Tokenizer:
    merges = list(merges)
    vocab = [*first_vocab(specials), *(left + right for left, right in merges)]
    return bpe_lab.Tokenizer(dict(enumerate(vocab)), merges, specials)


def extend(
    counts: Mapping[bytes, int], merges: Iterable[Merge], vocab_size: int = 1_256, **options: Any
) -> bpe_lab.Training:
    """Extend a tokenizer of some merges."""
    return bpe_lab.train_from_counts(counts, vocab_size, extend=tokenizer_of(merges), **options)


def goes_on(counts: Mapping[bytes, int], base: Iterable[Merge]) -> list[reference.CountedMerge]:
    return reference.train(counts, 1_256, base=base)


def test_on_the_same_words_and_on_others_it_goes_on_as_the_brute_force_does(stage: str) -> None:
    n_extended = 0
    for seed in range(12):
        counts, whole = random_corpus(seed), reference_merges(seed)
        if is_too_large(counts, stage):
            continue
        n_extended += 1
        n_kept = random.Random(seed).randint(0, len(whole))
        own = [merge for merge, _ in whole[:n_kept]]
        others = [merge for merge, _ in reference_merges(seed + 1)[:9]]
        # One call per merge, and many merges in one call.
        hook = (lambda step: None) if seed % 2 else None
        for base, expected in ((own, whole[n_kept:]), (others, goes_on(counts, others))):
            training = extend(counts, base, stage=stage, on_merge=hook)
            assert training.kept_merges == len(base)
            assert training.merges[: len(base)] == base
            made = list(zip(training.merges[len(base) :], training.trace.counts, strict=True))
            assert made == expected, (seed, counts, base)
            # `min_count` relies on it: the counts of the merges never rise.
            assert list(training.trace.counts) == sorted(training.trace.counts, reverse=True)
    assert n_extended > 6


def test_the_floor_of_the_core_follows_from_words_that_are_no_token_yet() -> None:
    # `ab` is one, and makes no merge: a floor of a million would be lowered again and again.
    training = extend({b"ab": 10**6, b"cd": 3, b"ce": 2}, [(b"a", b"b")], 258)
    assert training.merges[1:] == [(b"c", b"d")]
    assert training.operations["rebuilds"] == 0
    assert training.operations["heap_pushes"] == 1  # (c, e) is below the floor of 3


def test_cells_of_16_bits_are_enough_where_all_ids_are_below() -> None:
    for vocab_size in (65_534, 65_535, 100_000):
        merges = extend(COUNTS, EST, vocab_size).merges[2:]
        assert merges == [merge for merge, _ in goes_on(COUNTS, EST)]


def test_the_ids_of_a_public_vocabulary_are_kept(stage: str) -> None:
    # Bytes in an order of their own, a gap, special tokens in the middle and behind.
    shuffled = random.Random(2).sample(range(256), 256)
    vocab = {shuffled[byte]: bytes([byte]) for byte in range(256)}
    vocab |= {256: b"<a>", 300: b"est", 301: b"st", 400: b"<b>"}
    tokenizer = bpe_lab.Tokenizer(vocab, EST, {"<b>": 400, "<a>": 256})
    training = bpe_lab.train_from_counts(COUNTS, 263, extend=tokenizer, stage=stage)
    expected = [merge for merge, _ in reference.train(COUNTS, 256 + 5)]
    assert training.merges == expected
    new = {401 + rank: left + right for rank, (left, right) in enumerate(expected[2:])}
    assert training.vocab == {**vocab, **new}
    assert training.special_ids == {"<a>": 256, "<b>": 400}
    longer = training.tokenizer()
    assert longer.vocab == training.vocab
    assert longer.encode("low<b>est", allowed_special={"<b>"}) == [402, 400, 300]


def test_new_special_tokens_stand_before_the_new_merges_and_none_is_added_unasked() -> None:
    tokenizer = tokenizer_of([(b"s", b"t")], ["<a>"])
    expected = {"<a>": 256, "<n>": 258, "<m>": 259}
    training = bpe_lab.train_from_counts(COUNTS, 262, ["<n>", "<a>", "<m>"], extend=tokenizer)
    assert training.special_ids == training.tokenizer().special_ids == expected
    assert [training.vocab[number] for number in expected.values()] == [b"<a>", b"<n>", b"<m>"]
    assert training.merges == [merge for merge, _ in reference.train(COUNTS, 256 + 3)]
    assert sorted(training.vocab) == list(range(262))
    assert extend(COUNTS, EST[:1], 258).special_tokens == ()


def test_nothing_may_be_left_to_do(stage: str) -> None:
    training = extend(COUNTS, EST, 258, stage=stage)
    assert (training.merges, training.stopped_by) == (EST, "vocab_size")
    with pytest.warns(UserWarning, match="no pair is left"):
        extend({b"est": 3}, EST, 300, stage=stage)


def test_what_cannot_be_extended_is_refused() -> None:
    for more, merges, token in (
        # (a, a) comes first in `aaa`: its bytes are made (aa, a), and that might be merged.
        ([b"aa", b"aaa"], [(b"a", b"a"), (b"a", b"aa")], "id 257, b'aaa'"),
        # No merge makes it: (l, o) and (lo, w) might.
        ([b"low"], [], "id 256, b'low'"),
    ):
        tokenizer = bpe_lab.Tokenizer(dict(enumerate([*first_vocab([]), *more])), merges)
        with pytest.raises(ValueError, match=token):
            bpe_lab.train_from_counts(COUNTS, 300, extend=tokenizer)
    with pytest.raises(TypeError, match="extend"):
        bpe_lab.train_from_counts(COUNTS, 300, extend="folder")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="259"):
        extend(COUNTS, EST, 257, special_tokens=["<b>"])


def test_words_of_two_patterns_do_not_go_together(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("low  lower 12345 12345", encoding="utf-8")
    tokenizer = bpe_lab.train(text, 262, [], pattern="llama3").tokenizer()
    training = bpe_lab.train(text, 264, extend=tokenizer)
    assert training.pattern == "llama3"  # not the default
    assert training.merges == bpe_lab.train(text, 264, [], pattern="llama3").merges
    assert bpe_lab.train(text, 264, extend=tokenizer, pattern="llama3").merges == training.merges
    for train, given in ((bpe_lab.train, text), (bpe_lab.train_from_counts, COUNTS)):
        with pytest.raises(ValueError, match="llama3"):
            train(given, 264, extend=tokenizer, pattern="gpt2")  # type: ignore[operator]


def trained(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Return what the command says of a training."""
    assert main(["train", "--quiet", "--json", *words]) == 0
    said: dict[str, Any] = json.loads(capsys.readouterr().out)
    return said


EXAMPLE = ("--corpus", "worked_example", "--vocab-size")


def test_the_command_extends_and_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    trained(capsys, *EXAMPLE, "260", "--out", first)
    words = ("--special-token", "<n>", "--min-count", "4", "--out", second)
    said = trained(capsys, *EXAMPLE, "300", "--extend", first, *words)
    n_merges = 3 + said["n_merges"] - said["kept_merges"]
    assert (said["kept_merges"], said["stopped_by"], said["min_count"]) == (3, "min_count", 4)
    assert said["special_ids"] == {"<|endoftext|>": 256, "<n>": 260}
    assert said["n_merges"] == n_merges > 3
    loaded = bpe_lab.Tokenizer.load(second)
    assert loaded.special_ids == said["special_ids"]
    assert sorted(loaded.vocab) == list(range(258 + n_merges))
    assert reference.merges_sha256(loaded.merges) == said["merges_sha256"]
    said = trained(capsys, *EXAMPLE, "300", "--max-token-bytes", "3")
    assert (said["n_merges"], said["stopped_by"], said["max_token_bytes"]) == (9, "no_pair_left", 3)
    # A file of another library is a tokenizer, too.
    said = trained(capsys, *EXAMPLE, "268", "--extend", f"{second}/tokenizer.json")
    assert (said["kept_merges"], said["vocab_size"]) == (n_merges, 268)


def test_the_command_refuses_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    trained(capsys, *EXAMPLE, "260", "--out", "first")
    extended = ("--extend", "first")
    for words, said in {
        ("260", "--extend", "gone"): "gone: No such file",
        ("300", *extended, "--pattern", "qwen2"): "it has the pattern 'gpt2', and 'qwen2' is given",
    }.items():
        assert said in refused("train", *EXAMPLE, *words)
    trained(capsys, *EXAMPLE, "260", "--pattern", "[a-z]+", "--out", "own")
    facts = trained(capsys, *EXAMPLE, "262", "--extend", "own")
    assert (facts["n_merges"], facts["pattern_regex"]) == (5, "[a-z]+")
    # Where there is none it is no contradiction.
    trained(capsys, *EXAMPLE, "259", "--no-special-tokens", "--out", "none")
    facts = trained(capsys, *EXAMPLE, "260", "--extend", "none", "--no-special-tokens")
    assert facts["special_tokens"] == []


def test_files_of_counts_are_cut_as_the_tokenizer_cuts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    from bpe_lab.counting.counts_files import write_counts

    counts, tokenizer = str(tmp_path / "counts.parquet"), str(tmp_path / "tokenizer")
    write_counts(counts, COUNTS, special_tokens=["<a>"])
    words = ("--counts", counts, "--vocab-size")
    trained(capsys, *words, "260", "--out", tokenizer)
    said = trained(capsys, *words, "265", "--extend", tokenizer)
    assert said["merges_sha256"] == trained(capsys, *words, "265")["merges_sha256"]
    error = refused("train", *words, "265", "--extend", tokenizer, "--special-token", "<b>")
    assert "was counted with special tokens" in error and "('<a>', '<b>')" in error


def test_a_stage_of_a_user_continues_too() -> None:
    assert extend(COUNTS, EST, stage=MyStage).merges == extend(COUNTS, EST).merges


def test_a_compiled_class_refuses_merges_that_are_none() -> None:
    vocab = [*first_vocab([]), b"ab", b"aba"]
    for merges in (
        [(300, 97, 256)],  # an id that is not there
        [(256, 97, 257), (97, 98, 256)],  # a token before the merge that makes it
        [(97, 98, 256), (97, 98, 257)],  # a pair twice
        [(97, 98, 97)],  # a byte
        [(97, 98, 258)],  # behind the vocabulary
        [(98, 97, 256)],  # other bytes than the vocabulary has
        [(-1, 97, 256)],
        [(97, 98, 2**40)],
    ):
        for stage_class in (native.Core, native.CppFlat, native.CppPositions):
            with pytest.raises(ValueError, match="is no merge of this vocabulary"):
                stage_class({b"abab": 1}, vocab, merges=merges)
    with pytest.raises(ValueError, match="CoreWalks"):
        ablations.CoreWalks({b"abab": 1}, vocab, merges=[(97, 98, 256)])
