"""What notebook 03 draws, and its exercise: what to forget."""

from collections.abc import Callable, Mapping
from itertools import pairwise

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import Verdict, token_lists, try_cases
from bpe_lab.lessons.shared.drawing import EDGE, LIGHT_BLUE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.inverted_index import InvertedIndex
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, first_vocab

SIZE = LABEL_SIZE + 3
"""Of the letters: the picture is read on a phone, too."""


def draw_posting_lists(counts: Mapping[bytes, int], chosen: Merge, limit: int = 12) -> Figure:
    """Draw lines from pairs to the words that hold them: the posting lists.

    :param counts: few words.
    :param chosen: the pair whose list is marked.
    :param limit: pairs to draw, the most frequent first.

    >>> draw_posting_lists({b"low": 5, b"lower": 2}, (b"o", b"w"))
    Figure: The posting list of (o, w) names 2 of 2 words
    """
    stage = InvertedIndex(counts, vocab := first_vocab([]))
    stage.count_pairs()
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


def draw_count_changes(word: bytes, pair: Merge) -> Figure:
    """Draw a word before and after a merge, and the pairs whose counts change.

    :param word: its bytes are its tokens.
    :param pair: two single bytes that stand next to each other in the word.

    >>> draw_count_changes(b"flower", (b"o", b"w"))
    Figure: Of 5 pairs in flower, 2 stay
    """
    vocab = [*first_vocab([]), b"".join(pair)]
    stage = FineGrained({word: 1}, vocab)
    changes: dict[Pair, int] = {}
    stage.merge_word(0, (pair[0][0], pair[1][0]), 256, changes)
    merged = [vocab[number] for number in stage.words[0]]
    spelled = {spell_pair((vocab[a], vocab[b])): change for (a, b), change in changes.items()}
    kept = sum(before not in changes for before in pairwise(word))
    title = f"Of {len(word) - 1} pairs in {spell(word)}, {kept} stay{'s' * (kept == 1)}"
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


def check_may_forget(answer: Callable[[list[int], Pair, int], bool]) -> Verdict:
    """Check a rule that says whether a word may leave the posting list of a pair.

    :param answer: (tokens of the word after a merge, pair, change of its count in the word) ->
        whether the word may leave the list of the pair.

    >>> check_may_forget(lambda tokens, pair, change: change < 0).passed
    False
    """
    cases = []
    lists = [list(b"babaaaa"), *token_lists()]
    for tokens, merged in [(tokens, merged) for tokens in lists for merged in ((97, 97), (97, 98))]:
        stage = FineGrained({b"": 1}, first_vocab([]))
        stage.words = [tokens]
        changes: dict[Pair, int] = {}
        stage.merge_word(0, merged, 256, changes)
        changes.pop(merged, None)
        cases += [(stage.words[0], pair, change) for pair, change in changes.items()]
    cases.sort(key=lambda case: (case[2] == 0, len(case[0])))

    def expected(tokens: list[int], pair: Pair, change: int) -> bool:
        return pair not in pairwise(tokens)

    hint = (
        "A word (256 is the merged pair) must stay on the list of a pair that it holds, and should "
        "leave the others, also that of one which a match created and the next destroyed: change 0."
    )
    return try_cases(answer, cases, expected, hint, read=bool)
