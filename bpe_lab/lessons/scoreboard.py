"""What the scoreboard shows: recorded results of the benchmarks, never a run of its own."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

import bpe_lab
from bpe_lab.bench.pages import (
    UnfinishedSuiteError,
    conditions,
    load_suites,
    made_of,
    recorded_experiments,
    repeat_command,
)
from bpe_lab.bench.suites import SUITES
from bpe_lab.corpora import data_path
from bpe_lab.lessons.predictions import guessed
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.plots.phase_bars import phase_bars
from bpe_lab.plots.published import published_measured
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.published import beside_measured
from bpe_lab.results.tables import markdown_table

if TYPE_CHECKING:
    import pandas

RECORDED = "data/recorded/bench"
OWN = "results/bench"
"""Where `bpe-lab bench` writes when it is called in the checkout."""

FINE_ENOUGH = 95
"""Dots per inch."""


@dataclass(frozen=True)
class Scoreboard:
    """Records of suites, all measured on one machine.

    :param folder: where they are, as a reader would type it; "" where that would say more of the
        machine than of the results.
    :param suites: suite id -> its records; a suite that was not measured is missing.
    """

    folder: str
    suites: "Mapping[str, pandas.DataFrame]"

    def __repr__(self) -> str:
        return f"{self.folder or 'results'}: {', '.join(self.suites) or 'no records'}"

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
            f"This notebook shows **{whose}**"
            + (f", from `{self.folder}`" if self.folder else "")
            + f". They were measured until {day} on {machine_line(first['machine'])}."
            + (f" Not measured there: {missing}." if missing else "")
            + (
                " The counts of `processor` are simulated, and in `data/recorded/processor`."
                if self.folder == RECORDED
                else ""
            )
        )

    def figure(self, suite: str) -> Figure | Prose:
        """Return the figure of a suite."""
        one = SUITES[suite]
        return self.show(suite, lambda records: smaller(made_of(one, records, one.figure)))

    def phases(self) -> Figure | Prose:
        """Return the seconds of every stage by phase."""
        return self.show("ladder", lambda records: smaller(phase_bars(records)))

    def table(self, suite: str) -> Figure | Prose:
        """Return the table of a suite."""
        one = SUITES[suite]
        return self.show(suite, lambda records: say(made_of(one, records, one.table)))

    def conditions(self, suite: str) -> Figure | Prose:
        """Say how a suite was measured, how far its values spread, and how to repeat it."""

        def said(records: "pandas.DataFrame") -> Prose:
            again = repeat_command(SUITES[suite], records)
            return say(f"*How:* {conditions(records)} *Again:* `{again}`")

        return self.show(suite, said)

    def guessed(self, guess: float | None, before: str, after: str) -> Figure | Prose:
        """Return how many times as many merges per second one stage makes as another.

        :param guess: of the reader, None where there is none.
        :param before: id of the slower stage.
        :param after: id of the faster one.

        >>> Scoreboard("results/bench", {}).guessed(None, "naive", "core")
        Not measured. `bpe-lab bench ladder` does it.
        """

        def said(records: "pandas.DataFrame") -> Figure | Prose:
            rows = ladder_rows(records)
            if missing := {before, after} - set(rows.index):
                return say(f"Not measured: {' and '.join(sorted(missing))}.")
            factor = float(rows["median"][after] / rows["median"][before])
            most = not rows["complete"][before]  # of its first merges, which cost the most
            return guessed(
                guess,
                float(f"{factor:.1e}") if most else factor,
                f"times the merges per second of {before}{', at most' if most else ''}",
            )

        return self.show("ladder", said)

    def show(
        self, suite: str, of: "Callable[[pandas.DataFrame], Figure | Prose]"
    ) -> Figure | Prose:
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

    @cached_property
    def compared(self) -> "pandas.DataFrame":
        """Every published timing beside what was measured."""
        return beside_measured(self.with_experiments)

    @cached_property
    def with_experiments(self) -> "dict[str, pandas.DataFrame]":
        """The records, and those on texts of the published sizes that come with the lab."""
        return recorded_experiments() | dict(self.suites)

    def published_figure(self) -> Figure | Prose:
        """Return published and measured factors side by side."""
        try:
            return smaller(published_measured(self.compared, self.with_experiments))
        except ValueError as error:
            return say(f"Not measured: {error}.")

    def others(self, *shown: str) -> Prose:
        """Return the suites that are not shown, with their questions."""
        rows = [
            [f"`{suite.id}`", suite.question, f"{len(self.suites.get(suite.id, ())) or 'none'}"]
            for suite in SUITES.values()
            if suite.id not in shown
        ]
        return say(markdown_table(("suite", "question", "values"), rows))


def smaller(figure: Figure) -> Figure:
    """Return a figure with fewer pixels, for the notebook has many."""
    figure.set_dpi(min(figure.dpi, FINE_ENOUGH))
    return figure


def results() -> Scoreboard:
    """Return the reader's own results when there are some, else those that come with the lab.

    `BPE_LAB_RESULTS` in the environment names another folder, from the checkout.

    :raises ValueError: the records are of several machines.

    >>> results().folder in (OWN, RECORDED, os.environ.get("BPE_LAB_RESULTS"), "")
    True
    """
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    recorded = data_path("published_timings.csv").parent / "recorded" / "bench"
    places = {OWN: checkout / OWN, RECORDED: recorded}
    if named := os.environ.get("BPE_LAB_RESULTS"):
        places = {"" if Path(named).is_absolute() else named: checkout / named}
    for folder, place in places.items():
        try:
            return Scoreboard(folder, load_suites(place))
        except FileNotFoundError:
            continue
    return Scoreboard(folder, {})
