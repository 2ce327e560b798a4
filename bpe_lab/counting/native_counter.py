"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks gzip and zstd: recognized by the first bytes of a file, not by its name.
- Still slow: counting the words takes about as long as finding them.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bpe_lab import native
from bpe_lab.counting.decode import unpacked
from bpe_lab.counting.documents import separator_for
from bpe_lab.counting.plan import CountingPlan
from bpe_lab.counting.source import Text
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.support.progress import Report

BLOCK_BYTES = 1 << 20
"""One block stays in a core's own cache; larger ones measured no faster."""


def scan(
    sources: Sequence[Any],
    plan: CountingPlan,
    *,
    separators: Sequence[bytes] = (),
    threads: int = 1,
    report: Callable[[], object] = lambda: None,
) -> tuple[native.WordTable, tuple[int, int, int] | None]:
    """Count the words of streams, as `native.count_files` does, by a plan; return stream, place and
    value of the first byte that is not UTF-8. Separators cut a text, too."""
    return native.count_files(
        sources,
        [*(token.encode() for token in plan.special_tokens), *separators],
        threads=threads,
        block_bytes=plan.block_bytes or BLOCK_BYTES,
        replace=plan.errors == "replace",
        report=report,
        pattern=plan.pattern.id,
    )


def count_files(files: Sequence[Text], plan: CountingPlan, report: Report) -> NativeWordCounts:
    """Count the words of files in several threads."""
    sources = [unpacked(file) for file in files]
    reported = 0

    def report_read_bytes() -> None:
        nonlocal reported
        read_bytes = sum(source.read_bytes for source in sources)
        report(read_bytes - reported)
        reported = read_bytes

    threads = plan.threads_for(files)
    table, invalid = scan(sources, plan, threads=threads, report=report_read_bytes)
    if invalid is not None:
        number, offset, byte = invalid
        raise files[number].invalid_utf8(offset, byte)
    return NativeWordCounts(table)


def count_documents(
    documents: Iterator[bytes], plan: CountingPlan, report: Report
) -> NativeWordCounts:
    """Count the words of documents, each its own text, in this thread."""
    stream = _DocumentStream(documents, plan, report)
    table, invalid = scan([stream], plan, separators=[stream.separator])
    assert invalid is None, "they were checked"
    for word, count in stream.apart.items():
        table.add(word.encode(), count)
    return NativeWordCounts(table)


class _DocumentStream:
    """Documents as one text, with a separator before each, which is a special token."""

    straight = True  # it keeps no view of the memory that it reads into

    def __init__(self, documents: Iterator[bytes], plan: CountingPlan, report: Report) -> None:
        self.documents, self.plan, self.report = documents, plan, report
        self.separator = separator_for(plan.special_tokens).encode()
        self.rest = memoryview(b"")
        # The words of documents that contain the separator: counted by the definition.
        self.apart: Counter[str] = Counter()

    def readinto(self, into: memoryview) -> int:
        filled = 0
        while filled < len(into) and (self.rest or self._begin_next()):
            n_bytes = min(len(self.rest), len(into) - filled)
            into[filled : filled + n_bytes] = self.rest[:n_bytes]
            self.rest = self.rest[n_bytes:]
            filled += n_bytes
        return filled

    def _begin_next(self) -> bool:
        for document in self.documents:
            self.report(len(document))
            if self.separator not in document:
                self.rest = memoryview(self.separator + document)
                return True
            # Loaded only for the rare document that needs it: importing `regex` can take longer
            # than a training.
            from bpe_lab.words.pretokenize import pretokenize

            specials, pattern = self.plan.special_tokens, self.plan.pattern.id
            self.apart.update(pretokenize(document.decode(), specials, pattern))
        return False
