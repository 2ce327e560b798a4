"""Word counts in a file: counted once, for every vocabulary size, and added up over machines.

A Parquet file of two columns, `word` (bytes) and `count`, whose rows are sorted by the bytes of the
word: equal counts give equal rows, from any counter. The metadata says what was counted, so that
counts that do not belong together are not added, and has a SHA-256 of everything, which reveals a
damaged file. Any program for Parquet can read the rows:
`pandas.read_parquet("counts.parquet").nlargest(9, "count")`.

Counting parts separately and adding the counts is MapReduce's example (Dean and Ghemawat, 2004);
that BPE needs only the word counts of a text is due to Sennrich et al. (2016).
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, NamedTuple

try:
    import pyarrow
    from pyarrow import parquet
except ModuleNotFoundError:
    raise ModuleNotFoundError(
        "word counts are kept in Parquet files, and pyarrow, which reads and writes them, is not "
        "installed: pip install 'bpe_lab[counts]'",
        name="pyarrow",
    ) from None

import bpe_lab
from bpe_lab import native
from bpe_lab.counting.inputs import refuse_text_twice
from bpe_lab.counting.source import (
    READ_BYTES,
    READ_ONLY,
    StoredText,
    Text,
    TextFile,
    TextStream,
)
from bpe_lab.counting.word_table import NativeWordCounts, WordCounts, word_counts
from bpe_lab.support.files import atomic_write, check_new_file, errors_name_path
from bpe_lab.support.machine import memory_errors_explained
from bpe_lab.support.progress import Bar, Report
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import check_special_tokens

FORMAT = "bpe_lab word counts 1"

FACTS_KEY, SHA256_KEY = b"bpe_lab.word_counts", b"bpe_lab.sha256"

SCHEMA = pyarrow.schema(
    [
        pyarrow.field("word", pyarrow.binary(), nullable=False),
        pyarrow.field("count", pyarrow.uint64(), nullable=False),
    ]
)

GROUP_WORDS = 1 << 17
"""Words to write, or to read, at a time."""

_AGAIN = "count the texts again (bpe-lab count)"


class CountedFile(NamedTuple):
    """A counted file, as its bytes were on the disk.

    :param name: without its folder.
    :param size_bytes: its size; compressed if it is compressed.
    :param sha256: of these bytes, in hexadecimal.
    :param text_field: of its records, if only that was counted; None: all of it.
    """

    name: str
    size_bytes: int
    sha256: str
    text_field: str | None = None


def counted_text(text: Text, report: Report = lambda n_bytes: None) -> CountedFile:
    """Return the identity of a text: a file is read once more, a stream was digested.

    :param text: a file, as it was before counting, or a stream that was read.
    :param report: called with the number of bytes of each part.
    :raises FileChangedError: a file has changed.
    :raises OSError: it cannot be read.

    >>> from bpe_lab import corpora
    >>> counted_text(TextFile(corpora.path("worked_example"))).size_bytes
    287
    """
    if isinstance(text, TextStream):
        return CountedFile("-", text.read_bytes, text.digest.hexdigest())
    assert isinstance(text, StoredText)
    digest = hashlib.sha256()
    for start in range(0, text.size, READ_BYTES):
        block = text.read(start, min(start + READ_BYTES, text.size))
        digest.update(block)
        report(len(block))
    return CountedFile(PurePath(text.path).name, text.size, digest.hexdigest())


def write_counts(
    path: str | os.PathLike[str],
    counts: Mapping[bytes, int],
    *,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    sources: Iterable[CountedFile] = (),
    pattern: str = DEFAULT_PATTERN,
    force: bool = False,
) -> None:
    """Write word counts to a file, under a temporary name first.

    Sorting makes a Python object of each distinct word: about 60 bytes plus the word, in addition
    to the counts. Rows are written a group at a time.

    :param path: the file; folders above it are made.
    :param counts: what `bpe_lab.count_words` returned, or any word -> number of occurrences.
    :param special_tokens: at which the text was cut.
    :param sources: the counted files, as `counted_text` returns them: with these `read_counts`
        notices a text that would count twice.
    :param pattern: what the words are, as `bpe_lab.count_words` took it.
    :param force: replace the file if it is there.
    :raises TypeError, ValueError: bad counts, special tokens or pattern, as
        `bpe_lab.train_from_counts`.
    :raises OSError: the file exists without `force`, or cannot be written.
    :raises MemoryError: the sorted words need more memory than there is.

    >>> from bpe_lab import corpora, count_words, train_from_counts
    >>> counts = count_words(corpora.path("worked_example"))
    >>> write_counts("counts.parquet", counts)
    >>> read, special_tokens, pattern = read_counts("counts.parquet")
    >>> read == counts, pattern
    (True, 'gpt2')
    >>> train_from_counts(read, 258, special_tokens, pattern=pattern).merges
    [(b's', b't')]
    """
    specials, path, table = check_special_tokens(special_tokens), Path(path), word_counts(counts)
    check_new_file(path, force)
    facts = {
        "format": FORMAT,
        "bpe_lab": bpe_lab.__version__,
        "pattern": find_pattern(pattern).regex,
        "special_tokens": specials,
        "sources": [source._asdict() for source in sources],
    }
    said = json.dumps(facts).encode()
    digest = hashlib.sha256(said)
    schema = SCHEMA.with_metadata({FACTS_KEY: said})
    with (
        atomic_write(path, force=force) as stream,
        errors_name_path(path),
        memory_errors_explained(lambda: _too_large(len(table), "written")),
        parquet.ParquetWriter(
            stream,
            schema,
            compression="zstd",
            use_dictionary=["count"],  # counts repeat
            column_encoding={"word": "DELTA_BYTE_ARRAY"},  # of sorted words: beginnings repeat
            write_page_checksum=True,
        ) as writer,
    ):
        words = sorted(table)
        for start in range(0, len(words), GROUP_WORDS):
            group = words[start : start + GROUP_WORDS]
            counts_of_group = [table[word] for word in group]
            digest.update(_digested(group, counts_of_group))
            columns = {"word": group, "count": counts_of_group}
            writer.write_table(pyarrow.table(columns, schema=schema))
        writer.add_key_value_metadata({SHA256_KEY: digest.hexdigest()})


def _digested(words: Sequence[bytes], counts: Sequence[int]) -> bytes:
    """Return rows in the form for the file's digest, in any number of parts."""
    rows = zip(words, counts, strict=True)
    return b"".join(b"%d %d %b\n" % (len(word), count, word) for word, count in rows)


