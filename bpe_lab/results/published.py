"""Published timings beside those of this machine.

Seconds from two machines, texts and languages cannot be compared directly. What can be compared is
how many times as fast a version is as its baseline, there and here. Each row names the suite and
case that correspond to it, and its baseline.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.corpora import data_path
from bpe_lab.results.intervals import Interval, median_interval, settled
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, require_comparable, stopped

if TYPE_CHECKING:
    import pandas

OWN_SIZE = {"TinyStoriesV2-GPT4-train": "tinystories", "OpenWebText": "openwebtext"}
"""Published text -> the suite with a made text like it, of its size at scale "full"."""

OF_TEXT = {"ladder": "stories, ", "counting": "stories, ", "vocab": ", 32,000 ids"}
"""Suite -> what the names of its cases say that those on a text of the published size do not."""

RATE = "merges_per_second"

PHASES = {
    "merge": ("init", "count_pairs", "select", "update"),
    "select+update": ("select", "update"),
    "count_pairs": ("count_pairs",),
    "select": ("select",),
    "update": ("update",),
}
"""Measured phase of a row -> phases of a record to add up. Two others are fields of a record:
"total", its seconds, and "merges_per_second".
"""

CREDITS = {
    "series": '["Building and Optimizing a BPE Tokenizer from Scratch"](https://fancyerii.github.io)'
    " by lili, 2025 (in Chinese)",
    "Koschei": '"Optimizing a BPE tokenizer: from 10 minutes to 1 second" by Koschei, '
    "14 June 2025 (in Chinese)",
    "word-frequency": 'the blog post "Optimizing the original BPE", 20 November 2025 (in Chinese)',
}
"""First word of a source -> its credit, as Markdown. Titles are translated; `data/README.md` has
the originals.
"""


def published_timings() -> "pandas.DataFrame":
    """Return all published timings.

    :return: index row (from 1); the columns of `data/published_timings.csv` as text, except cases
        and baseline (tuples); value (median of the runs: seconds, or merges per second), bound
        (">": given up, it takes longer), author (first word of the source), credit (title, author
        and year) and is_baseline (of itself).

    >>> row = published_timings().loc[54]
    >>> row.version, float(row.value), row.bound, row.cases
    ('Python merge', 600.0, '>', ('word_counts',))
    """
    import pandas

    path = data_path("published_timings.csv")
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False)
    rows.index = pandas.Index(rows.pop("row").astype(int), name="row")
    runs = rows["seconds_runs"].str.replace(">", "").str.split(";")
    author = rows["source"].str.split().str[0]
    baseline = pandas.Series(
        [tuple(map(int, numbers.split("-"))) for numbers in rows["baseline"]], rows.index
    )
    return rows.assign(
        value=[median(map(float, values)) for values in runs],
        bound=rows["seconds_runs"].str.contains(">").map({True: ">", False: ""}),
        author=author,
        credit=author.map(CREDITS),
        cases=rows["cases"].map(lambda names: tuple(filter(None, names.split(";")))),
        baseline=baseline,
        is_baseline=baseline == pandas.Series([(number,) for number in rows.index], rows.index),
    )


def published_curves() -> "pandas.DataFrame":
    """Return the published seconds of two trainings after every 1,000 merges, and at their end.

    :return: the columns of `data/published_curves.csv`: source, version, stage, corpus, vocab_size,
        merges and seconds_since_first_merge (one run); credit (title, author and year).

    >>> curves = published_curves()
    >>> curves.groupby("corpus")["seconds_since_first_merge"].max()
    corpus
    OpenWebText                 32437.58
    TinyStoriesV2-GPT4-train      118.05
    Name: seconds_since_first_merge, dtype: float64
    """
    import pandas

    rows = pandas.read_csv(data_path("published_curves.csv"))
    return rows.assign(credit=rows["source"].str.split().str[0].map(CREDITS))


def published(stage: str, phase: str, **filters: str) -> "pandas.Series[Any]":
    """Return the first published timing of a stage and a phase.

    :param stage: id of the stage it corresponds to, or the topic.
    :param phase: "total", "count", "merge", "select", "update" or "merges_per_second".
    :param filters: text of other columns, such as corpus="OpenWebText".
    :return: a row of `published_timings`.
    :raises LookupError: there is none.

    >>> float(published("naive", "merges_per_second").value)
    0.08
    """
    wanted = {"stage": stage, "phase": phase, **filters}
    rows = published_timings()
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    if rows.empty:
        raise LookupError(f"no published timing has {wanted}")
    return rows.iloc[0]


@dataclass(frozen=True)
class Amount:
    """Seconds, merges per second, or a ratio.

    :param value: the number.
    :param bound: ">" or "<": it is only known to be more or less than the value; "≈": extrapolated.
    :param interval: of a measured value, which gets the digits that its values allow; None: of a
        published one, and of one that was stopped.
    """

    value: float
    bound: str = ""
    interval: Interval | None = field(default=None, compare=False)

    def __str__(self) -> str:
        said = settled(self.interval) if self.interval else significant(self.value)
        return f"{self.bound} {said.removeprefix('≈ ')}" if self.bound else said


def beside_measured(suites: "Mapping[str, pandas.DataFrame]") -> "pandas.DataFrame":
    """Return every published timing beside its measured value here.

    :param suites: suite id -> its records.
    :return: `published_timings`; place (the suite that was measured), case ("" for none), and,
        `Amount` or None, published, published_ratio (times as fast as the published baseline),
        measured and measured_ratio (times as fast as the baseline here); remark (how the case
        differs, or why there is none); repetition (it shows nothing that another row does not).
    :raises ValueError: the records of a suite cannot be compared.
    """
    import pandas

    rows = published_timings()
    taken = {suite: _amounts(records) for suite, records in suites.items()}
    added = [_measured_beside(row, rows, taken) for _, row in rows.iterrows()]
    found = rows.join(pandas.DataFrame(added, index=rows.index, dtype=object))
    found["remark"] = [
        row["remark"] if row["measured"] else f"not run here: {_why_not(row, suites)}"
        for _, row in found.iterrows()
    ]
    return found.assign(repetition=_repetitions(found))


Amounts = Mapping[str, Mapping[str, Amount]]
"""Measured phase -> case -> what it took."""


def _amounts(records: "pandas.DataFrame") -> Amounts:
    """Return the times of the cases of a suite, in all phases that its records have."""
    columns = {"total": records["seconds"]}
    if RATE in records:
        columns[RATE] = records[RATE].astype(float)
    if "phase_select" in records:
        for phase, parts in PHASES.items():
            columns[phase] = records[[f"phase_{part}" for part in parts]].sum(axis=1)
    require_comparable(records)
    unfinished = stopped(records).groupby(records["case"]).any()
    found: dict[str, dict[str, Amount]] = {phase: {} for phase in columns}
    for phase, values in columns.items():
        for case, of_case in values.groupby(records["case"], sort=False):
            interval = median_interval(of_case.tolist())
            bound = "" if not unfinished[case] else "≈" if phase == RATE else ">"
            known = None if bound == ">" else interval
            found[phase][str(case)] = Amount(interval.median, bound, known)
    return found


class _Found(NamedTuple):
    """What a suite has for a published row: "" and None where it has nothing."""

    place: str
    case: str
    measured: Amount | None
    opponent: Amount | None

    @property
    def worth(self) -> int:
        """3: both ran to their end, 2: both were measured, 1: only the case, 0: nothing."""
        if self.measured and self.opponent:
            return 2 if self.measured.bound or self.opponent.bound else 3
        return int(self.measured is not None)


def _measured_beside(
    row: "pandas.Series[Any]", rows: "pandas.DataFrame", taken: Mapping[str, Amounts]
) -> dict[str, Any]:
    """Return the values that `beside_measured` adds to one published row."""
    first, *less = [rows.loc[number] for number in row["baseline"]]
    baseline = Amount(first["value"] - sum(one["value"] for one in less), first["bound"])
    opponents, phase = first["cases"], first["measured_phase"]
    if row["baseline_case"]:
        opponents = (row["baseline_case"],)
    if less or row["baseline_case"]:
        phase = row["measured_phase"]
    published = Amount(row["value"], row["bound"])
    found = []
    for suite, more in places(row):
        amounts = taken.get(suite, {})
        mine, theirs = amounts.get(row["measured_phase"], {}), amounts.get(phase, {})
        cases = [case.replace(more, "") for case in row["cases"]]
        case = next((case for case in cases if case in mine), "")
        others = (case.replace(more, "") for case in opponents)
        opponent = next((theirs[other] for other in others if other in theirs), None)
        found.append(_Found(suite, case, mine.get(case), opponent))
    # The first of the most worth; if nothing was measured, the suite on a text of the lab.
    best = max(found, key=lambda one: one.worth)
    best = best if best.worth else found[-1]
    return {
        "place": best.place,
        "published": published,
        "published_ratio": _speed_up(baseline, published, row["phase"]),
        "case": best.case,
        "measured": best.measured,
        "measured_ratio": _speed_up(best.opponent, best.measured, row["phase"]),
    }


def places(row: "pandas.Series[Any]") -> list[tuple[str, str]]:
    """Return the suites that may correspond to a published row, and what the names of their cases
    lack.

    The best comes first: one on a text of the size that was published.

    >>> places(published_timings().loc[2])
    [('tinystories', 'stories, '), ('counting', '')]
    """
    own, more = OWN_SIZE.get(row["corpus"]), OF_TEXT.get(row["suite"])
    return [*([(own, more)] if own and more else []), (row["suite"], "")]


def _speed_up(baseline: Amount | None, amount: Amount | None, phase: str) -> Amount | None:
    """Return how many times as fast something is as its baseline; None if that is not known."""
    if baseline is None or amount is None:
        return None
    if phase == RATE:
        bound, slow, fast = amount.bound or baseline.bound, amount, baseline
    elif baseline.bound and amount.bound:
        return None
    else:
        # If its time is a lower bound, its speed-up is an upper bound.
        bound, slow, fast = "<" if amount.bound else baseline.bound, baseline, amount
    interval = slow.interval and fast.interval and slow.interval.over(fast.interval)
    return Amount(slow.value / fast.value, bound, interval)


def _why_not(row: "pandas.Series[Any]", suites: "Mapping[str, pandas.DataFrame]") -> str:
    """Return why a row has no measured value."""
    if not row["suite"]:
        return str(row["remark"])
    if row["suite"] not in suites:
        return f"suite `{row['suite']}` was not run"
    return f"no case {row['cases'][0]!r} at scale {suites[row['suite']]['scale'].iloc[0]}"


def _repetitions(compared: "pandas.DataFrame") -> "pandas.Series[bool]":
    """Tell for each row whether it shows nothing new.

    It may compare a case with itself, as a baseline does, be a total whose merging has a row, or
    repeat a value of another row on the same corpus.
    """
    measured = compared["case"] + ", " + compared["measured_phase"]
    of_baseline = measured[[numbers[0] for numbers in compared["baseline"]]].to_numpy()
    itself = (compared["baseline_case"] == "") & (measured == of_baseline)
    programs = compared["source"] + compared["version"]
    merged = (compared["phase"] == "total") & programs.isin(programs[compared["phase"] == "merge"])
    others = compared[~compared["is_baseline"]]
    shown = others.duplicated(["case", "measured_phase", "corpus", "author"])
    return itself | merged | shown.reindex(compared.index, fill_value=False)


def speed_ups(compared: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the rows with a speed-up there and here, each shown once."""
    both = compared.dropna(subset=["published_ratio", "measured_ratio"])
    return both[~both["repetition"]]


