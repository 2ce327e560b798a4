"""The worked example of the notebooks: four words, small enough for every step to be seen.

>>> sum(len(word) * count for word, count in WORKED_EXAMPLE.items())  # tokens before any merge
79
>>> b"".join(WORKED_EXAMPLE_MERGES[-1])
b'lower'
"""

WORKED_EXAMPLE: dict[bytes, int] = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
"""Word -> number of occurrences."""

WORKED_EXAMPLE_MERGES: list[tuple[bytes, bytes]] = [
    (b"s", b"t"),  # 9 times, as (e, s) is; the greater pair wins
    (b"e", b"st"),
    (b"o", b"w"),
    (b"l", b"ow"),
    (b"w", b"est"),
    (b"n", b"e"),
    (b"ne", b"west"),
    (b"w", b"i"),
    (b"wi", b"d"),
    (b"wid", b"est"),
    (b"low", b"e"),
    (b"lowe", b"r"),
]
"""Its merges in order; after the twelfth every word is one token and no pair is left."""
