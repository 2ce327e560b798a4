"""Sizes in words, as every message, table and figure writes them."""


def size_in_words(n_bytes: float, base: int = 1000) -> str:
    """Return a size in GB, MB, KB or bytes.

    :param n_bytes: bytes.
    :param base: of the units: 1024 for caches, and for tables made to fit in one.

    >>> size_in_words(12_000_004_211), size_in_words(5_000_331), size_in_words(13_988)
    ('12.0 GB', '5.0 MB', '14 KB')
    >>> size_in_words(999_600), size_in_words(48 << 10, 1024), size_in_words(3 << 19, 1024)
    ('1.0 MB', '48 KB', '1.5 MB')
    """
    if n_bytes < base:
        return f"{n_bytes:.0f} byte{'s' * (n_bytes != 1)}"
    if base == 1024:
        power = 2 if n_bytes >= base**2 else 1
        return f"{n_bytes / base**power:.4g} {' KM'[power]}B"
    power = 3 if n_bytes >= 1e9 else 2 if n_bytes >= 999_500 else 1
    return f"{n_bytes / base**power:,.{int(power > 1)}f} {' KMG'[power]}B"
