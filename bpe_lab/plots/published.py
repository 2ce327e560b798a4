"""Published timings, alone and beside those of this machine."""

import textwrap
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import duration, duration_in_words
from bpe_lab.results.published import speed_ups
from bpe_lab.results.tables import RecordRow, Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME_WIDTH = 32
"""Characters per line of a name that is not a stage."""

ALIKE = 2.0
"""Speed-ups within this factor are called alike in the title."""

MARKERS = {"": "o", "≈": "o", ">": ">", "<": "<"}

PANELS = (("OpenWebText", 32_000), ("TinyStoriesV2-GPT4-train", 10_000))
"""Corpus and vocabulary size of each group; rows without a size are included."""


def published_measured(compared: Records, suites: Mapping[str, Records]) -> "Figure":
    """Draw one row per published speed-up that was also measured here: a ring and a dot.

    :param compared: from `bpe_lab.results.published.beside_measured`.
    :param suites: the records it was made of.
    :raises ValueError: there is no speed-up of both kinds.
    """
    drawn = speed_ups(compared)
    if drawn.empty:
        raise ValueError("no published speed-up was measured here: run `bpe-lab bench all`")
    groups: dict[str, list[Row]] = {}
    for _, row in drawn.iterrows():
        there, here = row["published_ratio"], row["measured_ratio"]
        name, group = _names(row, compared)
        groups.setdefault(group, []).append(
            Row(
                name,
                here.value,
                f"x {there}, here x {here}",
                # The colour of the measured stage; grey if it is not a stage.
                stage_color(row["case"]),
                ring=there.value,
                marker=MARKERS[here.bound],
                ring_marker=MARKERS[there.bound],
            )
        )
    used = compared["place"][compared["measured"].notna()].unique()
    scales = "; ".join(f"{suite} ({suites[suite]['scale'].iloc[0]})" for suite in used)
    return grouped_rows(
        None,
        groups,
        message(drawn, suites),
        x_label="times as fast as the baseline (log scale)",
        note="Ring: published; dot: here. Arrow: at least or at most. ≈: fewer than six values, "
        f"or the first merges only. {len(drawn)} of {len(compared)} published rows; the rest are "
        "baselines and repetitions, and "
        f"{compared['measured'].isna().sum()} were not run here. Texts and vocabularies differ "
        f"from those "
        f"published. Suites: {scales}.\n"
        "Published: lili, 2025 (64 CPUs); Koschei, 2025; word-frequency post, 2025.\n"
        f"{measured_on({suite: suites[suite] for suite in used})}",
        reference=1,
    )


def _names(row: RecordRow, compared: Records) -> tuple[str, str]:
    """Return the name of a row, and that of its group: the measured phase and the baseline."""
    baseline = compared.loc[row["baseline"][0]]
    # Only the series ran everything on one machine.
    where = row["corpus"].partition("-")[0] if row["author"] == "series" else row["author"]
    name, over = row["name"], baseline["name"]
    if row["suite"] == "ladder":
        name, over = row["case"], baseline["cases"][0]
    elif row["suite"] == "vocab":
        name, over = row["case"], "32,000 ids"
    elif row["suite"] == "heaps":
        where = row["version"].partition(": ")[0]
    else:
        name = textwrap.fill(f"{name}, {row['threads']} at once", NAME_WIDTH)
    return name, f"{where}, {row['phase'].replace('_', ' ')}, over {over}"


def message(drawn: Records, suites: Mapping[str, Records]) -> str:
    """Return the title: how many speed-ups are alike, if the texts were large enough to tell."""
    if any(suites[suite]["scale"].iloc[0] == "tiny" for suite in drawn["place"].unique()):
        return "Published speed-ups beside those on tiny texts here, which decide nothing"
    pairs = zip(drawn["published_ratio"], drawn["measured_ratio"], strict=True)
    factors = [here.value / there.value for there, here in pairs if not there.bound + here.bound]
    alike = sum(1 / ALIKE <= factor <= ALIKE for factor in factors)
    return (
        f"Of {len(factors)} published speed-ups, some {alike} come out within a factor of "
        f"{ALIKE:g} where we measured them"
    )


