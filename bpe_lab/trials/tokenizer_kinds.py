"""The mistakes that tokenizers are known to make: a small right tokenizer, and each mistake of it.

As in `kinds.py` each mistake overrides a method or two; how a text is read and cut are the methods,
and the mistakes, of the trainers there. Never use them to encode: `Encoding` is right, and slow.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import accumulate, pairwise
from typing import Any, ClassVar, NamedTuple, cast

import regex

from bpe_lab import corpora
from bpe_lab.counting.api import count_documents, count_words
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.kinds import FILE_LINE, NAMED, Rules, Tokens, define
from bpe_lab.trials.texts import TEXTS, merging_texts
from bpe_lab.words.special_tokens import END_OF_TEXT

N_MERGES = 2_500
LONG = 400  # letters of a text that no merges are for
SPACE = regex.compile(r"\s")
OFTEN = 20  # times that the small texts count


def _in_the_middle_of(pattern: str, text: str) -> list[str]:
    found = regex.search(pattern, text)
    at = sum(found.span()) // 2 if found else 0
    return [text[:at], text[at:]] if at else [text]


HOWS: Mapping[str, Callable[[str, Sequence[str]], list[str]]] = {
    "lines": lambda text, _: FILE_LINE.findall(text),
    "one piece": lambda text, _: [text],
    "halves": lambda text, _: [text[: len(text) // 2 + 1], text[len(text) // 2 + 1 :]],
    "characters": lambda text, _: [*text],
    "threes": lambda text, _: [text[at : at + 3] for at in range(0, len(text), 3)],
    "in a special token": lambda text, specials: _in_the_middle_of(
        "|".join(map(regex.escape, specials)) or "(?!)", text
    ),
    "in white space": lambda text, _: _in_the_middle_of(r"\s\s+", text),
}
"""How a text is cut for `encode_iterable`; the first one is how a file gives it."""


class Case(NamedTuple):
    """What a tokenizer is asked for.

    :param name: of the text.
    :param how: "encode", "decode", or a key of `HOWS`.
    :param content: the text to encode.
    :param specials: what is given as `special_tokens`; None: nothing is.
    :param known: special tokens with which the vocabulary begins; then come the bytes.
    :param tokens: whose ids are to be decoded.
    :param merged: the merges are those whose tokens stand in it; None: all.
    """

    name: str
    how: str
    content: str = ""
    specials: tuple[str, ...] | None = (END_OF_TEXT,)
    known: tuple[str, ...] = (END_OF_TEXT,)
    tokens: tuple[bytes, ...] = ()
    merged: bytes | None = None

    @property
    def call(self) -> str:
        """The method that is called."""
        return self.how if self.how in ("encode", "decode") else "encode_iterable"

    @property
    def argument(self) -> str | Sequence[str] | Sequence[int]:
        """What it is given."""
        if self.how in HOWS:
            return HOWS[self.how](self.content, self.specials or ())
        if self.how == "encode":
            return self.content
        return [self.vocabulary.ids[token] for token in self.tokens]

    @property
    def vocabulary(self) -> "Vocabulary":
        """What the tokenizer is made with."""
        return _vocabulary(self.known, self.merged)


@cache
def all_merges() -> list[Merge]:
    """Return merges of line ends, white space, signs and half characters: those of many languages
    and of the small texts.

    >>> len(all_merges()), (b"\\n", b"\\n") in all_merges()
    (2495, True)
    """
    counts = dict(count_words(corpora.path("languages")))
    texts = [text.content for text in (*TEXTS, *merging_texts()) if not text.is_open]
    for word, count in count_documents(text for text in texts if len(text) < LONG).items():
        counts[word] = counts.get(word, 0) + OFTEN * count
    merges = list[Merge]()
    # A special token that is a merge's token as well would have two ids.
    left_out = {token.encode() for text in TEXTS for token in text.special_tokens}
    for pair in train_from_counts(counts, 256 + N_MERGES, []).merges:
        if left_out.intersection((*pair, b"".join(pair))):
            left_out.add(b"".join(pair))
        else:
            merges.append(pair)
    return merges


class Vocabulary(NamedTuple):
    """What a tokenizer is made with.

    :param merges: each with its rank.
    :param ids: tokens, each with its id, in their order.
    :param lines: the merges, a line of two tokens in hex for each.
    """

    merges: Mapping[Merge, int]
    ids: Mapping[bytes, int]
    lines: str

    @property
    def tokens(self) -> list[bytes]:
        return [*self.ids]


@cache
def _vocabulary(known: tuple[str, ...], text: bytes | None) -> Vocabulary:
    merges = [pair for pair in all_merges() if text is None or b"".join(pair) in text]
    tokens = [*map(str.encode, known), *(bytes([byte]) for byte in range(256))]
    ids = dict.fromkeys([*tokens, *map(b"".join, merges)])
    return Vocabulary(
        {pair: rank for rank, pair in enumerate(merges)},
        {token: id for id, token in enumerate(ids)},
        "\n".join(f"{left.hex()} {right.hex()}" for left, right in merges),
    )


@dataclass(frozen=True)
class Answer:
    """What a tokenizer makes of a case. Two that differ only in words are equal.

    :param result: ids or a text, as JSON has them.
    :param said: the failure in words.
    :param changed: what became of the list of special tokens that was given, if it is another one.
    """

    result: Any = None
    failed: bool = False
    said: str = field(default="", compare=False)
    changed: Sequence[str] | None = field(default=None, compare=False)


METHODS = {"encode": "encode", "encode_iterable": "encode_pieces", "decode": "text_of"}
"""Of `Encoding`; its `decode` makes a text of a file."""

TOKENIZER_KINDS: list[type[Rules]] = []
"""The known mistakes, in their order."""


class Encoding(Rules):
    """A tokenizer that is right; a subclass makes a mistake."""

    kinds = TOKENIZER_KINDS
    errors: ClassVar[str] = "replace"

    def answer(self, case: Case) -> Answer:
        """Return what it makes of a case."""
        self.ranks, self.ids_of = case.vocabulary.merges, {**case.vocabulary.ids}
        self.tokens = case.vocabulary.tokens
        self.is_list = case.specials is not None
        for token in self.new_tokens():
            self.ids_of[token] = len(self.tokens)
            self.tokens.append(token)
        try:
            return Answer(getattr(self, METHODS[case.call])(case.argument))
        except (ValueError, IndexError, KeyError, regex.error):
            return Answer(failed=True)

    def new_tokens(self) -> list[bytes]:
        return [token for token in map(str.encode, self.special_tokens) if token not in self.ids_of]

    def encode(self, text: str) -> list[Any]:
        self.content = text.encode()
        ids: list[int] = []
        for part in self.parts(self.decode(self.content)):
            if part in self.special_tokens:
                ids.append(self.ids_of[part.encode()])
            else:
                for word in self.words(part):
                    tokens = self.merged([bytes([byte]) for byte in word.encode()])
                    ids += [self.ids_of[token] for token in tokens]
        return ids

    def cut(self, text: str) -> list[str]:
        return [part for part in regex.split(f"({self.cuts()})", text) if part is not None]

    def merged(self, tokens: Tokens) -> Tokens:
        while pairs := [pair for pair in pairwise(tokens) if pair in self.ranks]:
            tokens = self.replace(tokens, self.next_of(pairs))
        return tokens

    def next_of(self, pairs: list[Merge]) -> Merge:
        return min(pairs, key=self.ranks.__getitem__)

    def encode_pieces(self, pieces: Sequence[str]) -> list[Any]:
        return self.encode("".join(pieces))

    def text_of(self, ids: Sequence[int]) -> str:
        return b"".join(self.tokens[id] for id in ids).decode(errors=self.errors)


_kinds = partial(define, of=Encoding)


def _up_to_a_line_end(text: str) -> str:
    return text[: text.rfind("\n") + 1]


def _raise() -> Any:
    raise ValueError


# How pieces are joined


_kinds(
    ("ByPieces", "Pieces on their own", 0,
     """that encodes each piece of `encode_iterable` on its own: a word, or white space, may go on
     in the next one. Keep the end of a piece until the next one is there, and encode up to where
     no word can go on""",
     "encode_pieces", lambda own, pieces: [id for each in pieces for id in own.encode(each)]),
    ("ListsForIds", "Lists in place of ids", 0,
     """whose `encode_iterable` yields a list for each piece: `yield from self.encode(...)` yields
     its ids""",
     "encode_pieces", lambda own, pieces: [own.encode(each) for each in pieces]),
    ("StripsPieces", "Line ends", 0,
     "whose `encode_iterable` strips the line ends of its pieces: they are text",
     "encode_pieces",
     lambda own, pieces: [id for each in pieces for id in own.encode(each.strip())]),
    ("LosesTheEnd", "The end of the text", 0,
     """whose `encode_iterable` loses what stands behind the last line end: encode what is left when
     no piece is left""",
     "encode_pieces", lambda own, pieces: own.encode(_up_to_a_line_end("".join(pieces)))),
    ("EmptyPieces", "No pieces", 0, "It raises an error where there are no pieces",
     "encode_pieces", lambda own, pieces: own.encode("".join(pieces)) if pieces else _raise()),
)  # fmt: skip


class SpecialCut(Encoding, title="A special token over a border"):
    says = """that does not see a special token in `encode_iterable` where a piece ends within it:
    keep back what may be the beginning of one"""

    def encode_pieces(self, pieces: Sequence[str]) -> list[Any]:
        borders, ids, begin, at = {*accumulate(map(len, pieces))}, list[Any](), 0, 0
        text = "".join(pieces)
        for part in self.parts(text):  # what is cut is text, with what stands beside it
            end = at + len(part)
            if part in self.special_tokens and not borders.intersection(range(at + 1, end)):
                ids += self.as_text(text[begin:at]) + self.encode(part)
                begin = end
            at = end
        return ids + self.as_text(text[begin:])

    def as_text(self, text: str) -> list[Any]:
        specials, self.special_tokens = self.special_tokens, []
        ids = self.encode(text)
        self.special_tokens = specials
        return ids


class Holding(Encoding):
    """Keeps back the end of what it was given so far."""

    def encode_pieces(self, pieces: Sequence[str]) -> list[Any]:
        ids, held = list[Any](), ""
        for piece in pieces:
            held += piece
            end = self.end(held)
            ids += self.encode(held[:end])
            held = held[end:]
        return ids + self.encode(held)

    def end(self, held: str) -> int:
        """Return up to where it encodes."""
        raise NotImplementedError


class HoldsTheLastWord(Holding, title="Where a word may go on"):
    says = """whose `encode_iterable` keeps back the last word only: `'` and `ll` are two words in
    two pieces and one in the text, `<|` begins a special token. Encode up to white space that
    stands behind a letter"""

    def end(self, held: str) -> int:
        last = self.parts(held)[-1]
        words = [""] if last in self.special_tokens else ["", *self.words(last)]
        return len(held) - len(words[-1])


def _behind_the_last_special_token(own: Holding, held: str) -> int:
    *before, last = own.parts(held)
    return len(held) - len(last) * (last not in own.special_tokens) if before else 0


define(
    ("HoldsUpToSpace", "White space at a border", 0,
     """whose `encode_iterable` cuts behind white space: it belongs to the word behind it, or
     to more white space""",
     "end", lambda _, held: max((found.end() for found in SPACE.finditer(held)), default=0)),
    ("HoldsUpToALineEnd", "White space at a border", 0,
     "whose `encode_iterable` cuts behind the last line end: more white space may follow",
     "end", lambda _, held: held.rfind("\n") + 1),
    ("HoldsUpToASpecialToken", "A special token that may go on", 0,
     """whose `encode_iterable` encodes up to each special token: it may be the beginning of a
     longer one, and where there is none everything is kept""",
     "end", _behind_the_last_special_token), of=Holding,
)  # fmt: skip

# How a word is merged


class LongestToken(Encoding, title="The longest token"):
    says = """that takes the longest token of the vocabulary that fits: merges are applied in their
    order"""

    def merged(self, tokens: Tokens) -> Tokens:
        word, found, at = b"".join(tokens), list[bytes](), 0
        while at < len(word):
            ends = range(len(word), at, -1)
            found.append(next(word[at:end] for end in ends if word[at:end] in self.ids_of))
            at += len(found[-1])
        return found


class OneAfterAnother(Encoding, title="Special tokens that begin alike"):
    says = "that cuts at one special token after the other: cut at all at once, the longest first"

    def cut(self, text: str) -> list[str]:
        parts = [text]
        for token in self.special_tokens:
            cut = regex.compile(f"({regex.escape(token)})")
            cuts = [[part] if part in self.special_tokens else cut.split(part) for part in parts]
            parts = [part for cut in cuts for part in cut]
        return parts


_kinds(
    ("FirstPair", "Which merge comes first", 0,
     "that merges the first pair of a word that it knows: the pair of the lowest rank comes first",
     "next_of", lambda _, pairs: pairs[0]),
    ("NewId", "A new id", 0,
     "that gives a special token that is in the vocabulary a new id: add what is not in it",
     "new_tokens", lambda own: [token.encode() for token in own.special_tokens]),
    ("NotAdded", "A special token that is new", 0,
     "that does not add a special token that is not in the vocabulary: it gets the next id",
     "new_tokens", lambda _: []),
    ("SplitsForNone", "No special tokens", 0,
     """that cuts the text at every character where the list of special tokens is empty: its pattern
     is empty then, and matches everywhere""",
     "parts_without", lambda own, text: regex.split("", text) if own.is_list else [text]),
    ("RefusesNone", "No special tokens", 0, "It raises an error where no special tokens are given",
     "parts_without", lambda own, text: [text] if own.is_list else _raise()),
    ("WholeWords", "A word of the vocabulary", 0,
     "that takes a word that is in the vocabulary for its token, though no merges make it",
     "merged", lambda own, tokens: [b"".join(tokens)] if b"".join(tokens) in own.ids_of
     else Encoding.merged(own, tokens)),
    ("EmptyText", "An empty text", 0, "It raises an error for an empty text",
     "encode", lambda own, text: Encoding.encode(own, text) if text else _raise()),
    ("ChangesLineEnds", "Line ends", 0,
     "that makes LF of CRLF and CR: a text is encoded as it is",
     "decode", lambda _, content: content.decode().replace("\r\n", "\n").replace("\r", "\n")),
    ("TokenByToken", "Token by token", 0,
     """whose `decode` makes text of each token: a character may have bytes of several tokens. Join
     the bytes of all first""",
     "text_of", lambda own, ids: "".join(Encoding.text_of(own, [id]) for id in ids)),
    ("Strict", "Bytes that are not UTF-8", 0,
     """It raises an error where ids are no UTF-8: `decode("utf-8", errors="replace")` makes U+FFFD
     of them""",
     "errors", "strict"),
    ("DropsBytes", "Bytes that are not UTF-8", 0,
     "whose `decode` drops bytes that are not UTF-8: `errors=\"replace\"` makes U+FFFD of them",
     "errors", "ignore"),
)  # fmt: skip


OF_TRAINERS = """AsGiven ShortestFirst NotEscaped SpecialsAsText AddsEndOfText EndOfTextForNone
RaisesWithoutSpecials SplitsAtEveryCharacter Strips ByLines NFC NFKC AsciiPattern DecimalPattern
NoLookAhead NewerPattern SplitsAtWhiteSpace NoWords RightToLeft"""
"""Mistakes of trainers that tokenizers make, too."""

Kinds = tuple[type[Rules], ...]

ALL: Kinds = (*TOKENIZER_KINDS, *map(NAMED.__getitem__, OF_TRAINERS.split()))


@cache
def _encoding(kinds: Kinds) -> type[Encoding]:
    """Return a tokenizer that makes all of these mistakes."""
    own = [kind for kind in kinds if issubclass(kind, Encoding)]
    others = [kind for kind in kinds if not issubclass(kind, Encoding)]
    return cast("type[Encoding]", type("Wrong", (*own, *others, Encoding), {}))


@cache
def expected(kinds: Kinds, case: Case) -> Answer:
    """Return what a tokenizer with these mistakes makes of a case; with none, what is right."""
    return _encoding(kinds)(b"", 0, case.specials or ()).answer(case)


def diagnose(answers: Mapping[Case, Answer]) -> tuple[Kinds, list[Case]]:
    """Return the known mistakes that explain what was answered, and the cases that none explains.

    Each is the one that explains most of what is left, and takes back nothing; none that explains
    failures only which others show, too.
    """

    def explained(kinds: Kinds, case: Case) -> bool:
        return expected(kinds, case) == answers[case]

    found: Kinds = ()
    left = [case for case in answers if not explained((), case)]
    while left:
        better: dict[Kinds, list[Case]] = {}
        for kind in (kind for kind in ALL if kind not in found):
            kinds = (kind, *found)
            rest = [case for case in left if not explained(kinds, case)]
            others = (case for case in answers if case not in left)
            failures = {answers[case].said for case in rest} - {""}
            own = (case for case in left if answers[case].said not in failures)
            if any(explained(kinds, case) for case in own) and all(
                explained(kinds, case) for case in others
            ):
                better[kinds] = rest
        if not better:
            break
        found = min(better, key=lambda kinds: len(better[kinds]))
        left = better[found]
    return found, left
