"""Text of the notebooks: prose whose numbers come from the run, and how tokens are spelled."""

UNITS = (("hours", 3600.0), ("minutes", 60.0), ("s", 1.0), ("ms", 1e-3), ("µs", 1e-6))


class Prose(str):
    """Markdown that a notebook renders when it is the value of a cell."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def say(markdown: str) -> Prose:
    """Return text that a notebook renders as Markdown; its numbers are values of the run.

    :param markdown: usually an f-string.

    >>> say(f"The corpus holds **{1200:,}** words.")
    The corpus holds **1,200** words.
    """
    return Prose(markdown)


def duration(seconds: float) -> str:
    """Return a time in the unit that suits it, with two or three digits.

    :param seconds: 0 or more.

    >>> duration(248_400), duration(2187), duration(0.0042)
    ('69 hours', '36 minutes', '4.2 ms')
    """
    for unit, size in UNITS:
        # Minutes from two on and hours from two on: "90 s" says more than "1.5 minutes".
        if seconds >= (2 * size if size > 1 else size):
            return f"{digits(seconds / size)} {unit}"
    return "0 s" if seconds == 0 else f"{digits(seconds / 1e-6)} µs"


def digits(value: float) -> str:
    """Return a number with two digits that count, or whole when it is 10 or more.

    :param value: 0 or more.

    >>> digits(4.239), digits(19871.6), digits(0.0834)
    ('4.2', '19,872', '0.083')
    """
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.2g}"


def spell(token: bytes) -> str:
    r"""Return a token as people read it: a space as `␣`, what is no text as `\x..`.

    :param token: any bytes.

    >>> spell(b" low"), spell("é".encode()), spell("é".encode()[:1]), spell(b"\n")
    ('␣low', 'é', '\\xc3', '\\n')
    """
    text = token.decode("utf-8", "backslashreplace").replace(" ", "␣")
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def spell_pair(pair: tuple[bytes, bytes]) -> str:
    """Return a pair of tokens as people read it.

    :param pair: left and right token.

    >>> spell_pair((b" l", b"ow"))
    '(␣l, ow)'
    """
    return f"({spell(pair[0])}, {spell(pair[1])})"
