"""Texts that tell a right trainer from a wrong one: small files with one idea each."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from bpe_lab import corpora
from bpe_lab.results.numbers import size_in_words
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.small_corpora import TRAPS, SmallCorpus, random_corpora
from bpe_lab.words.special_tokens import END_OF_TEXT

BEYOND = 5  # merges that are asked for and are not there, where a text is to run out of pairs


class Text(NamedTuple):
    """A file that a trainer is tried on.

    :param name: short and unique.
    :param idea: what a wrong trainer does not know.
    :param rule: of `book/rules.md`.
    :param content: of the file.
    :param special_tokens: given to the trainer.
    :param n_merges: how many it is asked for; None: as many as there are.
    :param is_open: the course does not say what is right here.
    """

    name: str
    idea: str
    rule: int
    content: bytes
    special_tokens: tuple[str, ...] = (END_OF_TEXT,)
    n_merges: int | None = None
    is_open: bool = False

    @property
    def vocab_size(self) -> int:
        """The number of entries that the trainer is asked for."""
        n_merges = self.n_merges
        if n_merges is None:
            n_merges = _most_merges(self.content, self.special_tokens)
        return 256 + len(self.special_tokens) + n_merges


@cache
def _most_merges(content: bytes, special_tokens: tuple[str, ...]) -> int:
    """Return after how many merges no pair is left."""
    return len(Rules(content, 1 << 60, special_tokens).outcome().merges)


WORD = bytes(range(ord("a"), ord("z") + 1))
"""All its pairs stand equally often, so the merges show where it was cut."""

ALPHABET = Text("the alphabet", "all pairs stand equally often", 5, (WORD + b"\n") * 3)

TEXTS = (
    ALPHABET,
    Text("words", "the worked example of the course", 5, b"low lower newest widest low newest"),
    Text("crlf", "CRLF stays two bytes", 1, b"one\r\n\r\ntwo\r\n"),
    Text("cr", "a lone CR is a character like any other", 1, b"one\r\rtwo\r\r\r"),
    Text("bom", "U+FEFF at the beginning is text", 1, "\ufeffab".encode()),
    Text("normal forms", "letters are read as they are, composed or not", 1,
         "cafe\u0301s =\u0338 \u212b\ufb01n".encode()),
    Text("nul", "NUL is a character like any other", 1, b"\0\0ab\0\0\0"),
    Text("line ends", "white space over line ends is one word", 3, b"a \n\n  b\n\t\n\n c\n\n"),
    Text("separators", "there are more line ends than LF", 3,
         "a\v\vb\u2028\u2028c\x85\x85d".encode()),
    Text("spaces", "the last of several spaces belongs to the word", 3, b"a    b  c   "),
    Text("other spaces", "no-break and wide spaces are white space", 3,
         "a\xa0\xa0b \u2003\u3000c\x1c\x1cd".encode()),
    Text("contractions", "'s, 't, 'll and the like are words, in lower case", 3,
         b"we'll I've it's don't DON'T 'tis 'S"),
    Text("digits", "digits and numbers of all scripts are one class", 3,
         "12345 1\u0661\u0662 \u00b2\u00bd \u2167x".encode()),
    Text("letters", "letters of all scripts are one class", 3,
         "caf\u00e9 \u043c\u0438\u0440 \u65e5\u672c na\u00efve".encode()),
    Text("marks", "a combining mark is not a letter", 3,
         "cafe\u0301 \u0939\u093f\u0928\u094d\u0926\u0940 e\u0301e\u0301".encode()),
    Text("joined emoji", "an emoji is a word of its bytes", 3,
         "\U0001f642\U0001f642 \U0001f469\u200d\U0001f467 \U0001f1eb\U0001f1f7!".encode()),
    Text("signs", "_ is a sign, not a letter", 3, b"a_b __x__ --y ((z))"),
    Text("no special tokens", "an empty list cuts nowhere", 2, b"low lower<|endoftext|>low", ()),
    Text("no special token here", "<|endoftext|> is text where it is not among the special tokens",
         2, b"ab ab ab ab ab ab!<|endoftext|>", ("<x>",)),
    Text("one special token", "it is cut out, and never counted", 2, b"low<|endoftext|>low"),
    Text("two special tokens", "the text is cut at both", 2, b"aab<zzzzzz>aab<x>ab",
         ("<x>", "<zzzzzz>")),
    Text("short one first", "of two that begin alike the longer one is cut out", 2, b"ab<a>zz<a>zz",
         ("<a>", "<a>zz")),
    Text("long one first", "of two that begin alike the longer one is cut out", 2, b"ab<a>zz<a>zz",
         ("<a>zz", "<a>")),
    Text("one inside another", "the one that begins first is cut out", 2, b"ab<zz<>zz>ab",
         ("<>", "<zz<>zz>")),
    Text("at both ends", "nothing stands before the first or behind the last", 2,
         b"<|endoftext|>ab ab<|endoftext|>"),
    Text("in a row", "nothing stands between two", 2, b"ab<|endoftext|><|endoftext|>ab"),
    Text("special letters", "a special token is not a regular expression", 2,
         b"a+b aab <|x|> [PAD] P <x>", ("<|x|>", "[PAD]", "a+b")),
    Text("around special tokens", "white space beside them is text", 2,
         b"  ab  <|endoftext|>\n\nab \n"),
    Text("a word for a special token", "it is cut out of words, too", 2, b"the end bends",
         ("end",)),
    Text("fewer merges", "special tokens are entries of the vocabulary", 4, b"low lower lowest",
         ("<a>", "<b>"), 2),
    Text("one merge", "it stops at `vocab_size` entries", 7, b"low lower lowest", n_merges=1),
    Text("no merge", "the smallest vocabulary has no merge", 7, b"low low", n_merges=0),
    Text("no merge, no special token", "the smallest vocabulary has no merge", 7, b"low low", (),
         0),
    Text("runs out", "it stops where no pair is left", 7, b"ab ab", n_merges=BEYOND),
    Text("nothing to merge", "words of one byte have no pair", 7, b"a\nb", n_merges=BEYOND),
    Text("only special tokens", "there is no text between them", 7, b"<|endoftext|><|endoftext|>",
         n_merges=BEYOND),
    Text("a word of 160 letters", "a long word has an end", 5, WORD * 5 + b"zy" * 15),
    Text("a long word", "a word may have 5,000 letters", 5,
         WORD * 180 + b"zy" * 250),
    Text("an empty file", "an empty file", 7, b"", n_merges=BEYOND, is_open=True),
    Text("not UTF-8", "bytes that are not UTF-8", 1, b"ab\xff\xff", n_merges=1, is_open=True),
    Text("too few ids", "a `vocab_size` below bytes and special tokens", 7, b"ab ab",
         n_merges=-1, is_open=True),
)  # fmt: skip
"""Of reading, cutting and stopping; those of merging are `merging_texts`."""


FIRST = (
    "words", "cr", "crlf", "bom", "marks", "no special tokens", "no special token here",
    "two special tokens", "short one first", "long one first", "one inside another",
    "special letters", "a word for a special token", "no merge, no special token", "runs out",
    "nothing to merge", "only special tokens", "fewer merges", "a run of five",
    "two matches side by side",
    "a tie: the sides, not the joined bytes", "a pair that stands twice in a word",
    "normal forms", "a tie: beside the byte 0", "the alphabet", "150 KB",
)  # fmt: skip
"""Names of texts that tell all known mistakes apart: a slow trainer is tried on little else."""


def long_text(n_bytes: int) -> Text:
    """Return a text of long documents and one word, quick for slow trainers.

    >>> long_text(150_000).content[:30]
    b'abcdefghijklmnopqrstuvwxyz\\nabc'
    """
    document, end = (WORD + b"\n") * 1_111, END_OF_TEXT.encode()
    content = end.join([document] * (n_bytes // len(document)))
    idea = "a text may be larger than any block"
    return Text(size_in_words(n_bytes), idea, 3, content, n_merges=len(WORD) - 1)


def as_text(corpus: SmallCorpus) -> Text | None:
    """Return the words of a corpus as a text, one in a line; None: they are not words there."""
    try:
        lines = [word.decode() for word, count in corpus.counts.items() for _ in range(count)]
    except UnicodeDecodeError:
        return None
    text = "\n".join(lines)
    words = [word for word in Rules.words(Rules(b"", 256, ()), text) if word != "\n"]
    if not lines or words != lines:
        return None
    specials = corpus.special_tokens or (END_OF_TEXT,)
    return Text(corpus.title, corpus.title, 5, text.encode(), specials)


def merging_texts() -> Iterator[Text]:
    """Yield the traps of stages, as texts."""
    return filter(None, map(as_text, TRAPS))


def random_texts(number: int) -> Iterator[Text]:
    """Yield random words as texts, the same on every machine."""
    for place, corpus in enumerate(random_corpora(number)):
        if text := as_text(corpus):
            yield text._replace(name=f"random words {place}", idea="words of a few letters")


def large_texts() -> Iterator[Text]:
    """Yield a text larger than any block, and two bundled texts."""
    yield long_text(1_200_000)
    languages = corpora.path("languages").read_bytes()
    yield Text("languages", "words of many languages", 3, languages, n_merges=60)
    stories = corpora.excerpt("stories", 250_000).read_bytes()
    yield Text("stories", "250 KB of stories", 5, stories, n_merges=60)
