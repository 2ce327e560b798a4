"""The race of the stages: a slider of time, and the merges that each has made until then."""

import json
import math
from html import escape
from pathlib import Path

from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import duration
from bpe_lab.results.tables import median_run

TEMPLATE = Path(__file__).with_name("timeline.html")
"""What moves; `timeline` puts in the rows, which say the last state where scripts do not run."""

ROW = """<tr><td><code>{stage}</code></td><td style="width:60%"><svg viewBox="0 0 {all} 10" \
preserveAspectRatio="none" style="width:100%;height:12px"><rect width="{all}" height="10" \
fill="{color}"/></svg></td><td style="text-align:right">{all:,}</td>\
<td style="white-space:nowrap;padding-left:12px">{took}</td></tr>"""


def timeline(*stages: str) -> Page:
    """Return the merges that each stage of the recorded ladder has made until a time.

    Of each stage the run with the median time; its clock begins with counting the words.

    :param stages: their ids.
    :raises KeyError: a stage has no record.

    >>> print(timeline("naive", "core").text.partition(" is done")[0])
    Recorded: core
    """
    runs = median_run(records("ladder")).loc[list(stages)]
    curves, rows = {}, []
    for stage, run in zip(stages, runs.to_dict("records"), strict=True):
        before = run["phase_count"] + run["phase_init"]  # the trace begins behind them
        seconds = [before + one for one in run["trace"]["seconds"]]
        curves[stage] = [float(f"{min(one, run['seconds']):.4g}") for one in seconds]
        facts = {"stage": stage, "all": run["n_merges"], "took": duration(run["seconds"])}
        rows.append(ROW.format(color=stage_color(run["stage"]), **facts))
    slowest, fastest = str(runs["seconds"].idxmax()), str(runs["seconds"].idxmin())
    done, begun = duration(runs["seconds"][fastest]), duration(curves[slowest][0])
    title = f"Recorded: {fastest} is done after {done}; {slowest} makes a first merge after {begun}"
    held = {
        "ranks": runs["trace"].iloc[0]["rank"],
        "curves": list(curves.values()),
        "last": math.ceil(100 * math.log10(runs["seconds"].max())) / 100,
    }
    page = TEMPLATE.read_text(encoding="utf-8").replace("TITLE", escape(title))
    page = page.replace("ROWS", "\n".join(rows)).replace("HELD", json.dumps(held))
    return Page(page, title)
