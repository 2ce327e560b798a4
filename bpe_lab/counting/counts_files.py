"""Word counts in a file: counted once, for every vocabulary size, and added up over machines.

A Parquet file of two columns, `word` (bytes) and `count`, whose rows are sorted by the bytes of the
word: equal counts give equal rows, from any counter. The metadata says what was counted, so that
counts that do not belong together are not added. Rows have the checksums of Parquet, the metadata a
SHA-256. Any program for Parquet can read the rows:
`pandas.read_parquet("counts.parquet").nlargest(9, "count")`.

Counting parts separately and adding the counts is MapReduce's example (Dean and Ghemawat, 2004);
that BPE needs only the word counts of a text is due to Sennrich et al. (2016).
"""

import hashlib
import json
import os
import reprlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
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
from bpe_lab.counting.source import READ_BYTES, READ_ONLY, StoredText, Text, TextFile, TextStream
from bpe_lab.counting.word_table import NativeWordCounts, WordCounts, word_counts
from bpe_lab.support.columns import printable
from bpe_lab.support.errors import FileChangedError
from bpe_lab.support.files import PathLike, check_new_files, writing
from bpe_lab.support.progress import Bar, Report
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import check_special_tokens

FORMAT = "bpe_lab word counts 2"

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
    """A counted file, as its bytes, compressed or not, were on the disk."""

    name: str  # without its folder
    size_bytes: int
    sha256: str
    text_field: str | None = None  # of its records, if only that was counted


def counted_text(text: Text, report: Report = lambda n_bytes: None) -> CountedFile:
    """Return the identity of a text: a file is read again, a stream was digested when read."""
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
    path: PathLike,
    counts: Mapping[bytes, int],
    *,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    sources: Iterable[CountedFile] = (),
    pattern: str = DEFAULT_PATTERN,
    force: bool = False,
) -> None:
    """Write word counts to a file, which appears when it is complete.

    :param path: the file; folders above it are made.
    :param counts: what `bpe_lab.count_words` returned, or any word -> number of occurrences;
        sorting them takes about 60 bytes for each distinct word, besides the word itself.
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
    >>> read == counts, train_from_counts(read, 258, special_tokens, pattern=pattern).merges
    (True, [(b's', b't')])
    """
    specials, path, table = check_special_tokens(special_tokens), Path(path), word_counts(counts)
    check_new_files(path, force=force)
    facts = json.dumps(
        {
            "format": FORMAT,
            "bpe_lab": bpe_lab.__version__,
            "pattern": find_pattern(pattern).regex,
            "special_tokens": specials,
            "sources": [source._asdict() for source in sources],
            "words": len(table),
            "occurrences": table.occurrences,
        }
    ).encode()
    schema = SCHEMA.with_metadata({FACTS_KEY: facts, SHA256_KEY: _sha256(facts)})
    with (
        writing(path) as stream,
        parquet.ParquetWriter(
            stream,
            schema,
            compression="zstd",
            use_dictionary=["count"],  # counts repeat
            column_encoding={"word": "DELTA_BYTE_ARRAY"},  # sorted words share beginnings
            write_page_checksum=True,
        ) as writer,
    ):
        words = sorted(table)
        for start in range(0, len(words), GROUP_WORDS):
            group = words[start : start + GROUP_WORDS]
            columns = {"word": group, "count": [table[word] for word in group]}
            writer.write_table(pyarrow.table(columns, schema=schema))


def _sha256(facts: bytes) -> bytes:
    return hashlib.sha256(facts).hexdigest().encode()


class _CountsFile:
    """A file of word counts, and its metadata."""

    def __init__(self, file: TextFile) -> None:
        self.file = file
        with _opened(file) as opened:
            metadata = opened.metadata.metadata or {}
            text = metadata.get(FACTS_KEY, b"")
            if metadata.get(SHA256_KEY) != _sha256(text) or opened.schema_arrow != SCHEMA:
                raise ValueError("it was not written by `bpe-lab count` of this version")
            facts = json.loads(text)
            self.special_tokens: tuple[str, ...] = tuple(facts["special_tokens"])
            self.pattern = find_pattern(facts["pattern"]).name
            self.sources = [CountedFile(**source) for source in facts["sources"]]
            self.totals = facts["words"], facts["occurrences"]

    def check(self, special_tokens: tuple[str, ...], pattern: str, whose: str, remedy: str) -> None:
        """Check that it was counted with these special tokens and this pattern."""
        for name, mine, other in (
            ("special tokens", self.special_tokens, special_tokens),
            ("the pattern", self.pattern, pattern),
        ):
            if mine != other:
                raise ValueError(
                    f"{self.file.path} was counted with {name} {reprlib.repr(mine)}, and {whose} "
                    f"{name} {reprlib.repr(other)}: {remedy}"
                )

    def add_to(self, table: native.WordTable, bar: Bar) -> None:
        """Add the counts to a table."""
        before, n_words = table.totals()[0], 0
        with _opened(self.file) as opened:
            for batch in opened.iter_batches(batch_size=GROUP_WORDS, columns=SCHEMA.names):
                for word, count in zip(*(one.to_pylist() for one in batch.columns), strict=True):
                    table.add(word, count)
                n_words += len(batch)
                bar.update(len(batch))
            # The end of the file, where the rows are found, has no checksum.
            if (n_words, table.totals()[0] - before) != self.totals:
                raise ValueError("it has other counts than were written")


