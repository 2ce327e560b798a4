"""Documents, one after another: from a generator or a dataset, or the records of files."""

import codecs
import csv
import io
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from bpe_lab.counting.decode import PART_BYTES, unpacked
from bpe_lab.counting.source import Text, TextFile
from bpe_lab.support.errors import REPLACE, check_many, replaced, some
from bpe_lab.support.progress import Report

SEPARATORS = [chr(code) for code in range(0xFDD0, 0xFDF0)]
"""Noncharacters, which Unicode reserves for internal use: no text should hold one."""


def checked_documents(documents: Iterable[str | bytes], errors: str) -> Iterator[bytes]:
    """Yield documents as UTF-8.

    >>> list(checked_documents(["low", b"lo\\xffw"], "replace"))
    [b'low', b'lo\\xef\\xbf\\xbdw']
    """
    check_many("documents", documents)
    for number, document in enumerate(documents):
        try:
            if isinstance(document, str):
                # With the method of `str`: a subclass may encode differently.
                yield str.encode(replaced(document) if errors == "replace" else document)
            elif isinstance(document, bytes):
                yield bytes.decode(document, "utf-8", errors).encode()
            else:
                kind = type(document).__name__
                raise TypeError(
                    f"document {number} (the first is 0) is {kind}: give a str or bytes"
                )
        except UnicodeError as error:
            fault = f"document {number} (the first is 0) is not valid text: {error}"
            raise ValueError(f"{fault}; fix it, or {REPLACE}") from None


def separator_for(special_tokens: Sequence[str]) -> str:
    """Return a character that is in no special token, so that none crosses it.

    >>> hex(ord(separator_for(["<|endoftext|>"])))
    '0xfdd0'
    """
    for separator in SEPARATORS:
        if not any(separator in token for token in special_tokens):
            return separator
    raise ValueError("the special tokens hold every noncharacter from U+FDD0 on: remove one")


PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

JSON_TYPES = {str: "text", float: "number", bool: "boolean", type(None): "null"}
JSON_TYPES |= {list: "nested array", dict: "nested object"}
"""What a field can hold."""

CSV_CHARACTERS = 1 << 27
"""Of a field, at most: where a quotation mark is not closed, all that follows is one field."""

ROWS = 64
"""Rows of Parquet to have in memory at a time: each may be a book."""


