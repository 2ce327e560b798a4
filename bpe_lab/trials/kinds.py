"""The mistakes that trainers are known to make: a small right trainer, and each mistake of it.

Each mistake is a class that overrides a method or two; two mistakes at once are a class with two
bases. Never use them to train: `Rules` is right, and slow.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import ClassVar, Literal, cast

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


class EndlessError(Exception):
    """What would come to no end."""


class Rules:
    """The rules, a method for each: a trainer that is right.

    :param content: of the file.
    :param vocab_size: entries.
    :param special_tokens: at which the text is cut.

    >>> Rules(b"ab", 257, []).outcome().merges
    ((b'a', b'b'),)
    """

    title: ClassVar[str] = ""
    """What the mistake is about."""

    says: ClassVar[str] = ""
    """Of what trainer the merges are, and the remedy with its rule."""

    what: ClassVar[Literal["mistake", "ties", "open"]] = "mistake"
    """"ties": another rule, which others have by design; "open": the course leaves it open."""

    pattern: ClassVar[str] = PATTERNS["gpt2"].regex

    def __init__(self, content: bytes, vocab_size: int, special_tokens: Sequence[str]) -> None:
        self.content, self.vocab_size = content, vocab_size
        self.special_tokens = list(special_tokens)
        self.vocab = [*sorted(BYTES), *(token.encode() for token in special_tokens)]
        self.merges: list[Merge] = []
        self.counts: list[int] = []
        self.pairs: Pairs = {}

    def outcome(self) -> Outcome:
        """Return what it makes of the file."""
        try:
            self.train()
        except EndlessError:
            return Outcome(failed="endless")
        except (ValueError, IndexError, KeyError, regex.error):
            return Outcome(failed="error")
        merges = tuple(self.merges)
        due = BYTES.union([one.encode() for one in self.special_tokens], map(b"".join, merges))
        have = set(self.vocab)
        return Outcome(merges, frozenset(due - have), frozenset(have - due))

    def train(self) -> None:
        """Make the merges."""
        table = self.count_words(self.parts(self.read()))
        self.pairs = self.count_pairs(table)
        while self.goes_on():
            if not self.pairs:
                self.none_left()
                break
            if not self.is_enough(self.pairs):
                break
            pair = self.choose(self.pairs)
            self.merges.append(pair)
            self.counts.append(self.pairs[pair])
            table, self.pairs = self.merge(table, self.pairs, pair)
            self.vocab.append(b"".join(pair))

    def read(self) -> str:
        """Return the text of the file."""
        return self.content.decode()

    def parts(self, text: str) -> list[str]:
        """Return the text cut at its special tokens."""
        if not self.special_tokens:
            return self.parts_without(text)
        return regex.split(self.cuts(self.special_tokens), text)

    def parts_without(self, text: str) -> list[str]:
        """Return the text where there are no special tokens."""
        return [text]

    def cuts(self, special_tokens: list[str]) -> str:
        """Return the pattern at which a text is cut."""
        return "|".join(map(self.escape, self.in_order(special_tokens)))

    def in_order(self, special_tokens: list[str]) -> list[str]:
        """Return the special tokens, those first that are tried first."""
        return sorted(special_tokens, key=len, reverse=True)

    def escape(self, token: str) -> str:
        """Return a pattern that matches a special token."""
        return regex.escape(token)

    def count_words(self, parts: Iterable[str]) -> Table:
        """Return the distinct words in the order in which they are seen first."""
        counts: dict[bytes, int] = {}
        for part in parts:
            for word in self.words(part):
                counts[word.encode()] = counts.get(word.encode(), 0) + 1
        return [([bytes([byte]) for byte in word], count) for word, count in counts.items()]

    def words(self, part: str) -> Iterable[str]:
        """Return the words of a part."""
        return regex.findall(self.pattern, part)

    def count_pairs(self, table: Table) -> Pairs:
        """Return how often each pair stands in the words."""
        pairs: Pairs = {}
        for tokens, count in table:
            for pair in self.pairs_of(tokens):
                pairs[pair] = pairs.get(pair, 0) + count
        return pairs

    def pairs_of(self, tokens: Tokens) -> Iterable[Merge]:
        """Return the pairs of a word, overlaps included."""
        return pairwise(tokens)

    def goes_on(self) -> bool:
        """Whether another entry is wanted."""
        return len(self.vocab) < self.entries()

    def entries(self) -> int:
        """Return how many entries are wanted."""
        return self.vocab_size

    def is_enough(self, pairs: Pairs) -> bool:
        """Whether the best pair is frequent enough."""
        return True

    def none_left(self) -> None:
        """Do what is done when no pair is left."""

    def choose(self, pairs: Pairs) -> Merge:
        """Return the most frequent pair, of equals the first by `rank`."""
        most = max(pairs.values())
        return self.first([pair for pair, count in pairs.items() if count == most])

    def first(self, equals: list[Merge]) -> Merge:
        """Return which of equally frequent pairs is merged."""
        return max(equals)

    def merge(self, table: Table, pairs: Pairs, pair: Merge) -> tuple[Table, Pairs]:
        """Return the words and their pairs after a merge."""
        table = [(self.replace(tokens, pair), count) for tokens, count in table]
        return table, self.count_pairs(table)

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        """Return a word after a merge, made from left to right."""
        made, at = [], 0
        while at < len(tokens):
            found = tuple(tokens[at : at + 2]) == pair
            made.append(b"".join(pair) if found else tokens[at])
            at += 2 if found else 1
        return made


# What is read


class LineEnds(Rules):
    """`open(path)` without `newline=""`."""

    title = "Line ends"
    says = (
        "a trainer that reads CRLF and CR as LF: "
        '`open(path, encoding="utf-8", newline="")` keeps them (rule 1)'
    )

    def read(self) -> str:
        """Translate line ends."""
        return super().read().replace("\r\n", "\n").replace("\r", "\n")


class DropsBom(Rules):
    """`encoding="utf-8-sig"`."""

    title = "Byte order mark"
    says = (
        "a trainer that drops U+FEFF at the beginning of a file: it is text like any other, "
        'and `encoding="utf-8"` keeps it (rule 1)'
    )

    def read(self) -> str:
        """Drop the mark."""
        return super().read().removeprefix("\ufeff")


class DropsBadBytes(Rules):
    """`errors="ignore"`."""

    what = "open"
    title = "Bytes that are not UTF-8"
    says = 'it drops them (`errors="ignore"`); here they are an error that names the place (rule 1)'

    def read(self) -> str:
        """Drop what is not UTF-8."""
        self.content = self.content.decode("utf-8", "ignore").encode()
        return super().read()


class ReplacesBadBytes(Rules):
    """`errors="replace"`."""

    what = "open"
    title = "Bytes that are not UTF-8"
    says = (
        'it makes U+FFFD of them (`errors="replace"`); here they are an error that names the '
        "place (rule 1)"
    )

    def read(self) -> str:
        """Replace what is not UTF-8."""
        self.content = self.content.decode("utf-8", "replace").encode()
        return super().read()


class Latin1(Rules):
    """`encoding="latin-1"`, or the preferred one of the system."""

    title = "Encoding"
    says = (
        "a trainer that reads every byte as a character of its own (Latin-1): "
        '`encoding="utf-8"` in `open` (rule 1)'
    )

    def read(self) -> str:
        """Read bytes as Latin-1."""
        self.content = self.content.decode("latin-1").encode()
        return super().read()


class Blocks(Rules):
    """Reads blocks of a number of characters."""

    characters: ClassVar[int]
    title = "Blocks"

    def parts(self, text: str) -> list[str]:
        """Cut each block by itself."""
        size = self.characters
        blocks = (text[start : start + size] for start in range(0, len(text), size))
        return [part for block in blocks for part in super(Blocks, self).parts(block)]


def _blocks(characters: int) -> type[Rules]:
    return type(
        f"Blocks{characters}",
        (Blocks,),
        {
            "characters": characters,
            "says": f"a trainer that reads blocks of {characters:,} characters and cuts words and "
            "special tokens at their ends: end a block where a special token stands (rule 3)",
        },
    )


class ByLines(Rules):
    """`splitlines(keepends=True)`."""

    title = "Words over line ends"
    says = (
        "a trainer that cuts the text into lines first: white space over several lines is one "
        "word (rule 3)"
    )

    def words(self, part: str) -> Iterable[str]:
        """Take each line by itself."""
        return (word for line in self.lines(part) for word in super(ByLines, self).words(line))

    def lines(self, part: str) -> list[str]:
        """Cut at every line end that Python knows."""
        return part.splitlines(keepends=True)


class ByFileLines(ByLines):
    """`for line in file`."""

    def lines(self, part: str) -> list[str]:
        """Cut behind LF only."""
        return re.findall(r"[^\n]*\n|[^\n]+", part)


class Strips(Rules):
    """`part.strip()`."""

    title = "White space at the ends"
    says = (
        "a trainer that strips white space at both ends of what stands between special tokens: "
        "it is text like any other (rule 2)"
    )

    def words(self, part: str) -> Iterable[str]:
        """Strip the part."""
        return super().words(part.strip())


# What a special token is


class SplitsAtEveryCharacter(Rules):
    """`regex.split("", text)`: the empty list makes an empty pattern."""

    title = "No special tokens"
    says = (
        "a trainer that cuts the text at every character when the list of special tokens is "
        "empty: its pattern is empty then, and matches everywhere; leave the cut out (rule 2)"
    )

    def parts_without(self, text: str) -> list[str]:
        """Cut at every character."""
        return regex.split("", text)


class RaisesWithoutSpecials(Rules):
    """`special_tokens[0]`, or `text.split("")`."""

    title = "No special tokens"
    says = (
        "It raises an error when the list of special tokens is empty: the text is then one part "
        "(rule 2)"
    )

    def parts_without(self, text: str) -> list[str]:
        """Raise an error."""
        raise ValueError("empty separator")


class NotEscaped(Rules):
    """`"|".join(special_tokens)`."""

    title = "Special tokens as a pattern"
    says = (
        "a trainer that takes special tokens for regular expressions, where | means or: "
        "`regex.escape` them (rule 2)"
    )

    def escape(self, token: str) -> str:
        """Leave the token as it is."""
        return token


class ShortestFirst(Rules):
    """`sorted(special_tokens, key=len)`."""

    title = "Special tokens that begin alike"
    says = (
        "a trainer that cuts at the shorter of two special tokens that begin alike: try the "
        "longest first, `sorted(special_tokens, key=len, reverse=True)` (rule 2)"
    )

    def in_order(self, special_tokens: list[str]) -> list[str]:
        """Try the shortest first."""
        return sorted(special_tokens, key=len)


class AsGiven(Rules):
    """`"|".join(map(escape, special_tokens))`."""

    title = "Special tokens that begin alike"
    says = (
        "a trainer that tries special tokens in the order in which they are given, so of two that "
        "begin alike a shorter one may win: try the longest first, "
        "`sorted(special_tokens, key=len, reverse=True)` (rule 2)"
    )

    def in_order(self, special_tokens: list[str]) -> list[str]:
        """Try them as they are given."""
        return special_tokens


class OneByOne(Rules):
    """`part.split(token)` for each special token."""

    title = "Special tokens that begin alike"
    says = (
        "a trainer that cuts at one special token after the other, so one inside another cuts it: "
        "cut at all at once, the longest first (rule 2)"
    )

    def parts(self, text: str) -> list[str]:
        """Cut at each of them, in the order in which they are given."""
        parts = [text] if self.special_tokens else super().parts(text)
        for token in self.special_tokens:
            parts = [piece for part in parts for piece in part.split(token)]
        return parts


class OnlyTheFirst(Rules):
    """`text.split(special_tokens[0])`."""

    title = "Several special tokens"
    says = "a trainer that cuts at the first special token only: cut at each of them (rule 2)"

    def parts(self, text: str) -> list[str]:
        """Cut at the first one."""
        if not self.special_tokens:
            return super().parts(text)
        return text.split(self.special_tokens[0])


class SpecialsAsText(Rules):
    """Does not cut at all."""

    title = "Special tokens as text"
    says = (
        "a trainer that does not cut the text at special tokens: their letters are counted and "
        "merged (rule 2)"
    )

    def parts(self, text: str) -> list[str]:
        """Return the text as it is."""
        return [text] if self.special_tokens else super().parts(text)


class SpecialsAsWords(Rules):
    """`regex.split(f"({pattern})", text)`: what is cut out comes back as parts."""

    title = "Special tokens as text"
    says = (
        "a trainer that cuts at special tokens and counts them as words: leave out the parts that "
        "are special tokens (rule 2)"
    )

    def parts(self, text: str) -> list[str]:
        """Return what is cut out, too."""
        if not self.special_tokens:
            return super().parts(text)
        return regex.split(f"({self.cuts(self.special_tokens)})", text)


class CutsAtEndOfText(Rules):
    """`find_chunk_boundaries(file, n, b"<|endoftext|>")`, whatever special tokens are given."""

    title = "Chunks"
    says = (
        "a trainer that cuts the file into chunks at <|endoftext|>, also where that is not among "
        "the special tokens: cut at one that was given, else not at all (rule 2)"
    )

    def parts(self, text: str) -> list[str]:
        """Cut each chunk by itself."""
        chunks = regex.split(f"(?={regex.escape(END_OF_TEXT)})", text)
        return [part for chunk in chunks for part in super(CutsAtEndOfText, self).parts(chunk)]


class SpecialsRemoved(Rules):
    """`text.replace(token, "")`."""

    title = "Words across special tokens"
    says = (
        "a trainer that takes special tokens out of the text, so what stands on both sides is one "
        "word: cut the text there (rule 2)"
    )

    def parts(self, text: str) -> list[str]:
        """Join the parts."""
        return ["".join(super().parts(text))]


# What a word is


class AsciiPattern(Rules):
    """`[A-Za-z]+` and `[0-9]+`."""

    title = "The pattern"
    says = (
        r"a trainer whose pattern knows the letters and digits of ASCII only: `\p{L}` and `\p{N}` "
        "of the package `regex` know those of all scripts (rule 3)"
    )
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"


class DecimalPattern(Rules):
    r"""`\d+` in place of `\p{N}+`, as in translations for `re`."""

    title = "The pattern"
    says = (
        r"a trainer whose pattern has `\d` and `\w` in place of `\p{N}` and `\p{L}`: use the "
        "package `regex` (rule 3)"
    )
    pattern = r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+"


class NewerPattern(Rules):
    """That of GPT-4."""

    title = "The pattern"
    says = "a trainer with the pattern of GPT-4 (cl100k): take that of GPT-2 (rule 3)"
    pattern = PATTERNS["cl100k"].regex


class SplitsAtWhiteSpace(Rules):
    """`part.split()`."""

    title = "The pattern"
    says = "a trainer that splits at white space: use GPT-2's pattern (rule 3)"

    def words(self, part: str) -> Iterable[str]:
        """Split at white space, and drop it."""
        return part.split()


class NoWords(Rules):
    """No pattern at all, as in minbpe's `BasicTokenizer`."""

    title = "The pattern"
    says = "a trainer that cuts no words, and merges across them: use GPT-2's pattern (rule 3)"

    def words(self, part: str) -> Iterable[str]:
        """Take the part for one word."""
        return [part]


