"""What notebook 08 draws: masks of bits, a table of words; the table's twin; its exercises."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from zlib import crc32

from matplotlib.figure import Figure

from bpe_lab import native
from bpe_lab.experiments.pieces import class_of_code_point
from bpe_lab.lessons.shared.checking import Verdict, name_of, try_cases, try_each
from bpe_lab.lessons.shared.drawing import BLUE, LIGHT_BLUE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.results.numbers import count_of
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


def draw_masks(line: bytes) -> Figure:
    """Draw a line of text, the mask of each class, and where words begin.

    >>> draw_masks(b"two words")
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


INLINE_BYTES = 16  # of a word fit into a slot


@dataclass
class WordSlot:
    """A slot that is taken: the word, its count, and the 32 bits of its hash."""

    word: bytes
    count: int
    hash: int


class WordTable:
    """Word -> count, in slots of one list: a word is in the slot of its hash, or just behind it.

    >>> table = WordTable()
    >>> table.add(b"low", 5)
    >>> table.add(b"low", 2)
    >>> list(table.items())
    [(b'low', 7)]
    """

    def __init__(self, slots: int = 1 << 12) -> None:
        self.slots: list[WordSlot | None] = [None] * slots
        self.mask = slots - 1
        self.size = 0

    def add(self, word: bytes, count: int) -> None:
        """Add occurrences of a word."""
        hash = crc32(word)
        number = hash & self.mask
        while (slot := self.slots[number]) is not None:
            if slot.word == word:
                slot.count += count
                return
            number = (number + 1) & self.mask
        if (self.size + 1) * 2 > len(self.slots):
            self.grow()
            number = self.free_slot(hash)
        self.slots[number] = WordSlot(word, count, hash)
        self.size += 1

    def free_slot(self, hash: int) -> int:
        """Return the first free slot at that of a hash or behind it."""
        number = hash & self.mask
        while self.slots[number] is not None:
            number = (number + 1) & self.mask
        return number

    def grow(self) -> None:
        """Move all words into twice as many slots."""
        old = self.slots
        self.slots = [None] * (2 * len(old))
        self.mask = len(self.slots) - 1
        for slot in old:
            if slot is not None:
                self.slots[self.free_slot(slot.hash)] = slot

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield word and count, slot by slot."""
        for slot in self.slots:
            if slot is not None:
                yield slot.word, slot.count


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


Entries = list[tuple[bytes, int]]

LAST, NEXT_TO_LAST = (b" haleve", b" gadatu"), b" denibe"
"""Words whose hash names the last slots of 4,096, and of 8,192 and 16,384 as well."""


def _table_cases() -> list[Entries]:
    """Return words with counts to add, the smallest first."""
    cases: list[Entries] = [
        [(b"low", 5), (b"low", 2)],
        [(b"low", 5), (b"lower", 2)],
        [(b" buckeroo", 1), (b" plumless", 1)],  # the same 32 bits of hash
        [(b" incomprehensibly", 1), (b" incomprehensible", 1)],
    ]
    random = Random(4)
    words = [bytes(random.choices(b"abcde", k=random.randint(1, 12))) for _ in range(50)]
    cases.append([(word, random.randint(1, 9)) for word in words])
    for n_words in (2_048, 4_096):  # with one word more it grows, for the first and the second time
        words = [*LAST, *(b"%d" % number for number in range(n_words - 2)), NEXT_TO_LAST]
        cases.append([(word, 1) for word in words * 2])  # each is found again
    return cases


def check_table(table: type[WordTable]) -> Verdict:
    """Count words with a table, right below the cell in which it is written.

    :param table: the class, with the methods of `WordTable`.

    >>> check_table(WordTable).passed
    True
    """
    cases = _table_cases()

    def filled(one: Any, entries: Entries) -> Any:
        for word, count in entries:
            one.add(word, count)
        return one

    def mistake(mine: WordTable, entries: Entries) -> str:
        rows, expected = sorted(mine.items()), sorted(filled(native.WordTable(), entries).items())
        if rows == expected:
            slots, right = len(mine.slots), len(filled(WordTable(), entries).slots)
            wrong = f"{added(entries)}: `{table.__name__}` has {slots:,} slots, not {right:,}."
            return f"{wrong} At most half of them may be full." if slots != right else ""
        extra = min(set(rows) ^ set(expected))
        has = "it has" if extra in rows else "it lacks"
        wrong = f"`{table.__name__}` counts wrong: {added(entries)}."
        return f"{wrong} Then {has} `{spell(extra[0])}` with {extra[1]}."

    return try_each(
        table,
        [(entries,) for entries in cases],
        mistake,
        lambda: (
            f"`{table.__name__}` counts as the compiled table does: {len(cases)} lists of words, "
            "of which the longest makes it grow twice."
        ),
        ask=lambda entries: filled(table(), entries),
        call=lambda entries: f"{added(entries)}: `{table.__name__}`",
    )


def added(entries: Entries) -> str:
    """Say what was added.

    >>> added([(b"low", 5)]), added([(b"low", 5)] * 9)
    ('added `low` 5', 'added 9 words')
    """
    if len(entries) > 4:
        return f"added {len(entries):,} words"
    return "added " + ", ".join(f"`{spell(word)}` {count}" for word, count in entries)


class SmallTable:
    """The small table before the large one: a word pushes out what is in its slot.

    :param slots: how many.

    >>> table = SmallTable(slots=1)
    >>> for word in (b"to", b"to", b"be"):
    ...     table.add(word)
    >>> table.counts(), table.pushed_out
    ({b'to': 2, b'be': 1}, 2)
    """

    def __init__(self, slots: int = 1 << 14) -> None:
        self.slots: list[tuple[bytes, int] | None] = [None] * slots
        self.large: Counter[bytes] = Counter()
        self.pushed_out = 0

    def slot_of(self, word: bytes) -> int:
        """Return the number of a word's only slot."""
        return crc32(word) % len(self.slots)

    def push_out(self, word: bytes, count: int) -> None:
        """Add a word with its count to the large table."""
        self.large[word] += count
        self.pushed_out += 1

    def add(self, word: bytes) -> None:
        """Count a word."""
        number = self.slot_of(word)
        held = self.slots[number]
        if held is not None and held[0] != word:
            self.push_out(*held)
            held = None
        self.slots[number] = (word, held[1] + 1 if held else 1)

    def counts(self) -> dict[bytes, int]:
        """Push all words out, and return the large table."""
        for number, held in enumerate(self.slots):
            if held is not None:
                self.push_out(*held)
                self.slots[number] = None
        return dict(self.large)


