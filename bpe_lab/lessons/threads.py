"""Notebook 07: one scan on the clock, and from which size on two threads pay."""

import math
from collections.abc import Callable

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import NUMBER, Verdict, try_cases
from bpe_lab.lessons.shared.drawing import BLUE, ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots.style import LABEL_SIZE

TABLE = "small table"
WAYS = {"one thread": 1, "two, asleep": 2, "two, spinning": 2}
"""Case of the suite `waking` -> threads."""


def draw_scan() -> Figure:
    """Draw one scan by one thread, by two of which one must be woken, and by two that spin.

    >>> draw_scan().get_suptitle().split(":")[0]
    'One scan on the clock'
    """
    medians = records("waking").groupby("case")["seconds"].median() * 1e6
    took = {way: float(medians[f"{TABLE}, {way}"]) for way in WAYS}
    alone, asleep, spinning = took.values()
    title = f"One scan on the clock: {alone:.0f} µs, {asleep:.0f} µs, {spinning:.0f} µs"
    caption = "Recorded, medians. Grey: the second thread is being woken."
    drawing = Drawing(2.6, title, caption, x=(-11, asleep + 4), y=(-0.9, 5.4))
    y = 4.6
    for way, threads in WAYS.items():
        waking = asleep - spinning if way == "two, asleep" else 0.0
        drawing.label(-1, y + 0.35 - 0.5 * (threads - 1), way, "right")
        for thread in range(threads):
            if waking:
                color = PALE if thread else "white"
                drawing.rectangle(0, y, waking, 0.7, facecolor=color, edgecolor="#999999", lw=0.8)
                text = "asleep, and woken" if thread else "asks"
                drawing.label(0.4, y + 0.33, text, size=LABEL_SIZE - 2)
            color = ORANGE if waking else BLUE
            drawing.rectangle(waking, y, took[way] - waking, 0.7, facecolor=color)
            y -= 0.9
        drawing.label(took[way] + 0.5, y + 0.9 + 0.35 * threads, f"{took[way]:.0f} µs")
        y -= 0.4
    return drawing.figure


def check_pays_from(answer: Callable[[float, float, float], float]) -> Verdict:
    """Check a function that tells from how many slots on a scan by two threads is faster.

    :param answer: (seconds for each slot, seconds to wake, how many times as fast the threads are
        when they are awake) -> slots; infinite, where they never are faster.

    >>> check_pays_from(lambda per_slot, wake, gain: wake / per_slot).passed
    False
    """
    cases = [(1e-9, 20e-6, 2.0), (1e-9, 0.0, 1.5), (1e-9, 20e-6, 1.0), (2e-9, 5e-6, 1.6)]
    cases += [(1e-9, 20e-6, 0.9), (4e-10, 23e-6, 1.9)]

    def expected(per_slot: float, wake: float, gain: float) -> float:
        return rounded(wake / (per_slot * (1 - 1 / gain)) if gain > 1 else math.inf)

    def rounded(slots: float) -> float:
        return round(float(slots), 3) if math.isfinite(slots) else float(slots)

    hint = "What is saved on each slot? The waking must be saved first."
    return try_cases(answer, cases, expected, hint, form=NUMBER, read=rounded)
