"""Promise: texts of JSON lines, CSV and Parquet are counted, and what is wrong is named by line."""

import codecs
import csv
import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from native_texts import zstd
from pyarrow import parquet

from bpe_lab import FileChangedError, count_documents, count_words, train_from_counts
from bpe_lab.commands.cli import main
from bpe_lab.counting.documents import Records
from bpe_lab.counting.source import TextFile

WriteText = Callable[..., Path]

TEXTS = ["low low", "lower\nnewest", "", "世界 \x00", '"quoted"']


def json_lines(texts: list[Any]) -> bytes:
    return b"".join(json.dumps({"id": 1, "text": text}).encode() + b"\n" for text in texts)


def read_documents(
    paths: list[Path], field: str, errors: str = "strict", skip_bad: bool = False
) -> Iterator[str]:
    reported: list[int] = []
    yield from Records(field, errors, skip_bad).documents(map(TextFile, paths), reported.append)
    assert sum(reported) == pytest.approx(sum(path.stat().st_size for path in paths), abs=20)


def test_each_line_is_a_document(write_text: WriteText) -> None:
    path = write_text(json_lines(TEXTS) + b"\n \r\n" + json_lines(["last"])[:-1], "a.jsonl")
    assert list(read_documents([path, path], "text")) == [*TEXTS, "last"] * 2
    counts = count_documents(read_documents([path], "text"))
    assert counts == count_documents([*TEXTS, "last"])