def check_small_table(answer: type[SmallTable]) -> Verdict:
    """Check the counts of a small table, and how many words it pushes out.

    :param answer: a class with the method `add` of `SmallTable`.

    >>> check_small_table(SmallTable).passed
    True
    """
    few = [b"to", b"be", b"to", b"to"]
    many = Random(5).choices(list(frequent_words(60)), [1 / n for n in range(1, 61)], k=400)
    cases = [(4, few), (1, few), (4, []), (1, many), (8, many), (64, many)]

    def filled(table: SmallTable, words: list[bytes]) -> tuple[dict[bytes, int], int]:
        for word in words:
            table.add(word)
        return table.counts(), table.pushed_out

    def said(slots: int, words: list[bytes]) -> str:
        listed = f"{len(words)} words of the stories" if words is many else f"the words {words}"
        return f"with {count_of(slots, 'slot')} and {listed}"

    def mistake(given: tuple[dict[bytes, int], int], slots: int, words: list[bytes]) -> str:
        counts, enough = filled(SmallTable(slots), words)
        if given[0] != counts:
            shown = f": {given[0]}" if len(counts) < 3 else ""
            return f"{said(slots, words)} the counts are wrong{shown}."
        rule = "are enough" if given[1] > enough else "must be: each goes through its one slot"
        wrong = f"{given[1]} times a word is pushed out, and {enough} {rule}."
        return f"{said(slots, words)} {wrong}" if given[1] != enough else ""

    return try_each(
        answer,
        cases,
        mistake,
        ask=lambda slots, words: filled(answer(slots), words),
        call=lambda *case: f"{said(*case)}: `{name_of(answer)}`",
    )


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
    hint = "Which word could reach over that position, whatever stands around these two characters?"
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
