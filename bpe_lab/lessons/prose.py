"""Text of the notebooks: prose whose numbers come from the run, and how tokens are spelled."""


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