# Which pair is next


class Overlaps(Rules):
    """Counts `aa` in `aaa` once."""

    title = "Overlaps"
    says = (
        "a trainer that counts a pair once where it overlaps itself: in `aaa` the pair (a, a) "
        "stands twice (rule 5)"
    )

    def pairs_of(self, tokens: Tokens) -> Iterable[Merge]:
        """Leave out a pair that overlaps the one before it."""
        before: tuple[int, Merge] | None = None
        for at, pair in enumerate(super().pairs_of(tokens)):
            if pair[0] == pair[1] and before == (at - 1, pair):
                before = None
                continue
            yield pair
            before = (at, pair)


class OncePerWord(Rules):
    """Counts a pair once in each word: `set(pairs)`."""

    title = "A pair that stands twice in a word"
    says = (
        "a trainer that counts a pair once in each word: in `abab` the pair (a, b) stands twice "
        "(rule 5)"
    )

    def pairs_of(self, tokens: Tokens) -> Iterable[Merge]:
        """Leave out a pair that was there."""
        return dict.fromkeys(super().pairs_of(tokens))


class DistinctWords(Rules):
    """Forgets how often a word stands in the text."""

    title = "Counts of words"
    says = (
        "a trainer that counts each distinct word once: a pair stands as often as its words do "
        "(rule 5)"
    )

    def count_words(self, parts: Iterable[str]) -> Table:
        """Return each word with the count 1."""
        return [(tokens, 1) for tokens, _ in super().count_words(parts)]


