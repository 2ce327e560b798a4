"""What notebook 05 draws, boxed integers; a word that is rewritten in place; its exercises."""

import platform
import sys
from array import array
from collections.abc import Callable, Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import NUMBER, Verdict, try_cases
from bpe_lab.lessons.shared.drawing import LIGHT_BLUE, LIGHT_ORANGE, Drawing
from bpe_lab.lessons.shared.scale import SCALES, TURNS, scale
from bpe_lab.lessons.shared.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.trials.stage import StageReport, try_stage


class WordsInPlace(MaxHeap):
    """Training with a lazy max-heap; a merge writes into the word's own list.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=WordsInPlace).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    def change(self, changes: dict[Pair, int], pair: Pair, by: int) -> None:
        """Note a change of the count of a pair."""
        changes[pair] = changes.get(pair, 0) + by

    def add_word(self, pair: Pair, index: int) -> None:
        """Add a word to the posting list of a pair, once."""
        self.pair_words.setdefault(pair, set()).add(index)

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Replace `pair` in one word: what is written never overtakes what is read."""
        (left, right), tokens, count = pair, self.words[index], self.counts[index]
        written = i = 0
        while i < len(tokens):
            if tokens[i : i + 2] != [left, right]:
                tokens[written] = tokens[i]
                written, i = written + 1, i + 1
                continue
            self.change(changes, pair, -count)
            if written > 0:
                self.change(changes, (tokens[written - 1], left), -count)
                self.change(changes, (tokens[written - 1], new_id), count)
                self.add_word((tokens[written - 1], new_id), index)
            if i + 2 < len(tokens):
                self.change(changes, (right, tokens[i + 2]), -count)
                self.change(changes, (new_id, tokens[i + 2]), count)
                self.add_word((new_id, tokens[i + 2]), index)
            tokens[written] = new_id
            written, i = written + 1, i + 2
        del tokens[written:]


# Where an allocator that had other things to do between put the objects.
COLUMNS = (5, 2, 7, 0, 4, 1, 6, 3)


def boxed_integers(numbers: Sequence[int] = ()) -> Figure:
    """Draw the same numbers as objects of Python and in an array."""
    shown = list(numbers) or list(frequent_words(8).values())
    of_object = sys.getsizeof(shown[0])
    of_address = (sys.getsizeof([0, 0]) - sys.getsizeof([])) // 2
    in_list, in_array = len(shown) * (of_object + of_address), len(shown) * array("q").itemsize
    drawing = Drawing(
        3.7,
        "A Python list holds addresses, an array holds the numbers",
        f"Sizes by sys.getsizeof in {platform.python_implementation()} {platform.python_version()}."
        " An object has a count of references, its type, a size, and the number. Where each lies "
        "is made up: any of them may be in a cache line of its own. Thick borders: cache lines.",
        x=(-0.2, 10.2),
        y=(0, 5.4),
    )
    texts = [f"{number:,}" for number in shown]
    drawing.label(0, 5.15, f"list: {len(shown)} addresses of {of_address} bytes")
    drawing.border(0, 4.1, len(shown))
    for place, (text, column) in enumerate(zip(texts, COLUMNS, strict=True)):
        x = 1.03 * column - 0.1
        drawing.box(place, 4.1, 1, "•", LIGHT_BLUE)
        drawing.arrow((place + 0.5, 4.42), (x + 0.5, 2.8))
        drawing.box(x, 2.1, 1, text, LIGHT_ORANGE, LABEL_SIZE - 1)
    drawing.label(8.3, 2.45, f"objects of {of_object} bytes,\nsomewhere")
    drawing.label(0, 1.25, f"array: {len(shown)} numbers of {array('q').itemsize} bytes")
    drawing.border(0, 0.2, len(shown))
    for place, text in enumerate(texts):
        drawing.box(place, 0.2, 1, text, LIGHT_BLUE, LABEL_SIZE - 1)
    drawing.label(8.3, 4.45, f"{in_list} bytes,\nwith the objects", color=QUIET)
    drawing.label(8.3, 0.55, f"{in_array} bytes,\none cache line", color=QUIET)
    return drawing.figure


def check_faster(answer: Callable[[dict[str, float], str, float], float]) -> Verdict:
    """Check a function that says what a faster phase does to the whole job.

    :param answer: (phase -> seconds, a phase, times) -> how many times as fast the whole job is
        when that phase is so many times as fast.

    >>> check_faster(lambda seconds, phase, times: times).passed
    False
    """
    phases = {"count": 9.0, "update": 3.0, "select": 0.0}
    cases = [
        (phases, phase, times)
        for times in (2.0, 1.0, 0.5, 1e9)
        for phase in ("count", "update", "select")
    ]

    def expected(seconds: dict[str, float], phase: str, times: float) -> float:
        whole = sum(seconds.values())
        return rounded(whole / (whole - seconds[phase] + seconds[phase] / times))

    def rounded(factor: float) -> float:
        return round(float(factor), 6)

    hint = "The other phases stay as they are."
    return try_cases(answer, cases, expected, hint, form=NUMBER, read=rounded)


def race(stage: str) -> StageReport:
    """Check a stage in a process of its own, and measure how many times as fast as `cython` it is.

    :param stage: "mystage.pyx:MyStage", which is compiled, or as `try_stage` takes it.

    >>> race("bpe_lab.trials.traps:JoinedTies").passed
    False
    """
    size = "tiny" if scale() is SCALES["tiny"] else "default"
    return try_stage(stage, size, like="cython", turns=TURNS)
