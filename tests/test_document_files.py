"""Promise: the texts of JSON lines and Parquet are counted, and what is wrong is named by line."""

import codecs
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpe_lab import FileChangedError, count_documents, count_words, train_from_counts
from bpe_lab.commands.cli import main
from bpe_lab.counting import documents
from bpe_lab.counting.source import TextFile

TEXTS = ["low low", "lower\nnewest", "", "世界 \x00", '"quoted"']


def json_lines(texts: list[Any]) -> bytes:
    return b"".join(json.dumps({"id": 1, "text": text}).encode() + b"\n" for text in texts)


def read_documents(paths: list[Path], field: str, errors: str = "strict") -> Iterator[str]:
    reported: list[int] = []
    yield from documents.read_documents(map(TextFile, paths), field, errors, reported.append)
    assert sum(reported) == pytest.approx(sum(path.stat().st_size for path in paths), abs=20)


def test_each_line_is_a_document(write_text: Callable[..., Path]) -> None:
    path = write_text(json_lines(TEXTS) + b"\n \r\n" + json_lines(["last"])[:-1], "a.jsonl")
    assert list(read_documents([path, path], "text")) == [*TEXTS, "last"] * 2
    assert dict(count_documents(read_documents([path], "text"))) == dict(
        count_documents([*TEXTS, "last"])
    )