class StaleCounts(Rules):
    """Updates the pair counts from merge to merge as if a match never followed a match."""

    title = "Counts that go wrong"
    says = (
        "a trainer that keeps its counts from merge to merge, and loses track of them where a "
        "match follows a match (`aaaa`): the token on the left is then the new one (rule 5)"
    )

    def merge(self, table: Table, pairs: Pairs, pair: Merge) -> tuple[Table, Pairs]:
        """Change the counts of the neighbours that were there before the merge."""
        new = b"".join(pair)
        pairs, replaced = dict(pairs), []
        for tokens, count in table:
            made = self.replace(tokens, pair)
            for left, right, change in self.neighbours(tokens, pair, new):
                pairs[left, right] = pairs.get((left, right), 0) + change * count
            replaced.append((made, count))
        pairs.pop(pair, None)
        return replaced, {one: count for one, count in pairs.items() if count > 0}

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


class GluedTie(Rules):
    """Compares `left + right`."""

    title = "Ties"
    says = (
        "a trainer that compares equally frequent pairs as one string: compare the two sides, "
        "`max(..., key=lambda pair: (count[pair], pair))` (rule 5)"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the greatest string, of equals the first."""
        return max(equals, key=b"".join)


class IdTie(Rules):
    """Compares ids."""

    title = "Ties"
    says = (
        "a trainer that compares equally frequent pairs by their ids: compare their bytes, "
        "`(vocab[left], vocab[right])` (rule 5)"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the greatest ids."""
        ids = {token: number for number, token in enumerate(self.vocab)}
        return max(equals, key=lambda pair: (ids[pair[0]], ids[pair[1]]))


class LastTie(Rules):
    """`>=` in a loop over the counts."""

    title = "Ties"
    says = (
        "a trainer that takes the last seen of equally frequent pairs: take the greatest "
        "`(left bytes, right bytes)` (rule 5)"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the last one."""
        return equals[-1]


class GreatestTie(Rules):
    """That of the rules: a mistake where another one was asked for."""

    what = "ties"
    title = "Another tie rule"
    says = (
        "It has the tie rule of CS336: the greatest `(left bytes, right bytes)` wins (rule 5), and "
        "another one was asked for"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the greatest bytes."""
        return max(equals)


class FirstTie(Rules):
    """`max(counts, key=counts.get)`: minbpe, and tiktoken's educational trainer."""

    what = "ties"
    title = "Another tie rule"
    says = (
        "It has the tie rule of minbpe: the pair wins that is seen first. CS336 asks for the "
        "greatest `(left bytes, right bytes)` (rule 5); `--ties first` asks for yours"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the first one."""
        return equals[0]


class SmallestTie(Rules):
    """`min(..., key=lambda pair: (-counts[pair], pair))`, or a heap of them."""

    what = "ties"
    title = "Another tie rule"
    says = (
        "It has a tie rule by which the smallest pair wins. CS336 asks for the greatest "
        "`(left bytes, right bytes)` (rule 5); `--ties smallest` asks for yours"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the smallest bytes."""
        return min(equals)


class SmallestIds(Rules):
    """Of Hugging Face's trainer."""

    what = "ties"
    title = "Another tie rule"
    says = (
        "It has the tie rule of Hugging Face's trainer: the smaller ids win. CS336 asks for the "
        "greatest `(left bytes, right bytes)` (rule 5); `--ties smallest` asks for yours"
    )

    def first(self, equals: list[Merge]) -> Merge:
        """Take the smallest ids."""
        ids = {token: number for number, token in enumerate(self.vocab)}
        return min(equals, key=lambda pair: (ids[pair[0]], ids[pair[1]]))


# What is replaced


class RightToLeft(Rules):
    """Replaces from the right end."""

    title = "Replacement"
    says = "a trainer that replaces from right to left: `aaa` becomes `aa a` (rule 6)"

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        """Merge from right to left."""
        made, at = [], len(tokens)
        while at:
            found = tuple(tokens[max(at - 2, 0) : at]) == pair
            made.append(b"".join(pair) if found else tokens[at - 1])
            at -= 2 if found else 1
        return made[::-1]


class OneMatchPerWord(Rules):
    """Replaces the first match of a word only."""

    title = "Replacement"
    says = "a trainer that replaces only the first match in a word: replace each (rule 6)"

    def replace(self, tokens: Tokens, pair: Merge) -> Tokens:
        """Merge once."""
        for at, found in enumerate(pairwise(tokens)):
            if found == pair:
                return [*tokens[:at], b"".join(pair), *tokens[at + 2 :]]
        return tokens


# Where it stops


class RunsOut(Rules):
    """`max` of nothing."""

    title = "When no pair is left"
    says = "It raises an error when no pair is left: the training ends there (rule 7)"

    def none_left(self) -> None:
        """Raise an error."""
        raise ValueError("max() arg is an empty sequence")


class GoesOn(Rules):
    """Repeats its last merge, or invents some."""

    title = "When no pair is left"
    says = (
        "It goes on when no pair is left, with merges of what is not there: the training ends "
        "there (rule 7)"
    )

    def outcome(self) -> Outcome:
        """Mark what it makes as open-ended: any further merges are these."""
        self.invents = False
        made = super().outcome()
        return Outcome(made.merges, more=True) if self.invents else made

    def none_left(self) -> None:
        """Go on."""
        self.invents = True


class NoEnd(Rules):
    """`while len(vocab) < vocab_size` without another end."""

    title = "When no pair is left"
    says = "It comes to no end when no pair is left: the training ends there (rule 7)"

    def none_left(self) -> None:
        """Come to no end."""
        raise EndlessError


class GoesOnAtZero(GoesOn):
    """Keeps pairs whose count has come to 0, and chooses among them."""

    says = (
        "It goes on when no pair is left, with pairs that stand nowhere any more: it keeps them "
        "with the count 0. The training ends where the greatest count is 0 (rule 7)"
    )

    def outcome(self) -> Outcome:
        """Allow for an error, too, where those that were there come to an end."""
        made = super().outcome()
        return replace(made, failed="error") if made.more and isinstance(self, RunsOut) else made

    def none_left(self) -> None:
        """Go on with pairs that were there; where there was none, do what others do."""
        if self.merges:
            self.invents = True
        else:
            super(GoesOn, self).none_left()


class StopsAtOne(Rules):
    """Stops where each pair stands once."""

    title = "Pairs that stand once"
    says = "a trainer that stops when every pair stands only once: they are merged, too (rule 7)"

    def is_enough(self, pairs: Pairs) -> bool:
        """Want a pair that stands twice."""
        return super().is_enough(pairs) and max(pairs.values()) > 1


class OneTooMany(Rules):
    """`while len(vocab) <= vocab_size`."""

    title = "One merge too many"
    says = (
        "It makes an entry more than asked for: it ends when the vocabulary has `vocab_size` of "
        "them (rule 7)"
    )

    def entries(self) -> int:
        """Want one more."""
        return super().entries() + 1


class OneTooFew(Rules):
    """`while len(vocab) < vocab_size - 1`."""

    title = "One merge too few"
    says = (
        "It makes an entry less than asked for: it ends when the vocabulary has `vocab_size` of "
        "them (rule 7)"
    )

    def entries(self) -> int:
        """Want one less."""
        return super().entries() - 1


class ForgetsSpecials(Rules):
    """`vocab_size - 256` merges."""

    title = "The size of the vocabulary"
    says = (
        "a trainer that does not count special tokens as entries of the vocabulary: they are "
        "(rule 4)"
    )

    def entries(self) -> int:
        """Do not count them."""
        return super().entries() + len(self.special_tokens)


class RefusesLowerBound(Rules):
    """`assert vocab_size > 256 + len(special_tokens)`."""

    title = "The smallest vocabulary"
    says = (
        "It raises an error where `vocab_size` leaves room for no merge: the vocabulary is then "
        "the bytes and the special tokens (rule 7)"
    )

    def goes_on(self) -> bool:
        """Refuse a size that leaves room for no merge."""
        if not self.merges and self.vocab_size == len(self.vocab):
            raise ValueError("vocab_size is too small")
        return super().goes_on()


KINDS: tuple[type[Rules], ...] = (
    LineEnds, DropsBom, DropsBadBytes, ReplacesBadBytes, Latin1,
    *map(_blocks, (4096, 8192, 65536, 1 << 20)), ByLines, ByFileLines, Strips,
    SplitsAtEveryCharacter, RaisesWithoutSpecials, NotEscaped, ShortestFirst, AsGiven, OneByOne,
    OnlyTheFirst, SpecialsAsText, SpecialsAsWords, CutsAtEndOfText,
    SpecialsRemoved,
    AsciiPattern, DecimalPattern, NewerPattern, SplitsAtWhiteSpace, NoWords,
    Overlaps, OncePerWord, DistinctWords, StaleCounts,
    GluedTie, IdTie, LastTie, GreatestTie, FirstTie, SmallestTie, SmallestIds,
    RightToLeft, OneMatchPerWord,
    RunsOut, GoesOn, GoesOnAtZero, NoEnd, StopsAtOne, OneTooMany, OneTooFew, ForgetsSpecials,
    RefusesLowerBound,
)  # fmt: skip


@cache
def with_all(kinds: tuple[type[Rules], ...]) -> type[Rules]:
    """Return a trainer that makes all of these mistakes.

    >>> with_all((FirstTie, LineEnds))(b"b\\r\\na", 257, []).outcome().merges
    ()
    """
    if not kinds:
        return Rules
    if len(kinds) == 1:
        return kinds[0]
    return cast("type[Rules]", type("And".join(kind.__name__ for kind in kinds), kinds, {}))
