"""What a long word costs three encoders: the definition, the readable one, and the compiled one."""

from collections.abc import Callable, Mapping
from functools import cache, partial

from matplotlib.figure import Figure

from bpe_lab.lessons.charts import lines
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.speeds import best_seconds
from bpe_lab.lessons.texts import random_word
from bpe_lab.lessons.word_mergers import compiled_merger, merge_by_looking, ranks_of, work
from bpe_lab.tokenizer.readable import merge_word
from bpe_lab.tokenizer.tokenizer import Tokenizer

LOOKING, HEAP, LISTS = "look through all", "heap", "lists, compiled"

LETTERS = {LOOKING: 2_048, HEAP: 32_768, LISTS: 2_097_152}
"""Of the longest word that each encoder is given."""

Series = Mapping[str, tuple[list[int], list[float]]]
"""Encoder -> letters of a word, values."""


def sizes(name: str) -> list[int]:
    """Return how long the words are that an encoder is given: each four times the one before.

    :param name: of the encoder.

    >>> sizes(LOOKING)[:2]
    [128, 512]
    """
    most = LETTERS[name] if scale() is SCALES["normal"] else LETTERS[name] // 16
    return [128 * 4**power for power in range(10) if 128 * 4**power <= max(most, 512)]


@cache
def letters(size: int) -> bytes:
    """Return a word of random letters a, c, g, t.

    :param size: how many.

    >>> len(letters(128))
    128
    """
    return random_word(size)


def operations(tokenizer: Tokenizer) -> Series:
    """Return the operations of each encoder for each letter of a word, by its length.

    Look-ups of a pair and comparisons of two ranks; of the compiled one the look-ups.

    :param tokenizer: any.
    :raises AssertionError: two encoders give other tokens.

    >>> [*operations(Tokenizer({byte: bytes([byte]) for byte in range(256)}, []))]
    ['look through all', 'heap', 'lists, compiled']
    """
    ranks, compiled, ids = ranks_of(tokenizer), compiled_merger(tokenizer), tokenizer.parts.ids()
    found: dict[str, tuple[list[int], list[float]]] = {}
    for name, merge in ((LOOKING, merge_by_looking), (HEAP, merge_word)):
        counted = [work(merge, letters(size), ranks) for size in sizes(name)]
        for size, one in zip(sizes(name), counted, strict=True):
            assert [ids[token] for token in one.tokens] == compiled.merge_word(letters(size))[0]
        per_letter = [one.operations / n for one, n in zip(counted, sizes(name), strict=True)]
        found[name] = sizes(name), per_letter
    looked_up = [compiled.merge_word(letters(size))[1] / size for size in sizes(LISTS)]
    return {**found, LISTS: (sizes(LISTS), looked_up)}


def draw_operations(found: Series) -> Figure:
    """Draw what a letter costs, over the length of its word.

    :param found: operations for each letter.

    >>> draw_operations({LISTS: ([1, 2], [3.0, 4.0])}).axes[0].get_xscale()
    'log'
    """
    return lines(
        "The longer the word, the dearer a letter: not for all",
        "letters of the word",
        "operations for each letter",
        found,
    )


def seconds(tokenizer: Tokenizer) -> Series:
    """Return how long each encoder takes for a word, by its length, in this run.

    :param tokenizer: any.

    >>> found = seconds(Tokenizer({byte: bytes([byte]) for byte in range(256)}, []))
    >>> found[HEAP][1][0] > 0
    True
    """
    ranks, compiled = ranks_of(tokenizer), compiled_merger(tokenizer)
    ways: dict[str, Callable[[bytes], object]] = {
        LOOKING: lambda word: merge_by_looking(word, ranks),
        HEAP: lambda word: merge_word(word, ranks),
        LISTS: compiled.merge_word,
    }
    found = {}
    for name, way in ways.items():
        taken = []
        for size in sizes(name):
            word = letters(size)
            taken.append(best_seconds(partial(way, word)))
        found[name] = sizes(name), taken
    return found


def draw_seconds(found: Series) -> Figure:
    """Draw how long a word takes, over its length.

    :param found: seconds.

    >>> draw_seconds({LISTS: ([1, 2], [3.0, 4.0])}).axes[0].get_yscale()
    'log'
    """
    return lines(
        "Time for one word: a square, and two that are nearly straight",
        "letters of the word",
        "seconds",
        found,
        "Seconds of this run, the best of three.",
    )
