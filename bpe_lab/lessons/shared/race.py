"""The reader's own program beside a rung of the ladder: is it right, and where is its dot?"""

from pathlib import Path
from time import perf_counter

import matplotlib.pyplot as plt

from bpe_lab import check_trainer, count_words, train_from_counts
from bpe_lab.corpora import END_OF_TEXT, excerpt
from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.scale import SCALES, scale
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import duration
from bpe_lab.results.rungs import RUNGS
from bpe_lab.support.user_modules import load_module
from bpe_lab.trials.report import Report


def race(file: str, rung: str) -> Report | Page:
    """Try a trainer; if it is right, time it beside a rung, on 250 KB of stories, and draw both.

    :param file: a program with `train_bpe`.
    :param rung: name of a rung of the ladder.
    :return: what is wrong, or what was measured.

    >>> race("no_such_file.py", "naive")
    no_such_file.py is not here: notebook 01 writes it.
    """
    if not Path(file).is_file():
        return said(f"{file} is not here: notebook 01 writes it.")
    report = check_trainer(file, fast=True)
    if not report.passed:
        return report
    small = scale() is SCALES["tiny"]
    text, ids = excerpt("stories", 10_000 if small else 250_000), 300 if small else 557
    begun = perf_counter()
    _, merges = load_module(file).train_bpe(str(text), ids, [END_OF_TEXT])
    seconds = {"yours": perf_counter() - begun}
    begun, ours = perf_counter(), RUNGS[rung]
    counts = count_words(text, [END_OF_TEXT], counter=ours.counter, threads=1)
    trained = train_from_counts(counts, ids, [END_OF_TEXT], stage=ours.stage, threads=1)
    seconds[rung] = perf_counter() - begun
    assert merges == trained.merges
    axes = plt.figure(figsize=(8, 1.7)).subplots()
    for row, took in enumerate(seconds.values()):
        axes.plot(took, row, "o", color="black" if row == 0 else stage_color(ours.stage))
        axes.annotate(f"   {duration(took)}", (took, row), va="center")
    axes.set(xscale="log", xlim=(1e-2, 1e3), ylim=(1.6, -0.6), xlabel="seconds (log scale)")
    axes.set_yticks(range(2), seconds)
    axes.set_title(f"Live, {len(merges)} merges: both are right, with one digest")
    return said(f"{file} is right: yours takes {' and '.join(map(_with_name, seconds.items()))}.")


def said(sentence: str) -> Page:
    """Return a sentence as a page."""
    return Page(f"<p>{sentence}</p>", sentence)


def _with_name(one: tuple[str, float]) -> str:
    name, took = one
    return duration(took) if name == "yours" else f"{name} {duration(took)}"
