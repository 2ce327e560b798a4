"""Counter `regex`: the pattern by the `regex` package, one process, one block at a time.

- Adds: nothing yet; memory holds the distinct words and one block, cut as `split.py` says.
- Still slow: one process, and a Python string for each occurrence of a word.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from bpe_lab.counting.api import CountingPlan
from bpe_lab.counting.source import StoredText, TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.support.errors import InvalidUTF8Error
from bpe_lab.support.progress import Report
from bpe_lab.words.pretokenize import split_at_special_tokens, words_of

BLOCK_BYTES = 8 << 20


def count_range(file: StoredText, start: int, stop: int, plan: CountingPlan) -> Counter[str]:
    """Count the words in a byte range of a file."""
    data = file.read(start, stop)
    try:
        text = data.decode("utf-8", plan.errors)
    except UnicodeDecodeError as error:
        raise InvalidUTF8Error(file.path, start + error.start, data[error.start]) from None
    return _counted(text, plan)


def _counted(text: str, plan: CountingPlan) -> Counter[str]:
    counts: Counter[str] = Counter()
    for piece in split_at_special_tokens(text, plan.special_tokens):
        counts.update(words_of(plan.pattern, piece))
    return counts


def count_files(files: Sequence[TextFile], plan: CountingPlan, report: Report) -> dict[bytes, int]:
    """Count the words of files in this process."""
    counts: Counter[str] = Counter()
    block_bytes = plan.block_bytes or BLOCK_BYTES
    for file in files:
        for start, stop in byte_ranges(file, plan.special_tokens, block_bytes, plan.pattern):
            counts.update(count_range(file, start, stop, plan))
            report(stop - start)
    return {word.encode(): count for word, count in counts.items()}


def count_documents(
    documents: Iterator[bytes], plan: CountingPlan, report: Report
) -> dict[bytes, int]:
    """Count the words of documents, each its own text."""
    counts: Counter[str] = Counter()
    for document in documents:
        counts.update(_counted(document.decode(), plan))
        report(len(document))
    return {word.encode(): count for word, count in counts.items()}
