"""The mistakes that trainers are known to make: a small right trainer, and each mistake of it.

Each mistake is a class that overrides a method or two, or a row of a table of `define`; two
mistakes at once are a class with two bases. Never use them to train: `Rules` is right, and slow.
"""

import re
import types
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, reduce
from itertools import pairwise
from typing import Any, ClassVar, Literal, cast

import regex

from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.outcome import BYTES, Outcome
from bpe_lab.words.patterns import PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT

Tokens = list[bytes]
Table = list[tuple[Tokens, int]]
"""The tokens of each distinct word, and its count."""

Pairs = dict[Merge, int]
"""Pair -> count, in the order in which the pairs are seen first."""


KINDS: "list[type[Rules]]" = []
"""The known mistakes: the classes below that have a title, in their order."""


class EndlessError(Exception):
    """What would never end."""


class Rules:
    """The rules, a method for each: a trainer that is right.

    A subclass makes a mistake: its `title` says what it is about; `says` of a trainer what it does,
    and the remedy; `rule` which one of rules.md it is about; `what` that it is a mistake, another
    rule that others have by design ("ties"), or something that the course leaves open.

    >>> Rules(b"ab", 257, []).outcome().merges
    ((b'a', b'b'),)
    """

    title: ClassVar[str] = ""
    says: ClassVar[str] = ""
    what: ClassVar[Literal["mistake", "ties", "open"]] = "mistake"
    pattern: ClassVar[str] = PATTERNS["gpt2"].regex
    kinds: "ClassVar[list[type[Rules]]]" = KINDS

    def __init_subclass__(
        cls, title: str = "", rule: int = 0, says: str = "", what: Literal["", "ties", "open"] = ""
    ) -> None:
        cls.title, cls.what = title or cls.title, what or cls.what
        if title:
            which = f" (rule {rule} of book/rules.md)" if rule else ""
            cls.says = " ".join((says or cls.says).split()) + which
            cls.kinds.append(cls)

    def __init__(self, content: bytes, vocab_size: int, special_tokens: Sequence[str]) -> None:
        self.content, self.vocab_size, self.given = content, vocab_size, special_tokens
        self.special_tokens = self.specials()
        self.vocab = [*sorted(BYTES), *(token.encode() for token in self.listed())]
        self.merges: list[Merge] = []
        self.counts: list[int] = []
        self.pairs: Pairs = {}

    def outcome(self) -> Outcome:
        try:
            self.train()
        except EndlessError:
            return Outcome(failed="endless")
        except (ValueError, IndexError, KeyError, regex.error):
            return Outcome(failed="error")
        merges = tuple(self.merges)
        specials = (token.encode() for token in self.given)
        due = BYTES.union(specials, map(b"".join, merges))
        have = set(self.vocab)
        return Outcome(merges, frozenset(due - have), frozenset(have - due))

    def train(self) -> None:
        self.merge_words(self.count_words(self.parts(self.decode(self.content))))

    def merge_words(self, table: Table) -> None:
        self.pairs = self.count_pairs(table)
        while len(self.vocab) < self.entries():
            if not self.pairs:
                self.none_left()
                break
            if not self.is_enough():
                break
            pair, count = self.best()
            self.merges.append(pair)
            self.counts.append(count)
            table, self.pairs = self.merge(table, self.pairs, pair)
            self.vocab.append(b"".join(pair))

    # From the file to words

    def specials(self) -> list[str]:
        """Return at what the text is cut."""
        return [*self.given]

    def listed(self) -> list[str]:
        """Return which special tokens are in the vocabulary."""
        return self.special_tokens

    def decode(self, content: bytes) -> str:
        return content.decode()

    def parts(self, text: str) -> list[str]:
        return self.cut(text) if self.special_tokens else self.parts_without(text)

    def cut(self, text: str) -> list[str]:
        return regex.split(self.cuts(), text)

    def cuts(self) -> str:
        return "|".join(map(regex.escape, self.in_order(self.special_tokens)))

    def in_order(self, special_tokens: list[str]) -> list[str]:
        return sorted(special_tokens, key=len, reverse=True)

    def parts_without(self, text: str) -> list[str]:
        return [text]

    def count_words(self, parts: Iterable[str]) -> Table:
        counts: dict[bytes, int] = {}
        for part in parts:
            for word in self.words(part):
                counts[word.encode()] = counts.get(word.encode(), 0) + 1
        return self.table(counts)

    def table(self, counts: Mapping[bytes, int]) -> Table:
        return [([bytes([byte]) for byte in word], count) for word, count in counts.items()]

    def words(self, part: str) -> Iterable[str]:
        return regex.findall(self.pattern, part)

    # From words to merges

    def count_pairs(self, table: Table) -> Pairs:
        pairs: Pairs = {}
        for tokens, count in table:
            for pair in self.pairs_of(tokens):
                pairs[pair] = pairs.get(pair, 0) + count
        return pairs

    def pairs_of(self, tokens: Tokens) -> Iterable[Merge]:
        return pairwise(tokens)

    def entries(self) -> int:
        return self.vocab_size

    def is_enough(self) -> bool:
        return True

    def none_left(self) -> None:
        """Do what is done when no pair is left."""

    def best(self) -> tuple[Merge, int]:
        most = max(self.pairs.values())
        return self.first([pair for pair, count in self.pairs.items() if count == most]), most

    def first(self, equals: list[Merge]) -> Merge:
        """Return which of equally frequent pairs is merged; they are in the order of sight."""
        return max(equals)

    def merge(self, table: Table, pairs: Pairs, pair: Merge) -> tuple[Table, Pairs]:
        """Return the words and their pairs after a merge."""
        table = [(self.replace(tokens, pair), count) for tokens, count in table]
        return table, self.count_pairs(table)

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        replaced, at = [], 0
        while at < len(tokens):
            found = tuple(tokens[at : at + 2]) == pair
            replaced.append(b"".join(pair) if found else tokens[at])
            at += 2 if found else 1
        return replaced


