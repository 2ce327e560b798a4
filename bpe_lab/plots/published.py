"""Published timings beside measured ones."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import LABEL_SIZE, stage_color
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.published import ALIKE, labels, measured_over_published, speed_ups
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def published_measured(compared: Records, suites: Mapping[str, Records]) -> "Figure":
    """Draw a ring and a dot for each published speed-up that was also measured here.

    :raises ValueError: there is none.
    """
    drawn = speed_ups(compared)
    if drawn.empty:
        raise ValueError("no published speed-up was measured here: run `bpe-lab bench all`")
    here, there = drawn["measured_ratio"], drawn["published_ratio"]
    values = here.map(lambda one: one.value)
    spreads = [one.spread or [one.value] * 3 for one in here]
    named: Any = labels(compared).reindex(drawn.index)
    rows = drawn.assign(
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
        message(compared),
        x_label="times as fast as what it is compared with (log scale)",
        note="Ring: published; dot: measured. "
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


def message(compared: Records) -> str:
    """Return the title: how many speed-ups are alike."""
    factors = measured_over_published(compared)
    alike = factors.between(1 / ALIKE, ALIKE).sum()
    return f"{alike} of {len(factors)} published speed-ups come out within a factor of {ALIKE:g}"


def measured_on(suites: Mapping[str, Records]) -> str:
    """Return the machines of suites; if there are several, with their suites."""
    machines: dict[str, list[str]] = {}
    for suite, records in suites.items():
        machines.setdefault(machine_line(records["machine"].iloc[0]), []).append(suite)
    if len(machines) == 1:
        return f"{next(iter(machines))}."
    return "\n".join(f"{', '.join(names)}: {machine}." for machine, names in machines.items())
