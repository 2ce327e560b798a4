"""Files of documents: JSON lines and Parquet, one record of which holds one document."""

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bpe_lab.counting.native_counter import DiskFile, disk_of, unpacker
from bpe_lab.counting.text_file import Text, TextFile

PARQUET = b"PAR1"
"""What a Parquet file begins with."""

REPLACE = 'replace such bytes with errors="replace" (--errors replace)'

ROWS = 64
"""Of Parquet to have in memory at a time: a row may be a book."""


def read_documents(
    files: Iterable[Text],
    field: str,
    errors: str = "strict",
) -> Iterator[str]:
    """Yield the documents of files, one after the other; a file's first bytes say what it is.

    Of JSON lines one line is in memory, of Parquet one batch of rows.

    :param files: Parquet, or JSON lines, which gzip or zstd may have packed and a stream may give.
    :param field: key of each line, or name of a column, that holds the text; null is no document.
    :param errors: "strict", or "replace" by U+FFFD what is not UTF-8.
    :raises ValueError: a line is no JSON object, or has no text under the key; there is no such
        column; a text is not UTF-8, or Parquet a stream; a file is damaged or changed meanwhile.
    :raises ImportError: pyarrow, or what unpacks zstd, is not installed.
    :raises OSError: as the file system says.
    """
    for file in files:
        if not file.head.startswith(PARQUET):
            yield from json_texts(file, field, errors)
        elif isinstance(file, TextFile):
            yield from parquet_texts(file, field, errors)
        else:
            raise ValueError(f"{file.path} is Parquet, which is read from its end: name a file")


def json_texts(file: Text, field: str, errors: str) -> Iterator[str]:
    """Yield the text of each line; an empty line is none, and null is none.

    :param file: JSON lines, packed or not.
    :param field: key of the text.
    :param errors: "strict" or "replace".
    :raises ValueError: a line is no JSON object, or has no text under the key; says which line.
    """
    unpack, damages = unpacker(file.packing)
    with disk_of(file) as disk:
        lines: Any = io.BufferedReader(disk) if file.packing is None else unpack(disk)
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    text = json_text(file.path, number, line, field, errors)
                    if text is not None:
                        yield text
        except damages as error:
            raise ValueError(f"{file.path} cannot be unpacked, is it damaged? ({error})") from error


def json_text(
    path: Path | str, number: int, line: bytes, field: str, errors: str = "strict"
) -> str | None:
    """Return the text of one line, None where it is null.

    :param path: for the message.
    :param number: of the line, the first is 1.
    :param line: the line.
    :param field: key of the text.
    :param errors: "strict" or "replace".
    :raises ValueError: it is no JSON object, or has no text under the key.

    >>> json_text(Path("a.jsonl"), 1, b'{"text": "low"}', "text")
    'low'
    """
    try:
        if errors == "replace":
            line = line.decode(errors="replace").encode()
        # No number is a text, so none needs all its digits, of which an int may have 4,300.
        record = json.loads(line, parse_int=float)
    except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, or nested too deeply
        remedy = "mend the file" if number > 1 else "mend the file; of plain text name no field"
        if isinstance(error, UnicodeDecodeError):
            remedy = f"mend the file, or {REPLACE}"
        raise ValueError(f"{path}: line {number} is not JSON: {error}; {remedy}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: line {number} is no JSON object: give one record a line")
    text = record.get(field)
    if text is None and field in record:
        return None
    if not isinstance(text, str):
        texts = [repr(key) for key, value in record.items() if isinstance(value, str)]
        more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
        raise ValueError(
            f"{path}: line {number} has no text under {field!r}; fields with text: "
            f"{', '.join(texts[:5]) or 'none'}{more}"
        )
    if errors == "strict":
        try:
            text.encode()
        except UnicodeEncodeError as error:  # half of a character, as "\\ud83d"
            raise ValueError(
                f"{path}: line {number} has no valid text under {field!r}: {error}; mend the file, "
                f"or {REPLACE}"
            ) from None
    return text


def parquet_texts(file: TextFile, field: str, errors: str) -> Iterator[str]:
    """Yield the texts of a column; null is none.

    :param file: Parquet.
    :param field: name of the column.
    :param errors: "strict" or "replace".
    :raises ImportError: pyarrow is not installed.
    :raises ValueError: there is no such column, it holds no text, or the file is damaged.
    """
    try:
        import pyarrow
        from pyarrow import parquet, types
    except ImportError:
        raise ImportError(f"{file.path} is Parquet: pip install pyarrow") from None
    try:
        opened = parquet.ParquetFile(file.path)
        texts = [one.name for one in opened.schema_arrow if is_text(one.type)]
        if texts.count(field) != 1:
            raise ValueError(
                f"{file.path} has {'no column' if field not in texts else 'several columns'} "
                f"{field!r} of text; columns with text: {', '.join(map(repr, texts)) or 'none'}"
            )
        for batch in opened.iter_batches(columns=[field], batch_size=ROWS):
            # By its name: a field of that name in another column is read, too.
            column = batch.column(batch.schema.get_field_index(field))
            if errors == "strict":
                yield from (text for text in column.to_pylist() if text is not None)
                continue
            rows = column.dictionary_decode() if types.is_dictionary(column.type) else column
            for row in rows:
                if row.is_valid:
                    yield bytes(row.as_buffer()).decode(errors=errors)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.path}: column {field!r} holds what is not UTF-8 ({error}): write it anew, or "
            f"{REPLACE}"
        ) from None
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file.path} is damaged Parquet: {error}; get it again") from None
    with DiskFile(file) as disk:
        file.check(disk.fileno(), file.size)


def is_text(kind: Any) -> bool:
    """Tell whether a column of a type of pyarrow holds text.

    :param kind: the type.
    """
    from pyarrow import types

    if types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))
