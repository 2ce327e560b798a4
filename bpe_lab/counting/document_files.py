"""Files of documents: JSON lines and Parquet, one record of which holds one document."""

import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bpe_lab.counting.native_counter import DiskFile, unpacker
from bpe_lab.counting.text_file import TextFile

PARQUET = b"PAR1"
"""What a Parquet file begins with."""

ROWS = 64
"""Of Parquet to have in memory at a time: a row may be a book."""


def read_documents(paths: Iterable[Path], field: str) -> Iterator[str]:
    """Yield the documents of files, one after the other; a file's first bytes say what it is.

    Of JSON lines one line is in memory, of Parquet one batch of rows.

    :param paths: Parquet, or JSON lines, which gzip or zstd may have packed.
    :param field: key of each line, or name of a column, that holds the text.
    :raises ValueError: a line is no JSON object, or has no text under the key; there is no such
        column; a file is damaged or changed meanwhile.
    :raises ImportError: pyarrow, or what unpacks zstd, is not installed.
    :raises OSError: as the file system says.
    """
    for file in [TextFile(path) for path in paths]:
        yield from (parquet_texts if file.head.startswith(PARQUET) else json_texts)(file, field)


def json_texts(file: TextFile, field: str) -> Iterator[str]:
    """Yield the text of each line; an empty line is none.

    :param file: JSON lines, packed or not.
    :param field: key of the text.
    :raises ValueError: a line is no JSON object, or has no text under the key; says which line.
    """
    unpack, damages = unpacker(file.packing)
    with DiskFile(file) as disk:
        lines: Any = io.BufferedReader(disk) if file.packing is None else unpack(disk)
        try:
            for number, line in enumerate(lines, 1):
                if line.strip():
                    yield json_text(file.path, number, line, field)
        except damages as error:
            raise ValueError(f"{file.path} cannot be unpacked, is it damaged? ({error})") from error


def json_text(path: Path, number: int, line: bytes, field: str) -> str:
    """Return the text of one line.

    :param path: for the message.
    :param number: of the line, the first is 1.
    :param line: the line.
    :param field: key of the text.
    :raises ValueError: it is no JSON object, or has no text under the key.

    >>> json_text(Path("a.jsonl"), 1, b'{"text": "low"}', "text")
    'low'
    """
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:  # of JSON, of UTF-8, or nested too deeply
        remedy = "mend the file" if number > 1 else "mend the file; of plain text name no field"
        raise ValueError(f"{path}: line {number} is not JSON: {error}; {remedy}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: line {number} is no JSON object: give one record a line")
    if not isinstance(record.get(field), str):
        texts = [repr(key) for key, value in record.items() if isinstance(value, str)]
        more = f" and {len(texts) - 5} more" if len(texts) > 5 else ""
        raise ValueError(
            f"{path}: line {number} has no text under {field!r}; fields with text: "
            f"{', '.join(texts[:5]) or 'none'}{more}"
        )
    return str(record[field])


def parquet_texts(file: TextFile, field: str) -> Iterator[str]:
    """Yield the texts of a column; null is none.

    :param file: Parquet.
    :param field: name of the column.
    :raises ImportError: pyarrow is not installed.
    :raises ValueError: there is no such column, it holds no text, or the file is damaged.
    """
    try:
        import pyarrow
        from pyarrow import parquet
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
            yield from (text for text in column.to_pylist() if text is not None)
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{file.path}: column {field!r} holds what is not UTF-8 ({error}): write it anew"
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
