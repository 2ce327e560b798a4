"""Published timings beside those of this machine.

Seconds from two machines, texts and languages cannot be compared directly. What can be compared is
how many times as fast a version is as its baseline, there and here. Each row names the suite and
case that correspond to it, and its baseline.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.corpora import data_path
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import Spread, ratio_by_round, spread_of
from bpe_lab.results.tables import markdown_table, require_comparable, stopped

if TYPE_CHECKING:
    import pandas

OWN_SIZE = {"TinyStoriesV2-GPT4-train": "tinystories", "OpenWebText": "openwebtext"}
"""Published text -> the suite with a synthetic text like it, of its size at scale "full"."""

OF_TEXT = {"ladder": "stories, ", "counting": "stories, ", "vocab": ", 32,000 ids"}
"""Suite -> what the names of its cases say that those on a text of the published size do not."""

RATE = "merges_per_second"

PHASES = {
    "merge": MERGING,
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
    :param bound: ">" or "<": it is only known to be more or less than the value; "": it is known.
    :param spread: of a measured value; None: of a published one, and of one that was stopped.
    """

    value: float
    bound: str = ""
    spread: Spread | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.bound} {self.spread or three_digits(self.value)}".strip()


def beside_measured(suites: "Mapping[str, pandas.DataFrame]") -> "pandas.DataFrame":
    """Return every published timing beside its measured value here.

    :param suites: a name for each file of records -> its records, of one suite.
    :return: `published_timings`; place (the name of the records), case ("" for none), and,
        `Amount` or None, published, published_ratio (times as fast as the published baseline),
        measured and measured_ratio (times as fast as the baseline here); remark (how the case
        differs, or why there is none); repetition (it shows nothing that another row does not).
    :raises ValueError: the records of a suite cannot be compared.
    """
    import pandas

    rows = published_timings()
    taken = {name: _amounts(records) for name, records in suites.items()}
    suite_of = {name: str(records["suite"].iloc[0]) for name, records in suites.items()}
    added = [_measured_beside(row, rows, taken, suite_of) for _, row in rows.iterrows()]
    found = rows.join(pandas.DataFrame(added, index=rows.index, dtype=object))
    found["remark"] = [
        row["remark"] if row["measured"] else f"not measured: {_why_not(row, suites)}"
        for _, row in found.iterrows()
    ]
    return found.assign(repetition=_repetitions(found))


class _Measured(NamedTuple):
    """What a case took: round -> seconds or merges per second."""

    rounds: Mapping[int, float]
    stopped: bool

    def amount(self, phase: str) -> Amount:
        """Return it as an amount: of a stopped case, seconds are less than all would take."""
        spread = spread_of(list(self.rounds.values()))
        if self.stopped:
            return Amount(spread.median, "<" if phase == RATE else ">")
        return Amount(spread.median, "", spread)


Amounts = Mapping[str, Mapping[str, _Measured]]
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
    found: dict[str, dict[str, _Measured]] = {phase: {} for phase in columns}
    for phase, values in columns.items():
        for case, of_case in values.groupby(records["case"], sort=False):
            rounds = dict(zip(records.loc[of_case.index, "round"], of_case, strict=True))
            found[phase][str(case)] = _Measured(rounds, bool(unfinished[case]))
    return found


class _Candidate(NamedTuple):
    """What one file of records has for a published row: "" and None where it has nothing."""

    place: str
    case: str
    measured: _Measured | None
    opponent: _Measured | None

    @property
    def rank(self) -> int:
        """3: both ran to their end, 2: both were measured, 1: only the case, 0: nothing."""
        if self.measured and self.opponent:
            return 2 if self.measured.stopped or self.opponent.stopped else 3
        return int(self.measured is not None)


