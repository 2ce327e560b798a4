"""Bytes per token: by vocabulary size, pattern and kind of text, on texts that were held out."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure

import bpe_lab
from bpe_lab.corpora import END_OF_TEXT
from bpe_lab.corpora import path as corpus_path
from bpe_lab.counting.api import count_documents
from bpe_lab.lessons.charts import lines
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.texts import corpus
from bpe_lab.results.tables import markdown_table
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.pretokenize import words_of

HELD_OUT = 4
"""One document of so many is not trained on."""


class _Halves(NamedTuple):
    """A kind of text: documents to train on, and the others as one text."""

    trained: list[str]
    held_out: str


def _largest() -> int:
    """Return the size of the largest vocabulary."""
    return 8_192 if scale() is SCALES["normal"] else 512


@cache
def kinds() -> Mapping[str, _Halves]:
    """Return the kinds of text: name -> what to train on, and what to measure on.

    English stories; Python, the source of this package; and some thirty languages, of which nobody
    trains on any.
    """
    stories = corpus().read_text(encoding="utf-8").split(END_OF_TEXT)
    package = Path(bpe_lab.__file__).parent
    files = [file.read_text(encoding="utf-8") for file in sorted(package.rglob("*.py"))]
    code = files if scale() is SCALES["normal"] else files[:20]
    languages = corpus_path("languages").read_text(encoding="utf-8").replace(END_OF_TEXT, "")
    return {
        "stories": _halves(stories),
        "code": _halves(code),
        "languages": _Halves([], languages),
    }


def _halves(documents: Sequence[str]) -> _Halves:
    trained = [text for number, text in enumerate(documents) if number % HELD_OUT]
    return _Halves(trained, "".join(documents[::HELD_OUT]))


@cache
def trained_on(*names: str, pattern: str = DEFAULT_PATTERN) -> Tokenizer:
    """Return a tokenizer with the largest vocabulary."""
    documents = (text for name in names for text in kinds()[name].trained)
    counts = count_documents(documents, pattern=pattern)
    return train_from_counts(counts, _largest(), pattern=pattern).tokenizer()


def _first_ids(tokenizer: Tokenizer, size: int) -> Tokenizer:
    """Return the tokenizer that the same training gives when it ends earlier."""
    vocab = {number: token for number, token in tokenizer.vocab.items() if number < size}
    merges = tokenizer.merges[: size - 256 - len(tokenizer.special_ids)]
    return Tokenizer(vocab, merges, tokenizer.special_ids, pattern=tokenizer.pattern.name)


def _bytes_per_token(tokenizer: Tokenizer, text: str) -> float:
    return len(text.encode()) / tokenizer.count(text, disallowed_special=())


def by_size(tokenizer: Tokenizer) -> dict[str, tuple[list[int], list[float]]]:
    """Return the bytes per token of each kind of text, by the size of the vocabulary.

    >>> [*by_size(trained_on("stories"))]
    ['stories', 'code', 'languages']
    """
    sizes = [size for size in (257, 512, 1024, 2048, 4096, 8192) if size <= _largest()]
    cut = [_first_ids(tokenizer, size) for size in sizes]
    return {
        name: (sizes, [_bytes_per_token(one, text.held_out) for one in cut])
        for name, text in kinds().items()
    }


def draw_sizes(found: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> Figure:
    """Draw bytes per token over the size of the vocabulary.

    :param found: kind of text -> sizes, bytes per token.

    >>> draw_sizes({"stories": ([257, 512], [1.0, 2.0])}).axes[0].get_xscale()
    'log'
    """
    figure = lines(
        "A vocabulary shortens what it was trained on",
        "ids in the vocabulary",
        "bytes per token",
        found,
        "Trained on stories, measured on texts that were held out.",
    )
    [axes] = figure.axes
    axes.set(yscale="linear", ylabel="bytes per token", ylim=(0, None))
    return figure


def by_pattern(names: Iterable[str] = PATTERNS) -> Prose:
    """Say how many bytes of each kind of text a token has, by pattern, as a table.

    Trained with the pattern on stories and code.

    >>> print(by_pattern(["gpt2"]).splitlines()[0])
    | pattern | stories | code | languages |
    """
    rows = []
    for name in names:
        tokenizer = trained_on("stories", "code", pattern=name)
        values = [f"{_bytes_per_token(tokenizer, text.held_out):.2f}" for text in kinds().values()]
        rows.append((f"`{name}`", *values))
    return say(markdown_table(("pattern", *kinds()), rows))


def cut_by_patterns(line: str, names: Iterable[str] = PATTERNS) -> Prose:
    """Say what words the patterns make of a line, as a table.

    >>> print(cut_by_patterns("a b", ["gpt2"]).splitlines()[2])
    | `gpt2` | 2 | `a` `␣b` |
    """
    rows = []
    for name in names:
        words = [spell(word.encode()) for word in words_of(PATTERNS[name], line)]
        rows.append((f"`{name}`", str(len(words)), " ".join(f"`{word}`" for word in words)))
    return say(markdown_table(("pattern", "words", "what they are"), rows))


def mixed_up(names: Sequence[str], text: str) -> Prose:
    """Say what it costs to encode with a pattern other than that of the training, as a table.

    :raises AssertionError: a text does not come back.

    >>> print(mixed_up(["gpt2", "o200k"], "It's 2026.").splitlines()[0])
    | trained with | encoded with `gpt2` | encoded with `o200k` |
    """
    rows = []
    for trained in names:
        tokenizer = trained_on("code", pattern=trained)
        cells = []
        for name in names:
            mixed = Tokenizer(
                tokenizer.vocab, tokenizer.merges, tokenizer.special_ids, pattern=name
            )
            assert mixed.decode(mixed.encode(text, disallowed_special=())) == text
            value = f"{_bytes_per_token(mixed, text):.2f}"
            cells.append(f"**{value}**" if name == trained else value)
        rows.append((f"`{trained}`", *cells))
    head = ("trained with", *(f"encoded with `{name}`" for name in names))
    return say(markdown_table(head, rows))
