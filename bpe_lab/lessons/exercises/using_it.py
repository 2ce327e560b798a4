"""Exercises of notebook 11: ids to text, and a text that looks like a special token."""

from collections.abc import Callable, Mapping, Sequence

from bpe_lab.corpora import END_OF_TEXT
from bpe_lab.lessons.exercises.checking import Verdict, name_of, try_cases, try_each
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.merges import first_vocab
from bpe_lab.tokenizer.tokenizer import Tokenizer


def check_decode(answer: Callable[[Sequence[int], Mapping[int, bytes]], str]) -> Verdict:
    """Check a function that turns ids into text.

    :param answer: (ids, id -> bytes) -> text; bytes that are not UTF-8 become U+FFFD.

    >>> check_decode(lambda ids, vocab: b"".join(map(vocab.get, ids)).decode(errors="replace"))
    `<lambda>` is right on all 6 cases.
    """
    vocab = {104: b"h", 105: b"i", 195: b"\xc3", 169: b"\xa9", 256: b"hi", 257: b"\xe2\x82"}
    vocab[172] = b"\xac"
    cases = [
        ([256], vocab),
        ([104, 105, 256], vocab),
        ([], vocab),
        ([195, 169], vocab),
        ([257, 172, 104], vocab),
        ([104, 195], vocab),
    ]
    return try_cases(
        answer,
        cases,
        lambda ids, vocab: b"".join(vocab[number] for number in ids).decode(errors="replace"),
        "A character may be divided between two tokens.",
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
    cases = [["hi"], [], ["one", "two"], [f"Say {end} now."], [end, ""], [f"<|endof{end}text|>"]]

    def mistake(ids: Sequence[int], messages: list[str]) -> str:
        given, ours = list(ids), Chat().tokenizer
        decoded = ours.decode(given)
        if given == Chat().ids_of(messages):
            return ""
        return (
            f"`ids_of({messages!r})` has the id of `{end}` {given.count(ours.special_ids[end])} "
            f"times, for {count_of(len(messages), 'message')}; it decodes to `{decoded!r}`."
        )

    return try_each(
        answer,
        [(messages,) for messages in cases],
        mistake,
        lambda: f"`{name_of(answer)}` is right on all {len(cases)} chats.",
        ask=lambda messages: answer().ids_of(messages),
        call=lambda messages: f"`ids_of({messages!r})`",
    )
