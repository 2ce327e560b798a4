"""Promise: documents, and the records of files, are counted as a file of each would be."""

import codecs
import csv
import gc
import gzip
import json
import random
import re
import threading
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from native_texts import zstd
from pyarrow import parquet

import bpe_lab
from bpe_lab import corpora, count_documents, count_words, train_from_counts
from bpe_lab.commands.cli import main
from bpe_lab.counting import native_counter
from bpe_lab.counting.documents import Records
from bpe_lab.counting.source import TextFile
from bpe_lab.words.pretokenize import pretokenize

TAKERS = [entry.id for entry in bpe_lab.COUNTERS.values() if entry.documents]
END = "<|endoftext|>"


WriteText = Callable[..., Path]


class Rows:
    """What a table of another library has."""

    columns = column_names = ("text",)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)


FRAME = pandas.DataFrame({"text": ["low", "lower"]})
TABLES: list[Any] = [
    FRAME, FRAME[["text"]], FRAME.to_numpy(), pyarrow.table(FRAME), Rows(),
    {"text": ["low"]}, {"train": FRAME, "test": FRAME},
]  # fmt: skip


@pytest.fixture(params=TAKERS)
def taker(request: pytest.FixtureRequest) -> str:
    """Every counter that takes documents."""
    return str(request.param)


def defined(documents: list[str], special_tokens: list[str]) -> dict[bytes, int]:
    """What the definition says."""
    words = (word for document in documents for word in pretokenize(document, special_tokens))
    return {word.encode(): count for word, count in Counter(words).items()}


def test_a_document_is_a_text_of_its_own(taker: str) -> None:
    # Joined by nothing, by spaces, by line ends or by a special token, each would count otherwise.
    documents = ["low", "er  ", "  low", "", "\n", "'s", "<|endof", "text|>", "12", "3", " "]
    assert dict(count_documents(documents, [END], counter=taker)) == defined(documents, [END])


@pytest.mark.parametrize("seed", range(6))
def test_random_documents_are_counted_as_the_definition_says(taker: str, seed: int) -> None:
    draw = random.Random(seed)
    pieces = ["a", "b", " ", "\n", "'", "s", "é", "世", "1", "ab", "aba", "\ufdd0", "\ufffd"]
    sizes = [draw.randrange(12) for _ in range(draw.randrange(200))]
    documents = ["".join(draw.choices(pieces, k=size)) for size in sizes]
    specials = draw.choice([[], ["ab"], ["ab", "aba"], ["a\ufdd0"]])
    counts = count_documents(documents, specials, counter=taker)
    assert dict(counts) == defined(documents, specials)


def test_a_long_document_goes_over_many_reads(taker: str) -> None:
    text = corpora.path("stories").read_text(encoding="utf-8")[:400_000]
    documents = [text, "", text[::-1]]
    assert dict(count_documents(documents, [], counter=taker)) == defined(documents, [])


class Document(str):
    """A string that can be watched."""


def test_no_document_is_kept(taker: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_counter, "BATCH_BYTES", 1)
    alive: list[int] = []
    watched: list[weakref.ref[Document]] = []

    def documents() -> Iterator[str]:
        for _ in range(8):
            document = Document("low lower " * 10_000)
            watched.append(weakref.ref(document))
            yield document
            del document
            gc.collect()
            alive.append(sum(one() is not None for one in watched))

    gc.collect()
    gc.freeze()  # what other tests have left need not be looked through for each document
    try:
        count_documents(documents(), counter=taker)
    finally:
        gc.unfreeze()
    assert max(alive) <= 2


def test_documents_are_taken_by_the_thread_that_calls(taker: str) -> None:
    # A database answers no other one.
    ours, threads = threading.get_ident(), set()

    def documents() -> Iterator[str]:
        for _ in range(3_000):
            threads.add(threading.get_ident())
            yield "low lower " * 100

    count_documents(documents(), counter=taker)
    assert threads == {ours}


