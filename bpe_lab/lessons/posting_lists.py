"""Posting lists: from each pair to the words that hold it."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import EDGE, ORANGE, Drawing
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.inverted_index import InvertedIndex
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge

SIZE = LABEL_SIZE + 3
"""Of the letters: the picture is read on a phone, too."""


def draw(stage: InvertedIndex, chosen: Merge, limit: int = 12) -> Figure:
    """Draw lines from pairs to the words that hold them: the posting lists.

    :param stage: on few words.
    :param chosen: the pair whose list is marked.
    :param limit: pairs to draw, the most frequent first.

    >>> from bpe_lab.tokenizer.merges import first_vocab
    >>> stage = InvertedIndex({b"low": 5, b"lower": 2}, first_vocab([]))
    >>> stage.count_pairs()
    >>> draw(stage, (b"o", b"w"))
    Figure: The posting list of (o, w) names 2 of 2 words
    """
    vocab = stage.vocab
    spelled = {pair: (vocab[pair[0]], vocab[pair[1]]) for pair in stage.pair_words}
    ordered = sorted(
        stage.pair_words, key=lambda pair: (stage.pair_counts[pair], spelled[pair]), reverse=True
    )[:limit]
    held = next(len(stage.pair_words[pair]) for pair in ordered if spelled[pair] == chosen)
    rows = max(len(ordered), len(stage.words))
    drawing = Drawing(
        0.32 * rows + 0.3,
        f"The posting list of {spell_pair(chosen)} names {held} of {len(stage.words)} words",
        x=(-1.2, 5.2),
        y=(-0.6, rows + 0.1),
    )
    places = [(rows - 1) * (1 - (n + 0.5) / len(stage.words)) for n in range(len(stage.words))]
    for row, pair in enumerate(ordered):
        y = (rows - 1) * (1 - row / max(len(ordered) - 1, 1))
        marked = spelled[pair] == chosen
        color, width, order = (ORANGE, 2.4, 2) if marked else (EDGE, 0.8, 1)
        for word in sorted(stage.pair_words[pair]):
            drawing.line((0, y), (3, places[word]), color=color, linewidth=width, zorder=order)
        told = f"{spell_pair(spelled[pair])}  {stage.pair_counts[pair]}"
        drawing.label(-0.08, y, told, "right", weight="bold" if marked else "normal", size=SIZE)
    for word, ids in enumerate(stage.words):
        tokens = " ".join(spell(vocab[number]) for number in ids)
        told = f"word {word}:  {tokens}  × {stage.counts[word]}"
        drawing.label(3.08, places[word], told, size=SIZE)
    drawing.label(0, rows - 0.2, "pair, count", "right", QUIET)
    return drawing.figure


def not_listed(stage: InvertedIndex) -> str:
    """Name a pair and a word that holds it, but is not on its posting list; "" if all are listed.

    Empty after every merge: this is the invariant of an index.

    :param stage: any with `words` and `pair_words`.

    >>> from bpe_lab.tokenizer.merges import first_vocab
    >>> stage = InvertedIndex({b"low": 5, b"lower": 2}, first_vocab([]))
    >>> stage.count_pairs()
    >>> not_listed(stage)
    ''
    >>> stage.pair_words[ord("o"), ord("w")].remove(1)
    >>> not_listed(stage)
    '(o, w) has no entry for l o w e r'
    """
    for number, tokens in enumerate(stage.words):
        for left, right in pairwise(tokens):
            if number not in stage.pair_words.get((left, right), ()):
                pair = spell_pair((stage.vocab[left], stage.vocab[right]))
                return f"{pair} has no entry for {' '.join(spell(stage.vocab[t]) for t in tokens)}"
    return ""


class PostingList(list[int]):
    """A posting list that is a list: it may name a word twice, and no word leaves it."""

    add = list.append


def made_of(kind: type) -> type[FineGrained]:
    """Return `FineGrained` with posting lists of a kind, all else as it is.

    :param kind: with the method `add`, such as `set`.

    >>> from bpe_lab.lessons.own_stage import check_stage
    >>> check_stage(made_of(PostingList)).passed
    True
    """

    class Postings(dict[Any, Any]):
        def setdefault(self, pair: Any, default: object = None) -> Any:
            return self[pair] if pair in self else super().setdefault(pair, kind())

    class Made(FineGrained):
        """Trains with posting lists of this kind."""

        def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
            super().__init__(counts, vocab)
            self.pair_words = Postings()

    return Made
