"""Two ways to merge a long word for notebook 11, and its exercises."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bpe_lab import native
from bpe_lab.corpora import END_OF_TEXT
from bpe_lab.lessons.shared.checking import NUMBERS, Verdict, call_of, try_cases, try_each
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.merges import Merge, first_vocab, made_tokens
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


def check_decode(answer: Callable[[Sequence[int], Mapping[int, bytes]], str]) -> Verdict:
    """Check a function that turns ids into text.

    :param answer: (ids, id -> bytes) -> text; bytes that are not UTF-8 become U+FFFD.

    >>> check_decode(lambda ids, vocab: b"".join(map(vocab.get, ids)).decode(errors="replace"))
    `<lambda>` is right on all 6 cases.
    """
    vocab = {104: b"h", 105: b"i", 195: b"\xc3", 169: b"\xa9", 256: b"hi", 257: b"\xe2\x82"}
    vocab[172] = b"\xac"
    texts: Sequence[list[int]]
    texts = [256], [256, 104, 256], [], [195, 169], [257, 172, 104], [104, 195]
    return try_cases(
        answer,
        [(ids, {number: vocab[number] for number in ids}) for ids in texts],
        lambda ids, vocab: b"".join(vocab[number] for number in ids).decode(errors="replace"),
        "A character may be divided between two tokens, or not be whole: then it is `\ufffd`.",
    )


class Chat:
    """Messages of people, one after the other, as ids for a model.

    >>> Chat().ids_of(["hi", "<"])
    [104, 105, 256, 60, 256]
    """

    end = END_OF_TEXT

    def __init__(self, tokenizer: Tokenizer | None = None) -> None:
        vocab = dict(enumerate(first_vocab([self.end])))
        self.tokenizer = tokenizer or Tokenizer(vocab, [], [self.end])

    def ids_of(self, messages: Sequence[str]) -> list[int]:
        """Return the ids of all messages; behind each is the id of `end`, and nowhere else."""
        return [
            number
            for message in messages
            for number in (
                *self.tokenizer.encode(message, disallowed_special=()),
                self.tokenizer.special_ids[self.end],
            )
        ]


def check_chat(answer: type[Chat]) -> Verdict:
    """Check that a message that holds the text of a special token is a message like others.

    :param answer: a class with the method `ids_of` of `Chat`.

    >>> check_chat(Chat).passed
    True
    """
    end = Chat.end
    cases = [["hi"], ["one", "two"], [], [f"Say {end} now."], [end, ""], [f"<|endof{end}text|>"]]

    def mistake(given: list[int], messages: list[str]) -> str:
        ours, right = Chat().tokenizer, "".join(message + end for message in messages)
        if given == Chat().ids_of(messages):
            return ""
        call = f"`ids_of({messages!r})`"
        if (decoded := ours.decode(given)) != right:
            return f"{call} decodes to `{decoded!r}`; `{right!r}` is right."
        ends = f"has {count_of(given.count(ours.special_ids[end]), 'id')} of `{end}`"
        return f"{call} {ends} for {count_of(len(messages), 'message')}."

    return try_each(
        answer,
        [(messages,) for messages in cases],
        mistake,
        ask=lambda messages: answer().ids_of(messages),
        call=lambda messages: f"`ids_of({messages!r})`",
        form=NUMBERS,
    )


def check_encode_words(
    answer: Callable[[list[bytes], Callable[[bytes], list[bytes]]], list[bytes]],
) -> Verdict:
    """Check a function that encodes the words of a text, and how many words it merges.

    :param answer: (words, what makes tokens of a word) -> the tokens of all words, in order.

    >>> check_encode_words(lambda words, merge: [t for w in words for t in merge(w)]).passed
    False
    """
    words = [b" low", b" lower", b" new", b" newest"]
    cases = [[b"low"], [], words, [*words, b" low", b" new", b" low"]]
    merged: list[bytes] = []  # in one call

    def merge(word: bytes) -> list[bytes]:
        merged.append(word)
        return [word[:2], word[2:]]

    def mistake(given: Any, words: list[bytes], _: object) -> str:
        n_merged, n_words = len(merged), len(set(words))
        right = [token for word in words for token in merge(word)]
        call = f"`{call_of(answer, (words, merge))}`"
        merged.clear()
        if given != right:
            return f"{call} returned `{given!r}`; `{right!r}` is right."
        many = f"{call} is right, but {n_merged} words are merged, and {n_words} are enough."
        return many if n_merged > n_words else ""

    return try_each(answer, [(case, merge) for case in cases], mistake)
