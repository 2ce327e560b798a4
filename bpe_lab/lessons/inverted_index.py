"""What notebook 03 draws, and its exercises: what to forget, and where a search may stop."""

from collections.abc import Callable
from itertools import pairwise
from random import Random

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import Looks, Verdict, token_lists, try_cases
from bpe_lab.lessons.shared.drawing import EDGE, LIGHT_BLUE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.recounts import pair_counts
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.inverted_index import InvertedIndex
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, first_vocab

SIZE = LABEL_SIZE + 3
"""Of the letters: the picture is read on a phone, too."""


def draw_posting_lists(stage: InvertedIndex, chosen: Merge, limit: int = 12) -> Figure:
    """Draw lines from pairs to the words that hold them: the posting lists.

    :param stage: on few words.
    :param chosen: the pair whose list is marked.
    :param limit: pairs to draw, the most frequent first.

    >>> from bpe_lab.tokenizer.merges import first_vocab
    >>> stage = InvertedIndex({b"low": 5, b"lower": 2}, first_vocab([]))
    >>> stage.count_pairs()
    >>> draw_posting_lists(stage, (b"o", b"w"))
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


Words = list[list[int]]


def check_words_with(answer: Callable[[Words, list[int], Pair, int], list[int]]) -> Verdict:
    """Check a search for the words with a pair, and that it stops where the count is used up.

    :param answer: (token lists, count of each, pair, count of the pair in all of them) -> indices
        of the lists that hold the pair, ascending.

    >>> check_words_with(
    ...     lambda words, counts, pair, total: [
    ...         index for index, tokens in enumerate(words) if pair in pairwise(tokens)
    ...     ]
    ... ).message.split(":")[0]
    'Not yet'
    """
    cases = _search_cases()

    def expected(words: Words, counts: list[int], pair: Pair, total: int) -> list[int]:
        return [index for index, tokens in enumerate(words) if pair in pairwise(tokens)]

    hint = "In `aaa` the pair `(a, a)` counts twice, and each time as often as the word occurs"

    def enough(words: Words, counts: list[int], pair: Pair, total: int) -> int:
        found = expected(words, counts, pair, total)
        return found[-1] + 1

    # A loop that asks at its head whether it may stop has one more word in its hand.
    reason = "{} are enough, for then `total` is used up. " + hint
    looks = Looks("words", enough, reason, spare=1)
    return try_cases(answer, cases, expected, f"{hint}.", read=list, looks=looks)


def _search_cases() -> list[tuple[Words, list[int], Pair, int]]:
    """Return word lists to search, the smallest first, the same on every machine."""
    random, lists = Random(4), token_lists()
    chosen = [([[97, 98], [98]], [2, 5]), ([[97, 97, 97], [97, 97], [98], [98]], [1, 1, 9, 1])]
    for _ in range(30):
        words = random.sample(lists, random.randint(2, 6))
        chosen.append((words, [random.randint(1, 9) for _ in words]))
    return [
        (words, counts, pair, total)
        for words, counts in chosen
        for pair in ((97, 98), (97, 97))
        # Only a pair of the table is searched: its count is above 0.
        if (total := pair_counts(zip(words, counts, strict=True)).get(pair, 0))
    ]
