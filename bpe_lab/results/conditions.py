"""Was the machine ours while a suite was measured, and does a case agree with itself?"""

from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.results.intervals import median_interval
from bpe_lab.results.tables import stopped

if TYPE_CHECKING:
    import pandas

SLOWER = 1.10
"""Factor over the best moment of a run from which its fixed work says "shared"."""

STOLEN = 0.01
"""Part of the time of one processor that the host may give to other machines meanwhile."""


def conditions(records: "pandas.DataFrame") -> list[str]:
    """Return "idle" or "shared" for each value, "" where nobody looked.

    Idle: the fixed work before and after it took at most a tenth longer than at the best moment of
    the run, on each processor, and the host gave no more than a hundredth of its time to others.
    Every value is kept; of a shared machine its seconds are "at most".

    :param records: of one suite.

    >>> import pandas
    >>> best = {"processor 0": 0.010, "processor 1": 0.030}  # processors may differ in speed
    >>> slow = {"processor 0": 0.012, "processor 1": 0.030}
    >>> looks = [{"before": best, "after": best}, {"before": slow, "after": best}, None]
    >>> conditions(pandas.DataFrame({"fixed_work": looks}))
    ['idle', 'shared', '']
    """
    columns = records.reindex(columns=["fixed_work", "steal_seconds", "process_seconds"])
    around = [one for one in columns["fixed_work"] if isinstance(one, dict)]
    looks = [look for one in around for look in (one["before"], one["after"])]
    best = {piece: min(look[piece] for look in looks) for look in looks[:1] for piece in look}
    return [_condition(row, best) for row in columns.to_dict("records")]


def _condition(row: Mapping[Any, Any], best: Mapping[str, float]) -> str:
    """Return the condition of one value; `best`: piece of the fixed work -> its least seconds."""
    if not isinstance(row["fixed_work"], dict):
        return ""
    looks = row["fixed_work"].values()
    slow = any(look[piece] > SLOWER * best[piece] for look in looks for piece in best)
    return "shared" if slow or row["steal_seconds"] > STOLEN * row["process_seconds"] else "idle"


def conditions_sentence(records: "pandas.DataFrame") -> str:
    """Return how many values of a suite are of an idle machine; "" if nobody looked.

    >>> import pandas
    >>> conditions_sentence(pandas.DataFrame({"case": ["core"]}))
    ''
    """
    found = conditions(records)
    if not any(found):
        return ""
    idle, n = found.count("idle"), len(found)
    slowed = f"In the median the fixed work took {_slowed(records):.2f} times its best."
    if idle == n:
        return f"Machine: idle around every value. {slowed}"
    others = "every value" if not idle else f"{n - idle:,} of {n:,} values, idle around the others"
    return (
        f"Machine: shared with other programs or machines around {others}; seconds of a shared "
        f'machine are "at most". (Shared: a fixed piece of work took over '
        f"{SLOWER - 1:.0%} longer than at the best moment, or the host took {STOLEN:.0%} away. "
        f"{slowed})"
    )


def _slowed(records: "pandas.DataFrame") -> float:
    """Return how many times its best the fixed work took around a value, in the median."""
    around = [one for one in records["fixed_work"] if isinstance(one, dict)]
    looks = [look for one in around for look in (one["before"], one["after"])]
    best = {piece: min(look[piece] for look in looks) for piece in looks[0]}
    return float(median(look[piece] / best[piece] for look in looks for piece in best))


def anchor_ratios(records: "pandas.DataFrame") -> "pandas.Series[Any]":
    """Return what each case takes of the time of its anchor: case -> `Interval` of the turns.

    In a turn both ran one after the other, so what slows the machine slows both. The anchor has a
    ratio, too: itself beside itself is the control, and a ratio inside its interval says nothing.

    :param records: of one suite; those without an anchor, or stopped before their end, are left
        out.

    >>> import pandas
    >>> one = {"case": "naive", "seconds": 9.0, "anchor": {"case": "core", "seconds": 3.0}}
    >>> anchor_ratios(pandas.DataFrame([one]))["naive"].median
    3.0
    """
    turns = records.reindex(columns=["case", "seconds", "merge_seconds", "anchor"])
    whole = turns["anchor"].map(lambda anchor: isinstance(anchor, dict)) & ~stopped(records)

    def ratio(turn: Mapping[Any, Any]) -> float:
        # Of trainings, merging is compared: all stages count with the same counter.
        column = "merge_seconds" if "merge_seconds" in turn["anchor"] else "seconds"
        return float(turn[column] / turn["anchor"][column])

    turns = turns[whole]
    ratios = turns.assign(ratio=[ratio(turn) for turn in turns.to_dict("records")])
    return ratios.groupby("case", sort=False)["ratio"].agg(list).map(median_interval)


def conditions_text(records: "pandas.DataFrame") -> str:
    """Return what is said of the conditions of a suite, its control too; "" if nobody looked."""
    return " ".join(filter(None, [conditions_sentence(records), control_sentence(records)]))


def control_sentence(records: "pandas.DataFrame") -> str:
    """Return what an anchor took of its own time, run again beside itself; "" without anchors.

    Of several anchors, the one whose interval is the widest. A suite of pairs in turns with
    "nothing" among them has its control in its table.
    """
    if "in_turns" in records and records["case"].str.contains("nothing").any():
        return ""
    ratios = anchor_ratios(records)
    anchors = records.reindex(columns=["anchor"])["anchor"].dropna()
    names = [name for name in dict.fromkeys(one["case"] for one in anchors) if name in ratios]
    if not names:
        return ""
    name = max(names, key=lambda name: float(ratios[name].high - ratios[name].low))
    widest = " (the widest of several)" if len(names) > 1 else ""
    n = int((records["case"] == name).sum())
    return f"Control, `{name}` beside itself{widest}: {ratios[name]} times, n = {n}."
