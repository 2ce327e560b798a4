"""What encoders of one word do, counted: look-ups of a pair, and comparisons of two ranks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bpe_lab import native
from bpe_lab.tokenizer.merges import Merge, made_tokens
from bpe_lab.tokenizer.tokenizer import Tokenizer


def compiled_merger(tokenizer: Tokenizer) -> native.Encoder:
    """Return what merges words in C++, by the ids of a tokenizer.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> compiled_merger(tokenizer).merge_word(b"low")
    ([108, 111, 119], 3)
    """
    ids = tokenizer.data.ids()
    places = {token: place for place, token in enumerate(made_tokens(tokenizer.merges))}
    pairs = [(places[left], places[right]) for left, right in tokenizer.merges]
    return native.Encoder(pairs, [ids[token] for token in places])


class Work(NamedTuple):
    """What an encoder did for one word: look-ups and comparisons."""

    tokens: Sequence[bytes]
    operations: int


def work(
    merge: Callable[[bytes, Mapping[Merge, int]], Sequence[bytes]],
    word: bytes,
    ranks: Mapping[Merge, int],
) -> Work:
    """Encode a word, and count.

    :param merge: what makes tokens of a word, by the rank of each merge.
    :param word: any bytes.
    :param ranks: merge -> its place in the order of the training.

    >>> from bpe_lab.tokenizer.merges import merge_word
    >>> work(merge_word, b"low", {(b"l", b"o"): 0})
    Work(tokens=[b'lo', b'w'], operations=5)
    """
    operations = 0

    def count() -> None:
        nonlocal operations
        operations += 1

    class Rank(int):
        """A pair of a rank and a place compares its ranks by `==` first, and once."""

        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            count()
            return int.__eq__(self, other) is True

    class Ranks(dict[Merge, int]):
        def get(self, pair: Merge, default: Any = None) -> Any:
            return Mapping.get(self, pair, default)  # asks `__getitem__`

        def __getitem__(self, pair: Merge) -> int:
            count()
            # A new one each time: what is the same object is not compared.
            return Rank(super().__getitem__(pair))

        def __contains__(self, pair: object) -> bool:
            count()
            return super().__contains__(pair)

    tokens = merge(word, Ranks(ranks))
    return Work(tokens, operations)