def test_the_command_takes_records(
    write_text: Callable[..., Path], capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    texts = ["low low lower", "newest", "widest newest"] * 5
    path = str(write_text(json_lines(texts), "a.jsonl"))
    words = ["train", path, "--vocab-size", "262", "--quiet", "--json"]
    assert main([*words, "--text-field", "text"]) == 0
    said = json.loads(capsys.readouterr().out)
    digest, field = said["merges_sha256"], said["text_field"]
    assert field == "text"
    assert digest == train_from_counts(count_documents(texts), 262).merges_sha256
    assert main([*words, "--text-field", "text", "--counter", "regex"]) == 0
    assert json.loads(capsys.readouterr().out)["merges_sha256"] == digest
    said = refused(*words, "--text-field", "id")
    assert "line 1 has no text under 'id', but a number; fields with text: 'text'" in said


def test_two_fields_of_one_file_are_two_texts(
    write_text: Callable[..., Path], tmp_path: Path
) -> None:
    from bpe_lab.counting.counts_files import read_counts

    path = write_text(b'{"title": "low", "body": "lower lower"}\n', "a.jsonl")
    parts = [tmp_path / f"{field}.parquet" for field in ("title", "body")]
    for part in parts:
        words = ["count", str(path), "--text-field", part.stem, "--quiet", "--out", str(part)]
        assert main(words) == 0
    assert dict(read_counts(parts)[0]) == {b"low": 1, b"lower": 1, b" lower": 1}


def test_packed_lines_are_unpacked(write_text: Callable[..., Path]) -> None:
    packed = [gzip.compress(json_lines(TEXTS))]
    try:
        from backports import zstd
    except ImportError:
        pass
    else:
        packed.append(zstd.compress(json_lines(TEXTS)))
    for number, content in enumerate(packed):
        path = write_text(content, f"{number}.anything")
        assert list(read_documents([path], "text")) == TEXTS
        damaged = write_text(content[: len(content) // 2], "damaged")
        with pytest.raises(ValueError, match=r"damaged cannot be unpacked, is it damaged\?"):
            list(read_documents([damaged], "text"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{a", "line 2 is not valid JSON: Expecting property .* at column 2; fix the file$"),
        (b'{"text": "\xff"}', "line 2 is not valid JSON: 'utf-8' codec can't decode"),
        (b"[" * 100_000, "line 2 is not valid JSON: .*; fix the file$"),
        (b"[1]", "line 2 is not a JSON object: give one record a line"),
        (b'{"body": "x", "n": 1}', "line 2 has no text under 'text'; fields with text: 'body'$"),
        (b'{"text": "\t"}', "JSON: Invalid control character at column 11; fix the file$"),
        (b'{"text": 7}', "line 2 has no text under 'text', but a number; fields with text: none$"),
        (b'{"text": "lo\\ud800w"}', "line 2 has no valid text under 'text': .*surrogates.*replace"),
    ],
)
def test_a_line_without_text_is_named(
    line: bytes, message: str, write_text: Callable[..., Path]
) -> None:
    path = write_text(json_lines(["low"]) + line + b"\n", "a.jsonl")
    with pytest.raises(ValueError, match=message) as failed:
        list(read_documents([path], "text"))
    assert str(failed.value).startswith(str(path))


def test_an_array_over_many_lines_is_told_what_is_read(write_text: Callable[..., Path]) -> None:
    array = write_text(json.dumps([{"text": "low"}], indent=1), "a.json")
    message = "json: line 1 is not valid JSON: Expecting value at column 3; give one record a line;"
    with pytest.raises(ValueError, match=message):
        list(read_documents([array], "text"))


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_byte_order_mark_is_no_record(
    packed: Callable[[bytes], bytes], write_text: Callable[..., Path]
) -> None:
    mark, line = codecs.BOM_UTF8, json_lines(["low"])
    for content, words in ((mark, {}), (mark + b"\n\n", {}), (mark + line, {b"low": 1})):
        path = write_text(packed(content), "a.jsonl")
        assert dict(count_words(path, text_field="text")) == words
    joined = write_text(packed(mark + line + mark + line + mark), "a.jsonl")
    assert dict(count_words(joined, text_field="text")) == {b"low": 2}


def test_null_is_no_document_and_no_number_is_too_long(write_text: Callable[..., Path]) -> None:
    lines = b'{"text": null}\n{"text": "low", "n": ' + b"1" * 5_000 + b"}\n"
    with pytest.warns(UserWarning, match="^left out: 1 with null under 'text'$"):
        assert list(read_documents([write_text(lines)], "text")) == ["low"]


def test_what_is_not_utf8_in_a_record_is_replaced(
    write_text: Callable[..., Path], tmp_path: Path
) -> None:
    lines = write_text(b'{"text": "lo\xffw"}\n{"text": "lo\\ud800w"}\n', "a.jsonl")
    with pytest.raises(ValueError, match=r"a\.jsonl: line 1 is not valid JSON: .*--errors replace"):
        count_words(lines, text_field="text")
    assert list(read_documents([lines], "text", "replace")) == ["lo\ufffdw"] * 2
    low = {b"lo": 1, "\ufffd".encode(): 1, b"w": 1}
    counts = count_words(lines, text_field="text", errors="replace")
    assert dict(counts) == {word: 2 * count for word, count in low.items()}
    import pyarrow
    from pyarrow import parquet

    text = pyarrow.array([b"lo\xffw"]).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": text}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"column 'text' holds bytes that are not UTF-8.*replace"):
        count_words(tmp_path / "a.parquet", text_field="text")
    counts = count_words(tmp_path / "a.parquet", text_field="text", errors="replace")
    assert dict(counts) == low


def test_a_file_that_changes_meanwhile_is_an_error(write_text: Callable[..., Path]) -> None:
    path = write_text(json_lines(["low"] * 50_000), "a.jsonl")
    documents = read_documents([path], "text")
    assert next(documents) == "low"
    with path.open("ab") as file:
        file.write(json_lines(["more"]))
    with pytest.raises(FileChangedError):
        list(documents)


def test_a_column_of_parquet_is_documents(tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    path = tmp_path / "a.parquet"
    table = pyarrow.table({"text": [*TEXTS, None], "id": range(len(TEXTS) + 1)})
    parquet.write_table(table, path, row_group_size=2)
    with pytest.warns(UserWarning, match="left out: 1 with null"):
        assert list(read_documents([path], "text")) == TEXTS
    for field in ("id", "body"):
        message = f"has no column '{field}' of text; columns with text: 'text'$"
        with pytest.raises(ValueError, match=message):
            list(read_documents([path], field))
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ValueError, match="is damaged Parquet"):
        list(read_documents([damaged], "text"))
