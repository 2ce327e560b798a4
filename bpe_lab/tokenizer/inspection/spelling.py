"""Tokens in readable form."""

from bpe_lab.support.columns import printable
from bpe_lab.tokenizer.merges import Merge

SPELLED = 80
"""Characters of a token that are shown, at most."""


def spell(token: bytes) -> str:
    r"""Return a token in readable form: a space as `␣`, bytes that are not text as `\x..`.

    >>> spell(b" low"), spell("é".encode()), spell("é".encode()[:1]), spell(b"\n")
    ('␣low', 'é', '\\xc3', '\\n')
    >>> spell(b"=" * 1_000)[-19:]
    '====… (1,000 bytes)'
    """
    text = printable(token.decode("utf-8", "backslashreplace").replace(" ", "␣"))
    return text if len(text) <= SPELLED else f"{text[:SPELLED]}… ({len(token):,} bytes)"


def spell_pair(pair: Merge) -> str:
    """Return a pair of tokens in readable form.

    >>> spell_pair((b" l", b"ow"))
    '(␣l, ow)'
    """
    return f"({spell(pair[0])}, {spell(pair[1])})"