def measured_on(suites: Mapping[str, Records]) -> str:
    """Return the machines of suites; if there are several, with their suites."""
    machines: dict[str, list[str]] = {}
    for suite, records in suites.items():
        machines.setdefault(machine_line(records["machine"].iloc[0]), []).append(suite)
    if len(machines) == 1:
        return f"{next(iter(machines))}."
    return "\n".join(f"{', '.join(names)}: {machine}." for machine, names in machines.items())


def published_ladder(timings: Records) -> "Figure":
    """Draw the published seconds by version, for OpenWebText and TinyStories.

    :param timings: from `bpe_lab.results.published.published_timings`.
    """
    panels = {
        f"{corpus}, {vocab_size:,} ids": _best_of_each(_versions(timings, corpus, vocab_size))
        for corpus, vocab_size in PANELS
    }
    totals = next(iter(panels.values()))["total"]
    return grouped_rows(
        None,
        {name: [_row_of(row) for _, row in best.iterrows()] for name, best in panels.items()},
        f"Published: {PANELS[0][0]} from {duration_in_words(totals.max())} to "
        f"{duration_in_words(totals.min())}",
        x_label="seconds, median of the published runs (log scale)",
        note="Dot: merging; ring: total. Merging is total minus counting if it is not stated. "
        "†: without the first pair counts. Names: our stage with the same idea; grey: we have "
        "none. "
        'From "Building and Optimizing a BPE Tokenizer from Scratch" by lili, 2025, 64 CPUs. '
        "*: Koschei, 2025, another machine (32 cores), vocabulary size not stated.",
    )


def _versions(timings: Records, corpus: str, vocab_size: int) -> Records:
    """Return the versions that have a merge time or a total on a corpus.

    Rows of another vocabulary size are left out, rows that state none are kept. Columns: author,
    version, name, stage, threads; merge and total (median seconds, NaN where neither is stated nor
    follows), bound, partial (merging leaves out the first pair counts), order (the seconds by which
    it is sorted).
    """
    rows = timings[
        (timings["corpus"] == corpus) & timings["vocab_size"].isin([str(vocab_size), ""])
    ]
    rows = rows.assign(partial=rows["note"].str.contains("first counts not included"))
    # A total has the processes of its counting; the row is drawn with those of the merging.
    of_merging = rows["threads"].where(rows["phase"] == "merge")
    of_version = of_merging.groupby(rows["version"]).transform("first")
    rows["threads"] = of_merging.fillna(of_version).fillna(rows["threads"])
    by_version = rows.groupby(["author", "source", "version", "name", "stage", "threads"])
    seconds = rows.pivot_table(index=by_version.keys, columns="phase", values="value")
    seconds = seconds.reindex(columns=["merge", "total", "count"])
    merge = seconds["merge"].fillna(seconds["total"] - seconds["count"])
    found = seconds.assign(
        merge=merge,
        order=merge.fillna(seconds["total"]),
        bound=by_version["bound"].max(),
        partial=by_version["partial"].any(),
    )
    return found.dropna(subset=["order"]).reset_index()


def _best_of_each(found: Records) -> Records:
    """Return an author's fastest version of each stage, preferring versions with a total.

    Stages outside the ladder are left out: heaps have their own suite.
    """
    left_out = [entry.id for entry in STAGES.values() if not entry.in_ladder]
    best = (
        found[~found["stage"].isin(left_out)]
        .assign(no_total=found["total"].isna())
        .sort_values(["no_total", "order"])
    )
    return best.drop_duplicates(["author", "stage"]).sort_values("order", ascending=False)


def _row_of(version: RecordRow) -> Row:
    """Return the row of a version: a dot for merging, a ring for the total."""
    seconds = version[["merge", "total"]].dropna()
    marker = MARKERS[version["bound"]]
    # The whole blog series was timed on one machine.
    marks = ("†" if version["partial"] else "") + ("" if version["author"] == "series" else "*")
    known = version["threads"] not in ("", "1")
    threads = f", {version['threads']} threads" if known else ""
    words = [f"{'total ' * (name == 'total')}{duration(value)}" for name, value in seconds.items()]
    stage = version["stage"]
    name = stage if stage in STAGES else version["name"].partition(",")[0]
    return Row(
        f"{name}{threads} {marks}".strip(),
        float(seconds.iloc[0]),
        ("more than " if version["bound"] else "") + ", ".join(words),
        stage_color(stage),
        ring=version["total"],
        marker=marker,
        ring_marker=marker,
    )
