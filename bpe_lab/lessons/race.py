"""The race: every stage on one clock, played from recorded rates, never run here."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy

from bpe_lab.corpora import data_path
from bpe_lab.lessons.displays import Page
from bpe_lab.plots.captions import median_trace, texts_line
from bpe_lab.plots.style import is_headline, stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import count_of, duration, significant
from bpe_lab.results.records import load

if TYPE_CHECKING:
    import pandas

RECORDED = "recorded/bench/ladder.jsonl"
"""Below `data`, which is installed with the package."""

STYLE, SCRIPT = (Path(__file__).with_name(name) for name in ("race.css", "race.js"))

MOMENTS = 24
"""Recorded moments of a stage that are played; between them it runs evenly."""

START = 9 * 3600
"""Seconds after midnight at which the still form starts."""

DAY = 86_400

INK = "#000000"
"""Drawn in the colour of the text, which is light on a dark ground."""


@dataclass(frozen=True)
class Runner:
    """A stage in the race.

    :param name: its id.
    :param place: from 1, by its rate.
    :param rate: merges per second, as tables write them.
    :param finish: seconds after which it has made all merges.
    :param time: the same as text.
    :param recorded: merges that it has made in its recorded run.
    :param estimated: the time budget stopped it there; the rest is at its recorded rate.
    :param moments: seconds and merges made until then, of its recorded run.
    :param color: of the stage; "" for the colour of the text.
    :param strong: it is a headline stage.
    """

    name: str
    place: int
    rate: str
    finish: float
    time: str
    recorded: int
    estimated: bool
    moments: tuple[tuple[float, float], ...]
    color: str
    strong: bool


def race(records: "pandas.DataFrame | None" = None) -> Page:
    """Return all stages of a ladder on one clock, to be started by the reader.

    It is played in real time or a scale of it. Where scripts are stripped, a table says who
    finishes when.

    :param records: of the suite `ladder`; those that come with the lab when left out.
    :raises ValueError: the records cannot be compared, or no stage finished.

    >>> print(str(race()).splitlines()[0])
    core is done after 4 ms, naive after at most 49 minutes.
    """
    if records is None:
        records = load(data_path(RECORDED))
    total, runners = runners_of(records)
    return Page(race_html(total, runners, records), race_text(runners))


def runners_of(records: "pandas.DataFrame") -> tuple[int, list[Runner]]:
    """Return the number of merges of the race, and its stages in the order of the ladder.

    :param records: of the suite `ladder`.
    :raises ValueError: the records cannot be compared, or no stage finished.
    """
    table = ladder_rows(records)
    if not table["complete"].any():
        raise ValueError("no stage finished, so nobody knows how many merges the race has")
    total = int(table["n_merges"][table["complete"]].max())
    order = table["median"].rank(ascending=False, method="first").astype(int)
    runners = []
    for name, row in table.iterrows():
        stage, rate = str(name), float(row["median"])
        finish, color = total / rate, stage_color(stage)
        recorded = int(row["n_merges"])
        runners.append(
            Runner(
                stage,
                int(order[stage]),
                significant(rate),
                finish,
                duration(finish),
                recorded,
                not row["complete"],
                moments_of(records, stage, recorded, recorded / rate),
                "" if color == INK else color,
                is_headline(stage),
            )
        )
    return total, runners


def moments_of(
    records: "pandas.DataFrame", stage: str, n_merges: int, seconds: float
) -> tuple[tuple[float, float], ...]:
    """Return moments of the recorded run with the median rate: seconds, and merges made until then.

    A trace begins behind the first look at the words, and of a case that was repeated in its
    process it is one repetition. So it is moved, or shrunk, to end when the stage did.

    :param records: of the suite `ladder`.
    :param stage: one of them.
    :param n_merges: how many of its merges are played.
    :param seconds: when it had made them.
    """
    trace = median_trace(records, stage)
    ranks, passed = numpy.array(trace["rank"]) + 1, numpy.array(trace["seconds"])
    chosen = numpy.unique(numpy.linspace(1, n_merges, min(n_merges, MOMENTS)).round())
    times = numpy.interp(chosen, ranks, passed)
    times = times + seconds - times[-1] if times[-1] <= seconds else times * seconds / times[-1]
    return tuple(
        (float(f"{time:.4g}"), float(merges))
        for time, merges in zip(times.tolist(), chosen.tolist(), strict=True)
    )


def finish_time(seconds: float, start: int = START) -> str:
    """Return the time of day at which something ends, as exact as it takes long.

    :param seconds: how long it takes.
    :param start: when it starts, in seconds after midnight.

    >>> finish_time(0.004), finish_time(4.84), finish_time(2954), finish_time(248_400)
    ('9:00:00.004', '9:00:05', '9:49', '6:00, 3 days later')
    """
    digits = 3 if seconds < 1 else 0
    days, rest = divmod(round(start + seconds, digits), DAY)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    exact = f":{left:0{digits + 3 if digits else 2}.{digits}f}" if seconds < 120 else ""
    later = f", {count_of(int(days), 'day')} later" if days else ""
    return f"{hours:.0f}:{minutes:02.0f}{exact}{later}"


def race_html(total: int, runners: Sequence[Runner], records: "pandas.DataFrame") -> str:
    """Return the race in HTML, whose table stays when style and script are taken out.

    :param total: merges of the race.
    :param runners: in the order of the ladder.
    :param records: which they are of.
    """
    data = {"total": total, "stages": [asdict(runner) for runner in runners]}
    rows = "".join(row_html(runner) for runner in by_place(runners))
    heads = ("place", "stage", "merges per second", "time to finish",
             f"started at {START // 3600}:00, it finishes at")  # fmt: skip
    head = "".join(f"<th>{head}</th>" for head in heads)
    notes = [
        f"Text: {texts_line(records)}Medians of the recorded runs, of merging alone: words are "
        "counted before.",
        *(f"{machine}." for machine in dict.fromkeys(map(machine_line, records["machine"]))),
    ]
    if any(runner.estimated for runner in runners):
        notes.insert(
            0,
            '"At most": the time budget had stopped it after its first merges, and it runs on at '
            "the rate of these: an upper estimate, for later merges cost less.",
        )
    return (
        f'<div class="bpe-race" data-race="{escape(json.dumps(data))}">'
        f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
        f"<p><b>The race: the same {total:,} merges on one clock.</b> {not_faster(runners)}</p>"
        f'<p class="result">{summary(runners)}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
        f'<p class="quiet">{escape(" ".join(notes))}</p>'
        f"<script>{SCRIPT.read_text(encoding='utf-8')}</script></div>"
    )


def row_html(runner: Runner) -> str:
    """Return the row of a stage in the table.

    :param runner: the stage.
    """
    most = "at most " if runner.estimated else ""
    first = f" (first {runner.recorded:,} merges)" if runner.estimated else ""
    name = f"<code>{escape(runner.name)}</code>"
    cells = (
        str(runner.place),
        f"<b>{name}</b>" if runner.strong else name,
        runner.rate + first,
        most + runner.time,
        ("by " if most else "") + finish_time(runner.finish),
    )
    return f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"


def summary(runners: Sequence[Runner]) -> str:
    """Return in one sentence who is first and who is last.

    :param runners: of a race.
    """
    first, *_, last = [*by_place(runners)[:1], *by_place(runners)]
    if first == last:
        return f"{escape(first.name)} is done after {first.time}."
    most = "at most " if last.estimated else ""
    return (
        f"{escape(first.name)} is done after {first.time}, {escape(last.name)} after "
        f"{most}{last.time}."
    )


def not_faster(runners: Sequence[Runner]) -> str:
    """Return in one sentence which later stage falls back most, "" where none is half as fast.

    :param runners: in the order of the ladder.
    """
    best, fallen, share = None, None, 0.5
    for runner in runners:
        if best is not None and best.finish / runner.finish < share:
            fallen, share = (runner, best), best.finish / runner.finish
        if best is None or runner.finish < best.finish:
            best = runner
    if fallen is None:
        return ""
    later, before = (escape(runner.name) for runner in fallen)
    entry = STAGES.get(fallen[0].name)
    idea = f" ({escape(entry.idea)})" if entry else ""
    return (
        "They stand in the order in which the lab tells them, and later is not always faster: "
        f"{later}{idea} is slower than {before} before it."
    )


def by_place(runners: Sequence[Runner]) -> list[Runner]:
    """Return the stages in the order in which they finish.

    :param runners: of a race.
    """
    return sorted(runners, key=lambda runner: runner.place)


def race_text(runners: Sequence[Runner]) -> str:
    """Return the race for a terminal.

    :param runners: of a race.
    """
    lines = [
        f"{runner.place:2} {runner.name}: {runner.rate} merges per second, "
        f"{'at most ' if runner.estimated else ''}{runner.time}"
        for runner in by_place(runners)
    ]
    return "\n".join([summary(runners), *lines])
