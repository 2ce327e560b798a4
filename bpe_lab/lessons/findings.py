"""What the records of the benchmarks show, in a sentence per suite whose numbers are theirs."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

from bpe_lab.bench.suites.scaling import by_name, exponent
from bpe_lab.bench.suites.threads import speedups
from bpe_lab.plots.style import is_headline
from bpe_lab.results.ladder import factor_text, ladder_rows
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import summary

if TYPE_CHECKING:
    import pandas


def ladder(records: "pandas.DataFrame") -> str:
    """Say how far the first headline stage is from the last, and which step was the largest."""
    table = ladder_rows(records)
    headline = [str(stage) for stage in table.index if is_headline(str(stage))]
    rates = table["median"]
    steps = {(a, b): rates[b] / rates[a] for a, b in pairwise(headline)}
    said = f"From `{headline[0]}` to `{headline[-1]}`: {factor_text(table, headline[-1])} times."
    if not steps:
        return said
    before, after = max(steps, key=lambda step: steps[step])
    step = factor_text(table.assign(factor=rates / rates[before]).loc[[before, after]], after)
    stopped = table.index[~table["complete"]]
    return (
        f"{said} The largest step between two headline stages is the one from `{before}` to "
        f"`{after}`: **{step} times** as many merges per second."
        + (
            " The budget of time stopped "
            + ", ".join(f"`{stage}`" for stage in stopped)
            + "; a factor over one of them compares its first merges with all merges of the other."
            if len(stopped)
            else ""
        )
    )


def vocab(records: "pandas.DataFrame") -> str:
    """Say what the largest vocabulary costs each stage, over the smallest."""
    rows = summary(records, "merge_seconds")
    parts = []
    for stage, group in rows.groupby("param_stage", sort=False):
        seconds = group.sort_values("vocab_size")["median"]
        parts.append(f"`{stage}` {significant(seconds.iloc[-1] / seconds.iloc[0])}")
    least, most = rows["vocab_size"].min(), rows["vocab_size"].max()
    return (
        f"{most:,} ids are {significant(most / least)} times as many as {least:,}. Merging to them "
        f"takes this many times as long: {', '.join(parts)}."
    )


def threads(records: "pandas.DataFrame") -> str:
    """Say what the most threads bring each kind of work."""
    rows = speedups(records)
    most = int(rows["param_threads"].max())
    parts = [
        f"{row['agrees']} {row['speedup']:.2f}"
        for _, row in rows[rows["param_threads"] == most].iterrows()
    ]
    return f"{most} threads are this many times as fast as one: {', '.join(parts)}."


def memory(records: "pandas.DataFrame") -> str:
    """Say which stage takes the most memory, and how good the estimates are."""
    rows = summary(records)
    stages = rows[rows["agrees"] == "merges"]
    grown = records.groupby("case")["grown_mb"].median()[stages.index]
    ratio = grown / stages["estimate_mb"]
    return (
        f"The most is taken by `{grown.idxmax()}`, {significant(grown.max())} MB, the least by "
        f"`{grown.idxmin()}`, {significant(grown.min())} MB. Measured over estimated: from "
        f"{ratio.min():.2f} (`{ratio.idxmin()}`) to {ratio.max():.2f} (`{ratio.idxmax()}`)."
    )


def scaling(records: "pandas.DataFrame") -> str:
    """Say the fitted exponents, the greatest first."""
    fitted = {
        name: exponent(rows["corpus_bytes"], rows["median"])
        for name, rows in by_name(records).items()
    }
    ordered = sorted(fitted, key=lambda name: -fitted[name])
    return "Exponents: " + ", ".join(f"`{name}` {fitted[name]:.2f}" for name in ordered) + "."


def peers(records: "pandas.DataFrame") -> str:
    """Say on each text which other trainer is the fastest, and which made our merges."""
    from bpe_lab.bench.suites.peers import OURS, ratios

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
            f"it takes {significant(first['ratio'])} times as long as `core`. "
            f"The same merges as ours: {', '.join(same) or 'none of them'}."
        )
    return " ".join(said)


FINDINGS: Mapping[str, "Callable[[pandas.DataFrame], str]"] = {
    find.__name__: find for find in (ladder, vocab, threads, memory, scaling, peers)
}
"""Suite -> what its records show, in words."""
