"""The scanner of the counter `native` on one line, in Python: a bit per byte.

`ext/scanner.hpp` does the same with 64 bytes at a time; here one can look at every mask.
"""

from matplotlib.figure import Figure

from bpe_lab.experiments.pieces import class_of_code_point
from bpe_lab.lessons.drawing import BLUE, ORANGE, PALE, Drawing
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.words.pretokenize import pretokenize

CLASSES = ("other", "letter", "number", "space")
"""By the number that the scanner gives them."""

ROWS = ("letter", "number", "space", "other")
"""Of the picture."""

CONTRACTIONS = (b"'s", b"'d", b"'m", b"'t", b"'ll", b"'ve", b"'re")


def masks(line: bytes) -> dict[str, int]:
    """Return a mask per class: bit i is set when byte i belongs to it.

    >>> {name: bin(mask) for name, mask in masks(b"a 1").items()}
    {'other': '0b0', 'letter': '0b1', 'number': '0b100', 'space': '0b10'}
    """
    found = dict.fromkeys(CLASSES, 0)
    for place, byte in enumerate(line):
        found[CLASSES[class_of_code_point(byte)]] |= 1 << place
    return found


def starts_of_runs(mask: int) -> int:
    """Return where runs of ones begin: a one whose lower neighbour is none.

    >>> bin(starts_of_runs(0b11101101))
    '0b100101'
    """
    return mask & ~(mask << 1)


def word_starts(line: bytes) -> int:
    """Return where words begin: bit i is set when one begins at byte i.

    >>> bin(word_starts(b"a b!"))
    '0b1011'
    """
    found = masks(line)
    space = found["space"]
    blank = sum(1 << place for place, byte in enumerate(line) if byte == ord(" "))
    runs = (
        starts_of_runs(found["letter"])
        | starts_of_runs(found["number"])
        | starts_of_runs(found["other"])
    )
    # A run takes the blank before it; the last of several white-space characters stands apart, if
    # something follows.
    apart = space & ~(space >> 1) & ~(1 << len(line) >> 1)
    starts = (runs & ~(blank << 1)) | starts_of_runs(space) | apart | 1
    for place in range(len(line)):
        begins = starts_of_runs(found["other"]) & starts & 1 << place
        match = next((word for word in CONTRACTIONS if line.startswith(word, place)), None)
        if begins and match is not None:
            starts &= ~(2 << place)
            starts |= 1 << (place + len(match))
    return starts & ((1 << len(line)) - 1)


def starts_by_regex(line: bytes) -> int:
    """Return the same as `word_starts`, found by the pattern.

    >>> starts_by_regex(b"a b!") == word_starts(b"a b!")
    True
    """
    starts = place = 0
    for word in pretokenize(line.decode()):
        starts |= 1 << place
        place += len(word)
    return starts


def draw(line: bytes) -> Figure:
    """Draw a line of text, the mask of each class, and where words begin.

    >>> draw(b"two words")
    Figure: 9 bytes, 2 words: one bit per byte
    """
    starts, found = word_starts(line), masks(line)
    title = f"{len(line)} bytes, {starts.bit_count()} words: one bit per byte"
    drawing = Drawing(2.0, title, x=(-5, len(line) + 0.5), y=(-0.7, 6))
    rows = [(4 - row, name, found[name], BLUE) for row, name in enumerate(ROWS)]
    for y, name, mask, color in (*rows, (-0.5, "starts", starts, ORANGE)):
        drawing.label(-1, y + 0.4, name, "right")
        for place in range(len(line)):
            ground = color if mask >> place & 1 else PALE
            drawing.rectangle(place, y, 0.9, 0.8, facecolor=ground, edgecolor="none")
    for place, byte in enumerate(line):
        drawing.label(place + 0.45, 5.4, spell(bytes([byte])), "center", family="monospace")
        if starts >> place & 1:
            x = place - 0.05
            drawing.line((x, -0.6), (x, 5.9), color=ORANGE, linewidth=0.7, zorder=0)
    return drawing.figure
