"""Tokens in readable form."""

from bpe_lab.tokenizer.merges import Merge


def spell(token: bytes) -> str:
    r"""Return a token in readable form: a space as `␣`, bytes that are not text as `\x..`.

    >>> spell(b" low"), spell("é".encode()), spell("é".encode()[:1]), spell(b"\n")
    ('␣low', 'é', '\\xc3', '\\n')
    """
    text = token.decode("utf-8", "backslashreplace").replace(" ", "␣")
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )


def spell_pair(pair: Merge) -> str:
    """Return a pair of tokens in readable form.

    >>> spell_pair((b" l", b"ow"))
    '(␣l, ow)'
    """
    return f"({spell(pair[0])}, {spell(pair[1])})"
