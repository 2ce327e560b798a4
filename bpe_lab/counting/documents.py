"""The records of files, JSON lines, CSV or Parquet: the text under one field of each."""

import codecs
import csv
import io
import json
import warnings
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from bpe_lab.counting.source import PART_BYTES, Text, unpacked
from bpe_lab.support.errors import require, some
from bpe_lab.support.progress import Report
from bpe_lab.words.texts import replaced

PARQUET = b"PAR1"
"""The first bytes of a Parquet file."""

ROWS = 64
"""Rows of Parquet to have in memory at a time: each may be a book."""


class Records:
    """The texts under a field of the records of files, and how many records have none."""

    def __init__(self, field: str | None, errors: str, skip_bad: bool = False) -> None:
        self.field, self.errors, self.skip_bad = field or "", errors, skip_bad
        self.n_left_out, self.first_left_out = 0, ""

    def documents(self, files: Iterable[Text], report: Report) -> Iterator[str]:
        """Yield the texts of files, one after another; a warning tells what is left out."""
        texts = chain.from_iterable(self.texts(file, report) for file in files)
        yield from (text for text in texts if text is not None)
        self.warn_left_out()

    def texts(self, file: Text, report: Report) -> Iterator[str | None]:
        """Yield the text of each record of a file, None for one that is left out; memory holds one
        record, or one batch of Parquet rows."""
        unit = "row" if file.head.startswith(PARQUET) else "line"
        for number, record in _records(file, self.field, self.errors, report):
            text, place = None, f"{file.path}: {unit} {number}"
            try:
                text = self._text_of(record)
                fault = f"null is under {self.field!r}"
            except (ValueError, RecursionError) as error:
                fault = str(error)
                if not self.skip_bad:
                    raise ValueError(f"{place}: {fault}; --skip-bad-records omits such") from None
            if text is None:
                self.n_left_out += 1
                self.first_left_out = self.first_left_out or f"{place}: {fault}"
            yield text

    def warn_left_out(self, more: str = "") -> None:
        """Warn of the records that were left out, once for all files."""
        if number := self.n_left_out:
            records = f"{number:,} record{'s' * (number > 1)}, the first: {self.first_left_out}"
            warnings.warn(f"left out{more}: {records}", stacklevel=3)

    def _text_of(self, record: Any) -> str | None:
        """Return the text of a record: a line of JSON, or a dictionary; None for null."""
        if isinstance(record, csv.Error):
            raise ValueError(f"it is no CSV: {record}")
        if isinstance(record, bytes):
            # No text is a number, so exact values do not matter; an int is limited to 4,300 digits.
            record = json.loads(record.decode(errors=self.errors), parse_int=float)
        fields = record if isinstance(record, dict) else {}
        text = fields.get(self.field)
        if isinstance(text, bytes):
            text = text.decode(errors=self.errors)
        if isinstance(text, str):
            text = replaced(text) if self.errors == "replace" else text
            text.encode()  # fails for half of a character, as "\\ud83d"
        elif text is not None or self.field not in fields:
            known = some([f"{name!r:.60}" for name in fields])
            raise ValueError(f"no text is under {self.field!r}; fields: {known}")
        return text


def _records(file: Text, field: str, errors: str, report: Report) -> Iterator[tuple[int, Any]]:
    """Yield the records of a file, numbered as its lines or rows are. What begins with no bracket
    is CSV."""
    if file.head.startswith(PARQUET):
        yield from _parquet_rows(file, field, report)
        return
    lines = io.BufferedReader(unpacked(file, report), PART_BYTES)
    if not lines.peek().removeprefix(codecs.BOM_UTF8).lstrip().startswith((b"{", b"[")):
        yield from _csv_rows(lines, field, errors)
        return
    for number, line in enumerate(lines, 1):
        # Also where files were joined that had a mark. Without its end, which would be the fault of
        # a string that does not end.
        if line := line.removeprefix(codecs.BOM_UTF8).rstrip():
            yield number, line


def _csv_rows(lines: io.BufferedReader, field: str, errors: str) -> Iterator[tuple[int, Any]]:
    """Yield rows of CSV, where quotation marks may hold delimiters and line ends."""
    first = lines.peek().removeprefix(codecs.BOM_UTF8).partition(b"\n")[0].decode(errors="replace")
    names = {mark: [name.strip('"\r') for name in first.split(mark)] for mark in ",\t;|"}
    delimiter = next((mark for mark in names if field in names[mark]), ",")
    csv.field_size_limit(1 << 27)  # a book fits, and a quotation mark that is not closed ends
    # In other fields, bytes that are not UTF-8 do not matter. Strict: else a quotation mark that is
    # not doubled, or not closed, changes texts unnoticed.
    errors = "replace" if errors == "replace" else "surrogateescape"
    decoded = io.TextIOWrapper(lines, "utf-8-sig", errors, newline="\n")
    rows = csv.DictReader(decoded, delimiter=delimiter, strict=True)
    row: Any = {}
    while row is not None:
        number = rows.line_num + 1
        try:
            row = next(rows, None)
            if row and (None in row or None in row.values()):
                row = csv.Error("other fields than the header has")
        except csv.Error as error:
            row = error
        if row:
            yield number, row


def _parquet_rows(file: Text, field: str, report: Report) -> Iterator[tuple[int, Any]]:
    """Yield rows of Parquet, which is no stream, with the one column."""
    require("pyarrow", extra="counts")
    import pyarrow
    from pyarrow import parquet

    try:
        opened, number = parquet.ParquetFile(file.path, page_checksum_verification=True), 0
        if field not in (names := opened.schema_arrow.names):
            raise ValueError(f"no text is under {field!r}; fields: {some(names)}")
        for batch in opened.iter_batches(columns=[field], batch_size=ROWS):
            for row in batch.to_pylist():
                number += 1
                yield number, row
            report(file.size * len(batch) // opened.metadata.num_rows)
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{file.path} cannot be read as Parquet: {error}") from None
