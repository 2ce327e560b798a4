"""How many bytes of a text a token has: the more, the fewer tokens a model has to read."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpe_lab.tokenizer.tokenizer import Tokenizer


class TextFact(NamedTuple):
    """How a text is encoded.

    :param name: of the text.
    :param bytes: its size.
    :param tokens: how many ids it becomes.
    """

    name: str
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes for each token; 0 of an empty text."""
        return self.bytes / self.tokens if self.tokens else 0.0


def text_fact(tokenizer: Tokenizer, name: str, parts: Iterable[str]) -> TextFact:
    """Return how many tokens a text becomes; a special token in it is one.

    :param tokenizer: any.
    :param name: of the text.
    :param parts: the text, cut anywhere; it is never held.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> text_fact(tokenizer, "a word", ["lo", "w"])
    TextFact(name='a word', bytes=3, tokens=3)
    """
    size = 0

    def measured() -> Iterator[str]:
        nonlocal size
        for part in parts:
            size += len(part.encode())
            yield part

    tokens = sum(1 for _ in tokenizer.encode_iterable(measured(), allowed_special="all"))
    return TextFact(name, size, tokens)
