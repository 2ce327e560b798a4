"""Published speed-ups beside those of this machine."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import LABEL_SIZE, stage_color
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.published import Amount, speed_ups
from bpe_lab.results.tables import RecordRow, Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME_WIDTH = 32
"""Characters per line of what is no stage."""

ALIKE = 2.0
"""Speed-ups within this factor are called alike in the title."""

MARKERS = {"": "o", "≈": "o", ">": ">", "<": "<"}


def published_measured(compared: Records, suites: Mapping[str, Records]) -> "Figure":
    """Draw one row per published speed-up that was measured here, too: a ring and a dot.

    :param compared: from `bpe_lab.results.published.compare`.
    :param suites: the records it was made of.
    :raises ValueError: there is no speed-up of both kinds.
    """
    drawn = speed_ups(compared)
    if drawn.empty:
        raise ValueError("no published speed-up was measured here: run `bpe-lab bench all`")
    groups: dict[str, list[Row]] = {}
    for _, row in drawn.iterrows():
        groups.setdefault(_group_name(row, compared), []).append(_row(row))
    return grouped_rows(
        None,
        groups,
        message(drawn, suites),
        x_label="times as fast as the baseline (log scale)",
        note=_caption(compared, drawn, suites),
        reference=1,
        room=0.3,
        group_size=LABEL_SIZE - 2,
    )


def _row(row: RecordRow) -> Row:
    """Return the row of a speed-up: the ring published, the dot here."""
    published, measured = pair(row)
    return Row(
        label=_row_name(row),
        value=measured.value,
        least=measured.value,
        most=measured.value,
        text=f"x {published}, here x {measured}",
        # The colour of the stage that was measured; grey for what is no stage.
        color=stage_color(row["case"]),
        ring=published.value,
        marker=MARKERS[measured.bound],
        ring_marker=MARKERS[published.bound],
    )


def pair(row: RecordRow) -> tuple[Amount, Amount]:
    """Return the published and the measured speed-up."""
    return row["published_ratio"], row["measured_ratio"]


def _group_name(row: RecordRow, compared: Records) -> str:
    """Return what is measured, and over which baseline."""
    baseline = compared.loc[row["baseline"][0]]
    if row["suite"] == "heaps":
        return f"{row['version'].partition(': ')[0]}, over {baseline['name']}"
    # Only the series ran everything on one machine.
    where = row["corpus"].partition("-")[0] if row["author"] == "series" else row["author"]
    over = "32,000 ids" if row["suite"] == "vocab" else baseline["name"].removesuffix(", Python")
    case = baseline["cases"][0] if row["suite"] == "ladder" else ""
    stage = f" ({case})" if case and case.replace("_", " ") != over else ""
    return f"{where}, {row['phase'].replace('_', ' ')}, over {over}{stage}"


def _row_name(row: RecordRow) -> str:
    """Return the stage that was measured, what it is of what is no stage."""
    if row["suite"] == "ladder":
        return str(row["case"])
    if row["suite"] == "vocab":
        return str(row["case"]).replace("000 ids", "000")
    if row["suite"] == "heaps":
        return str(row["name"])
    return textwrap.fill(f"{row['name']}, {row['threads']} at once", NAME_WIDTH)


def message(drawn: Records, suites: Mapping[str, Records]) -> str:
    """Return the title: how many speed-ups are alike, where the texts were large enough to tell.

    :param drawn: from `speed_ups`.
    :param suites: the records it was made of.
    """
    if any(suites[suite]["scale"].iloc[0] == "tiny" for suite in drawn["place"].unique()):
        return "Published speed-ups beside those on tiny texts here, which decide nothing"
    pairs = [pair(row) for _, row in drawn.iterrows()]
    known = [(there, here) for there, here in pairs if not there.bound and not here.bound]
    alike = sum(1 / ALIKE <= here.value / there.value <= ALIKE for there, here in known)
    return (
        f"Of {len(known)} published speed-ups, {alike} come out within a factor of "
        f"{ALIKE:g} where we measured them"
    )


def _caption(
    compared: Records,
    drawn: Records,
    suites: Mapping[str, Records],
) -> str:
    """Return how to read it, and where it was measured."""
    used = compared["place"][compared["measured"].notna()].unique()
    scales = "; ".join(f"{suite} ({suites[suite]['scale'].iloc[0]})" for suite in used)
    return (
        f"Ring: published; dot: here. Arrow: at least or at most. {len(drawn)} of {len(compared)} "
        "published rows; the rest are baselines and repetitions, and "
        f"{compared['measured'].isna().sum()} were not run here. Other texts and vocabularies than "
        f"published. Suites: {scales}.\n"
        "Published: lili, 2025 (64 CPUs); Koschei, 2025; word-frequency post, 2025.\n"
        f"{measured_on({suite: suites[suite] for suite in used})}"
    )


def measured_on(suites: Mapping[str, Records]) -> str:
    """Return the machines of suites; where there are several, which suites are of which.

    :param suites: suite id -> its records, each of one machine.
    """
    machines: dict[str, list[str]] = {}
    for suite, records in suites.items():
        machines.setdefault(machine_line(records["machine"].iloc[0]), []).append(suite)
    if len(machines) == 1:
        return f"{next(iter(machines))}."
    return "\n".join(f"{', '.join(names)}: {machine}." for machine, names in machines.items())