class Records:
    """The texts under a field of the records of files, and how many records have none."""

    def __init__(self, field: str | None, errors: str, skip_bad: bool = False) -> None:
        if field is not None and not (isinstance(field, str) and field):
            raise TypeError(f"text_field is {field!r}: give the name of a field, or None")
        if skip_bad and field is None:
            raise ValueError(
                "skip_bad_records (--skip-bad-records) is about records: name the field of their "
                "texts, text_field (--text-field)"
            )
        self.field, self.errors, self.skip_bad = field or "", errors, skip_bad
        self.n_texts = self.n_nulls = self.n_bad = 0
        self.first_bad = ""

    def documents(self, files: Iterable[Text], report: Report) -> Iterator[str]:
        """Yield the texts of files, one after another; a warning tells what is left out."""
        texts = chain.from_iterable(self.texts(file, report) for file in files)
        yield from (text for text in texts if text is not None)
        self.warn_left_out()

    def texts(self, file: Text, report: Report) -> Iterator[str | None]:
        """Yield the text of each record of a file, None for one that is left out; memory holds one
        record, or one batch of Parquet rows."""
        unit, records, text_of = self._opened(file, report)
        for number, record in records:
            try:
                text = text_of(record)
                self.n_texts += text is not None
                self.n_nulls += text is None
            except (ValueError, RecursionError, csv.Error) as error:
                text = None
                self._leave_out(f"{file.path}: {unit} {number}", error)
            yield text

    def warn_left_out(self, more: str = "") -> None:
        """Warn of the records that were left out, once for all files."""
        kinds = [(self.n_nulls, f"with null under {self.field!r}")]
        kinds += [(self.n_bad, f"bad record{'s' * (self.n_bad > 1)}, the first: {self.first_bad}")]
        left_out = "; ".join(f"{number:,} {kind}" for number, kind in kinds if number)
        if self.n_bad and not self.n_texts:
            raise ValueError(f"no record has a text: {left_out}")
        if left_out:
            warnings.warn(f"left out{more}: {left_out}", stacklevel=3)

    def _leave_out(self, place: str, error: Exception) -> None:
        """Count a bad record, or raise what is wrong with it."""
        fault, remedy = str(error), "fix the file"
        if isinstance(error, json.JSONDecodeError):  # it says "line 1" of every line
            fault = f"is not valid JSON: {error.msg.removesuffix(' at')} at column {error.pos + 1}"
            remedy += ", one record a line"
        elif isinstance(error, UnicodeError):
            fault, remedy = f"is not valid UTF-8: {error}", f"fix the file, or {REPLACE}"
        elif not isinstance(error, ValueError):  # JSON that is nested too deeply
            fault = f"is not valid {'CSV' if isinstance(error, csv.Error) else 'JSON'}: {error}"
        if not self.skip_bad:
            skip = "leave bad records out with skip_bad_records=True (--skip-bad-records)"
            raise ValueError(f"{place} {fault}; {remedy}, or {skip}") from None
        self.n_bad += 1
        self.first_bad = self.first_bad or f"{place} {fault}"

    def _opened(self, file: Text, report: Report) -> tuple[str, Any, Any]:
        """Return what a record is called, all with their numbers, and what gives the text of one.
        What begins with no bracket and is not named as JSON is CSV."""
        if file.head.startswith(PARQUET):
            if not isinstance(file, TextFile):
                raise ValueError(f"{file.path} is Parquet, which is read from its end: name a file")
            return "row", enumerate(self._parquet_rows(file, report), 1), self._parquet_text
        stream = unpacked(file)
        buffered = io.BufferedReader(stream, PART_BYTES)
        lines = _lines(buffered, stream, report)
        begin = buffered.peek().removeprefix(codecs.BOM_UTF8).lstrip()
        named = re.search(r"\.(jsonl?|ndjson)(\.gz|\.zst)?$", str(file.path), re.IGNORECASE)
        if begin and not begin.startswith((b"{", b"[")) and not named:
            return self._csv(file, lines)
        # Also where files were joined that had a mark. Without its end, which would be the fault of
        # a string that does not end.
        cut = (line.removeprefix(codecs.BOM_UTF8).rstrip() for line in lines)
        return "line", ((at, line) for at, line in enumerate(cut, 1) if line), self._json_text

    def _json_text(self, line: bytes) -> str | None:
        """Return the text of a line, None for null."""
        # No text is a number, so exact values do not matter; an int is limited to 4,300 digits.
        record = json.loads(line.decode(errors=self.errors), parse_int=float)
        if not isinstance(record, dict):
            raise ValueError("is not a JSON object")
        text = record.get(self.field)
        if isinstance(text, str):
            text = replaced(text) if self.errors == "replace" else text
            text.encode()  # fails for half of a character, as "\\ud83d"
        elif text is not None or self.field not in record:
            self._check_fields("", [(name, JSON_TYPES[type(of)]) for name, of in record.items()])
        return text

    def _csv(self, file: Text, lines: Iterator[bytes]) -> tuple[str, Any, Any]:
        """Do it for CSV, where quotation marks may hold delimiters and line ends."""
        # In other fields, bytes that are not UTF-8 do not matter.
        errors = "replace" if self.errors == "replace" else "surrogateescape"
        first = next(lines).removeprefix(codecs.BOM_UTF8).decode(errors=errors)
        names = {one: [name.strip('"\r\n') for name in first.split(one)] for one in ",\t;|"}
        delimiter = next((one for one in names if self.field in names[one]), ",")
        decoded = chain([first], (line.decode(errors=errors) for line in lines))
        # Strict: else a quotation mark that is not doubled, or not closed, changes texts unnoticed.
        rows = _rows(csv.reader(decoded, delimiter=delimiter, strict=True))
        header = next(rows)[1]
        if isinstance(header, csv.Error):
            raise ValueError(f"{file.path} is no JSON, nor CSV ({header}): fix the file")
        self._check_fields(f"{file.path}, read as CSV, ", [(name, "text") for name in header])

        def text_of(row: Any) -> str:
            if isinstance(row, csv.Error):
                raise row
            if len(row) != len(header):
                raise ValueError(f"has {len(row):,} fields, and the header has {len(header):,}")
            return str.encode(row[header.index(self.field)], errors="surrogateescape").decode()

        return "line", rows, text_of

    def _parquet_text(self, row: Any) -> str | None:
        return bytes(row.as_buffer()).decode(errors=self.errors) if row.is_valid else None

    def _parquet_rows(self, file: TextFile, report: Report) -> Iterator[Any]:
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            raise ImportError(f"{file.path} is Parquet: pip install 'bpe_lab[counts]'") from None
        try:
            opened = parquet.ParquetFile(file.path, page_checksum_verification=True)
            columns = [(one.name, _kind(one.type)) for one in opened.schema_arrow]
            self._check_fields(f"{file.path} ", columns)
            for batch in opened.iter_batches(columns=[self.field], batch_size=ROWS):
                report(file.size * batch.num_rows // opened.metadata.num_rows)
                # By its name, because a field of that name inside another column is read, too.
                column = batch.column(batch.schema.get_field_index(self.field))
                coded = hasattr(column, "dictionary_decode")
                yield from column.dictionary_decode() if coded else column
        except (ArrowException, OSError) as error:
            raise ValueError(f"{file.path} is damaged Parquet: {error}; get it again") from None
        with file.path.open("rb") as stream:
            file.check(stream.fileno(), file.size)

    def _check_fields(self, where: str, fields: Sequence[tuple[str, str]]) -> None:
        """Check that one field has the name, and holds text; `where` begins the error."""
        if [name for name, _ in fields].count(self.field) > 1:
            raise ValueError(f"{where}has several columns {self.field!r}: rename all but one")
        if (self.field, "text") not in fields:
            outer = self.field.split(".")[0]
            fields = sorted(fields, key=lambda one: (one[0] != outer, one[1] != "text"))
            known = some([f"{name!r:.60} ({kind})" for name, kind in fields])
            if fields and "nested" in fields[0][1]:  # the one that is meant, or none is text
                known += "; nested fields are not read: write the texts to a column"
            raise ValueError(f"{where}has no text under {self.field!r}; fields: {known}")


def _lines(buffered: Iterable[bytes], stream: Any, report: Report) -> Iterator[bytes]:
    """Yield the lines of a stream, and report the bytes that it has read."""
    seen = 0
    for line in buffered:
        if (read_bytes := stream.read_bytes) != seen:
            report(read_bytes - seen)
            seen = read_bytes
        yield line


def _rows(reader: Any) -> Iterator[tuple[int, Any]]:
    """Yield the rows of CSV that are not empty, with their first lines; for a bad one its error."""
    limit = csv.field_size_limit(CSV_CHARACTERS)
    try:
        row: Any = []
        while row is not None:
            number = reader.line_num + 1
            try:
                row = next(reader, None)
            except csv.Error as error:
                row = csv.Error(str(error).partition(" - ")[0])  # what follows is for programmers
            if row:
                yield number, row
    finally:
        csv.field_size_limit(limit)


def _kind(column: Any) -> str:
    """Return what a column of a type of pyarrow holds; bytes are taken for text."""
    if re.match(r"(dictionary<values=)?(large_)?(string|binary)", str(column)):
        return "text"
    return f"{'nested ' if column.num_fields else ''}{column!s:.80}"
