"""The letters in which GPT-2's files, and those that follow them, spell bytes."""

from functools import cache

from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.merges import Merge


@cache
def byte_letters() -> dict[int, str]:
    """Return the printable letter that stands for each byte.

    Source: `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019).

    >>> byte_letters()[ord(" ")], byte_letters()[ord("a")]
    ('Ġ', 'a')
    """
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    letters.update({byte: chr(256 + number) for number, byte in enumerate(others)})
    return letters


@cache
def letter_bytes() -> dict[int, int]:
    """Return the byte of each letter, by its code point: a table for `str.translate`."""
    return {ord(letter): byte for byte, letter in byte_letters().items()}


def spell(token: bytes) -> str:
    """Return a token in letters.

    >>> spell(b" low")
    'Ġlow'
    """
    return token.decode("latin-1").translate(byte_letters())


def unspell(name: str) -> bytes | None:
    """Return the bytes of a token in letters; None: other characters are in it.

    >>> unspell("Ġlow"), unspell("two words")
    (b' low', None)
    """
    if not name or not all(ord(letter) in letter_bytes() for letter in name):
        return None
    return name.translate(letter_bytes()).encode("latin-1")


def spelled_ids(parts: Parts) -> dict[str, int]:
    """Return the id of each token by its name: letters, of special tokens the text itself.

    :param parts: of a tokenizer.
    :raises ValueError: two tokens have one name, or `Parts.check_writable` refuses it.
    """
    parts.check_writable()
    ids = {spell(token): number for token, number in parts.ids().items()}
    for token, number in parts.special_ids.items():
        check_special_spelling(token, parts.whole_words)
        if token in ids:
            raise ValueError(
                f"special token {token!r} is spelled like another token, id {ids[token]}, which "
                "this format cannot tell apart: choose another format, or another special token"
            )
        ids[token] = number
    return ids


def check_special_spelling(token: str, whole_words: bool) -> None:
    """Refuse a special token that others would take a word for, which is looked up by its letters.

    :param token: the special token.
    :param whole_words: words are looked up.
    :raises ValueError: they would.

    >>> check_special_spelling("<s>", True)
    """
    spelled = unspell(token) if whole_words else None
    if spelled is not None and spelled != token.encode():
        raise ValueError(
            f"special token {token!r} is what the word {spelled!r} is in GPT-2's letters, and "
            "words are looked up as a whole (ignore_merges): choose another special token"
        )


def spelled_merges(merges: list[Merge]) -> list[str]:
    """Return merges in letters, a blank between the two sides, as many files have them.

    >>> spelled_merges([(b" l", b"ow")])
    ['Ġl ow']
    """
    return [f"{spell(left)} {spell(right)}" for left, right in merges]


def unspelled_merges(where: str, lines: list[object]) -> list[Merge]:
    """Return merges that are in letters.

    :param where: the file, for the message.
    :param lines: "left right", or [left, right].
    :raises ValueError: one of them is neither; names its number.

    >>> unspelled_merges("merges.txt", ["Ġl ow", ["l", "ow"]])
    [(b' l', b'ow'), (b'l', b'ow')]
    """
    merges = []
    for number, line in enumerate(lines, start=1):
        sides = line.split(" ") if isinstance(line, str) else line
        if isinstance(sides, list) and len(sides) == 2:
            left, right = (unspell(side) if isinstance(side, str) else None for side in sides)
            if left and right:
                merges.append((left, right))
                continue
        raise ValueError(
            f"{where}: merge {number} is {str(line)[:60]!r}, not two tokens in GPT-2's letters: "
            "only byte-level BPE is read"
        )
    return merges
