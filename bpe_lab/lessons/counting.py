"""What notebook 08 draws: masks of bits, a table of words; its texts and exercises."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.figure import Figure

from bpe_lab.experiments.pieces import class_of_code_point
from bpe_lab.lessons.shared.checking import Verdict, try_cases, try_each
from bpe_lab.lessons.shared.drawing import BLUE, LIGHT_BLUE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.words.pretokenize import pretokenize

CLASSES = ("other", "letter", "number", "space")
"""By the number that the scanner gives them."""

ROWS = ("letter", "number", "space", "other")
"""Of the picture."""

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
    """Draw a line of text, the mask of each class, and where words begin.

    >>> draw_masks(b"two words")
    Figure: 9 bytes, 2 words: one bit per byte
    """
    starts, found = all_starts(line), masks(line)
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


INLINE_BYTES = 16  # of a word fit into a slot


def draw_word_slot(words: Sequence[tuple[bytes, int]]) -> Figure:
    """Draw words in the 32-byte slots of the counting table.

    >>> draw_word_slot([(b" low", 5), (b" extraordinarily long", 1)])
    Figure: 32 bytes per slot: short words are inside, long ones outside
    """
    top = len(words)
    title = "32 bytes per slot: short words are inside, long ones outside"
    drawing = Drawing(0.42 * top + 0.6, title, x=(-0.1, 50), y=(-0.1, top + 0.5))
    heads = (
        ("the word, filled up with FF: 2 × 8 bytes", 8),
        ("count: 8", 20),
        ("length: 4", 26),
        ("hash: 4", 30),
    )
    for head, x in heads:
        drawing.label(x, top + 0.2, head, "center", QUIET, size=LABEL_SIZE - 3)
    for y, (word, count) in zip(reversed(range(top)), words, strict=True):
        if len(word) <= INLINE_BYTES:
            for place in range(INLINE_BYTES):
                text = spell(word[place : place + 1]) if place < len(word) else "FF"
                color = LIGHT_BLUE if place < len(word) else PALE
                drawing.box(place, y, 1, text, color, LABEL_SIZE - 3 * (len(text) > 1))
        else:
            drawing.box(0, y, 8, "address", LIGHT_ORANGE)
            drawing.box(8, y, 8, "hash of all", LIGHT_ORANGE)
            drawing.arrow((32, y + 0.35), (34, y + 0.35))
            drawing.label(34.2, y + 0.33, spell(word), size=LABEL_SIZE - 2, family="monospace")
        drawing.box(16, y, 8, f"{count:,}")
        drawing.box(24, y, 4, str(len(word)))
        drawing.box(28, y, 4, "…")
    return drawing.figure


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


class BlockEnds:
    """Where blocks of an ASCII text may end.

    >>> BlockEnds().by_pattern("to be", 2), BlockEnds().may_end("a<|the end|>", 6, ["<|the end|>"])
    (True, False)
    """

    def by_pattern(self, text: str, position: int) -> bool:
        """Tell whether the pattern allows a cut: no word can reach over it."""
        return may_cut(text, position)

    def may_end(self, text: str, position: int, specials: list[str]) -> bool:
        """Tell whether a block may end before a position of a text with special tokens."""
        return self.by_pattern(text, position) and not any(
            text.startswith(special, start)
            for special in specials
            for start in range(max(position - len(special) + 1, 0), position)
        )


def check_block_ends(answer: type[BlockEnds]) -> Verdict:
    """Check where blocks may end in texts that have special tokens.

    :param answer: a class with the method `may_end` of `BlockEnds`.

    >>> check_block_ends(BlockEnds).passed
    True
    """
    texts = [
        ("a<|the end|>b", ["<|the end|>"]),
        ("it is<|end|> so", ["<|end|>"]),
        ("x y z", ["y z"]),
        ("one two  three", ["two  ", "e two"]),
        ("a<|e 1|><|e 1|>b", ["<|e 1|>", "<|e"]),
        ("a b", []),
    ]
    cases = [(text, at, specials) for text, specials in texts for at in range(1, len(text))]

    def unclear(text: str, position: int, specials: list[str]) -> bool:
        # No word reaches over the border of a special token: there both answers are right.
        return not BlockEnds().may_end(text, position, specials) and any(
            text.startswith(one, position) or text.endswith(one, 0, position) for one in specials
        )

    def call_of(*case: object) -> str:
        return f"`may_end({', '.join(map(repr, case))})`"

    def mistake(given: object, text: str, position: int, specials: list[str]) -> str:
        right = BlockEnds().may_end(text, position, specials)
        if bool(given) == right:
            return ""
        before, after = (spell(part.encode()) for part in (text[:position], text[position:]))
        why = "no token is cut" if right else "a special token is cut"
        return (
            f"{call_of(text, position, specials)} returned `{given}`. The block would be "
            f"`{before}`, the next one would begin with `{after}`: {why}."
        )

    cases = [case for case in cases if not unclear(*case)]
    return try_each(
        answer,
        cases,
        mistake,
        ask=lambda *case: answer().may_end(*case),
        call=call_of,
    )
