"""Promise: counts in files train as their texts do; what does not belong together is not added."""

import json
import random
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import bpe_lab
from bpe_lab import count_words, train_from_counts
from bpe_lab.commands.cli import main
from bpe_lab.counting import counts_files
from bpe_lab.counting.counts_files import read_counts, write_counts

TEXTS = {
    "one.txt": "low lower widest newest low<|endoftext|>I'll go.  Now\n" * 20,
    "two.txt": "lower newest — наука 123 byte\r\n" * 30 + " nul\0",
    "three.txt": "",
}


@pytest.fixture
def texts(write_text: Callable[..., Path]) -> list[Path]:
    return [write_text(content, name) for name, content in TEXTS.items()]


def facts_in(path: Path) -> dict[str, Any]:
    """Return what a file says of itself, as any program reads it."""
    return dict(json.loads(parquet.read_metadata(path).metadata[counts_files.FACTS_KEY]))


def rows_in(path: Path) -> list[tuple[bytes, int]]:
    """Return the rows of a file, as any program reads them."""
    table = parquet.read_table(path)
    return list(zip(*(table[name].to_pylist() for name in ("word", "count")), strict=True))


words_and_counts = st.dictionaries(
    st.binary(min_size=1, max_size=40)
    | st.sampled_from([b"\0", b"\0\0", b"\xff", b"long" * 5_000, b" low", b"\xc3"]),
    st.integers(1, 2**40),
    max_size=30,
)


@given(words_and_counts, st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=3))
@settings(max_examples=10, deadline=None)
def test_any_words_and_special_tokens_come_back(
    tmp_path_factory: pytest.TempPathFactory, counts: dict[bytes, int], specials: list[str]
) -> None:
    specials = [token for token in specials if token.encode(errors="replace").decode() == token]
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    write_counts(path, counts, special_tokens=specials, force=True)
    assert read_counts(path) == (counts, tuple(specials), "gpt2")
    assert rows_in(path) == sorted(counts.items()), "sorted by bytes, for every reader"


def test_many_groups_of_rows_are_all_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counts_files, "GROUP_WORDS", 100)
    counts = {b"%d" % number: number for number in range(1, 1_000)}
    write_counts(tmp_path / "counts", counts)
    assert parquet.ParquetFile(tmp_path / "counts").num_row_groups == 10
    assert read_counts(tmp_path / "counts")[0] == counts


def test_all_counters_give_the_same_rows(counter: str, texts: list[Path], tmp_path: Path) -> None:
    out, expected = tmp_path / "out", tmp_path / "expected"
    write_counts(expected, count_words(texts))
    for threads, order in (("1", texts), ("2", texts[::-1])):
        words = ["count", *map(str, order), "--counter", counter, "--threads", threads]
        assert main([*words, "--out", str(out), "--quiet", "--force"]) == 0
        assert rows_in(out) == rows_in(expected)


