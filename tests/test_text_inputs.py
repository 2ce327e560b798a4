"""Promise: folders and streams are counted as files would be."""

import gzip
import hashlib
import io
import json
import os
import random
import re
import shlex
import subprocess
import sys
import tarfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab import corpora, count_words
from bpe_lab.commands.cli import main
from bpe_lab.counting.inputs import files_below
from bpe_lab.counting.source import TextStream


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


def test_links_are_followed_and_circles_end(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.txt").write_text("linked")
    (folder / "link.txt").symlink_to(tmp_path / "elsewhere.txt")
    (folder / "b" / "up").symlink_to(folder)
    assert count_words(folder)[b"linked"] == 1
    expected = count_words(folder)
    (folder / "again.txt").symlink_to("b.txt")
    (folder / "b" / "hard").hardlink_to(folder / "B.txt")
    (folder / "latest").symlink_to("b-c")
    message = (
        r": left out, because read by another name: .*/b\.txt \(.*/again\.txt\), "
        r".*/b/hard \(.*/B\.txt\), .*/latest/y\.txt \(.*/b-c/y\.txt\)$"
    )
    with pytest.warns(UserWarning, match=message):
        assert count_words(folder) == expected
    again = [folder / "b.txt", folder / "again.txt"]
    with pytest.raises(ValueError, match=r"again\.txt is named twice, also as .*b\.txt: name it"):
        count_words(again)


@pytest.mark.filterwarnings("always:read packed")
def test_a_text_read_twice_is_a_warning(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("b.txt.gz", "b/only.gz"):
        (folder / name).write_bytes(gzip.compress(b"low"))
    for paths in (folder, [folder / "b.txt.gz", folder / "b.txt"]):
        with pytest.warns(UserWarning, match=r"read packed and plain: \S+/b\.txt\.gz: leave one"):
            assert count_words(paths)[b"low"] >= 2
    assert main(["train", str(folder), "--vocab-size", "258", "--quiet"]) == 0
    assert capsys.readouterr().err.count("warning") == 1


def test_folders_of_records_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    for name, word in (("a.jsonl", "low"), ("b.jsonl", "lower")):
        (texts / name).write_text(json.dumps({"text": word}))
    assert dict(count_words(texts, text_field="text")) == {b"low": 1, b"lower": 1}
    assert main(["train", str(texts), "--text-field", "text", "--vocab-size", "258"]) == 0
    assert f"{texts}: 2 files, 32 bytes\n" in capsys.readouterr().err
    for name in ("README.md", "dataset_infos.json"):  # of a data set that was cloned
        (texts / name).write_text("{\n")
    with pytest.warns(UserWarning, match=r"no records: \S+/README.md, \S+json: 4 of 36 bytes"):
        assert dict(count_words(texts, text_field="text")) == {b"low": 1, b"lower": 1}


def test_of_a_folder_texts_like_the_glob_are_taken_and_others_are_named(
    folder: Path, refused: Callable[..., str]
) -> None:
    expected = dict(count_words(folder))
    for name, content in {
        "a.png": b"\x89PNG\0\0\0", "b/a.tar.gz": gzip.compress(tarfile.TarInfo("low").tobuf()),
        "b/a.tar": tarfile.TarInfo("low").tobuf(), "late": b"low " * 9_000 + b"l\xe4ge",
    }.items():  # fmt: skip
        (folder / name).write_bytes(content)
    (folder / "dead").symlink_to("nowhere")
    (folder / "itself").symlink_to("itself")
    # What was trained on a folder may be saved in it.
    bpe_lab.train(folder / "b.txt", 258).save(folder / "saved")
    others = ".*r, .*z, .*dead, .*f and 1 more: 36,... of 36,... bytes; errors=.replace"
    with pytest.warns(UserWarning, match=rf"/a.png \(byte 0x89 at 0\), {others}"):
        assert dict(count_words(folder)) == expected
    with pytest.warns(UserWarning, match="no text: .*/a.png, .*r, .*z, .*dead, .*f: [^;]*$"):
        assert count_words(folder, errors="replace")[b"ge"] == 1  # "late" is taken
    count = ["count", str(folder), "--quiet", "--out", "counts.parquet", "--force", "--glob"]
    for glob, names in {"*t": 5, "b/*": 1, "b*": 1, "[yz]*": 2}.items():
        assert len(files_below(folder, glob)) == names + (glob == "b/*") * 2
    assert main([*count, "*.txt"]) == 0
    said = refused(*count, "*.tar*")
    assert re.search("texts holds no UTF-8 text: .*/a.tar, .*/a.tar.gz: name", said)


def test_what_looks_otherwise_than_a_text_is_a_warning(write_text: Callable[..., Path]) -> None:
    record = b'{"id": "low", "n": {"of": "low"}, "text": "lower"}\n'
    seen = "looks like records.*name the field of their texts, text_field=.*--text-field text."
    utf = "of the bytes are NULs, as in UTF-"
    first = "; the first text with any at its beginning is .*corpus.txt: convert"
    for content, name, message in (
        (record, "corpus.txt", rf"{seen} \(fields: id, text\)$"),
        (gzip.compress(record), "corpus.txt", rf"{seen} \(fields: id, text\)$"),
        (record[:-3] + b"low" * 5_000, "corpus.txt", rf"{seen} \(fields: id, text\)$"),
        (b"\xef\xbb\xbfid,text\r\n1,low\n", "rows.csv", rf"{seen} \(fields: id, text\)$"),
        (gzip.compress(b'"id"\ttext\n1\tlow\n'), "rows.TSV.gz", rf"{seen} \(fields: id, text\)$"),
        (b'{"a": ' + b"[" * 5_000, "corpus.txt", rf"{seen}$"),
        (b"[1]", "rows.NDJSON", rf"{seen}$"),
        ("low lower".encode("utf-16-le"), "corpus.txt", f"^50% {utf}16{first}"),
        ("low lower".encode("utf-32-be"), "corpus.txt", f"^75% {utf}32{first}"),
        (b"low" * 32 + b"\0", "corpus.txt", f"^1% {utf}16{first}"),
        (gzip.compress(b"low" * 32 + b"\0"), "corpus.txt", f"^1% {utf}16: convert such"),
    ):
        with pytest.warns(UserWarning, match=message):
            count_words(write_text(content, name), errors="replace")
    for text, share in (("été\n", "50%"), ("読み\n", "17%")):  # not UTF-8, and no mark
        utf16 = write_text((text * 9).encode("utf-16-le"))
        with pytest.raises(ValueError, match=rf"invalid UTF-8 .*; {share} {utf}16: convert such"):
            count_words(utf16)
    with warnings.catch_warnings(action="error"):
        count_words(write_text(b"low" * 33 + b"\0", "a.json"))
        count_words(write_text(record, "rows.jsonl"), text_field="text")


class Dribble(io.RawIOBase):
    """A stream that gives a few bytes at a time, as a pipe may."""

    def __init__(self, content: bytes) -> None:
        self.content = io.BytesIO(content)
        self.draw = random.Random(1)

    def readinto(self, into: Any, /) -> int:
        return self.content.readinto(into[: self.draw.randrange(1, 50_000)])


def test_a_stream_counts_as_a_file_of_its_bytes(write_text: Callable[..., Path]) -> None:
    content = corpora.excerpt("stories", 300_000).read_bytes() + b" \xff\xe4 end"
    path = write_text(content)
    for data in (content, gzip.compress(content)):
        counts = count_words(Dribble(data), errors="replace")
        assert dict(counts) == dict(count_words(path, errors="replace"))
        with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
            count_words(Dribble(data))
        assert caught.value.offset == len(content) - 6
    other = write_text("low", "other.txt")
    assert dict(count_words([io.BytesIO(b"low"), other])) == {b"low": 2}


def test_records_come_through_a_stream_to_any_counter_of_documents() -> None:
    lines = b'{"text": "low"}\n{"text": "low"}\n'
    for counter in ("regex", "native"):
        for data in (lines, gzip.compress(lines)):
            counts = count_words(io.BytesIO(data), text_field="text", counter=counter)
            assert dict(counts) == {b"low": 2}
    with pytest.raises(ValueError, match="is Parquet, which is read from its end: name a file"):
        count_words(io.BytesIO(b"PAR1"), text_field="text")


def test_what_is_wrong_with_a_stream_is_said() -> None:
    with pytest.raises(ValueError, match="are not read by this counter: use native"):
        count_words(io.BytesIO(b"low"), counter="regex")
    with pytest.raises(TypeError, match=r"gives strings: give its bytes, as sys\.stdin\.buffer"):
        count_words(io.StringIO("low"))  # type: ignore[arg-type]
    same = io.BytesIO(b"low")
    with pytest.raises(ValueError, match="a stream is named twice"):
        count_words([same, same])
    with pytest.raises(ValueError, match="a stream cannot be unpacked, is it damaged"):
        count_words(io.BytesIO(gzip.compress(b"low")[:-4]))


@pytest.mark.parametrize("answer", [-1, 2.5, "3", 4097, 10**8, 2**70])
def test_what_a_stream_says_it_has_read_is_checked(answer: Any) -> None:
    class Liar(io.RawIOBase):
        def readinto(self, into: Any, /) -> Any:
            return answer

    for options in ({}, {"text_field": "text"}):
        with pytest.raises(ValueError, match=f"a stream: readinto returns .*{answer}.* 0 to 4,096"):
            count_words(Liar(), **options)


def test_a_stream_that_has_ended_is_not_read_again() -> None:
    # A terminal would wait for more.
    class Terminal(io.RawIOBase):
        lines = iter([b"low", b"", b"lower"])

        def readinto(self, into: Any, /) -> int:
            line = next(self.lines)
            into[: len(line)] = line
            return len(line)

    assert dict(count_words(Terminal())) == {b"low": 1}


def test_a_stream_is_digested_while_it_is_read() -> None:
    content = gzip.compress(corpora.excerpt("stories", 300_000).read_bytes())
    text = TextStream(Dribble(content))
    text.digest = hashlib.sha256(text.head)
    count_words(text)
    assert text.read_bytes == len(content)
    assert text.digest.hexdigest() == hashlib.sha256(content).hexdigest()


def test_the_commands_read_standard_input(
    write_text: Callable[..., Path], run_command: Callable[..., Any]
) -> None:
    text = "low lower low\n" * 9
    done = run_command("train", "-", "--vocab-size", "259", "--json", given=text)
    training = bpe_lab.train(write_text(text), 259)
    assert json.loads(done.stdout)["merges_sha256"] == training.merges_sha256
    assert done.stderr == ""
    words = ("count", "/dev/stdin", "--out", "counts.parquet", "--json", "--quiet")
    done = run_command(*words, given=text)
    assert (done.returncode, done.stderr) == (0, "")
    digest = hashlib.sha256(text.encode()).hexdigest()
    source = {"name": "-", "size_bytes": 126, "sha256": digest, "text_field": None}
    assert json.loads(done.stdout)["sources"] == [source]


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="pipes have no names here")
def test_a_pipe_with_a_name_of_the_shell_is_standard_input(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low lower")
    program = f"{shlex.quote(sys.executable)} -P -m bpe_lab count --json --out counts.parquet"
    command = ["bash", "-c", f"{program} <(cat a.txt)"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120)
    [source] = json.loads(done.stdout)["sources"]
    assert (source["name"], source["size_bytes"], done.stderr) == ("-", 9, b"")
