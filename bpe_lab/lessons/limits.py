"""How far counting is from what the machine of the reader allows, measured now."""

from functools import cache

from matplotlib.figure import Figure

from bpe_lab.bench.measures.limits import walk_text
from bpe_lab.bench.suites import limit
from bpe_lab.bench.texts import suite_text
from bpe_lab.lessons import charts
from bpe_lab.lessons.runs import this_machine
from bpe_lab.lessons.scale import SCALES, TURNS, scale
from bpe_lab.results.numbers import significant

TEXT_BYTES = {"normal": 48_000_000, "small": 12_000_000, "tiny": 20_000}
"""More than the last cache of most machines."""


def _scale_name() -> str:
    return next(name for name, one in SCALES.items() if one is scale())


@cache
def walks() -> dict[str, float]:
    """Return MB of a text per second, for each way through it, the fastest of some turns.

    >>> list(walks())[0]
    'one pass over the bytes'
    """
    path = suite_text("stories", TEXT_BYTES[_scale_name()])
    turns = [{way: walk_text(way=way, path=path) for way in limit.WALKS} for _ in range(TURNS)]
    return {
        name: max(
            path.stat().st_size / 1e6 / one[way]["seconds"] for one in turns
        )
        for way, name in limit.WALKS.items()
    }  # fmt: skip


def draw_walks() -> Figure:
    """Draw how fast a text is gone through, step by step towards the counter.

    >>> draw_walks().axes[0].get_xlabel()
    'MB of text per second'
    """
    rates = walks()
    first, *_, last = rates.values()
    return charts.bars(
        f"One pass over the bytes is {significant(first / last)} times as fast as counting",
        "MB of text per second",
        rates,
        this_machine(),
    )