def _measured_beside(
    row: "pandas.Series[Any]",
    rows: "pandas.DataFrame",
    taken: Mapping[str, Amounts],
    suite_of: Mapping[str, str],
) -> dict[str, Any]:
    """Return the values that `beside_measured` adds to one published row."""
    first, *less = [rows.loc[number] for number in row["baseline"]]
    baseline = Amount(first["value"] - sum(one["value"] for one in less), first["bound"])
    opponents = (row["baseline_case"],) if row["baseline_case"] else first["cases"]
    phase, published = row["measured_phase"], Amount(row["value"], row["bound"])
    candidates = [_Candidate(row["suite"], "", None, None)]
    for place in taken:
        if suite_of[place] not in (row["suite"], OWN_SIZE.get(row["corpus"])):
            continue
        more = OF_TEXT.get(row["suite"], "") if suite_of[place] != row["suite"] else ""
        mine, theirs = taken[place].get(phase, {}), taken[place].get(row["baseline_phase"], {})
        case = next((one for one in _names(row["cases"], more) if one in mine), "")
        other = next((one for one in _names(opponents, more) if one in theirs), "")
        candidates.append(_Candidate(place, case, mine.get(case), theirs.get(other)))
    # The first of the highest rank; a text of the published size comes before one of the lab, and
    # further cases of a suite after it.
    candidates.sort(
        key=lambda one: (
            suite_of.get(one.place, row["suite"]) == row["suite"],
            one.place not in suite_of.values(),
        )
    )
    best = max(candidates, key=lambda one: one.rank)
    measured = best.measured and best.measured.amount(phase)
    return {
        "place": best.place,
        "published": published,
        "published_ratio": _speed_up(baseline, published, row["phase"]),
        "case": best.case,
        "measured": measured,
        "measured_ratio": best.measured
        and best.opponent
        and _measured_ratio(best.opponent, best.measured, phase, row["baseline_phase"]),
    }


def _names(cases: Iterable[str], more: str) -> list[str]:
    """Return the names of cases on a text of the published size, which lack a part."""
    return [case.replace(more, "") if more else case for case in cases]


def _measured_ratio(
    opponent: _Measured, measured: _Measured, phase: str, baseline_phase: str
) -> Amount | None:
    """Return how many times as fast a case is as its baseline, by round."""
    bound = _speed_up(opponent.amount(baseline_phase), measured.amount(phase), phase)
    if bound is None or bound.bound:
        return bound
    slow, fast = (measured, opponent) if phase == RATE else (opponent, measured)
    spread = ratio_by_round(slow.rounds, fast.rounds)
    return Amount(spread.median, "", spread)


def _speed_up(baseline: Amount, amount: Amount, phase: str) -> Amount | None:
    """Return how many times as fast something is as its baseline; None if that is not known."""
    if baseline.bound and amount.bound:
        return None
    if phase == RATE:
        # A stopped baseline has made its first merges, which are slow: a bound from above.
        return Amount(amount.value / baseline.value, amount.bound or baseline.bound)
    # If its time is a lower bound, its speed-up is an upper bound.
    bound = "<" if amount.bound else baseline.bound
    return Amount(baseline.value / amount.value, bound)


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
    cases = compared["case"][[numbers[0] for numbers in compared["baseline"]]].to_numpy()
    of_baseline = cases + ", " + compared["baseline_phase"]
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


def published_table(compared: "pandas.DataFrame", own: Collection[str]) -> str:
    """Return published against measured as a Markdown table, one line per published row.

    :param compared: of `beside_measured`.
    :param own: names of the records that were measured here; others came with the lab.
    """
    head = ("version", "corpus", "ids", "threads", "phase", "published, s", "x baseline",
            "measured: case", "phase", "measured, s", "x baseline", "by", "remark")  # fmt: skip
    lines = []
    for number, row in compared.iterrows():
        line = [
            f"{number} {row['name']} (`{row['version']}`)",
            row["corpus"],
            row["vocab_size"],
            row["threads"],
            row["phase"],
            f"{row['bound']} {row['value']:,g}{_unit(row)}".strip(),
            "baseline" if row["is_baseline"] else str(row["published_ratio"] or ""),
        ]
        if row["measured"]:
            line += [
                f"{row['place']}: {row['case']}",
                row["measured_phase"],
                f"{row['measured']}{_unit(row)}",
                "baseline" if row["is_baseline"] else str(row["measured_ratio"] or ""),
                "you" if row["place"] in own else "the lab",
            ]
        else:
            line += [""] * 5
        lines.append([*line, row["remark"]])
    return (
        markdown_table(head, lines)
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads of a measured value "
        "are those of its case; a measured total counts words with `native`. Heaps: one "
        'repetition. ">" and "<": one of the two was stopped. "By": "you" measured it on this '
        'machine; "the lab" recorded it and ships it.\n'
    )


def _unit(row: "pandas.Series[Any]") -> str:
    """Return the unit after an amount: for merges per second only, not for seconds."""
    return " merges/s" if row["phase"] == RATE else ""
