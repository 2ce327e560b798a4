"""What every tokenizer can do with texts and ids."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Literal

from bpe_lab.native import Encoder, SpecialIds
from bpe_lab.support.machine import available_cpus, check_threads
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern
from bpe_lab.words.special_tokens import check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.tokenizer.regex_encoder import RegexEncoder

Choice = Literal["all"] | Collection[str]
"""Special tokens by name, or all of them."""

_Hashable = Literal["all"] | frozenset[str]

PART = 1 << 18
"""Characters of a text that comes in parts that are encoded at once."""


class TextEncoding:
    """Encodes texts and decodes ids: the part of `bpe_lab.Tokenizer` that works.

    A text from elsewhere may hold a special token: as in tiktoken that is an error unless
    `allowed_special` names it ("all": every one): then it becomes its one id.
    `disallowed_special=()` makes those that are not allowed ordinary text. Where several stand at
    one place, the longest wins.

    Words that were encoded are kept for the next text: up to 100 MB for each thread that encodes
    and each text in parts at the same time, and afterwards for as many as there are processors.
    A word of n bytes takes up to 40 n while it is encoded, one letter again and again 14 n.
    """

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    whole_words: bool
    _ids: dict[bytes, int]  # of the bytes, then of what each merge makes

    def encode(
        self, text: str | bytes, *, allowed_special: Choice = (), disallowed_special: Choice = "all"
    ) -> list[int]:
        """Turn a text into ids.

        :param text: a string, or UTF-8 as bytes.
        :param allowed_special: special tokens that become their own ids; "all".
        :param disallowed_special: strings that are refused; "all": all special tokens that are not
            allowed.
        :raises ValueError: the text has a special token that is refused, or is not UTF-8.
        :raises UnicodeEncodeError: it holds a lone surrogate, which has no UTF-8.
        """
        return self._encoder.encode(text, self._choice(allowed_special, disallowed_special))

    def encode_to_array(
        self, text: str | bytes, *, allowed_special: Choice = (), disallowed_special: Choice = "all"
    ) -> "array[int]":
        """Turn a text into ids as `encode` does: 32 bits each, in half the time of a list.

        :return: an array that `numpy.frombuffer(ids, "I")` takes as it is.
        """
        return self._encoder.encode_to_array(
            text, self._choice(allowed_special, disallowed_special)
        )

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
    ) -> list[list[int]]:
        """Turn each of many texts into ids as `encode` does; the number of threads changes no id.

        :param threads: None: all processors we may use. With a regex of the user's, one does all.
        """
        if isinstance(texts, str | bytes):
            raise TypeError("texts is one text: give a list of texts, or use encode")
        check_threads(threads)
        choice = self._choice(allowed_special, disallowed_special)
        return self._encoder.encode_batch(texts, choice, threads or available_cpus())

    def encode_iterable(
        self,
        parts: Iterable[str],
        *,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
    ) -> Iterator[int]:
        """Yield the ids of one text that comes in parts: those of all parts joined.

        No more is held than a part and the word that goes on in the next one. Only with a regex of
        the user's all of the text is, as nobody knows where one of its words may end.

        :param parts: strings of any length, such as the lines of an open file.
        :param allowed_special, disallowed_special: see `encode`; what is refused raises only when
            its part is encoded.
        """
        stream = self._encoder.stream(self._choice(allowed_special, disallowed_special))
        for part in parts:
            if not isinstance(part, str):
                raise TypeError(f"a part of the text is {type(part).__name__}: give strings")
            for begin in range(0, len(part), PART):
                yield from stream.feed(part[begin : begin + PART])
        yield from stream.finish()

    def count(
        self, text: str | bytes, *, allowed_special: Choice = (), disallowed_special: Choice = "all"
    ) -> int:
        """Return how many ids `encode` gives, without keeping them."""
        return self._encoder.count(text, self._choice(allowed_special, disallowed_special))

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text.

        :param ids: ids of the vocabulary.
        :param errors: what becomes of bytes that are not UTF-8, as in `bytes.decode`: "replace"
            puts U+FFFD in their place, "strict" raises UnicodeDecodeError.
        :raises TypeError: they are no integers.
        :raises ValueError: an id is not in the vocabulary.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turn ids into the bytes that they stand for; errors are those of `decode`."""
        try:
            numbers = array("q", iter(ids))  # what is equal to an integer and none is not taken
        except TypeError as error:
            raise TypeError(f"ids are not integers ({error}): give those of one text") from None
        except OverflowError:
            raise ValueError("an id has no 64 bits: no vocabulary has it") from None
        try:
            return b"".join(map(self.vocab.__getitem__, numbers))
        except KeyError as error:
            raise ValueError(
                f"id {error.args[0]} is not in the vocabulary of {len(self.vocab)}"
            ) from None

    @cached_property
    def _encoder(self) -> "Encoder | RegexEncoder":
        # At the first text: a training that saves its tokenizer encodes nothing.
        places = {token: place for place, token in enumerate(self._ids)}
        merges = [(places[left], places[right]) for left, right in self.merges]
        ids = list(self._ids.values())
        special = set(self.special_ids.values())
        words = {
            token: number
            for number, token in (self.vocab.items() if self.whole_words else ())
            if token and number not in special
        }
        if self.pattern.scanner:
            return Encoder(merges, ids, self.pattern.id, words)
        from bpe_lab.tokenizer.regex_encoder import RegexEncoder

        return RegexEncoder(Encoder(merges, ids, words=words), self.pattern)

    def _choice(self, allowed: Choice, disallowed: Choice) -> SpecialIds:
        return self._chosen(
            _hashable("allowed_special", allowed), _hashable("disallowed_special", disallowed)
        )

    @cached_property
    def _chosen(self) -> Callable[[_Hashable, _Hashable], SpecialIds]:
        # To make a choice takes longer than to encode a sentence.
        return lru_cache(maxsize=16)(partial(_choose, self.special_ids))


def _choose(
    special_ids: Mapping[str, int], allowed: _Hashable, disallowed: _Hashable
) -> SpecialIds:
    """Return what to find in a text, and what to refuse."""
    found = special_ids if allowed == "all" else check_special_tokens(allowed)
    for token in found:
        if token not in special_ids:
            raise ValueError(
                f"allowed_special has {token!r}, which is no special token of this tokenizer: it "
                f"has {', '.join(map(repr, special_ids)) or 'none'}"
            )
    ids = {token: special_ids[token] for token in found}
    if disallowed == "all":
        return SpecialIds(ids, [token for token in special_ids if token not in ids])
    return SpecialIds(ids, check_special_tokens(disallowed), named=True)


def _hashable(name: str, choice: Choice) -> _Hashable:
    """Return what equal choices have in common, or raise TypeError."""
    if choice == "all":
        return "all"
    # What can be read only once is no collection: it would be empty the next time.
    if isinstance(choice, Collection) and not isinstance(choice, str | bytes):
        with suppress(TypeError):  # a token is no string
            return frozenset(choice)
    raise TypeError(f'{name} is {choice!r}: give "all", or a set of special tokens')
