"""Promise: a figure is read as it is meant: colours, ranges, ticks, names and sawtooths."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import nbformat
import numpy
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image

from bpe_lab.bench import notebooks
from bpe_lab.bench.suites import ladder
from bpe_lab.bench.suites.ladder import fall_and_shares, ladder_rows
from bpe_lab.corpora import data_path
from bpe_lab.plots import style
from bpe_lab.plots.figure import COLORS, png
from bpe_lab.results.records import Record, read_records, to_dataframe

FIRST = 4
"""Merges of a stage that was stopped."""


def stopped_early(one: Record) -> Record:
    """Return a record of the first merges of a stage, as if a time budget had stopped it."""
    trace = {name: values[:FIRST] for name, values in one["trace"].items()}
    share = trace["seconds"][-1] / one["trace"]["seconds"][-1]
    phases = {name: share * seconds for name, seconds in one["phases"].items()}
    phases |= {name: one["phases"][name] for name in ("count", "init")}
    merging = sum(phases.values()) - phases["count"]
    stopped = {"n_merges": FIRST, "stopped_by": "time_budget", "phases": phases, "trace": trace}
    stopped |= {"merge_seconds": merging, "merges_per_second": FIRST / merging}
    return {**one, **stopped, "seconds": sum(phases.values())}


@pytest.fixture(scope="module")
def recorded() -> Any:
    """The recorded ladder, as if two of its stages had been stopped by a time budget."""
    records, _ = read_records(data_path("recorded/bench/ladder.jsonl"))
    slow = ("naive", "word_counts")
    return to_dataframe(stopped_early(one) if one["case"] in slow else one for one in records)


def test_the_road_has_a_dot_and_a_bar_of_each_stage_and_the_floor(recorded: Any) -> None:
    figure = fall_and_shares(recorded, 0.0003, recorded=True)
    left, right = figure.axes
    [legend] = figure.legends
    named = {
        text.get_text(): to_hex(patch.get_facecolor()).upper()
        for text, patch in zip(legend.get_texts(), legend.get_patches(), strict=True)
    }
    assert named == style.PHASE_COLORS
    rows = ladder_rows(recorded)
    # Parts of a bar add up: a linear axis, from 0 to 100 %.
    assert right.get_xscale() == "linear" and right.get_xlim() == (0, 100)
    ends = [sum(bar[row].get_width() for bar in right.containers) for row in range(len(rows))]
    assert ends == pytest.approx([100] * len(rows))
    assert left.get_xscale() == "log"
    dots = {int(one.get_ydata()[0]): one for one in left.lines if one.get_marker() == "o"}
    totals = rows[ladder.PHASE_COLUMNS].sum(axis=1)
    assert [dots[row].get_xdata()[0] for row in range(len(rows))] == totals.tolist()
    # What is slower than a stage above it is aside.
    grey = {rows.index[row] for row, dot in dots.items() if dot.get_color() == style.UNKNOWN}
    assert grey == {"naive", "word_counts", "cpp_scan", "openmp_scan"}
    *texts, floor = left.texts
    assert floor.get_text() == " one pass over\n the bytes" and floor.xy[0] == 0.0003
    # What was stopped has its budget for a time.
    assert sum(text.get_text().startswith("(") for text in texts) == 2
    assert len(texts) == len(rows)
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in left.texts]
    # Beside the dots is room, on the narrow picture of the README, too.
    assert max(box.x1 for box in boxes) < right.get_window_extent().x0
    assert not any(boxes[-1].overlaps(box) for box in boxes[:-1])


def test_a_picture_has_the_colours_of_its_figure(recorded: Any) -> None:
    # Many words, which make hundreds of greys, and a few dots.
    figure = ladder.figure(recorded)
    assert isinstance(figure, Figure)
    with Image.open(io.BytesIO(png(figure))) as picture:
        colors = picture.convert("RGB").getcolors(COLORS)
    pixels = numpy.array([color for _, color in colors or ()])
    for stage in ("inverted_index", "max_heap", "cython", "cpp_map"):
        color = style.stage_color(stage)
        wanted = [int(color[place : place + 2], 16) for place in (1, 3, 5)]
        # A palette of the most frequent colours makes mud of a dot.
        assert abs(pixels - wanted).max(axis=1).min() <= 12, stage


def test_the_ladder_draws_the_range_of_its_runs_behind_the_dot(recorded: Any) -> None:
    figure = ladder.figure(recorded)
    assert "Black bar: least to greatest" in figure.caption  # type: ignore[attr-defined]
    once = ladder.figure(recorded[recorded["round"] == 1])
    assert "bar" not in once.caption, "n = 1"  # type: ignore[attr-defined]
    bars, dots = figure.axes[0].containers, figure.axes[0].lines
    rows = ladder_rows(recorded).query("most > least")
    for bar, (_, row) in zip(bars, rows.iterrows(), strict=True):
        [[(least, _), (most, _)]] = bar.lines[2][0].get_segments()
        assert (least, most) == pytest.approx((row["least"], row["most"]))
        assert bar.lines[2][0].get_zorder() < max(dot.get_zorder() for dot in dots)


def drawn_by(path: Path, code: str) -> str:
    """Write a notebook of one cell, execute it where another backend is set, and return it."""
    if path.exists():
        notebook = nbformat.read(path, as_version=4)
        notebook.cells[0].source = code
    else:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbformat.write(notebook, path)
    [(executed, _)] = notebooks.executed([path], environment={"MPLBACKEND": "Agg"})
    return executed


@pytest.mark.slow
def test_executed_notebooks_keep_pictures_twice_as_fine_as_shown(tmp_path: Path) -> None:
    path = tmp_path / "00_small.ipynb"
    draws = "import matplotlib.pyplot as plt; plt.figure(figsize=(4, 2)); plt.plot([1, 2]);"
    path.write_text(drawn_by(path, draws), encoding="utf-8")
    [cell] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    [output] = [one for one in cell["outputs"] if "data" in one]
    shown = output["metadata"]["image/png"]["width"]
    with Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"]))) as picture:
        assert shown > 200 and abs(picture.width - 2 * shown) <= 1
    with pytest.raises(RuntimeError, match=r"00_small\.ipynb failed: .*0 pictures, and 1 before"):
        drawn_by(path, "1")
