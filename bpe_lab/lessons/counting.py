"""What notebook 06 draws, masks of bits; and its exercises."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from matplotlib.figure import Figure

from bpe_lab.experiments.pieces import class_of_code_point
from bpe_lab.lessons.shared.checking import Verdict, try_cases
from bpe_lab.lessons.shared.drawing import BLUE, ORANGE, PALE, Drawing
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.words.pretokenize import pretokenize

CLASSES = ("other", "letter", "number", "space")
"""By the number that the scanner gives them."""

ROWS = ("letter", "number", "other", "space", "blank")
"""Of the picture. A blank is a space of the keyboard; the other spaces are line ends and tabs."""

CONTRACTIONS = (b"'s", b"'d", b"'m", b"'t", b"'ll", b"'ve", b"'re")


def masks(line: bytes) -> dict[str, int]:
    """Return a mask per class, and one of blanks: bit i is set when byte i belongs to it.

    Behind the line is white space, as in C++.

    >>> {name: bin(mask) for name, mask in masks(b"a 1").items()}
    {'other': '0b0', 'letter': '0b1', 'number': '0b100', 'space': '0b1010', 'blank': '0b10'}
    """
    found = dict.fromkeys((*CLASSES, "blank"), 0)
    for place, byte in enumerate(line):
        found[CLASSES[class_of_code_point(byte)]] |= 1 << place
        found["blank"] |= (byte == ord(" ")) << place
    found["space"] |= 1 << len(line)
    return found


def begins(mask: int) -> int:
    """Return where runs of ones begin: a one whose lower neighbour is none.

    >>> bin(begins(0b11101101))
    '0b100101'
    """
    return mask & ~(mask << 1)


def word_starts(here: Mapping[str, int]) -> int:
    """Return where words begin, contractions aside: bit i is set when one begins at byte i.

    >>> bin(word_starts(masks(b"a b!")))
    '0b11011'
    """
    runs = begins(here["letter"]) | begins(here["number"]) | begins(here["other"])
    last_space = here["space"] & ~(here["space"] >> 1)
    return (runs & ~(here["blank"] << 1)) | begins(here["space"]) | last_space


def all_starts(line: bytes) -> int:
    """Return where the words of a line begin, those beside contractions, too.

    >>> bin(all_starts(b"it's"))
    '0b101'
    """
    found = masks(line)
    starts = word_starts(found)
    for place in range(len(line)):
        apostrophe = begins(found["other"]) & starts & 1 << place
        match = next((word for word in CONTRACTIONS if line.startswith(word, place)), None)
        if apostrophe and match is not None:
            starts &= ~(2 << place)
            starts |= 1 << (place + len(match))
    return starts & ((1 << len(line)) - 1)


def starts_by_regex(line: bytes) -> int:
    """Return the same as `all_starts`, found by the pattern.

    >>> starts_by_regex(b"a b!") == all_starts(b"a b!")
    True
    """
    starts = place = 0
    for word in pretokenize(line.decode()):
        starts |= 1 << place
        place += len(word)
    return starts


def draw_masks(line: bytes) -> Figure:
    """Draw a line of text and the five masks of it.

    >>> draw_masks(b"two words")
    Figure: 9 bytes, 5 masks: one bit for each byte
    """
    found = masks(line)
    rows = [(name, found[name], BLUE) for name in ROWS]
    return _drawn(line, rows, f"{len(line)} bytes, {len(rows)} masks: one bit for each byte")


def draw_starts(line: bytes) -> Figure:
    """Draw step by step where words begin.

    >>> draw_starts(b"two words")
    Figure: Four steps: 2 words
    """
    found, starts = masks(line), all_starts(line)
    runs = begins(found["letter"]) | begins(found["number"]) | begins(found["other"])
    steps = {
        "runs begin": runs,
        "not behind a blank": runs & ~(found["blank"] << 1),
        "spaces begin": begins(found["space"]),
        "the last space": found["space"] & ~(found["space"] >> 1),
    }
    rows = [(name, mask, BLUE) for name, mask in steps.items()]
    title = f"Four steps: {starts.bit_count()} words"
    return _drawn(line, [*rows, ("words begin", starts, ORANGE)], title)


def _drawn(line: bytes, rows: Sequence[tuple[str, int, str]], title: str) -> Figure:
    """Draw rows of bits below a line of text; where a row is orange, lines go up from its bits."""
    drawing = Drawing(2.2, title, x=(-7, len(line) + 0.5), y=(-0.7, len(rows) + 1.2))
    for place, byte in enumerate(line):
        text = spell(bytes([byte]))
        drawing.label(place + 0.45, len(rows) + 0.6, text, "center", family="monospace")
    for y, (name, mask, color) in zip(reversed(range(len(rows))), rows, strict=True):
        drawing.label(-0.5, y + 0.4, name, "right")
        for place in range(len(line)):
            ground = color if mask >> place & 1 else PALE
            drawing.rectangle(place, y, 0.9, 0.8, facecolor=ground, edgecolor="none")
            if ground == ORANGE:
                x, look = place - 0.05, {"color": ORANGE, "linewidth": 0.7, "zorder": 0}
                drawing.line((x, y), (x, len(rows) + 1), **look)
    return drawing.figure


def check_ends(answer: Callable[[int], int]) -> Verdict:
    """Check a function that finds where runs of ones end.

    :param answer: mask -> mask with a bit at the last one of each run.

    >>> check_ends(begins).passed
    False
    """
    cases = [(0b1,), (0b11,), (0,), (0b11101101,), (0b1010,), ((1 << 64) - 1,)]
    cases += [(Random(place).getrandbits(64),) for place in range(20)]
    hint = "`mask >> 1` moves each bit to the byte before it."
    return try_cases(answer, cases, lambda mask: mask & ~(mask >> 1), hint)


def may_cut(text: str, position: int) -> bool:
    """Tell whether an ASCII text without special tokens may be cut, whatever follows or precedes.

    :param text: of ASCII characters.
    :param position: 1 to len(text) - 1.

    >>> [may_cut("a  b1", position) for position in range(1, 5)]
    [True, False, False, True]
    """
    left, right = text[position - 1], text[position]
    if left.isalpha() or left.isdigit():
        return not (right.isalpha() if left.isalpha() else right.isdigit())
    return not left.isspace() and right.isspace()


def check_may_cut(answer: Callable[[str, int], bool]) -> Verdict:
    """Check a function that tells where a text may be cut into blocks.

    :param answer: (ASCII text, position) -> whether a block may end before `text[position]`.

    >>> check_may_cut(lambda text, position: text[position] == " ").passed
    False
    """
    texts = ["a b", "a  b", "don't", "it's 42.", "x1y2", "!? ?!", "a!\r\n b"]
    cases = [(text, position) for text in texts for position in range(1, len(text))]
    hint = "Which word could reach over that position, whatever is around these two characters?"
    return try_cases(answer, cases, may_cut, hint)
