"""One digest for results of experiments, so that versions can be compared."""

import hashlib
from collections.abc import Iterable


def sha256_of(rows: Iterable[object]) -> str:
    """Return the SHA-256 of rows as Python prints them, one line each."""
    whole = hashlib.sha256()
    for row in rows:
        whole.update(f"{row}\n".encode())
    return whole.hexdigest()