class StoredCounts:
    """Files of word counts that can be added up."""

    def __init__(self, paths: PathLike | Iterable[PathLike]) -> None:
        listed = [paths] if isinstance(paths, str | os.PathLike) else paths
        self.files = [_CountsFile(TextFile(Path(path))) for path in listed]
        if not self.files:
            raise ValueError("no file of word counts is given: name at least one")
        first = self.files[0]
        self.special_tokens, self.pattern = first.special_tokens, first.pattern
        remedy = "count the texts of one of them again, as those of the other"
        refuse_text_twice(one.file for one in self.files)
        counted: dict[tuple[str, str | None], Path] = {}
        for one in self.files:
            one.check(self.special_tokens, self.pattern, f"{first.file.path} with", remedy)
            for text in one.sources:
                other = counted.setdefault((text.sha256, text.text_field), one.file.path)
                if other != one.file.path and text.size_bytes:  # an empty text adds nothing
                    raise ValueError(
                        f"{one.file.path} and {other} both count {text.name}, which would count "
                        "twice: leave one of them out"
                    )
        self.sources = [source for one in self.files for source in one.sources]

    def check(self, special_tokens: tuple[str, ...], pattern: str) -> None:
        """Check that they have the requested special tokens and pattern."""
        remedy = f"leave --special-token, --no-special-tokens and --pattern out, or {_AGAIN}"
        self.files[0].check(special_tokens, pattern, "the training asks for", remedy)

    def read(self, *, progress: bool = False) -> WordCounts:
        """Read the files and add their counts up."""
        table, n_words = native.WordTable(), sum(one.totals[0] for one in self.files)
        with Bar(progress, "read counts", n_words, " words", scale=True) as bar:
            for one in self.files:
                one.add_to(table, bar)
        return NativeWordCounts(table)


def read_counts(paths: PathLike | Iterable[PathLike]) -> tuple[WordCounts, tuple[str, ...], str]:
    """Read word counts from files, and add them up.

    :param paths: one file or several that `write_counts` has written.
    :return: the counts, the special tokens at which the texts were cut, and the pattern of the
        words: all that `bpe_lab.train_from_counts` needs.
    :raises OSError, FileChangedError: a file cannot be read, or has changed meanwhile.
    :raises ValueError: a file is damaged or not of this version; was cut by another pattern or
        other special tokens than the first, or counts a text that another one counts; or the words
        hold more than 2**63 - 1 bytes together.
    :raises MemoryError: the words need more memory than there is.

    >>> write_counts("monday.parquet", {b"low": 5, b"lower": 2})
    >>> write_counts("tuesday.parquet", {b"low": 1, b"newest": 6})
    >>> counts, special_tokens, pattern = read_counts(["monday.parquet", "tuesday.parquet"])
    >>> sorted(counts.items()), special_tokens, pattern
    ([(b'low', 6), (b'lower', 2), (b'newest', 6)], ('<|endoftext|>',), 'gpt2')
    """
    stored = StoredCounts(paths)
    return stored.read(), stored.special_tokens, stored.pattern


@contextmanager
def _opened(file: TextFile) -> Iterator[Any]:
    """Open an unchanged Parquet file; errors say that it is damaged."""
    try:
        with os.fdopen(os.open(file.path, READ_ONLY), "rb") as stream:
            file.check(stream.fileno(), 0)
            with parquet.ParquetFile(stream, page_checksum_verification=True) as opened:
                yield opened
    except (FileChangedError, MemoryError):  # pyarrow's memory error is an ArrowException, too
        raise
    except OverflowError:
        raise ValueError(
            f"{file.path}: with its counts the words hold more than 2**63 - 1 bytes, and counts "
            "are 64-bit: leave a file out"
        ) from None
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, KeyError) as error:
        fault = printable(str(error).partition("\n")[0].rstrip(". "))
        raise ValueError(
            f"{file.path} is damaged, or not a file of counts ({fault}): copy it again, or {_AGAIN}"
        ) from error
