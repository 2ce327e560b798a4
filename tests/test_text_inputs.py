"""Promise: what a user names is read whole, files, folders and streams alike, or is an error."""

import gzip
import io
import json
import os
import pickle
import random
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab import corpora, count_words
from bpe_lab.commands.cli import main
from bpe_lab.counting.api import plan_counting
from bpe_lab.counting.source import TextStream, check_texts, files_below, text_parts


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what folders hold."""
    texts = tmp_path / "texts"
    for name, text in {
        "b.txt": "low", "b/z.txt": "lower", "b-c/y.txt": "newest", "B.txt": "widest",
        "é.txt": "low", ".hidden": "no", ".git/config": "no",
    }.items():  # fmt: skip
        path = texts / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return texts


def test_files_come_in_the_order_of_the_bytes_of_their_paths(folder: Path) -> None:
    os.mkfifo(folder / "pipe")  # is left alone
    names = [file.relative_to(folder).as_posix() for file in files_below(folder)]
    assert names == ["B.txt", "b-c/y.txt", "b.txt", "b/z.txt", "é.txt"]


def test_a_folder_counts_as_its_files(folder: Path, counter: str) -> None:
    files = files_below(folder)
    counts = count_words(folder, counter=counter, threads=1)
    assert dict(counts) == dict(count_words(files, counter=counter, threads=1))
    assert counts[b"low"] == 2
    assert bpe_lab.train(folder, 258).merges == bpe_lab.train(files, 258).merges


def test_links_to_files_are_followed_and_each_file_is_read_once(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.txt").write_text("linked")
    (folder / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    (folder / "b" / "up").symlink_to(folder)  # to folders they are not
    assert count_words(folder)[b"linked"] == 1
    expected = count_words(folder)
    (folder / "again.txt").symlink_to("b.txt")
    (folder / "b" / "hard").hardlink_to(folder / "B.txt")
    assert count_words(folder) == expected
    with pytest.raises(ValueError, match="named twice"):
        count_words([folder / "b.txt", folder / "again.txt"])


def test_folders_of_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for name, word in (("a.jsonl", "low"), ("b.jsonl", "lower")):
        (texts / name).write_text(json.dumps({"text": word}))
    assert dict(count_words(texts, text_field="text")) == {b"low": 1, b"lower": 1}
    assert main(["train", str(texts), "--text-field", "text", "--vocab-size", "258"]) == 0
    assert "bpe-lab: 2 files, 32 bytes\n" in capsys.readouterr().err
    for name in ("README.md", "dataset_infos.json"):  # of a data set that was cloned
        (texts / name).write_text("{\n")
    assert dict(count_words(texts, text_field="text")) == {b"low": 1, b"lower": 1}


def test_of_a_folder_texts_like_the_glob_are_taken_and_others_are_named(
    folder: Path, refused: Callable[..., str]
) -> None:
    expected = dict(count_words(folder))
    for name, content in {
        "a.png": b"\x89PNG\0\0\0", "b/a.gz": gzip.compress(b"\xff"),
        "late": b"low " * 9_000 + b"l\xe4ge",
    }.items():  # fmt: skip
        (folder / name).write_bytes(content)
    (folder / "dead").symlink_to("nowhere")
    # What was trained on a folder may be saved in it.
    bpe_lab.train(folder / "b.txt", 258).save(folder / "saved")
    others = ".*/a.gz: not UTF-8.*/dead.*; errors="
    with pytest.warns(UserWarning, match=rf"/a.png: not UTF-8: byte 0x89 at 0, {others}"):
        assert dict(count_words(folder)) == expected
    with pytest.warns(UserWarning, match="dead"):
        assert count_words(folder, errors="replace")[b"ge"] == 1  # "late" is taken
    count = ["count", str(folder), "--quiet", "--out", "counts.parquet", "--force", "--glob"]
    for glob, names in {"*t": 5, "b/*": 1, "b*": 1, "[yz]*": 2}.items():
        assert len(files_below(folder, glob)) == names + (glob == "b/*")
    assert main([*count, "*.txt"]) == 0
    said = refused(*count, "*.gz")
    assert re.search(r"texts holds no file of text like \*.gz: .*/a.gz: not UTF-8", said)


def test_what_looks_like_records_is_a_warning(write_text: Callable[..., Path]) -> None:
    record = b'{"id": "low", "n": {"of": "low"}, "text": "lower"}\n'
    for content, name in (
        (record, "corpus.txt"),
        (b"id,text\r\n1,low\n", "rows.csv"),
        (gzip.compress(b"id\ttext\n1\tlow\n"), "rows.TSV.gz"),
        (b"[1]", "rows.NDJSON"),
    ):
        with pytest.warns(UserWarning, match="looks like records"):
            count_words(write_text(content, name))
    with warnings.catch_warnings(action="error"):
        count_words(write_text(b"low" * 33 + b"\0", "a.json"))
        count_words(write_text(record, "rows.jsonl"), text_field="text")


NO_TEXTS = {
    "a.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3",
    "a.zip": b"PK\x03\x04\x14\x00\x80",
    "a.parquet": b"PAR1\x15\x80",
    "utf16.txt": "low".encode("utf-16"),
    "latin1.txt": "l\xe4ge".encode("latin-1"),
}


@pytest.mark.parametrize("name", NO_TEXTS)
def test_what_is_not_utf8_is_named_with_its_first_such_byte(
    name: str, counter: str, write_text: Callable[..., Path]
) -> None:
    content = NO_TEXTS[name]
    path = write_text(content, name)
    with pytest.raises(UnicodeDecodeError) as expected:
        content.decode()
    where = expected.value.start
    with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
        count_words(path, counter=counter, threads=1)
    assert str(caught.value) == f"{path}: not UTF-8: byte {content[where]:#04x} at {where}"
    assert count_words(path, counter=counter, threads=1, errors="replace").occurrences


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)
        self.draw = random.Random(1)

    def readinto(self, into: Any, /) -> int:
        return self.content.readinto(memoryview(into)[: self.draw.randrange(1, 50_000)])


def test_a_stream_counts_as_a_file_of_its_bytes(write_text: Callable[..., Path]) -> None:
    content = corpora.excerpt("stories", 300_000).read_bytes() + b" \xff\xe4 end"
    path = write_text(content)
    for data in (content, gzip.compress(content)):
        counts = count_words(Dribble(data), errors="replace")
        assert dict(counts) == dict(count_words(path, errors="replace"))
        with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
            count_words(Dribble(data))
        assert caught.value.offset == len(content) - 6
    other, lent = write_text("low", "other.txt"), io.BytesIO(b"low")
    assert dict(count_words([lent, other])) == {b"low": 2}
    assert not lent.closed


def test_records_come_through_a_stream_to_any_counter_of_documents() -> None:
    lines = b'{"text": "low"}\n{"text": "low"}\n'
    for counter in ("regex", "native"):
        for data in (lines, gzip.compress(lines)):
            counts = count_words(io.BytesIO(data), text_field="text", counter=counter)
            assert dict(counts) == {b"low": 2}
    with pytest.raises(ValueError, match="Parquet"):
        count_words(io.BytesIO(b"PAR1"), text_field="text")


def test_what_is_wrong_with_a_stream_is_said() -> None:
    with pytest.raises(ValueError, match="'native'"):
        count_words(io.BytesIO(b"low"), counter="regex")
    with pytest.raises(TypeError, match=r"sys\.stdin\.buffer"):
        count_words(io.StringIO("low"))  # type: ignore[arg-type]
    same = io.BytesIO(b"low")
    with pytest.raises(ValueError, match="named twice"):
        count_words([same, same])
    with pytest.raises(ValueError, match="unpacked"):
        count_words(io.BytesIO(gzip.compress(b"low")[:-4]))


def test_a_stream_knows_what_was_read() -> None:
    content = gzip.compress(corpora.excerpt("stories", 300_000).read_bytes())
    text = TextStream(Dribble(content))
    count_words(text)
    assert text.size == len(content)


def test_the_commands_read_standard_input(
    write_text: Callable[..., Path], run_command: Callable[..., Any]
) -> None:
    text = "low lower low\n" * 9
    done = run_command("train", "-", "--vocab-size", "259", "--json", given=text)
    training = bpe_lab.train(write_text(text), 259)
    assert json.loads(done.stdout)["merges_sha256"] == training.merges_sha256
    assert done.stderr == ""
    words = ("count", "-", "--out", "counts.parquet", "--json", "--quiet")
    done = run_command(*words, given=text)
    assert (done.returncode, done.stderr) == (0, "")
    source = {"name": "standard input", "size_bytes": 126}
    assert json.loads(done.stdout)["sources"] == [source]


# A file has the size that it had when the work began, or is an error.

TEXT = "low lower widest newest\n" * 10_000
SIZE = len(TEXT)


@pytest.mark.parametrize("size", [SIZE - 1, SIZE + 1, 0])
def test_a_file_that_gets_another_size_is_an_error(
    size: int, counter: str, write_text: Callable[..., Path]
) -> None:
    files = check_texts(path := write_text(TEXT))
    os.truncate(path, size)
    plan = plan_counting([], counter=counter, threads=1)
    if counter == "dask":  # it looks again before it begins
        with pytest.raises(bpe_lab.FileChangedError, match=r"corpus\.txt"):
            list(text_parts(files[0]))
        return
    with pytest.raises(bpe_lab.FileChangedError, match=r"corpus\.txt") as caught:
        plan.counter.load()(files, plan, lambda n_bytes: None)
    again = pickle.loads(pickle.dumps(caught.value))  # it travels between processes
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


def test_the_command_says_it_in_one_line_and_writes_nothing(
    write_text: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    files = check_texts(path := write_text(TEXT))
    monkeypatch.setattr("bpe_lab.commands.train.open_texts", lambda *_, **__: files)
    os.truncate(path, SIZE - 1)
    said = refused("train", str(path), "--vocab-size", "270", "--out", "out", "--quiet")
    assert "changed while it was read" in said
    assert not Path("out").exists()