def _too_large(n_words: int, done: str) -> str:
    return (
        f"{n_words:,} distinct words need more memory than there is while they are {done}: use a "
        "machine with more memory, or less text"
    )


class _Facts(NamedTuple):
    """The metadata of a file of word counts."""

    pattern: str
    special_tokens: tuple[str, ...]
    sources: tuple[CountedFile, ...]
    words: int


@dataclass(frozen=True)
class StoredCounts:
    """Files of word counts that belong together, as checked by `open_counts`.

    :param files: the files.
    :param sources: the files whose words were counted.
    :param special_tokens: at which the texts of all of them were cut.
    :param pattern: of the words of all of them.
    :param words: rows of all of them.
    """

    files: Sequence[TextFile]
    sources: Sequence[CountedFile]
    special_tokens: tuple[str, ...]
    pattern: str
    words: int

    def check(self, special_tokens: tuple[str, ...], pattern: str) -> None:
        """Check that they have the requested special tokens and pattern."""
        path = self.files[0].path
        if special_tokens != self.special_tokens:
            raise ValueError(
                f"{path} was counted with {_named(self.special_tokens)}, and "
                f"{_named(special_tokens)} asked for: leave --special-token and "
                f"--no-special-tokens out, or {_AGAIN}"
            )
        if pattern != self.pattern:
            raise ValueError(
                f"{path} has words of the pattern {self.pattern!r}, and {pattern!r} is asked for: "
                f"leave --pattern out, or {_AGAIN}"
            )

    def read(self, *, progress: bool = False) -> WordCounts:
        """Read the files and add their counts up."""
        table = native.WordTable()
        with (
            Bar(progress, "read counts", self.words, " words", scale=True) as bar,
            memory_errors_explained(lambda: _too_large(self.words, "read")),
        ):
            for file in self.files:
                _add_counts(table, file, bar)
        return NativeWordCounts(table)


def _add_counts(table: native.WordTable, file: TextFile, bar: Bar) -> None:
    """Add the counts of a file to a table, and check that the file is undamaged."""
    with _opened(file) as found:
        metadata = found.metadata.metadata
        digest = hashlib.sha256(metadata[FACTS_KEY])
        for batch in found.iter_batches(batch_size=GROUP_WORDS, columns=SCHEMA.names):
            words, counts = (column.to_pylist() for column in batch.columns)
            digest.update(_digested(words, counts))
            try:
                for word, count in zip(words, counts, strict=True):
                    table.add(word, count)
            except OverflowError:
                raise ValueError(
                    f"{file.path}: with its counts the words hold more than 2**63 - 1 bytes, and "
                    "counts are 64-bit: leave a file out"
                ) from None
            bar.update(len(words))
    if digest.hexdigest().encode() != metadata.get(SHA256_KEY):
        raise ValueError(
            f"{file.path} is damaged: it has another SHA-256 than it had when it was written; get "
            f"it again from where it came, or {_AGAIN}"
        )


