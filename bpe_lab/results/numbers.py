"""Numbers as every table, figure and notebook writes them."""

from decimal import Decimal

UNITS = (
    ("hours", 3600.0),
    ("minutes", 60.0),
    ("s", 1.0),
    ("ms", 1e-3),
    ("µs", 1e-6),
    ("ns", 1e-9),
)


def significant(number: float) -> str:
    """Return a number with two significant digits or, from 10 on, as a rounded integer.

    :param number: 0 or more.

    >>> significant(0.0834), significant(6.92), significant(7311.4)
    ('0.083', '6.9', '7,311')
    >>> significant(9.97), significant(0.0000123)
    ('10', '0.000012')
    """
    # "g" alone writes these as 1e+01 and 1.2e-05.
    return f"{number:,.0f}" if number >= 10 else f"{Decimal(f'{number:.2g}'):f}"


def estimate(number: float) -> str:
    """Return a number of which only the first two digits count.

    :param number: above 0.

    >>> estimate(737_248), estimate(2.83)
    ('740,000', '2.8')
    """
    return significant(float(f"{number:.1e}"))


def one_digit(number: float) -> str:
    """Return the order of magnitude of a number: its first digit, and zeros.

    :param number: above 0.

    >>> one_digit(737_248), one_digit(0.283)
    ('700,000', '0.3')
    """
    return significant(float(f"{number:.0e}"))


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it, as `significant` writes numbers.

    :param seconds: 0 or more.

    >>> duration(248_400), duration(2187), duration(90), duration(0.0042)
    ('69 hours', '36 minutes', '90 s', '4.2 ms')
    """
    for unit, size in UNITS:
        # Minutes from two on and hours from two on: "90 s" says more than "1.5 minutes".
        if seconds >= (2 * size if size > 1 else size):
            return f"{significant(seconds / size)} {unit}"
    return f"{significant(seconds / 1e-9)} ns" if seconds else "0 s"


def text_size(n_bytes: float) -> str:
    """Return the size of a text in GB, MB, KB (10**9, 10**6 and 10**3 bytes) or bytes.

    :param n_bytes: bytes.

    >>> text_size(12_000_004_211), text_size(5_000_331), text_size(13_988), text_size(31)
    ('12.0 GB', '5.0 MB', '14 KB', '31 bytes')
    """
    if n_bytes < 1e3:
        return count_of(int(n_bytes), "byte")
    if n_bytes >= 1e9:
        return f"{n_bytes / 1e9:.1f} GB"
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e5 else f"{n_bytes / 1e3:.0f} KB"


def memory_size(n_bytes: float) -> str:
    """Return the size of a cache or a table in MB, KB (2**20 and 2**10 bytes) or bytes.

    :param n_bytes: bytes.

    >>> memory_size(48 << 10), memory_size(3 << 19), memory_size(32)
    ('48 KB', '1.5 MB', '32 bytes')
    """
    if n_bytes >= 1 << 20:
        return f"{n_bytes / (1 << 20):.4g} MB"
    return f"{n_bytes / (1 << 10):.4g} KB" if n_bytes >= 1 << 10 else count_of(int(n_bytes), "byte")


def count_of(number: int, thing: str) -> str:
    """Return a number of things in words.

    :param number: 0 or more.
    :param thing: a noun with a regular plural.

    >>> count_of(1, "thread"), count_of(4000, "merge")
    ('1 thread', '4,000 merges')
    """
    return f"{number:,} {thing}{'s' * int(number != 1)}"
