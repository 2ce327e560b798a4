"""A word on its way to its tokens: one row for each merge."""

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, canvas, label, token_row
from bpe_lab.lessons.word_mergers import ranks_of
from bpe_lab.plots.style import QUIET
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.tokenizer import Tokenizer


class WordStep(NamedTuple):
    """A word before a merge.

    :param tokens: of which it is made.
    :param at: the place of the next merge; None: no pair of it has a rank.
    :param rank: of the next merge.
    """

    tokens: list[bytes]
    at: int | None
    rank: int | None


def word_steps(word: bytes, ranks: Mapping[Merge, int]) -> list[WordStep]:
    """Return the states of a word, from its bytes to its tokens.

    :param word: any bytes.
    :param ranks: merge -> rank.

    >>> [(step.tokens, step.rank) for step in word_steps(b"low", {(b"o", b"w"): 7})]
    [([b'l', b'o', b'w'], 7), ([b'l', b'ow'], None)]
    """
    tokens = [word[at : at + 1] for at in range(len(word))]
    found: list[WordStep] = []
    while places := [(ranks[p], at) for at, p in enumerate(pairwise(tokens)) if p in ranks]:
        rank, at = min(places)
        found.append(WordStep(tokens, at, rank))
        tokens = [*tokens[:at], tokens[at] + tokens[at + 1], *tokens[at + 2 :]]
    return [*found, WordStep(tokens, None, None)]


def draw(tokenizer: Tokenizer, word: str) -> Figure:
    """Draw the states of a word, one below the other.

    :param tokenizer: any.
    :param word: which its pattern does not cut.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}
    >>> draw(Tokenizer(vocab, [(b"l", b"o")]), "slow")
    Figure: slow: 1 merge, the earliest first
    """
    ranks = ranks_of(tokenizer)
    steps = word_steps(word.encode(), ranks)
    title = f"{spell(word.encode())}: {count_of(len(steps) - 1, 'merge')}, the earliest first"
    figure, axes = canvas(0.34 * len(steps), title, "Orange: merged next. Blue: just made.")
    made = b""
    for row, step in enumerate(steps):
        colors = [LIGHT_BLUE if token == made else PALE for token in step.tokens]
        said = "ids " + ", ".join(str(tokenizer.parts.ids()[token]) for token in step.tokens)
        if step.at is not None:
            colors[step.at : step.at + 2] = [LIGHT_ORANGE] * 2
            pair = step.tokens[step.at], step.tokens[step.at + 1]
            said, made = f"merge {step.rank:,}: {spell_pair(pair)}", b"".join(pair)
        token_row(axes, -row, step.tokens, colors)
        label(axes, len(word.encode()) + 0.4, 0.35 - row, said, color=QUIET)
    axes.set_xlim(0, len(word.encode()) * 1.45 + 2)
    axes.set_ylim(-len(steps) + 0.9, 0.9)
    return figure
