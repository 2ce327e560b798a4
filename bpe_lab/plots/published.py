"""Published timings beside measured ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import LABEL_SIZE, TEXT, stage_color
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.published import ALIKE, OWN_SIZE, labels, measured_over_published, speed_ups
from bpe_lab.results.tables import Records, median_run, median_trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST_MERGES = 1_000
"""The seconds of a curve are divided by those of so many merges."""


def published_measured(compared: Records, suites: Mapping[str, Records]) -> "Figure":
    """Draw one row per published speed-up that was also measured here: a ring and a dot.

    :param compared: from `beside_measured`.
    :param suites: the records it was made of.
    :raises ValueError: there is no speed-up of both kinds.
    """
    drawn = speed_ups(compared)
    if drawn.empty:
        raise ValueError("no published speed-up was measured here: run `bpe-lab bench all`")
    here, there = drawn["measured_ratio"], drawn["published_ratio"]
    values = here.map(lambda one: one.value)
    spreads = [one.spread or [one.value] * 3 for one in here]
    named: Any = labels(compared).reindex(drawn.index)
    rows = drawn.assign(
        group="",
        label=named.str.replace(" · ", "\n"),
        text=[
            f"{one}, measured {three_digits(other.value)}"
            for one, other in zip(there, here, strict=True)
        ],
        # The colour of the measured stage; grey if it is not a stage.
        color=drawn["case"].str.partition(",")[0].map(stage_color),
        median=values,
        least=[one[1] for one in spreads],
        most=[one[2] for one in spreads],
        ring=there.map(lambda one: one.value),
        marker="o",
        ring_marker=there.map(lambda one: one.bound or "o"),
        open=here.map(lambda one: bool(one.first)),
    )
    used = compared["place"][compared["measured"].notna()].unique()
    scales = "; ".join(f"{suite} ({suites[suite]['scale'].iloc[0]})" for suite in used)
    figure = grouped_rows(
        None,
        rows,
        message(compared, suites),
        x_label="times as fast as what it is compared with (log scale)",
        note="Ring: published; dot: measured, with a bar from the least ratio to the greatest. "
        "White dot: over the first merges, because one of the two was stopped after them, and not "
        "counted in the title. Arrow: the published baseline was given up, and the ratio is more. "
        f"{len(drawn)} of {len(compared)} published rows; the rest are baselines "
        f"and repetitions, and {compared['measured'].isna().sum()} were not measured. Text of a "
        "published ratio, where its name has none: OpenWebText. Measured in: "
        f"{scales}. Published: lili, 2025 (64 CPUs); Koschei, 2025 (merging in C++, Rust); "
        "word-frequency post, 2025 (distinct words with a filter). "
        f"{measured_on({suite: suites[suite] for suite in used})}",
        reference=1,
        row_height=0.35,
    )
    # Two lines in the height of a row.
    figure.axes[0].tick_params(axis="y", labelsize=LABEL_SIZE - 1.5)
    return figure


def message(compared: Records, suites: Mapping[str, Records]) -> str:
    """Return the title: how many speed-ups are alike, if the texts were large enough to tell."""
    if any(suites[suite]["scale"].iloc[0] == "tiny" for suite in speed_ups(compared)["place"]):
        return "Published speed-ups beside those of a smoke test on tiny texts"
    factors = measured_over_published(compared)
    alike = factors.between(1 / ALIKE, ALIKE).sum()
    return f"{alike} of {len(factors)} published speed-ups come out within a factor of {ALIKE:g}"


def curves(published: Records, suites: Mapping[str, Records]) -> Records:
    """Return published and measured curves of the same stage, at the published size.

    :param published: from `published_curves`.
    :param suites: a name for each file of records -> its records.
    :return: a row per point: corpus, stage, who ("published" or "measured"), merges, and times,
        the seconds since the first merge over those of the first 1,000 merges, of the median run.
    """
    import pandas

    points = []
    for names, curve in published.groupby(["corpus", "stage"], sort=False):
        corpus, stage = map(str, names)
        both = {"published": curve.set_index("merges")["seconds_since_first_merge"]}
        records = suites.get(OWN_SIZE[corpus])
        if records is not None and stage in records["case"].to_numpy():
            of_stage = records[records["case"] == stage]
            trace = median_trace(of_stage, stage)
            # The trace begins with the first counts of pairs, which the published curves leave out.
            before = median_run(of_stage)["phase_count_pairs"].iloc[0]
            merges = [rank + 1 for rank in trace["rank"]]
            both["measured"] = pandas.Series(trace["seconds"], merges) - before
        for who, seconds in both.items():
            at = seconds.reindex(seconds.index.union([FIRST_MERGES])).interpolate("index")
            times = (at / at[FIRST_MERGES]).loc[FIRST_MERGES:].rename_axis("merges")
            points.append(
                times.rename("times").reset_index().assign(corpus=corpus, stage=stage, who=who)
            )
    every_point: Records = pandas.concat(points, ignore_index=True)
    return every_point


def published_curves_figure(published: Records, suites: Mapping[str, Records]) -> "Figure":
    """Draw how the seconds of a training grow with its merges; arguments as for `curves`."""
    import numpy

    drawn = curves(published, suites)
    lines: list[Line] = []
    for number, corpus in enumerate(reversed(OWN_SIZE)):
        name = corpus.partition("-")[0].removesuffix("V2")
        of_corpus = drawn[drawn["corpus"] == corpus]
        # The last published point that both curves reach.
        end = of_corpus.groupby("who")["merges"].max().min()
        theirs = of_corpus[of_corpus["who"] == "published"]
        merges = theirs["merges"][theirs["merges"] <= end].max()
        factors = []
        for who, points in of_corpus.groupby("who", sort=False):
            factors.append(numpy.interp(merges, points["merges"], points["times"]))
            before = points[points["merges"] < merges]
            label = f"{name}, {who}: {three_digits(factors[-1])}"
            color = TEXT if who == "published" else stage_color(points["stage"].iloc[0])
            x, y = [*before["merges"], merges], [*before["times"], factors[-1]]
            lines.append(Line(label, x, y, color=color, only_last=True, dashed=number > 0))
        if number == 0:
            there, *here = map(three_digits, factors)
            title = f"{merges:,} merges take {there} times as long as the first {FIRST_MERGES:,}"
            title = ", measured ".join([title, *here])
    return draw_lines(
        None,
        lines,
        title,
        x_label="merges made (log scale)",
        y_label=f"times the seconds of\nthe first {FIRST_MERGES:,} (log scale)",
        note="`inverted_index`, which scans all pairs for each merge. Black: published by lili, "
        "2025, one run for each text; coloured: measured on synthetic texts of the same sizes, the "
        "run with the median time; as far as both were run. Solid: OpenWebText, whose factors are "
        "in the title; dashed: TinyStories. Seconds since the first merge over those of the first "
        f"{FIRST_MERGES:,}. "
        f"{measured_on({name: suites[name] for name in OWN_SIZE.values() if name in suites})}",
    )


def measured_on(suites: Mapping[str, Records]) -> str:
    """Return the machines of suites; if there are several, with their suites."""
    machines: dict[str, list[str]] = {}
    for suite, records in suites.items():
        machines.setdefault(machine_line(records["machine"].iloc[0]), []).append(suite)
    if len(machines) == 1:
        return f"{next(iter(machines))}."
    return "\n".join(f"{', '.join(names)}: {machine}." for machine, names in machines.items())