def test_parts_that_are_added_train_as_the_texts_together(
    texts: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = [str(tmp_path / f"{text.stem}.parquet") for text in texts]
    for text, part in zip(texts, parts, strict=True):
        assert main(["count", str(text), "--out", part]) == 0
    counts, specials, _ = read_counts(parts)
    assert counts == count_words(texts)
    together = bpe_lab.train(texts, 290)
    assert train_from_counts(counts, 290, specials).merges == together.merges
    capsys.readouterr()
    for order in (parts, parts[::-1]):
        assert main(["train", "--counts", *order, "--vocab-size", "290", "--json"]) == 0
        said = json.loads(capsys.readouterr().out)
        assert said["merges_sha256"] == together.merges_sha256
        assert said["special_tokens"] == ["<|endoftext|>"]
        assert said["counter"] is None
        assert said["phases"]["count"] > 0


def test_special_tokens_of_the_counts_are_those_of_the_training(
    texts: list[Path], tmp_path: Path, refused: Callable[..., str]
) -> None:
    out, saved = tmp_path / "counts.parquet", tmp_path / "saved"
    specials = ["--special-token", "newest", "--special-token=--x"]
    assert main(["count", *map(str, texts), "--out", str(out), *specials]) == 0
    words = ["train", "--counts", str(out), "--vocab-size", "280", "--out", str(saved)]
    assert main(words) == 0
    assert bpe_lab.Tokenizer.load(saved).special_tokens == ("newest", "--x")
    assert main([*words, "--force", *specials]) == 0
    said = refused(*words, "--force", *specials[::-1][:1])
    assert re.search(r"special tokens and pattern \(\('newest', '--x'\), .*\('--x',\)", said)


def test_it_says_what_it_counted(texts: list[Path], tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "new" / "counts.parquet"
    words = ["count", *map(str, texts), "--out", str(out)]
    assert main([*words, "--json"]) == 0
    said, counts = json.loads(capsys.readouterr().out), count_words(texts)
    assert (said["words"], said["distinct_words"]) == (counts.occurrences, len(counts))
    assert said["bytes"] == sum(text.stat().st_size for text in texts)
    assert said["out_bytes"] == out.stat().st_size
    facts = facts_in(out)
    sizes = [{"name": text.name, "size_bytes": text.stat().st_size} for text in texts]
    assert said["sources"] == sizes
    assert facts["pattern"].startswith("'(?:[sdmt]|ll|ve|re)| ?")
    assert facts["bpe_lab"] == bpe_lab.__version__
    assert main([*words, "--force"]) == 0
    captured = capsys.readouterr()
    assert f"{counts.occurrences:,} words, {len(counts):,} distinct, in" in captured.out
    assert captured.err == ""


def test_what_is_damaged_is_refused_or_read_as_it_was(tmp_path: Path) -> None:
    path, rng = tmp_path / "counts.parquet", random.Random(4)
    expected = {rng.randbytes(9): rng.randrange(1, 10**9) for _ in range(300)}
    write_counts(path, expected)
    content = path.read_bytes()
    end_of_rows = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    refused = 0
    for place in rng.sample(range(4, end_of_rows), 150):
        damaged = bytearray(content)
        damaged[place] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        try:
            assert read_counts(path)[0] == expected, place
        except ValueError as error:
            assert str(error).startswith(f"{path} "), place
            assert "\n" not in str(error), place
            refused += 1
    assert refused > 135, "the rest is what nobody needs to read them"
    for kept in (0, 3, 4, 100, -50):
        path.write_bytes(content[:kept])
        with pytest.raises(ValueError, match=r"counts\.parquet is damaged"):
            read_counts(path)


LOW = ((b"low", 5), (b"newest", 2))
GOOD = pyarrow.Table.from_pylist(
    [{"word": word, "count": n} for word, n in LOW], schema=counts_files.SCHEMA
)
OTHER_FILES: dict[str, tuple[Any, dict[str, Any]]] = {
    "no words": (pyarrow.table({"word": [1.5], "count": [5]}), {}),
    "no special tokens": (GOOD, {"special_tokens": 3}),
}


@pytest.mark.parametrize("case", OTHER_FILES)
def test_a_file_that_we_did_not_write_like_this_is_refused(
    case: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    table, changed = OTHER_FILES[case]
    path, out = tmp_path / "other.parquet", tmp_path / "out"
    write_counts(path, dict(LOW))
    metadata = {counts_files.FACTS_KEY: json.dumps({**facts_in(path), **changed})}
    parquet.write_table(table.replace_schema_metadata(metadata), path)
    said = refused("train", "--counts", str(path), "--vocab-size", "260", "--out", str(out))
    assert "is damaged, or no file of counts" in said
    parquet.write_table(table, path)  # of another program
    assert "no file of counts" in refused("train", "--counts", str(path), "--vocab-size", "260")
    assert not out.exists()


def test_counts_that_an_older_version_wrote_are_read(tmp_path: Path) -> None:
    """It added what was counted."""
    path = tmp_path / "older.parquet"
    write_counts(path, {b"low": 5, b"newest": 2**40})
    table = parquet.read_table(path)
    facts = json.dumps({**facts_in(path), "sources": [{"name": "a"}], "words": 2})
    parquet.write_table(table.replace_schema_metadata({counts_files.FACTS_KEY: facts}), path)
    assert dict(read_counts(path)[0]) == {b"low": 5, b"newest": 2**40}


def test_counts_that_were_cut_otherwise_are_not_added(tmp_path: Path) -> None:
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    write_counts(first, dict(LOW))
    for options in ({"special_tokens": []}, {"pattern": "llama3"}):
        write_counts(second, dict(LOW), force=True, **options)
        with pytest.raises(ValueError, match=r"second\.parquet"):
            read_counts([first, second])


def test_a_training_takes_the_pattern_of_its_counts_and_no_other_one(
    tmp_path: Path, capsys: Any, texts: list[Path], refused: Callable[..., str]
) -> None:
    out, pattern = str(tmp_path / "counts.parquet"), r"\w+|\W"
    words = ["--pattern", pattern, "--counter", "regex", "--json", "--quiet"]
    assert main(["count", *map(str, texts), "--out", out, *words]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["pattern"], said["pattern_regex"]) == ("custom", pattern)
    train = ["train", "--counts", out, "--vocab-size", "262", "--json"]
    for asked in ([], ["--pattern", pattern]):
        assert main([*train, *asked]) == 0
        said = json.loads(capsys.readouterr().out)
        assert (said["pattern"], said["pattern_regex"]) == ("custom", pattern)
    merges = bpe_lab.train(texts, 262, pattern=pattern, counter="regex")
    assert said["merges_sha256"] == merges.merges_sha256
    for asked, message in (("gpt2", "'gpt2'"), ("gpt", "unknown")):
        assert message in refused(*train, "--pattern", asked)


def test_a_file_does_not_count_twice(tmp_path: Path) -> None:
    first = tmp_path / "first.parquet"
    write_counts(first, dict(LOW))
    with pytest.raises(ValueError, match="named twice"):
        read_counts([first, tmp_path / ".." / tmp_path.name / first.name])


def test_sums_beyond_64_bits_are_refused_and_those_below_are_exact(tmp_path: Path) -> None:
    paths = [tmp_path / f"{number}.parquet" for number in range(2)]
    for path, count in zip(paths, (2**62, 2**62 - 1), strict=True):
        write_counts(path, {b"a": count})
    assert read_counts(paths)[0] == {b"a": 2**63 - 1}
    write_counts(paths[1], {b"a": 2**62}, force=True)
    with pytest.raises(ValueError, match=r"1\.parquet .*2\*\*63 - 1 bytes"):
        read_counts(paths)


REFUSED = {
    "count ok.txt --out kept": "exists",
    "count ok.txt --out .": "folder",
    "count gone.txt --out new": "gone.txt",
    "count ok.txt --out kept/new": "kept",
    "train ok.txt --counts c": "exactly one",
    "train --corpus stories --counts c": "exactly one",
    "train --counts gone": "gone",
    "train --counts .": "regular file",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_done_is_said_before_counting(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    write_counts("c", dict(LOW))
    Path("ok.txt").write_text("low low")
    Path("kept").write_text("keep me")
    monkeypatch.setattr("bpe_lab.commands.count.count_texts", pytest.fail)
    size = ["--vocab-size", "260"] if words.startswith("train") else []
    assert REFUSED[words] in refused(*words.split(), *size)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "kept", "ok.txt"]
    assert Path("kept").read_text() == "keep me"


@pytest.mark.parametrize(
    "command", ["count counts.parquet --out new", "train --counts counts.parquet --vocab-size 260"]
)
def test_without_pyarrow_it_says_what_to_install(
    command: str, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    write_counts(Path(command.split()[2 - ("count " in command)]), dict(LOW))
    monkeypatch.setattr("bpe_lab.commands.count.count_texts", pytest.fail)
    monkeypatch.delattr("bpe_lab.counting.counts_files")
    monkeypatch.delitem(sys.modules, "bpe_lab.counting.counts_files")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert ": pip install 'bpe_lab[counts]'\n" in refused(*command.split())
