"""Promise: the still pictures draw what is there: real positions, hashes, sums and sizes."""

import random
import re
import sys
from collections import Counter
from typing import Any

import pytest
from matplotlib.figure import Figure

from bpe_lab.experiments.pieces import hash_pair
from bpe_lab.lessons import cython
from bpe_lab.plots.figure import LARGEST_PNG, png

STILLS = [cython.boxed_integers, cython.open_and_chained]


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


@pytest.mark.parametrize("draw", STILLS, ids=lambda draw: draw.__name__)
def test_each_is_small_has_a_text_and_cuts_none_of_its_words_off(draw: Any) -> None:
    figure = draw()
    assert re.fullmatch(r"Figure: .{20,64}", repr(figure))  # a title of one line
    assert len(png(figure)) < LARGEST_PNG
    width, height = figure.canvas.get_width_height()
    for text in figure.axes[0].texts:
        extent = text.get_window_extent()
        assert extent.x0 >= -1 and extent.x1 <= width + 1, text
        assert extent.y0 >= -1 and extent.y1 <= height + 1, text


def test_the_slots_are_those_of_the_compiled_hash() -> None:
    draw = random.Random(0)
    for _ in range(300):
        left, right = draw.randrange(1 << 20), draw.randrange(1 << 20)
        assert cython.folded_fibonacci(left, right) == hash_pair("fibonacci", left, right)
    buckets = Counter(map(cython.bucket_of, cython.PAIRS))
    for pair in cython.PAIRS:
        assert cython.bucket_of(pair) == hash_pair("identity", *pair) % cython.BUCKETS
    assert buckets[cython.bucket_of(b"ow")] == 2  # so that a look-up has a second node
    # The pair that the picture names.
    assert any("(i, d): its slot was taken" in text for text in texts(cython.open_and_chained()))


def test_the_objects_have_the_sizes_of_this_python() -> None:
    drawn = " ".join(texts(cython.boxed_integers(range(1_000, 1_008))))
    assert f"objects of {sys.getsizeof(1_000)} bytes" in drawn
    assert f"{8 * (sys.getsizeof(1_000) + 8)} bytes" in drawn
