"""Numbers as every table, figure and notebook writes them."""

from decimal import Decimal

UNITS = (("h", 3600.0), ("min", 60.0), ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))

IN_SECONDS_UP_TO = 3600.0
"""A measured time below an hour is in seconds or less: 1,838 s stands beside 29.2 s."""

IN_WORDS = {"h": "hours", "min": "minutes"}


def three_digits(number: float) -> str:
    """Return a number with three significant digits; from 100 to 9,999 as a whole number.

    :param number: 0 or more.

    >>> three_digits(0.08345), three_digits(13.14), three_digits(1838.4), three_digits(226_543)
    ('0.0834', '13.1', '1,838', '227,000')
    >>> three_digits(9.996), three_digits(1.5), three_digits(0.0000123), three_digits(0)
    ('10.0', '1.50', '0.0000123', '0')
    """
    if number >= 9_999.5:
        return f"{float(f'{number:.2e}'):,.0f}"
    if number >= 99.95:
        return f"{number:,.0f}"
    return f"{Decimal(f'{number:.2e}'):f}" if number else "0"


def in_cell(number: float) -> str:
    """Return a whole number, such as a count, as it is, and any other with three digits.

    :param number: 0 or more.

    >>> in_cell(1_181_088.0), in_cell(108.87), in_cell(0.0523)
    ('1,181,088', '109', '0.0523')
    """
    return f"{number:,.0f}" if number == int(number) else three_digits(number)


def two_digits(number: float) -> str:
    """Return a number as a sentence has it: two digits, and zeros.

    :param number: 0 or more.

    >>> two_digits(486_283), two_digits(30.6), two_digits(7.256), two_digits(1)
    ('490,000', '31', '7.3', '1')
    """
    rounded = float(f"{number:.1e}")
    whole = rounded >= 10 or rounded == int(rounded)
    return f"{rounded:,.0f}" if whole else f"{Decimal(f'{rounded:.1e}'):f}" if rounded else "0"


def time_unit(seconds: float) -> tuple[str, float]:
    """Return the unit that suits a time, and its seconds."""
    for unit, size in UNITS:
        if seconds >= (max(2 * size, IN_SECONDS_UP_TO) if size > 1 else 0.9995 * size):
            return unit, size
    return UNITS[-1]


def duration(seconds: float) -> str:
    """Return a measured time: three digits, and the unit that suits it.

    :param seconds: 0 or more.

    >>> duration(248_400), duration(1838), duration(90.46), duration(0.0042), duration(0.99999)
    ('69.0 h', '1,838 s', '90.5 s', '4.20 ms', '1.00 s')
    """
    unit, size = time_unit(seconds)
    return f"{three_digits(seconds / size)} {unit}" if seconds else "0 s"


def duration_in_words(seconds: float) -> str:
    """Return a time as a sentence has it: two digits, minutes from two on and hours from two on.

    :param seconds: above 0.

    >>> duration_in_words(248_400), duration_in_words(1838), duration_in_words(0.0131)
    ('69 hours', '31 minutes', '13 ms')
    """
    unit, size = next(((u, n) for u, n in UNITS[:2] if seconds >= 2 * n), time_unit(seconds))
    return f"{two_digits(seconds / size)} {IN_WORDS.get(unit, unit)}"


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


def often(count: int) -> str:
    """Return how often something happens, as a sentence has it.

    :param count: 0 or more.

    >>> often(0), often(1), often(2), often(1_200)
    ('never', 'once', 'twice', '1,200 times')
    """
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count:,} times")


def count_of(number: int, thing: str) -> str:
    """Return a number of things in words.

    :param number: 0 or more.
    :param thing: a noun with a regular plural.

    >>> count_of(1, "thread"), count_of(4000, "merge")
    ('1 thread', '4,000 merges')
    """
    return f"{number:,} {thing}{'s' * int(number != 1)}"
