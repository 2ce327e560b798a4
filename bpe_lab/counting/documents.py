"""Documents, one after another: from a generator or a dataset, or the records of files."""

import codecs
import io
import json
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from bpe_lab.counting.decode import unpacked
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

JSON_TYPES = {float: "a number", bool: "a boolean", list: "an array", dict: "an object"}
"""What a field without text can hold."""

LINES_BYTES = 1 << 17
"""Bytes of lines to read at a time."""

ROWS = 64
"""Bytes of Parquet to have in memory at a time: a row may be a book."""


def read_documents(
    files: Iterable[Text], field: str, errors: str, report: Report = lambda _: None
) -> Iterator[str]:
    """Yield the documents of files, one after another; a warning tells how many are null."""
    nulls = 0
    for text in chain.from_iterable(read_records(file, field, errors, report) for file in files):
        if text is None:
            nulls += 1
        else:
            yield text
    warn_left_out(nulls, field)


def read_records(file: Text, field: str, errors: str, report: Report) -> Iterator[str | None]:
    """Return the texts of a file, None for null; its first bytes tell its format.

    Memory holds one line of JSON, or one batch of Parquet rows.
    """
    if not file.head.startswith(PARQUET):
        return _json_texts(file, field, errors, report)
    if not isinstance(file, TextFile):
        raise ValueError(f"{file.path} is Parquet, which is read from its end: name a file")
    return _parquet_texts(file, field, errors, report)


def warn_left_out(nulls: int, field: str) -> None:
    """Warn of records that are left out, once for all files."""
    if nulls:
        warnings.warn(f"left out: {nulls:,} with null under {field!r}", stacklevel=3)


def _json_texts(file: Text, field: str, errors: str, report: Report) -> Iterator[str | None]:
    """Yield the text of each line that is not empty."""
    stream, seen = unpacked(file), 0
    for number, line in enumerate(io.BufferedReader(stream, LINES_BYTES), 1):
        if (read_bytes := stream.read_bytes) != seen:
            report(read_bytes - seen)
            seen = read_bytes
        # Also where files were joined that had one.
        line = line.removeprefix(codecs.BOM_UTF8)
        if line.strip():
            yield _json_text(file.path, number, line, field, errors)


def _json_text(path: Path | str, number: int, line: bytes, field: str, errors: str) -> str | None:
    """Return the text of one line, None if it is null."""
    try:
        if errors == "replace":
            line = line.decode(errors="replace").encode()
        # No text is a number, so exact values do not matter; an int is limited to 4,300 digits.
        record = json.loads(line, parse_int=float)
    except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, or nested too deeply
        why, remedy = str(error), "fix the file"
        if isinstance(error, UnicodeDecodeError):
            remedy = f"fix the file, or {REPLACE}"
        elif number == 1:  # as of an array over many lines
            remedy = "give one record a line; for plain text name no field"
        if isinstance(error, json.JSONDecodeError):  # it says "line 1" of every line
            why = f"{error.msg.removesuffix(' at')} at column {error.pos + 1}"
        raise ValueError(f"{path}: line {number} is not valid JSON: {why}; {remedy}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: line {number} is not a JSON object: give one record a line")
    text = record.get(field)
    if text is None and field in record:
        return None
    if not isinstance(text, str):
        texts = [repr(key) for key, value in record.items() if isinstance(value, str)]
        known = f"fields with text: {some(texts)}"
        other = f", but {JSON_TYPES[type(record[field])]}" if field in record else ""
        raise ValueError(f"{path}: line {number} has no text under {field!r}{other}; {known}")
    if errors == "replace":
        return replaced(text)
    try:
        text.encode()
    except UnicodeEncodeError as error:  # half of a character, as "\\ud83d"
        raise ValueError(
            f"{path}: line {number} has no valid text under {field!r}: {error}; fix the file, or "
            f"{REPLACE}"
        ) from None
    return text


def _parquet_texts(file: TextFile, field: str, errors: str, report: Report) -> Iterator[str | None]:
    """Yield the texts of a column of a file."""
    try:
        import pyarrow
        from pyarrow import parquet, types
    except ImportError:
        raise ImportError(f"{file.path} is Parquet: pip install 'bpe_lab[counts]'") from None
    try:
        opened = parquet.ParquetFile(file.path)
        texts = [one.name for one in opened.schema_arrow if _is_text(one.type)]
        if texts.count(field) != 1:
            what = "no column" if field not in texts else "several columns"
            known = f"columns with text: {some([*map(repr, texts)])}"
            raise ValueError(f"{file.path} has {what} {field!r} of text; {known}")
        for batch in opened.iter_batches(columns=[field], batch_size=ROWS):
            report(file.size * batch.num_rows // opened.metadata.num_rows)
            # By its name, because a field of that name inside another column is read, too.
            column = batch.column(batch.schema.get_field_index(field))
            for row in column.dictionary_decode() if types.is_dictionary(column.type) else column:
                yield bytes(row.as_buffer()).decode(errors=errors) if row.is_valid else None
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.path}: column {field!r} holds bytes that are not UTF-8 ({error}): write it "
            f"again, or {REPLACE}"
        ) from None
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file.path} is damaged Parquet: {error}; get it again") from None
    with file.path.open("rb") as stream:
        file.check(stream.fileno(), file.size)


def _is_text(kind: Any) -> bool:
    """Tell whether a column of a type of pyarrow holds text."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))