Row = tuple[str, str, int, str, str, Any]
"""Name, title, rule, what it says, method, and what takes its place; after "method+": what is made
of that which it returns."""


def define(*rows: Row, what: Literal["", "ties", "open"] = "", of: type[Rules] = Rules) -> None:
    """Define the mistakes of a table."""
    for name, title, rule, says, method, change in rows:
        method, changes = method.rstrip("+"), method.endswith("+")
        about = {"title": title, "rule": rule, "says": says, "what": what}
        kind = types.new_class(name, (of,), about)
        setattr(kind, method, _changed(kind, method, change) if changes else change)


def _changed(kind: type[Rules], method: str, change: Callable[..., Any]) -> Callable[..., Any]:
    def changed(self: Rules, *given: Any) -> Any:
        return change(self, getattr(super(kind, self), method)(*given))

    return changed


def _cut_each(parts: Sequence[str], token: str) -> list[str]:
    return [piece for part in parts for piece in part.split(token)]


def _raises(error: type[Exception]) -> Callable[..., Any]:
    def method(*_: object) -> Any:
        raise error

    return method


CHUNK = f"(?={re.escape(END_OF_TEXT)})"
FILE_LINE = re.compile(r"[^\n]*\n|[^\n]+")

define(
    # What is read
    ("LineEnds", "Line ends", 1,
     """that reads CRLF and CR as LF: `open(path, encoding="utf-8", newline="")` keeps them""",
     "decode+", lambda _, text: text.replace("\r\n", "\n").replace("\r", "\n")),
    ("DropsBom", "Byte order mark", 1,
     """that drops U+FEFF at the beginning of a file: `encoding="utf-8"` keeps it""",
     "decode+", lambda _, text: text.removeprefix("\ufeff")),
    ("Latin1", "Encoding", 1,
     """that reads every byte as a character of its own (Latin-1): `encoding="utf-8"` in `open`""",
     "decode", lambda _, content: content.decode("latin-1")),
    ("NFC", "Normal forms", 1,
     "that brings the text into the normal form NFC: it is read as it is",
     "decode+", lambda _, text: unicodedata.normalize("NFC", text)),
    ("NFCWords", "Normal forms", 1,
     "that brings each word into the normal form NFC: a word is merged as it is",
     "words+", lambda _, words: (unicodedata.normalize("NFC", word) for word in words)),
    ("NFKC", "Normal forms", 1,
     "that brings the text into the normal form NFKC: it is read as it is",
     "decode+", lambda _, text: unicodedata.normalize("NFKC", text)),
    ("NFKCWords", "Normal forms", 1,
     "that brings each word into the normal form NFKC: a word is merged as it is",
     "words+", lambda _, words: (unicodedata.normalize("NFKC", word) for word in words)),
    ("ByLines", "Words over line ends", 3,
     "that cuts the text into lines first: white space over several lines is one word",
     "parts+", lambda _, parts: [line for part in parts for line in part.splitlines(True)]),
    ("ByFileLines", "Words over line ends", 3,
     "that cuts the text into lines first: white space over several lines is one word",
     "parts+", lambda _, parts: [line for part in parts for line in FILE_LINE.findall(part)]),
    ("Strips", "White space at the ends", 2,
     "that strips white space around what stands between special tokens: it is text",
     "parts+", lambda _, parts: [part.strip() for part in parts]),

    # What a special token is
    ("SplitsAtEveryCharacter", "No special tokens", 2,
     """that cuts the text at every character when the list of special tokens is empty: its
     pattern is empty then, and matches everywhere; leave the cut out""",
     "parts_without", lambda _, text: regex.split("", text)),
    ("RaisesWithoutSpecials", "No special tokens", 2,
     "It raises an error when the list of special tokens is empty: the text is then one part",
     "parts_without", _raises(ValueError)),
    ("NotEscaped", "Special tokens as a pattern", 2,
     "that takes special tokens for regular expressions, where | means or: `regex.escape` them",
     "cuts", lambda rules: "|".join(rules.in_order(rules.special_tokens))),
    ("ShortestFirst", "Special tokens that begin alike", 2,
     """that cuts at the shorter of two special tokens that begin alike: try the longest first,
     `sorted(special_tokens, key=len, reverse=True)`""",
     "in_order", lambda _, special_tokens: sorted(special_tokens, key=len)),
    ("AsGiven", "Special tokens that begin alike", 2,
     """that tries special tokens in the order in which they are given, so of two that begin
     alike a shorter one may win: try the longest first, `sorted(special_tokens, key=len,
     reverse=True)`""",
     "in_order", lambda _, special_tokens: special_tokens),
    ("OneByOne", "Special tokens that begin alike", 2,
     "that cuts at one special token after the other: cut at all at once, the longest first",
     "cut", lambda rules, text: reduce(_cut_each, rules.special_tokens, [text])),
    ("OnlyTheFirst", "Several special tokens", 2,
     "that cuts at the first special token only: cut at each of them",
     "cut", lambda rules, text: text.split(rules.special_tokens[0])),
    ("SpecialsAsText", "Special tokens as text", 2,
     "that does not cut the text at special tokens: their letters are counted and merged",
     "cut", lambda _, text: [text]),
    ("SpecialsAsWords", "Special tokens as text", 2,
     "that counts special tokens as words: leave out the parts that are special tokens",
     "cut", lambda rules, text: regex.split(f"({rules.cuts()})", text)),
    ("CutsAtEndOfText", "Chunks", 2,
     """that cuts the file into chunks at <|endoftext|>, also where that is not among the special
     tokens: cut at one that was given, else not at all""",
     "parts+", lambda _, parts: [chunk for part in parts for chunk in re.split(CHUNK, part)]),
    ("AddsEndOfText", "A special token that was not given", 2,
     "that takes <|endoftext|> for a special token though it was not given",
     "specials+", lambda _, special_tokens: [*dict.fromkeys([*special_tokens, END_OF_TEXT])]),
    ("EndOfTextForNone", "A special token that was not given", 2,
     "that takes <|endoftext|> for a special token where the list is empty",
     "specials+", lambda _, special_tokens: special_tokens or [END_OF_TEXT]),
    ("EndOfTextInVocab", "A special token that was not given", 4,
     "that puts <|endoftext|> into the vocabulary though it was not given",
     "listed+", lambda _, special_tokens: [*dict.fromkeys([*special_tokens, END_OF_TEXT])]),
    ("SpecialsRemoved", "Words across special tokens", 2,
     "that takes special tokens out of the text and joins both sides: cut the text there",
     "parts+", lambda _, parts: ["".join(parts)]),

    # What a word is
    ("AsciiPattern", "The pattern", 3,
     r"whose pattern knows ASCII only: `\p{L}` and `\p{N}` of the package `regex` know all scripts",
     "pattern", r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"),
    ("DecimalPattern", "The pattern", 3,
     r"whose pattern has `\d` and `\w` in place of `\p{N}` and `\p{L}`: use the package `regex`",
     "pattern", r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"),
    ("NoLookAhead", "The pattern", 3,
     r"whose pattern lacks `\s+(?!\S)`: the last of several spaces belongs to the word behind it",
     "pattern", Rules.pattern.replace(r"|\s+(?!\S)", "")),
    ("NewerPattern", "The pattern", 3,
     "with the pattern of GPT-4 (cl100k): take that of GPT-2",
     "pattern", PATTERNS["cl100k"].regex),
    ("SplitsAtWhiteSpace", "The pattern", 3,
     "that splits at white space: use GPT-2's pattern",
     "words", lambda _, part: part.split()),
    ("NoWords", "The pattern", 3,
     "that cuts no words, and merges across them: use GPT-2's pattern",
     "words", lambda _, part: [part]),
)  # fmt: skip

define(
    ("DropsBadBytes", "Bytes that are not UTF-8", 1,
     """it drops them (`errors="ignore"`); here they are an error that names the place""",
     "decode", lambda _, content: content.decode("utf-8", "ignore")),
    ("ReplacesBadBytes", "Bytes that are not UTF-8", 1,
     """it makes U+FFFD of them (`errors="replace"`); here they are an error""",
     "decode", lambda _, content: content.decode("utf-8", "replace")),
    what="open",
)  # fmt: skip


# Which pair is next


def _ids(rules: Rules) -> Callable[[Merge], tuple[int, int]]:
    ids = {token: number for number, token in enumerate(rules.vocab)}
    return lambda pair: (ids[pair[0]], ids[pair[1]])


class Overlaps(Rules, title="Overlaps", rule=5):
    says = "that counts a pair once where it overlaps itself: in `aaa` the pair (a, a) stands twice"

    def pairs_of(self, tokens: Tokens) -> Iterable[Merge]:
        before: tuple[int, Merge] | None = None
        for at, pair in enumerate(super().pairs_of(tokens)):
            if pair[0] == pair[1] and before == (at - 1, pair):
                before = None
                continue
            yield pair
            before = (at, pair)


define(
    ("OncePerWord", "A pair that stands twice in a word", 5,
     "that counts a pair once in each word: in `abab` the pair (a, b) stands twice",
     "pairs_of+", lambda _, pairs: dict.fromkeys(pairs)),
    ("DistinctWords", "Counts of words", 5,
     "that counts each distinct word once: a pair stands as often as its words do",
     "count_words+", lambda _, table: [(tokens, 1) for tokens, _ in table]),
)  # fmt: skip


class StaleCounts(Rules, title="Counts that go wrong", rule=5):
    says = """that keeps its counts from merge to merge, and loses track of them where a match
    follows a match (`aaaa`): the token on the left is then the new one"""

    def merge(self, table: Table, pairs: Pairs, pair: Merge) -> tuple[Table, Pairs]:
        new = b"".join(pair)
        pairs = dict(pairs)
        for tokens, count in table:
            for left, right, change in self.neighbours(tokens, pair, new):
                pairs[left, right] = pairs.get((left, right), 0) + change * count
        pairs.pop(pair, None)
        table = [(self.replace(tokens, pair), count) for tokens, count in table]
        return table, {each: count for each, count in pairs.items() if count > 0}

    def neighbours(
        self, tokens: Tokens, pair: Merge, new: bytes
    ) -> Iterable[tuple[bytes, bytes, int]]:
        """Return what each match takes from, and gives to, the pairs beside it."""
        at = 0
        while at < len(tokens):
            if tuple(tokens[at : at + 2]) != pair:
                at += 1
                continue
            if at:
                yield tokens[at - 1], pair[0], -1
                yield tokens[at - 1], new, 1
            if at + 2 < len(tokens):
                yield pair[1], tokens[at + 2], -1
                yield new, tokens[at + 2], 1
            at += 2


class DropsStaleTops(Rules, title="A heap that loses pairs", rule=5):
    says = "with a heap that drops a top whose count has changed: put it back, as notebook 04 says"

    def merge_words(self, table: Table) -> None:
        self.heap: Pairs = dict(self.count_pairs(table))
        super().merge_words(table)

    def is_enough(self) -> bool:
        fresh = {pair: count for pair, count in self.heap.items() if self.pairs.get(pair) == count}
        top = max(fresh.values(), default=0)
        # What is stale and lies above the first fresh one is dropped.
        below = {pair: count for pair, count in self.heap.items() if count < top}
        self.heap = below | fresh
        if fresh:
            return super().is_enough()
        self.none_left()
        return False

    def best(self) -> tuple[Merge, int]:
        most = max(self.heap.values())
        return self.first([pair for pair, count in self.heap.items() if count == most]), most

    def merge(self, table: Table, pairs: Pairs, pair: Merge) -> tuple[Table, Pairs]:
        table, after = super().merge(table, pairs, pair)
        self.heap.update((new, count) for new, count in after.items() if new not in pairs)
        return table, after


define(
    ("GluedTie", "Ties", 5,
     "that compares equally frequent pairs as one string: compare their two sides, "
     "`max(pairs, key=lambda pair: (count[pair], pair))`",
     "first", lambda _, equals: max(equals, key=b"".join)),
    ("NulTie", "Ties", 5,
     "that compares equally frequent pairs joined by a NUL: compare their two sides, "
     "`max(pairs, key=lambda pair: (count[pair], pair))`",
     "first", lambda _, equals: max(equals, key=b"\0".join)),
    ("IdTie", "Ties", 5,
     "that compares equally frequent pairs by their ids: compare `(vocab[left], vocab[right])`",
     "first", lambda rules, equals: max(equals, key=_ids(rules))),
    ("LastTie", "Ties", 5,
     "that takes the last seen of equally frequent pairs: take the greatest `(left, right)`",
     "first", lambda _, equals: equals[-1]),
)  # fmt: skip
define(
    ("GreatestTie", "Another tie rule", 5,
     "It has the tie rule of CS336, the greatest `(left, right)`: another one was asked for",
     "first", lambda _, equals: max(equals)),
    ("FirstTie", "Another tie rule", 5,
     "It merges the pair seen first, as minbpe; CS336 the greatest. `--ties first` asks for yours",
     "first", lambda _, equals: equals[0]),
    ("SmallestTie", "Another tie rule", 5,
     "It merges the smallest pair; CS336 asks for the greatest. `--ties smallest` asks for yours",
     "first", lambda _, equals: min(equals)),
    ("SmallestIds", "Another tie rule", 5,
     "It merges the smaller ids, as Hugging Face does. `--ties smallest` asks for yours",
     "first", lambda rules, equals: min(equals, key=_ids(rules))),
    what="ties",
)  # fmt: skip


# What is replaced


class RightToLeft(Rules, title="Replacement", rule=6):
    says = "that replaces from right to left: `aaa` becomes `aa a`"

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        replaced, at = [], len(tokens)
        while at:
            found = tuple(tokens[max(at - 2, 0) : at]) == pair
            replaced.append(b"".join(pair) if found else tokens[at - 1])
            at -= 2 if found else 1
        return replaced[::-1]


class OneMatchPerWord(Rules, title="Replacement", rule=6):
    says = "that replaces only the first match in a word: replace each"

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        for at, found in enumerate(pairwise(tokens)):
            if found == pair:
                return [*tokens[:at], b"".join(pair), *tokens[at + 2 :]]
        return tokens


# Where it stops


class RunsOut(Rules, title="When no pair is left", rule=7):
    says = "It raises an error when no pair is left: the training ends there"
    none_left = _raises(ValueError)


class GoesOn(Rules, title="When no pair is left", rule=7):
    says = "It goes on when no pair is left, with merges of what is not there: it must end there"

    def outcome(self) -> Outcome:
        self.invents = False
        outcome = super().outcome()
        return Outcome(outcome.merges, more=True) if self.invents else outcome

    def none_left(self) -> None:
        self.invents = True


class GoesOnAtZero(GoesOn, title=GoesOn.title, rule=7):
    says = "It goes on when no pair is left, with pairs of the count 0: it must end there"

    def outcome(self) -> Outcome:
        outcome = super().outcome()
        raises = outcome.more and isinstance(self, RunsOut)
        return replace(outcome, failed="error") if raises else outcome

    def none_left(self) -> None:
        if self.merges:
            self.invents = True
        else:
            super(GoesOn, self).none_left()


define(
    ("NoEnd", "When no pair is left", 7,
     "It never stops when no pair is left: the training ends there",
     "none_left", _raises(EndlessError)),
    ("StopsAtOne", "Pairs that stand once", 7,
     "that stops when every pair stands only once: they are merged, too",
     "is_enough+", lambda rules, goes_on: goes_on and max(rules.pairs.values()) > 1),
    ("OneTooMany", "One merge too many", 7,
     "It makes one entry too many: the training ends when the vocabulary has `vocab_size` entries",
     "entries+", lambda _, number: number + 1),
    ("OneTooFew", "One merge too few", 7,
     "It makes one entry too few: the training ends when the vocabulary has `vocab_size` entries",
     "entries+", lambda _, number: number - 1),
    ("ForgetsSpecials", "The size of the vocabulary", 4,
     "that does not count special tokens as entries of the vocabulary: they are",
     "entries+", lambda rules, number: number + len(rules.special_tokens)),
)  # fmt: skip


class RefusesLowerBound(Rules, title="The smallest vocabulary", rule=7):
    says = "It raises an error where `vocab_size` leaves room for no merge: that is no error"

    def entries(self) -> int:
        if not self.merges and self.vocab_size == len(self.vocab):
            raise ValueError("vocab_size is too small")
        return super().entries()


# Where it cuts


class PlainOffsets(Rules, title="Blocks", rule=3):
    says = """that cuts the file at plain offsets, into blocks or pieces for processes, and with
    it words and special tokens: let a piece end where a special token begins"""

    pieces: Sequence[str] | None = None
    """Of the text; None: it is not cut."""

    def outcome(self) -> Outcome:
        """Return what it makes of a text that is not cut, or is cut in any of the usual ways."""
        text = self.content.decode(errors="replace")
        if len(text) > LONG:  # wherever it is cut, its tokens are pieces of its words
            words = {word.encode() for part in self.parts(text) for word in self.words(part)}
            return Outcome(pieces_of=frozenset(words))
        outcomes = [self.outcome_of(pieces) for pieces in (None, *_cuts(text))]
        return Outcome(either=tuple(dict.fromkeys(outcomes)))

    def outcome_of(self, pieces: Sequence[str] | None) -> Outcome:
        same = type(self)(self.content, self.vocab_size, self.special_tokens)
        same.pieces = pieces
        return super(PlainOffsets, same).outcome()

    def parts(self, text: str) -> list[str]:
        pieces = self.pieces or [text]
        return [part for piece in pieces for part in super(PlainOffsets, self).parts(piece)]


LONG = 2_000  # bytes of a text that is cut at too many places to try them all


def _cuts(text: str) -> set[tuple[str, ...]]:
    """Return a short text in two to 16 pieces, cut between characters or between bytes."""
    content, cuts = text.encode(), set()
    for number in range(2, 17):
        for size in {max(1, len(text) // number), len(text) // number + 1}:
            cuts.add(tuple(text[at : at + size] for at in range(0, len(text), size)))
        for size in {max(1, len(content) // number), len(content) // number + 1}:
            blocks = [content[at : at + size] for at in range(0, len(content), size)]
            cuts.update(
                tuple(block.decode(errors=errors) for block in blocks)
                for errors in ("ignore", "replace")
            )
    return cuts


NAMED = {kind.__name__: kind for kind in KINDS}


@cache
def with_all(kinds: tuple[type[Rules], ...]) -> type[Rules]:
    """Return a trainer that makes all of these mistakes.

    >>> both = with_all((NAMED["FirstTie"], NAMED["LineEnds"]))
    >>> both(b"b\\r\\na", 257, []).outcome().merges
    ()
    """
    if not kinds:
        return Rules
    if len(kinds) == 1:
        return kinds[0]
    return cast("type[Rules]", type("And".join(kind.__name__ for kind in kinds), kinds, {}))
