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
    except ValueError as error:  # of JSON, or of UTF-8
        raise ValueError(f"{path}: line {number} is not JSON: {error}; mend the file") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: line {number} is no JSON object: give one record a line")
    if not isinstance(record.get(field), str):
        has = ", ".join(key for key, value in record.items() if isinstance(value, str)) or "none"
        raise ValueError(
            f"{path}: line {number} has no text under {field!r}; fields with text: {has}"
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
        kinds = {one.name: one.type for one in opened.schema_arrow}
        texts = [
            name
            for name, kind in kinds.items()
            if pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind)
        ]
        if field not in texts:
            raise ValueError(
                f"{file.path} has no column {field!r} of text; columns with text: "
                f"{', '.join(texts) or 'none'}"
            )
        for batch in opened.iter_batches(columns=[field], batch_size=1024):
            yield from (text for text in batch.column(0).to_pylist() if text is not None)
    except (pyarrow.ArrowException, OSError) as error:
        raise ValueError(f"{file.path} is damaged Parquet: {error}") from None
    with DiskFile(file) as disk:
        file.check(disk.fileno(), file.size)