@pytest.mark.parametrize("bad", [b"lo\xffw", "lo\ud800w"])
def test_what_is_no_text_is_refused_or_replaced(taker: str, bad: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"document 2 .*not UTF-8"):
        count_documents(iter(["a", "b", bad]), counter=taker)
    counts = count_documents([bad], counter=taker, errors="replace")
    assert dict(counts) == {b"lo": 1, "\ufffd".encode(): 1, b"w": 1}


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("low", "documents is str: give an iterable"),
        (b"low", "documents is bytes: give an iterable"),
        (7, "documents is int: give an iterable"),
        ([["low"]], "document 0 .* is list"),
        (["low", None], "document 1 .* is NoneType"),
        *((table, r"documents is .*, of a table one column \(df") for table in TABLES),
    ],
)
def test_what_is_no_document_is_named(taker: str, documents: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        count_documents(documents, counter=taker)


def test_a_table_is_no_texts_and_a_column_is(taker: str) -> None:
    tokenizer: Any = bpe_lab.train_from_counts({b"low": 2}, 258, []).tokenizer()
    takers = (tokenizer.encode_batch, tokenizer.encode_batch_to_arrays)
    for table in TABLES:
        for take in (*takers, count_documents):
            with pytest.raises(
                TypeError, match=r" is .*: give an iterable of texts, of a table one column"
            ):
                take(table)
    for column in (FRAME["text"], FRAME["text"].to_numpy(), FRAME["text"].tolist()):
        assert dict(count_documents(column, counter=taker)) == {b"low": 1, b"lower": 1}
        assert [len(take(column)[1]) for take in takers] == [3, 3]


def test_a_counter_of_files_says_which_take_documents() -> None:
    with pytest.raises(ValueError, match="regex_parallel"):
        count_documents(["low"], counter="regex_parallel")
    with pytest.raises(ValueError, match="errors is 'ignore'"):
        count_documents(["low"], errors="ignore")


# The records of files.

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
    assert count_words(path, text_field="text") == count_documents([*TEXTS, "last"])


@pytest.mark.filterwarnings("default:left out")  # as in a process of its own
def test_the_command_takes_records(
    write_text: WriteText, capsys: pytest.CaptureFixture[str], refused: Callable[..., str]
) -> None:
    texts = ["low low lower", "newest", "widest newest"] * 5
    path = str(write_text(json_lines(texts), "a.jsonl"))
    words = ["train", path, "--vocab-size", "262", "--quiet", "--json"]
    for counter in ("native", "regex"):
        assert main([*words, "--text-field", "text", "--counter", counter]) == 0
        said = json.loads(capsys.readouterr().out)
        digest = train_from_counts(count_documents(texts), 262).merges_sha256
        assert (said["merges_sha256"], said["text_field"]) == (digest, "text")
    assert "line 1: no text is under 'id'; fields: 'id', 'text'" in refused(
        *words, "--text-field", "id"
    )
    write_text(json_lines([7, *texts, ["low"]]), "a.jsonl")
    assert main([*words, "--text-field", "text", "--skip-bad-records"]) == 0
    done = capsys.readouterr()
    assert json.loads(done.out)["merges_sha256"] == digest
    assert re.match(r".*left out: 2 records, the first: .*a\.jsonl: line 1", done.err)


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
        with pytest.raises(ValueError, match="damaged cannot be unpacked"):
            list(read_documents([damaged], "text"))


BAD_LINES = [
    b"{a", b'{"text": "\xff"}', b"[" * 100_000, b"[", b"[1]", b'{"n": 1, "body": "x"}',
    b'{"text": "\t"}', b'{"text": "lo', b'{"text": 7}', b'{"text": ["low"]}',
    b'{"text": "lo\\ud800w"}',
]  # fmt: skip


@pytest.mark.parametrize("line", BAD_LINES)
def test_a_record_without_text_is_named_or_left_out(line: bytes, write_text: WriteText) -> None:
    path = write_text(json_lines(["low"]) + line + b"\n" + json_lines(["lower"]), "a.jsonl")
    place = re.escape(f"{path}: line 2: ")
    with pytest.raises(ValueError, match=f"^{place}.*--skip-bad-records"):
        list(read_documents([path], "text"))
    with pytest.warns(UserWarning, match=f"2 records.*{place}"):
        counts = count_words([path, write_text(line)], text_field="text", skip_bad_records=True)
    assert dict(counts) == {b"low": 1, b"lower": 1}


FIELD = "low, \"lower\"\r\n\nnewest; 'widest'\t|\ufeff " + "世界" * 100_000
"""A field of CSV that must be quoted, and longer than what `csv` takes without being told."""


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_a_field_of_csv_is_documents(
    delimiter: str, mark: str, packed: Callable[[bytes], bytes], write_text: WriteText
) -> None:
    path = write_text("", "rows")
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


BAD_ROWS = [b"low", b"1,low, lower", b'1,"low" lower', b"1,lo\rw", b"1,lo\xffw"]


@pytest.mark.parametrize("row", BAD_ROWS)
def test_a_bad_row_is_told_or_left_out(row: bytes, write_text: WriteText) -> None:
    path = write_text(b'\xff,text\n1,"low\nlow"\n' + row + b"\n2,lower\n", "a.csv")
    with pytest.raises(ValueError, match=r"a\.csv: line 4"):
        list(read_documents([path], "text"))
    with pytest.warns(UserWarning, match="1 record, the first"):
        read = list(read_documents([path], "text", skip_bad=True))
    assert read == ["low\nlow", "lower"]


@pytest.mark.parametrize("content", ["id,body\n1,low\n", '"text\nlow\n', 'text\n"low\nlow\n'])
def test_bad_csv_is_an_error(content: str, write_text: WriteText) -> None:
    with pytest.raises(ValueError, match="line"):
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
    with pytest.warns(UserWarning, match="1 record.*null is under"):
        assert list(read_documents([write_text(lines)], "text")) == ["low"]


def test_what_is_no_utf8_is_replaced(write_text: WriteText, tmp_path: Path) -> None:
    lines = write_text(b'{"text": "lo\xffw"}\n{"text": "lo\\ud800w"}\n', "a.jsonl")
    assert list(read_documents([lines], "text", "replace")) == ["lo\ufffdw"] * 2
    parquet.write_table(pyarrow.table({"text": [b"low", b"lo\xffw"]}), tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"a\.parquet: row 2: .*0xff"):
        count_words(tmp_path / "a.parquet", text_field="text")
    with pytest.warns(UserWarning, match="1 record, the first"):
        read = list(read_documents([tmp_path / "a.parquet"], "text", skip_bad=True))
    assert read == ["low"]
    assert list(read_documents([tmp_path / "a.parquet"], "text", "replace")) == ["low", "lo\ufffdw"]


@pytest.mark.parametrize("kind", ["string", "binary", "large_binary", "large_string"])
def test_a_column_of_parquet_is_documents(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    data = pyarrow.array([None if text is None else text.encode() for text in [*TEXTS, None]])
    column = data.cast(getattr(pyarrow, kind)())
    table = pyarrow.table(
        {"text": column, "id": range(len(TEXTS) + 1), "of": [[{"text": "no"}]] * 6}
    )
    parquet.write_table(table, path, row_group_size=2)
    with pytest.warns(UserWarning, match="left out: 1 record, .*row 6: null"):
        assert list(read_documents([path], "text")) == TEXTS
    for field in ("id", "body", "of", "of.text"):
        with pytest.raises(ValueError, match=r"a\.parquet"):
            list(read_documents([path], field))
    parquet.write_table(table, path, use_dictionary=False, write_page_checksum=True)
    one_letter = path.read_bytes().replace(b"newest", b"newer ", 1)
    for content in (path.read_bytes()[:-20], one_letter):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="Parquet"):
            list(read_documents([path], "text"))
