"""What the scoreboard shows: recorded results of the benchmarks, never a run of its own."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import bpe_lab
from bpe_lab.bench.pages import (
    UnfinishedSuiteError,
    conditions,
    load_suites,
    repeat_command,
    table_and_figure,
)
from bpe_lab.bench.suites import SUITES
from bpe_lab.bench.suites.scaling import by_name, exponent
from bpe_lab.bench.suites.threads import speedups
from bpe_lab.corpora import data_path
from bpe_lab.lessons.displays import Picture
from bpe_lab.lessons.prose import Prose, digits, say
from bpe_lab.plots import figures
from bpe_lab.plots.published_measured import is_repetition, published_measured
from bpe_lab.plots.style import is_headline
from bpe_lab.results import published
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.statistics import case_summary
from bpe_lab.results.tables import factor_text, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

RECORDED = "data/recorded/bench"
OWN = "results/bench"
"""Where `bpe-lab bench` writes when it is called in the checkout."""

FINE_ENOUGH = 110
"""Dots per inch: the notebook has many figures."""


@dataclass(frozen=True)
class Scoreboard:
    """Records of suites, all measured on one machine.

    :param folder: where they are, as a reader would type it.
    :param suites: suite id -> its records; a suite that was not measured is missing.
    """

    folder: str
    suites: "Mapping[str, pandas.DataFrame]"

    def __repr__(self) -> str:
        return f"{self.folder}: {', '.join(self.suites) or 'no records'}"

    def where(self) -> Prose:
        """Say whose results are shown, when and where they were measured, and what is missing.

        >>> Scoreboard("results/bench", {}).where()
        No results are recorded here. `bpe-lab bench all` measures everything.
        """
        if not self.suites:
            return say("No results are recorded here. `bpe-lab bench all` measures everything.")
        whose = {
            OWN: "your own results",
            RECORDED: "the results that come with the lab",
        }.get(self.folder, "the results that you named")
        first = next(iter(self.suites.values())).iloc[0]
        day = max(utc[:10] for records in self.suites.values() for utc in records["utc"])
        missing = ", ".join(f"`{suite}`" for suite in SUITES if suite not in self.suites)
        return say(
            f"This notebook shows **{whose}**, from `{self.folder}`. They were measured until "
            f"{day} on {machine_line(first['machine'])}."
            + (f" Not measured there: {missing}." if missing else "")
        )

    def figure(self, suite: str) -> Picture | Prose:
        """Return the figure of a suite.

        :param suite: its id.
        """
        return self.show(
            suite, lambda records: picture(table_and_figure(SUITES[suite], records)[1])
        )

    def phases(self) -> Picture | Prose:
        """Return the seconds of every stage by phase."""
        return self.show("ladder", lambda records: picture(figures.phase_bars(records)))

    def table(self, suite: str) -> Picture | Prose:
        """Return the table of a suite.

        :param suite: its id.
        """
        return self.show(suite, lambda records: say(table_and_figure(SUITES[suite], records)[0]))

    def conditions(self, suite: str) -> Picture | Prose:
        """Say how a suite was measured, how far its values spread, and how to repeat it.

        :param suite: its id.
        """

        def said(records: "pandas.DataFrame") -> Prose:
            again = repeat_command(SUITES[suite], records)
            return say(f"*How:* {conditions(records)} *Again:* `{again}`")

        return self.show(suite, said)

    def sentence(self, suite: str) -> Picture | Prose:
        """Say what the records of a suite show.

        :param suite: a key of `SENTENCES`.
        """
        return self.show(suite, lambda records: say(SENTENCES[suite](records)))

    def show(
        self, suite: str, of: "Callable[[pandas.DataFrame], Picture | Prose]"
    ) -> Picture | Prose:
        """Return what is made of the records of a suite, or how to get some.

        :param suite: its id.
        :param of: records -> what is shown.

        >>> Scoreboard("results/bench", {}).show("ladder", lambda records: say("shown"))
        Not measured. `bpe-lab bench ladder` does it.
        """
        if suite not in self.suites:
            return say(f"Not measured. `bpe-lab bench {suite}` does it.")
        try:
            return of(self.suites[suite])
        except UnfinishedSuiteError as error:
            return say(f"{error}.")

    def published_figure(self) -> Picture | Prose:
        """Return published and measured factors side by side."""
        compared = published.compare(self.suites) if self.suites else []
        try:
            return picture(published_measured(compared, self.suites))
        except ValueError as error:
            return say(f"Not measured: {error}.")

    def published_sentence(self) -> Prose:
        """Say how many published timings have a case that was measured, and which factor is larger.

        >>> Scoreboard("results/bench", {}).published_sentence().split(",")[0]
        'Of 61 published timings'
        """
        compared = published.compare(self.suites) if self.suites else []
        run = sum(one.measured is not None for one in compared)
        factors = [
            (there.value, here.value)
            for one in compared
            if (there := one.published_ratio) and (here := one.measured_ratio)
            if not is_repetition(one, compared)
        ]
        larger = sum(there > here for there, here in factors)
        return say(
            f"Of {len(published.published_rows())} published timings, {run} have a case that was "
            f"measured here. The figure has {len(factors)} of them, for it leaves out baselines, "
            f"and what it would show twice. The published factor is the larger one in {larger}."
        )

    def others(self, *shown: str) -> Prose:
        """Return the suites that are not shown, with their questions.

        :param shown: ids of the others.
        """
        lines = ["| suite | question | values |", "| :-- | :-- | --: |"]
        for suite in SUITES.values():
            if suite.id not in shown:
                values = len(self.suites[suite.id]) if suite.id in self.suites else "none"
                lines.append(f"| `{suite.id}` | {suite.question} | {values} |")
        return say("\n".join(lines))


def picture(figure: "Figure") -> Picture:
    """Return a figure as the scoreboard shows it."""
    return Picture(figure, FINE_ENOUGH)


def results() -> Scoreboard:
    """Return the reader's own results when there are some, else those that come with the lab.

    `BPE_LAB_RESULTS` in the environment names another folder, from the checkout.

    :raises ValueError: the records are of several machines.

    >>> results().folder in (OWN, RECORDED, os.environ.get("BPE_LAB_RESULTS"))
    True
    """
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    recorded = data_path("published_timings.csv").parent / "recorded" / "bench"
    places = {OWN: checkout / OWN, RECORDED: recorded}
    if named := os.environ.get("BPE_LAB_RESULTS"):
        places = {named: checkout / named}
    for folder, place in places.items():
        try:
            return Scoreboard(folder, load_suites(place))
        except FileNotFoundError:
            continue
    return Scoreboard(folder, {})


def ladder_sentence(records: "pandas.DataFrame") -> str:
    """Say how far the first headline stage is from the last, and which step was the largest."""
    table = summary(records)
    headline = [str(stage) for stage in table.index if is_headline(str(stage))]
    rates = table["merges_per_second"]
    steps = {(a, b): rates[b] / rates[a] for a, b in pairwise(headline)}
    said = f"From `{headline[0]}` to `{headline[-1]}`: {factor_text(table, headline[-1])} times."
    if not steps:
        return said
    before, after = max(steps, key=lambda step: steps[step])
    stopped = table.index[~table["complete"]]
    return (
        f"{said} The largest step between two headline stages is the one from `{before}` to "
        f"`{after}`: **{digits(steps[before, after])} times** as many merges per second."
        + (
            " The budget of time stopped "
            + ", ".join(f"`{stage}`" for stage in stopped)
            + "; a factor over one of them compares its first merges with all merges of the other."
            if len(stopped)
            else ""
        )
    )


def vocab_sentence(records: "pandas.DataFrame") -> str:
    """Say what the largest vocabulary costs each stage, over the smallest."""
    rows = case_summary(records, "merge_seconds")
    parts = []
    for stage, group in rows.groupby("param_stage", sort=False):
        seconds = group.sort_values("vocab_size")["median"]
        parts.append(f"`{stage}` {digits(seconds.iloc[-1] / seconds.iloc[0])}")
    least, most = rows["vocab_size"].min(), rows["vocab_size"].max()
    return (
        f"{most:,} ids are {digits(most / least)} times as many as {least:,}. Merging to them "
        f"takes this many times as long: {', '.join(parts)}."
    )


def threads_sentence(records: "pandas.DataFrame") -> str:
    """Say what the most threads bring each kind of work."""
    rows = speedups(records)
    most = int(rows["param_threads"].max())
    parts = [
        f"{row['agrees']} {row['speedup']:.2f}"
        for _, row in rows[rows["param_threads"] == most].iterrows()
    ]
    return f"{most} threads are this many times as fast as one: {', '.join(parts)}."


def memory_sentence(records: "pandas.DataFrame") -> str:
    """Say which stage takes the most memory, and how good the estimates are."""
    rows = case_summary(records)
    stages = rows[rows["agrees"] == "merges"]
    grown = records.groupby("case")["grown_mb"].median()[stages.index]
    ratio = grown / stages["estimate_mb"]
    return (
        f"The most is taken by `{grown.idxmax()}`, {digits(grown.max())} MB, the least by "
        f"`{grown.idxmin()}`, {digits(grown.min())} MB. Measured over estimated: from "
        f"{ratio.min():.2f} (`{ratio.idxmin()}`) to {ratio.max():.2f} (`{ratio.idxmax()}`)."
    )


def scaling_sentence(records: "pandas.DataFrame") -> str:
    """Say the fitted exponents, the greatest first."""
    fitted = {
        name: exponent(rows["corpus_bytes"], rows["median"])
        for name, rows in by_name(records).items()
    }
    ordered = sorted(fitted, key=lambda name: -fitted[name])
    return "Exponents: " + ", ".join(f"`{name}` {fitted[name]:.2f}" for name in ordered) + "."


def peers_sentence(records: "pandas.DataFrame") -> str:
    """Say on each text which other trainer is the fastest, and which made our merges."""
    from bpe_lab.bench.peers import OURS
    from bpe_lab.bench.suites.peers import ratios

    rows = ratios(records)
    said = []
    for text, group in rows[rows["complete"]].groupby("on", sort=False):
        others = group[group["param_trainer"] != OURS]
        if others.empty or others["ratio"].isna().all():
            continue
        first = others.sort_values("ratio").iloc[0]
        ours = group[group["param_trainer"] == OURS]["digest"].iloc[0]
        same = [f"{name}" for name in others[others["digest"] == ours]["param_trainer"]]
        said.append(
            f"On {text} the fastest of {len(others)} other trainers is {first['param_trainer']}: "
            f"it takes {digits(first['ratio'])} times as long as `core`. "
            f"The same merges as ours: {', '.join(same) or 'none of them'}."
        )
    return " ".join(said)


SENTENCES: Mapping[str, "Callable[[pandas.DataFrame], str]"] = {
    "ladder": ladder_sentence,
    "vocab": vocab_sentence,
    "threads": threads_sentence,
    "memory": memory_sentence,
    "scaling": scaling_sentence,
    "peers": peers_sentence,
}
"""Suite -> what its records show, in words."""
