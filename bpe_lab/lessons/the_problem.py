"""What notebook 00 draws, and its exercises: bytes, and the choice of a pair."""

from collections.abc import Callable
from random import Random

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import NUMBERS, Verdict, try_cases
from bpe_lab.lessons.shared.drawing import LIGHT_BLUE, PALE, Drawing
from bpe_lab.plots.style import QUIET
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.merges import Merge


def draw_bytes(text: str) -> Figure:
    """Draw the characters of a text above their UTF-8 bytes.

    :param text: a short one.

    >>> draw_bytes("é")
    Figure: é is 1 character and 2 bytes
    """
    size = len(text.encode())
    title = f"{text} is {count_of(len(text), 'character')} and {size} bytes"
    drawing = Drawing(1.2, title, x=(0, max(size + 2.5, 12)), y=(-0.1, 1.8))
    codes = [character.encode() for character in text]
    colors = [PALE if len(code) == 1 else LIGHT_BLUE for code in codes]
    drawing.token_row(1, codes, colors)
    colors_of_bytes = [color for code, color in zip(codes, colors, strict=True) for _ in code]
    for x, (byte, color) in enumerate(zip(text.encode(), colors_of_bytes, strict=True)):
        drawing.box(x, 0, 1, str(byte), color)
    drawing.label(size + 0.2, 1.33, "characters", color=QUIET)
    drawing.label(size + 0.2, 0.33, "bytes", color=QUIET)
    return drawing.figure


def check_first_tokens(answer: Callable[[str], list[int]]) -> Verdict:
    """Check a function that returns the ids of a text before any merge.

    :param answer: text -> ids.

    >>> check_first_tokens(lambda text: [ord(character) for character in text]).passed
    False
    """
    cases = [("low",), ("",), ("né",), ("日本",), ("🙂 a\r\n",)]
    hint = "How many bytes does that character take in UTF-8?"
    return try_cases(answer, cases, lambda text: list(text.encode()), hint, form=NUMBERS)


def check_best_pair(answer: Callable[[dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that chooses the pair to merge.

    :param answer: {(left bytes, right bytes): count} -> (left bytes, right bytes).

    >>> check_best_pair(lambda counts: max(counts, key=lambda pair: (counts[pair], pair)))
    `<lambda>` is right on all 46 cases.
    """
    random = Random(1)
    cases: list[tuple[dict[Merge, int]]] = [
        ({(b"o", b"w"): 7},),
        ({(b"e", b"r"): 7, (b"l", b"o"): 2},),
        ({(b"e", b"s"): 9, (b"s", b"t"): 9},),
        ({(b"a", b"c"): 1, (b"aa", b"b"): 1},),
        ({(b"a", b"b"): 2, (b"a", b"ba"): 2},),
        ({(b"\x7f", b"a"): 3, (b"\xc3", b"a"): 3},),
    ]
    tokens = [b"a", b"b", b"ab", b"ba", b"c3", b"\xc3"]
    for _ in range(40):
        pairs = [(random.choice(tokens), random.choice(tokens)) for _ in range(4)]
        cases.append(({pair: random.randint(1, 2) for pair in pairs},))

    def expected(counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in counts.items())[1]

    hint = "The highest count first; among equals the greatest (left, right)."
    return try_cases(answer, cases, expected, hint)
