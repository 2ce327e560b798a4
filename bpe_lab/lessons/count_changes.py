"""What a merge changes in one word: the counts of the pairs at the match, and no others."""

from itertools import pairwise

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, first_vocab


def draw(word: bytes, pair: Merge) -> Figure:
    """Draw a word before and after a merge, and the pairs whose counts change.

    :param word: its bytes are its tokens.
    :param pair: two single bytes that stand next to each other in the word.

    >>> draw(b"flower", (b"o", b"w"))
    Figure: Of 5 pairs in flower, 2 do not change
    """
    vocab = [*first_vocab([]), b"".join(pair)]
    stage = FineGrained({word: 1}, vocab)
    changes: dict[Pair, int] = {}
    stage.merge_word(0, (pair[0][0], pair[1][0]), 256, changes)
    merged = [vocab[number] for number in stage.words[0]]
    spelled = {spell_pair((vocab[a], vocab[b])): change for (a, b), change in changes.items()}
    kept = sum(before not in changes for before in pairwise(word))
    title = f"Of {len(word) - 1} pairs in {spell(word)}, {kept} do{'es' * (kept == 1)} not change"
    drawing = Drawing(1.3, title, x=(0, len(word) + 8), y=(-0.1, 1.8))
    single = [bytes([byte]) for byte in word]
    starts = [place for place, found in enumerate(pairwise(single)) if found == pair]
    taken = {place for start in starts for place in (start, start + 1)}
    matched = [LIGHT_ORANGE if place in taken else PALE for place in range(len(single))]
    made = [LIGHT_BLUE if len(token) > 1 else PALE for token in merged]
    for when, tokens, colors, y in (("before", single, matched, 1.0), ("after", merged, made, 0.0)):
        drawing.token_row(y, tokens, colors)
        told = [
            f"{name} {'−' if change < 0 else '+'}{abs(change)}"
            for name, change in spelled.items()
            if change and (change < 0) == (when == "before")
        ]
        drawing.label(len(word) + 0.3, y + 0.33, f"{when}:   {'   '.join(told)}")
    return drawing.figure
