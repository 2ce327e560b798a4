"""A linear way to merge a long word for notebook 11, what counts its work, and exercises."""

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab import check_tokenizer
from bpe_lab.corpora import END_OF_TEXT
from bpe_lab.lessons.shared.checking import NUMBERS, Verdict, try_each
from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.race import said
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.merges import Merge, first_vocab
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.trials.report import Report


def merge_by_lists(word: bytes, ranks: Mapping[Merge, int]) -> list[bytes]:
    """Return the tokens of a word: each rank has a list of the places where its pair may stand.

    >>> merge_by_lists(b"slower", {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2})
    [b's', b'low', b'er']
    """
    size = len(word)
    # A token is in the cell of its first byte and in that of its last; the cells between are empty.
    cells = [word[at : at + 1] for at in range(size)]
    places: dict[Merge, list[int]] = {}
    waiting: list[tuple[int, Merge]] = []

    def note(at: int, pair: Merge) -> None:
        if pair not in ranks:
            return
        if pair not in places:
            places[pair] = []
            heappush(waiting, (ranks[pair], pair))
        places[pair].append(at)

    for at, pair in enumerate(pairwise(cells)):
        note(at, pair)
    while waiting:
        _, (left, right) = heappop(waiting)
        made = left + right
        for at in places.pop((left, right)):
            middle, end = at + len(left), at + len(made)
            if end > size or cells[at] != left or cells[middle] != right:
                continue  # one of the two has been merged meanwhile
            cells[middle - 1] = cells[middle] = b""
            cells[at] = cells[end - 1] = made
            if at > 0:
                note(at - len(cells[at - 1]), (cells[at - 1], made))
            if end < size:
                note(at, (made, cells[end]))
    tokens, at = [], 0
    while at < size:
        tokens.append(cells[at])
        at += len(cells[at])
    return tokens


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


def try_tokenizer(file: str) -> Report | Page:
    """Try the tokenizer of a file; say what it lacks, if there is none yet.

    >>> try_tokenizer("no_such_file.py")
    no_such_file.py is not here: notebook 01 writes it.
    """
    if not Path(file).is_file():
        return said(f"{file} is not here: notebook 01 writes it.")
    try:
        return check_tokenizer(file, fast=True)
    except ValueError as error:
        return said(f"{file}: {error}.")


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