def published_table(compared: "pandas.DataFrame") -> str:
    """Return published against measured as a Markdown table, one line per published row."""
    head = ("version", "corpus", "ids", "threads", "phase", "published, s", "x baseline",
            "here: case", "here: phase", "here, s", "x baseline here", "remark")  # fmt: skip
    lines = [
        [
            f"{number} {row['name']} (`{row['version']}`)",
            row["corpus"],
            row["vocab_size"],
            row["threads"],
            row["phase"],
            f"{row['bound']} {row['value']:,g}{_unit(row)}".strip(),
            "baseline" if row["is_baseline"] else str(row["published_ratio"] or ""),
            f"{row['place']}: {row['case']}" if row["measured"] else "",
            row["measured_phase"] if row["measured"] else "",
            f"{row['measured']}{_unit(row)}" if row["measured"] else "",
            "baseline"
            if row["is_baseline"] and row["measured"]
            else str(row["measured_ratio"] or ""),
            row["remark"],
        ]
        for number, row in compared.iterrows()
    ]
    return (
        markdown_table(head, lines)
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads here are those of "
        "the case, not the published ones; a total here counts words with `native`. Heaps: one "
        'repetition here. ">" and "<": one of the two was stopped, so more or less than that; '
        '"≈": of fewer than six values, so an order of magnitude, or the rate of the first merges '
        "only. A range across 1 is not resolved.\n"
    )


def _unit(row: "pandas.Series[Any]") -> str:
    """Return the unit after an amount: for merges per second only, not for seconds."""
    return " merges/s" if row["phase"] == RATE else ""