def read_counts(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> tuple[WordCounts, tuple[str, ...], str]:
    """Read word counts from files, and add them up.

    :param paths: one file or several that `write_counts` has written.
    :return: the counts, the special tokens at which the texts were cut, and the pattern of the
        words: all that `bpe_lab.train_from_counts` needs.
    :raises OSError: a file cannot be opened.
    :raises ValueError: a file was not written by `write_counts`, or not by this version of it; is
        damaged; was cut by another pattern or other special tokens than the first; counts a text
        that another one counts; or the words hold more than 2**63 - 1 bytes together.
    :raises FileChangedError: a file was written to or replaced while it was read.
    :raises MemoryError: the words need more memory than there is.

    >>> write_counts("monday.parquet", {b"low": 5, b"lower": 2})
    >>> write_counts("tuesday.parquet", {b"low": 1, b"newest": 6})
    >>> counts, special_tokens, pattern = read_counts(["monday.parquet", "tuesday.parquet"])
    >>> sorted(counts.items()), special_tokens, pattern
    ([(b'low', 6), (b'lower', 2), (b'newest', 6)], ('<|endoftext|>',), 'gpt2')
    """
    stored = open_counts(paths)
    return stored.read(), stored.special_tokens, stored.pattern


def open_counts(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
) -> StoredCounts:
    """Open files of word counts, and check that they can be added up."""
    given = [paths] if isinstance(paths, str | os.PathLike) else paths
    files = {file: _facts_of(file) for file in map(TextFile, map(Path, given))}
    if not files:
        raise ValueError("no file of word counts is given: name at least one")
    first, facts = next(iter(files.items()))
    for file, other in files.items():
        if other.special_tokens != facts.special_tokens:
            raise ValueError(
                f"{file.path} was counted with {_named(other.special_tokens)}, {first.path} with "
                f"{_named(facts.special_tokens)}: count the texts of one of them again, with those "
                "of the other in the same order"
            )
        if other.pattern != facts.pattern:
            raise ValueError(
                f"{file.path} has words of the pattern {other.pattern!r}, {first.path} of "
                f"{facts.pattern!r}: count the texts of one of them again, with the other's"
            )
    _refuse_text_twice(files)
    sources = [source for each in files.values() for source in each.sources]
    n_words = sum(each.words for each in files.values())
    return StoredCounts(list(files), sources, facts.special_tokens, facts.pattern, n_words)


@contextmanager
def _opened(file: TextFile) -> Iterator[Any]:
    """Open an unchanged Parquet file; errors say that it is damaged."""
    if not file.head.startswith(b"PAR1"):
        raise ValueError(
            f"{file.path} is no Parquet file: name files that `bpe-lab count` has written (texts "
            "are named without --counts)"
        )
    with os.fdopen(os.open(file.path, READ_ONLY), "rb") as stream:
        file.check(stream.fileno(), 0)
        with (
            _damage_named(file.path),
            parquet.ParquetFile(stream, page_checksum_verification=True) as found,
        ):
            yield found


@contextmanager
def _damage_named(path: Path, *more: type[Exception]) -> Iterator[None]:
    """Make pyarrow's errors, and others that mean damage, name the file."""
    try:
        yield
    except MemoryError:  # pyarrow's is one of its exceptions, too
        raise
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError, *more) as error:
        line = (str(error) or type(error).__name__).partition("\n")[0].rstrip(". ")
        said = "".join(character if character.isprintable() else "?" for character in line)
        raise ValueError(
            f"{path} cannot be read, is it damaged? ({said}); get it again from where it came, or "
            f"{_AGAIN}"
        ) from error


def _facts_of(file: TextFile) -> _Facts:
    """Return the metadata of a file of word counts, if we can use it."""
    with _opened(file) as found:
        schema, n_words = found.schema_arrow, found.metadata.num_rows
        metadata = found.metadata.metadata or {}
    wrong = (ValueError, TypeError, AttributeError, KeyError, RecursionError)
    with _damage_named(file.path, *wrong):
        said = json.loads(metadata.get(FACTS_KEY, b"{}"))
        if said.get("format") == FORMAT and schema.equals(SCHEMA):
            return _Facts(
                find_pattern(said["pattern"]).name,
                check_special_tokens(said["special_tokens"]),
                tuple(CountedFile(**source) for source in said["sources"]),
                n_words,
            )
    raise ValueError(
        f"{file.path} holds no word counts of bpe_lab {bpe_lab.__version__}: name files that "
        "`bpe-lab count` has written"
    )


def _named(special_tokens: Sequence[str]) -> str:
    """Name special tokens, a few of many."""
    if not special_tokens:
        return "no special tokens"
    more = f" and {len(special_tokens) - 3} more" if len(special_tokens) > 3 else ""
    return f"special tokens {', '.join(map(repr, special_tokens[:3]))}{more}"


def _refuse_text_twice(files: Mapping[TextFile, _Facts]) -> None:
    """Refuse files that count the same text, because it would count twice."""
    refuse_text_twice(files)
    counted: dict[tuple[str, str | None], Path] = {}
    for file, facts in files.items():
        # An empty text adds nothing, even if it is named twice.
        texts = {(one.sha256, one.text_field): one.name for one in facts.sources if one.size_bytes}
        for twice in texts.keys() & counted.keys():
            raise ValueError(
                f"{file.path} and {counted[twice]} both count {texts[twice]} (sha256 "
                f"{twice[0][:16]}...), which would count twice: leave one of them out, or count "
                "its other texts again without it"
            )
        counted |= dict.fromkeys(texts, file.path)
