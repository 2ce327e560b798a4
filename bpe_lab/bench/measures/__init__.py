"""What measuring functions share. Each is called once, by its name, in its own process.

Parameters mean the same everywhere. `path`: the text, which has been read before, so that a value
does not include the disk; `vocab_size`: ids to reach; `threads`: processes or threads; `turns`: how
often each of two programs runs; `counter`: as `bpe_lab.count_words` takes it. They return fields of
a record.
"""

import hashlib
from collections.abc import Iterable

from bpe_lab.words.special_tokens import END_OF_TEXT

SPECIAL_TOKENS = [END_OF_TEXT]


def lines_sha256(rows: Iterable[object]) -> str:
    """Return the SHA-256 of rows as Python prints them, one line each."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(f"{row}\n".encode())
    return whole.hexdigest()
