"""Word counts in a file: counted once, for every vocabulary size, and added up over machines.

A Parquet file of two columns, `word` (bytes) and `count`, whose rows are sorted by the bytes of the
word: equal counts give equal rows, from any counter. The metadata says how texts were cut, so that
counts that do not belong together are not added. Any program for Parquet can read the rows:
`pandas.read_parquet("counts.parquet").nlargest(9, "count")`.

Counting parts separately and adding the counts is MapReduce's example (Dean and Ghemawat, 2004);
that BPE needs only the word counts of a text is due to Sennrich et al. (2016).
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import pyarrow
    from pyarrow import parquet
except ImportError:
    raise ImportError("word counts are kept in Parquet: pip install 'bpe_lab[counts]'") from None

import bpe_lab
from bpe_lab import native
from bpe_lab.counting.source import TextFile, refuse_text_twice
from bpe_lab.counting.word_table import NativeWordCounts, WordCounts, word_counts
from bpe_lab.support.columns import printable
from bpe_lab.support.files import PathLike, check_new_files, writing
from bpe_lab.support.progress import Bar
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import check_special_tokens

FACTS_KEY = b"bpe_lab.word_counts"

COLUMNS = {"word": pyarrow.binary(), "count": pyarrow.uint64()}
SCHEMA = pyarrow.schema([pyarrow.field(name, COLUMNS[name], False) for name in COLUMNS])

GROUP_WORDS = 1 << 17
"""Words to write, or to read, at a time."""

FAULTS = (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError, OverflowError)
"""What a damaged file raises, or one of another kind."""


def write_counts(
    path: PathLike,
    counts: Mapping[bytes, int],
    *,
    special_tokens: Iterable[str] = ("<|endoftext|>",),
    pattern: str = DEFAULT_PATTERN,
    force: bool = False,
) -> None:
    """Write word counts to a file, which appears when it is complete.

    :param path: the file; folders above it are made.
    :param counts: what `bpe_lab.count_words` returned, or any word -> number of occurrences;
        sorting them takes about 70 bytes for each distinct word, besides the word itself.
    :param special_tokens: at which the text was cut.
    :param pattern: what the words are, as `bpe_lab.count_words` took it.
    :param force: replace the file if it is there.
    :raises TypeError, ValueError: bad counts, special tokens or pattern, as
        `bpe_lab.train_from_counts`.
    :raises OSError: the file exists without `force`, or cannot be written.

    >>> from bpe_lab import corpora, count_words, train_from_counts
    >>> counts = count_words(corpora.path("worked_example"))
    >>> write_counts("counts.parquet", counts)
    >>> read, special_tokens, pattern = read_counts("counts.parquet")
    >>> read == counts, train_from_counts(read, 258, special_tokens, pattern=pattern).merges
    (True, [(b's', b't')])
    """
    specials, path, table = check_special_tokens(special_tokens), Path(path), word_counts(counts)
    check_new_files(path, force=force)
    facts = {
        "format": "bpe_lab word counts 2",
        "bpe_lab": bpe_lab.__version__,
        "pattern": find_pattern(pattern).regex,
        "special_tokens": specials,
    }
    schema = SCHEMA.with_metadata({FACTS_KEY: json.dumps(facts)})
    words = sorted(table)
    columns = {"word": words, "count": [table[word] for word in words]}
    with writing(path) as stream:
        parquet.write_table(
            pyarrow.table(columns, schema=schema),
            stream,
            row_group_size=GROUP_WORDS,
            compression="zstd",
            use_dictionary=["count"],  # counts repeat
            column_encoding={"word": "DELTA_BYTE_ARRAY"},  # sorted words share beginnings
            write_page_checksum=True,
        )


class StoredCounts:
    """Files of word counts that can be added up."""

    def __init__(self, paths: PathLike | Iterable[PathLike]) -> None:
        self.paths = [*map(Path, [paths] if isinstance(paths, str | os.PathLike) else paths)]
        refuse_text_twice(map(TextFile, self.paths))
        self.n_words = 0  # a word of two files is two
        for path in self.paths:
            with _opened(path) as file:
                facts = json.loads(file.metadata.metadata[FACTS_KEY])
                cut = tuple(facts["special_tokens"]), find_pattern(facts["pattern"]).name
                self.n_words += file.metadata.num_rows
            if path is self.paths[0]:
                self.special_tokens, self.pattern = cut
            self.check(*cut, f"{path} with")

    def check(self, special_tokens: object, pattern: object, whose: str = "asked for are") -> None:
        """Check that they were counted with these special tokens and this pattern."""
        mine, other = (self.special_tokens, self.pattern), (special_tokens, pattern)
        if mine != other:
            said = f"{self.paths[0]} was counted with special tokens and pattern {mine!r:.200}"
            raise ValueError(f"{said}, and {whose} {other!r:.200}: count the texts again")

    def read(self, *, progress: bool = False) -> WordCounts:
        """Read the files and add their counts up."""
        table = native.WordTable()
        with Bar(progress, "read counts", self.n_words, " words", scale=True) as bar:
            for path in self.paths:
                with _opened(path) as file:
                    for batch in file.iter_batches(batch_size=GROUP_WORDS, columns=SCHEMA.names):
                        columns = (column.to_pylist() for column in batch.columns)
                        for word, count in zip(*columns, strict=True):
                            table.add(word, count)
                        bar.update(len(batch))
        return NativeWordCounts(table)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file of counts; errors name it."""
    try:
        with parquet.ParquetFile(path, page_checksum_verification=True) as file:
            yield file
    except FAULTS as error:
        fault = printable(str(error).partition("\n")[0])
        raise ValueError(f"{path} is damaged, or no file of counts ({fault})") from error


def read_counts(paths: PathLike | Iterable[PathLike]) -> tuple[WordCounts, tuple[str, ...], str]:
    """Read word counts from files, and add them up.

    :param paths: one file or several that `write_counts` has written.
    :return: the counts, the special tokens at which the texts were cut, and the pattern of the
        words: all that `bpe_lab.train_from_counts` needs.
    :raises OSError: a file cannot be read.
    :raises ValueError: a file is damaged or of another kind; was counted with another pattern or
        other special tokens than the first; or the words hold more than 2**63 - 1 bytes together.

    >>> write_counts("monday.parquet", {b"low": 5, b"lower": 2})
    >>> write_counts("tuesday.parquet", {b"low": 1, b"newest": 6})
    >>> counts, special_tokens, pattern = read_counts(["monday.parquet", "tuesday.parquet"])
    >>> sorted(counts.items()), special_tokens, pattern
    ([(b'low', 6), (b'lower', 2), (b'newest', 6)], ('<|endoftext|>',), 'gpt2')
    """
    stored = StoredCounts(paths)
    return stored.read(), stored.special_tokens, stored.pattern