@pytest.mark.filterwarnings("default:left out")  # as in a process of its own
def test_the_command_takes_records(
    write_text: WriteText, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
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
    assert "line 1 has no text under 'id'; fields: 'id' (number), 'text' (text); fix the" in said
    assert said.endswith("(--skip-bad-records)\n")
    path = str(write_text(json_lines([7, *texts, ["low"]]), "a.jsonl"))
    words = ["train", path, "--vocab-size", "262", "--quiet", "--json", "--skip-bad-records"]
    assert main([*words, "--text-field", "text"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["merges_sha256"] == digest
    assert re.match(r".*left out: 2 bad records, the first: .*a\.jsonl: line 1 has no", done.err)
    said = refused(*words)
    assert "(--skip-bad-records) is about records" in said


def test_two_fields_are_two_texts(write_text: WriteText, tmp_path: Path) -> None:
    from bpe_lab.counting.counts_files import read_counts

    path = write_text(b'{"title": "low", "body": "lower lower"}\n', "a.jsonl")
    parts = [tmp_path / f"{field}.parquet" for field in ("title", "body")]
    for part in parts:
        words = ["count", str(path), "--text-field", part.stem, "--quiet", "--out", str(part)]
        assert main(words) == 0
    assert dict(read_counts(parts)[0]) == {b"low": 1, b"lower": 1, b" lower": 1}


def test_packed_lines_are_unpacked(write_text: WriteText) -> None:
    for packing in (gzip, zstd):
        content = packing.compress(json_lines(TEXTS))
        path = write_text(content, f"{packing.__name__}.anything")
        assert list(read_documents([path], "text")) == TEXTS
        damaged = write_text(content[: len(content) // 2], "damaged")
        with pytest.raises(ValueError, match=r"damaged cannot be unpacked, is it damaged\?"):
            list(read_documents([damaged], "text"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{a", "is not valid JSON: Expecting property .* at column 2; fix the file, one record"),
        (b'{"text": "\xff"}', "is not valid UTF-8: .*can.t decode byte 0xff .*; fix .*replace"),
        (b"[" * 100_000, "is not valid JSON: .*; fix the file"),
        (b"[", "is not valid JSON: Expecting value at column 2; fix the file, one record"),
        (b"[1]", "is not a JSON object; fix the file"),
        (b'{"n": 1, "body": "x"}', "has no text under 'text'; fields: 'body' .text., 'n' .number."),
        (b'{"text": "\t"}', "is not valid JSON: Invalid control character at column 11; fix"),
        (b'{"text": "lo', "is not valid JSON: Unterminated string starting at column 10; fix the"),
        (b'{"text": "lo \r', "is not valid JSON: Unterminated string starting at column 10; fix"),
        (b'{"text": 7}', "has no text under 'text'; fields: 'text' .number.; fix the file"),
        (b'{"text": ["low"]}', ".*fields: .text. .nested array.; nested fields are not read: "),
        (b'{"messages": [{"text": "low"}]}', ".*fields: .messages. .nested array.; nested fields "),
        (b'{"text": "lo\\ud800w"}', "is not valid UTF-8: .*surrogates.*; fix .*replace"),
    ],
)
def test_a_record_without_text_is_named_or_left_out(
    line: bytes, message: str, write_text: WriteText
) -> None:
    path = write_text(json_lines(["low"]) + line + b"\n" + json_lines(["lower"]), "a.jsonl")
    place = re.escape(f"{path}: line 2 ")
    with pytest.raises(ValueError, match=f"^{place}{message}.*, or leave bad .*bad_records=True"):
        list(read_documents([path], "text"))
    fault = f"^left out: 2 bad records, the first: {place}{message.partition(';')[0]}"
    with pytest.warns(UserWarning, match=fault):
        counts = count_words([path, write_text(line)], text_field="text", skip_bad_records=True)
    assert dict(counts) == {b"low": 1, b"lower": 1}


def test_where_no_record_has_a_text_none_is_left_out(write_text: WriteText) -> None:
    path = write_text(json_lines(TEXTS), "a.jsonl")
    with pytest.raises(ValueError, match=r"no record has a text: 5 bad .*, the first: .*'body'"):
        count_words(path, text_field="body", skip_bad_records=True)


FIELD = "low, \"lower\"\r\n\nnewest; 'widest'\t|\ufeff " + "世界" * 100_000
"""A field of CSV that must be quoted, and longer than what `csv` takes without being told."""


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_a_field_of_csv_is_documents(
    delimiter: str, mark: str, packed: Callable[[bytes], bytes], write_text: WriteText
) -> None:
    path, limit = write_text("", "rows"), csv.field_size_limit()
    assert list(read_documents([path], "text")) == []
    texts = ["low", FIELD, "", "{", "lower \x00"]
    for ends in ("\n", "\r\n"):
        with path.open("w", encoding="utf-8", newline="") as file:
            file.write(mark)
            rows = csv.writer(file, delimiter=delimiter, lineterminator=ends)
            rows.writerows([["text", "id, of it"], *([text, 1] for text in texts), []])
        for name in ("a.csv", "a", "a.TSV"):
            read = read_documents([write_text(packed(path.read_bytes()), name)], "text")
            assert list(read) == texts
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (b"low", "line 4 has 1 fields, and the header has 2; fix the file, or leave"),
        (b"1,low, lower", "line 4 has 3 fields, and the header has 2; fix the file, or leave"),
        (b'1,"low" lower', r"line 4 is not valid CSV: '.' expected after '.'; fix the file, or l"),
        (b"1,lo\rw", "line 4 is not valid CSV: new-line character seen in unquoted field; fix"),
        (b"1,lo\xffw", "line 4 is not valid UTF-8: .*xff.*; fix the file, or replace such bytes"),
    ],
)
def test_a_bad_row_is_told(row: bytes, message: str, write_text: WriteText) -> None:
    path = write_text(b'\xff,text\n1,"low\nlow"\n' + row + b"\n2,lower\n", "a.csv")
    with pytest.raises(ValueError, match=rf"a\.csv: {message}"):
        list(read_documents([path], "text"))
    with pytest.warns(UserWarning, match=f"1 bad record, .*: .*{message.partition(';')[0]}$"):
        read = list(read_documents([path], "text", skip_bad=True))
    assert read == ["low\nlow", "lower"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,body\n", r"corpus.txt, read as CSV, has no text under 'text'; fields: 'id' "),
        ("Once upon a time\n", "corpus.txt, read as CSV, has .*fields: 'Once upon a time' "),
        ("text,text\nlow,low\n", "has several columns 'text': rename all but one"),
        ('"text\nlow\n', "is no JSON, nor CSV .unexpected end of data.: fix the file"),
        ('text\n"low\nlow\n', "line 2 is not valid CSV: unexpected end of data; fix the file"),
    ],
)
def test_bad_csv_is_named(content: str, message: str, write_text: WriteText) -> None:
    with pytest.raises(ValueError, match=message):
        count_words(write_text(content), text_field="text")


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_mark_is_no_record(packed: Callable[[bytes], bytes], write_text: WriteText) -> None:
    mark, line = codecs.BOM_UTF8, json_lines(["low"])
    for content, words in ((mark, {}), (mark + b"\n\n", {}), (mark + line, {b"low": 1})):
        path = write_text(packed(content), "a.jsonl")
        assert dict(count_words(path, text_field="text")) == words
    joined = write_text(packed(mark + line + mark + line + mark), "a.jsonl")
    assert dict(count_words(joined, text_field="text")) == {b"low": 2}


def test_null_is_no_document_and_no_number_is_too_long(write_text: WriteText) -> None:
    lines = b'{"text": null}\n{"text": "low", "n": ' + b"1" * 5_000 + b"}\n"
    with pytest.warns(UserWarning, match="^left out: 1 with null under 'text'$"):
        assert list(read_documents([write_text(lines)], "text")) == ["low"]


def test_what_is_no_utf8_is_replaced(write_text: WriteText, tmp_path: Path) -> None:
    lines = write_text(b'{"text": "lo\xffw"}\n{"text": "lo\\ud800w"}\n', "a.jsonl")
    with pytest.raises(ValueError, match=r"a\.jsonl: line 1 is not valid UTF-8: .*errors=.replace"):
        count_words(lines, text_field="text")
    assert list(read_documents([lines], "text", "replace")) == ["lo\ufffdw"] * 2
    low = {b"lo": 1, "\ufffd".encode(): 1, b"w": 1}
    counts = count_words(lines, text_field="text", errors="replace")
    assert dict(counts) == {word: 2 * count for word, count in low.items()}
    text = pyarrow.array([b"low", b"lo\xffw"]).view(pyarrow.string())
    parquet.write_table(pyarrow.table({"text": text}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: row 2 is not valid UTF-8: .*replace"):
        count_words(tmp_path / "a.parquet", text_field="text")
    with pytest.warns(UserWarning, match=r"1 bad record, the first: .*a\.parquet: row 2 is not"):
        read = list(read_documents([tmp_path / "a.parquet"], "text", skip_bad=True))
    assert read == ["low"]
    parquet.write_table(pyarrow.table({"text": text[1:]}), tmp_path / "a.parquet")
    counts = count_words(tmp_path / "a.parquet", text_field="text", errors="replace")
    assert dict(counts) == low


def test_a_file_that_changes_meanwhile_is_an_error(write_text: WriteText) -> None:
    path = write_text(json_lines(["low"] * 50_000), "a.jsonl")
    documents = read_documents([path], "text")
    assert next(documents) == "low"
    with path.open("ab") as file:
        file.write(json_lines(["more"]))
    with pytest.raises(FileChangedError):
        list(documents)


def test_a_column_of_parquet_is_documents(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pyarrow.table({"text": [*TEXTS, None], "id": range(len(TEXTS) + 1)})
    parquet.write_table(table, path, row_group_size=2)
    with pytest.warns(UserWarning, match="left out: 1 with null"):
        assert list(read_documents([path], "text")) == TEXTS
    for field, fields in (("id", "'id' .int64., 'text' .text."), ("body", "'text' .text., 'id'")):
        with pytest.raises(ValueError, match=f"has no text under '{field}'; fields: {fields}"):
            list(read_documents([path], field))
    damaged = tmp_path / "damaged.parquet"
    parquet.write_table(table, path, use_dictionary=False, write_page_checksum=True)
    one_letter = path.read_bytes().replace(b"newest", b"newer ", 1)
    for content in (path.read_bytes()[:-20], one_letter):
        damaged.write_bytes(content)
        with pytest.raises(ValueError, match="is damaged Parquet"):
            list(read_documents([damaged], "text"))


@pytest.mark.parametrize("kind", ["binary", "large_binary", "binary_view", "string_view", "dict"])
def test_bytes_in_a_column_of_parquet_are_utf8(kind: str, tmp_path: Path) -> None:
    data = pyarrow.array([None if text is None else text.encode() for text in [*TEXTS, None]])
    column = data.dictionary_encode() if kind == "dict" else data.cast(getattr(pyarrow, kind)())
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "a.parquet")
    with pytest.warns(UserWarning, match="left out: 1 with null"):
        assert list(read_documents([tmp_path / "a.parquet"], "text")) == TEXTS


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("messages", r"'messages' .nested list<.*>., 'meta' .nested .*; nested fields are not"),
        ("meta.text", r"'meta' .nested struct<text: string>., .*; nested fields are not read: "),
        ("text", r"'messages' .nested .*, 'n' .double.; nested fields are not read: write the"),
        ("n", r"'n' .double., .*string>.$"),
    ],
)
def test_a_column_without_text_is_named_with_type(field: str, said: str, tmp_path: Path) -> None:
    row = {"messages": [["low"]], "meta": [{"text": "low"}], "n": [0.5]}
    parquet.write_table(pyarrow.table(row), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=f"a.parquet has no text under '{field}'; fields: {said}"):
        count_words(tmp_path / "a.parquet", text_field=field, skip_bad_records=True)
