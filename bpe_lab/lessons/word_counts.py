"""What notebook 02 draws, and its exercises: words that are kept as text, and a filter."""

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import (
    Verdict,
    call_of,
    name_of,
    not_yet,
    token_lists,
    try_cases,
    try_each,
)
from bpe_lab.lessons.shared.drawing import LIGHT_BLUE, LIGHT_ORANGE, Drawing
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.naive import replace_pair


def draw_folding() -> Figure:
    """Draw equal words that fold into one, with their number.

    >>> draw_folding()
    Figure: Eleven lists become two
    """
    drawing = Drawing(2.3, "Eleven lists become two", x=(-0.1, 12.2), y=(0.1, 4.6))
    for top, word, count, color in ((4, "low", 5, LIGHT_BLUE), (1.5, "newest", 6, LIGHT_ORANGE)):
        for number in range(count):
            x, y = 2.0 * (number % 3), top - 0.9 * (number // 3)
            drawing.box(x, y - 0.3, 1.9, word, color)
        for y in (top, top - 0.9):
            drawing.arrow((6.1, y + 0.05), (8.4, top - 0.42))
        drawing.box(8.5, top - 0.8, 2.2, word, color)
        drawing.label(10.8, top - 0.45, f"× {count}", weight="bold")
    return drawing.figure


def check_merge_in_text(answer: Callable[[str, str, str], str]) -> Verdict:
    """Check a merge in a word that is kept as text, with a space between tokens.

    :param answer: (tokens with a space between them, left token, right token) -> the same after
        the merge.

    >>> check_merge_in_text(lambda word, left, right: word.replace(f"{left} {right}", left + right))
    Not yet: `<lambda>('n e w es t', 's', 't')` returned `'n e w est'`; `'n e w es t'` is \
right. Only whole tokens are merged, whatever they hold, also where a pair follows a pair.
    """

    def expected(word: str, left: str, right: str) -> str:
        replace: Any = replace_pair  # what a token is does not matter to it
        return " ".join(replace(word.split(" "), (left, right), left + right))

    random = Random(4)
    cases = [
        ("n e w e s t", "s", "t"),
        ("n e w es t", "s", "t"),
        ("s te w", "s", "t"),
        ("a a a", "a", "a"),
        ("b . * b", ".", "*"),
        ("a b a b", "a", "b"),
        ("l \\", "l", "\\"),
    ]
    tokens = ["a", "b", "ab", "ba", "aa", ".", "a."]
    for _ in range(60):
        word = random.choices(tokens, k=random.randint(2, 7))
        place = random.randrange(len(word) - 1)
        cases.append((" ".join(word), word[place], word[place + 1]))
    hint = "Only whole tokens are merged, whatever they hold, also where a pair follows a pair."
    return try_cases(answer, cases, expected, hint)


def check_word_filter(answer: Callable[[list[int], Pair], bool]) -> Verdict:
    """Check a filter that tells which words may be skipped, and count its needless rewrites.

    :param answer: (tokens, (left id, right id)) -> False only when the word lacks the pair; fewer
        needless rewrites than those of `word_filter` are asked for.

    >>> check_word_filter(lambda tokens, pair: False).passed
    False
    >>> check_word_filter(lambda tokens, pair: pair[0] in tokens and pair[1] in tokens)
    Not yet: `<lambda>` skips no word that holds the pair. But of 108 words that lack it, it \
rewrites 46, and `word_filter` 46. Rewrite fewer.
    """
    lacking = needless = of_stage = 0

    def mistake(kept: bool, tokens: list[int], pair: Pair) -> str:
        nonlocal lacking, needless, of_stage
        if pair in pairwise(tokens):
            return (
                "" if kept else f"`{call_of(answer, (tokens, pair))}` skips a word with the pair."
            )
        lacking, needless = lacking + 1, needless + bool(kept)
        of_stage += pair[0] in tokens and pair[1] in tokens
        return ""

    def sentence(joint: str) -> str:
        never = f"`{name_of(answer)}` skips no word that holds the pair"
        words = f"of {lacking} words that lack it, it rewrites {needless}, and `word_filter`"
        return f"{never}{joint} {words} {of_stage}."

    def call(tokens: list[int], pair: Pair) -> str:
        return f"`{call_of(answer, (tokens, pair))}` (ids above 255 are merged tokens, no bytes)"

    cases = [(tokens, (97, 256)) for tokens in token_lists((97, 256, 300), 160)]
    verdict = try_each(answer, cases, mistake, lambda: sentence(":"), call=call)
    if verdict.passed and needless >= of_stage:
        return not_yet(f"{sentence('. But')} Rewrite fewer.")
    return verdict
