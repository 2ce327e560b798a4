"""Published timings beside those of this machine.

Seconds from two machines, texts and languages cannot be compared directly. What can be compared is
how many times as fast a version is as its baseline, there and here. Each row names the suite and
case that correspond to it, and its baseline.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.results.speed_up import (
    Amount,
    Measured,
    measured_ratio,
    seconds_of_first,
    speed_up,
)
from bpe_lab.results.tables import require_comparable

if TYPE_CHECKING:
    import pandas

OWN_SIZE = {"TinyStoriesV2-GPT4-train": "tinystories", "OpenWebText": "openwebtext"}
"""Published text -> the suite with a synthetic text like it, of its size at scale "full"."""

OF_TEXT = {"ladder": "stories, ", "counting": "stories, ", "vocab": ", 32,000 ids"}
"""Suite -> what the names of its cases say that those on a text of the published size do not."""

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
    for records in suites.values():
        require_comparable(records)
    taken: dict[str, Any] = {
        name: dict(iter(records.groupby("case"))) for name, records in suites.items()
    }
    suite_of = {name: str(records["suite"].iloc[0]) for name, records in suites.items()}
    added = [_measured_beside(row, rows, taken, suite_of) for _, row in rows.iterrows()]
    found = rows.join(pandas.DataFrame(added, index=rows.index, dtype=object))
    found["remark"] = [
        "; ".join(filter(None, [row["remark"], row["of_first"]]))
        if row["measured"]
        else f"not measured: {_why_not(row, suites)}"
        for _, row in found.iterrows()
    ]
    return found.assign(repetition=_repetitions(found))


@dataclass(frozen=True)
class _Candidate:
    """What one file of records has for a published row: None where it has nothing."""

    place: str
    match: int = 0  # how many of the row's cases, the best match first, come before it
    measured: Measured | None = None
    opponent: Measured | None = None

    @cached_property
    def ratio(self) -> Amount | None:
        """How many times as fast it is as its baseline."""
        if self.measured is None or self.opponent is None:
            return None
        return measured_ratio(self.opponent, self.measured)

    @property
    def of_first(self) -> str:
        """The seconds of a ratio over the first merges, in words."""
        if self.measured is None or self.opponent is None:
            return ""
        return seconds_of_first(self.opponent, self.measured)

    @property
    def rank(self) -> int:
        """3: a ratio is known, 2: a bound, or both were stopped, 1: only the case, 0: nothing."""
        if self.measured and self.opponent:
            return 3 if self.ratio and not self.ratio.bound else 2
        return int(self.measured is not None)


def _measured_beside(
    row: "pandas.Series[Any]",
    rows: "pandas.DataFrame",
    taken: "Mapping[str, Mapping[str, pandas.DataFrame]]",
    suite_of: Mapping[str, str],
) -> dict[str, Any]:
    """Return the values that `beside_measured` adds to one published row."""
    first, *less = [rows.loc[number] for number in row["baseline"]]
    baseline = Amount(first["value"] - sum(one["value"] for one in less), first["bound"])
    opponents = (row["baseline_case"],) if row["baseline_case"] else first["cases"]
    published = Amount(row["value"], row["bound"])
    candidates = [_Candidate(row["suite"])]
    for place, cases in taken.items() if row["suite"] else ():
        if suite_of[place] not in (row["suite"], OWN_SIZE.get(row["corpus"])):
            continue
        more = OF_TEXT.get(row["suite"], "") if suite_of[place] != row["suite"] else ""
        names = _names(row["cases"], more)
        mine = _first(cases, names, row["measured_phase"])
        theirs = _first(cases, _names(opponents, more), row["baseline_phase"])
        match = names.index(mine.case) if mine else len(names)
        candidates.append(_Candidate(place, match, mine, theirs))
    # The first of the highest rank; a text of the published size comes before one of the lab, then
    # the best match, and further cases of a suite after it.
    candidates.sort(
        key=lambda one: (
            suite_of.get(one.place, row["suite"]) == row["suite"],
            one.match,
            one.place not in suite_of.values(),
        )
    )
    best = max(candidates, key=lambda one: one.rank)
    return {
        "place": best.place,
        "published": published,
        "published_ratio": speed_up(baseline, published, row["phase"]),
        "case": best.measured.case if best.measured else "",
        "measured": best.measured and best.measured.amount,
        "measured_ratio": best.ratio,
        "of_first": "" if row["is_baseline"] else best.of_first,
    }


def _first(
    cases: "Mapping[str, pandas.DataFrame]", names: Iterable[str], phase: str
) -> Measured | None:
    """Return the first of the named cases that was measured and has a phase."""
    found = (Measured(name, cases[name], phase) for name in names if name in cases)
    return next((one for one in found if not isnan(one.amount.value)), None)


def _names(cases: Iterable[str], more: str) -> list[str]:
    """Return the names of cases on a text of the published size, which lack a part."""
    return [case.replace(more, "") if more else case for case in cases]


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
    found: pandas.Series[bool] = itself | merged | shown.reindex(compared.index, fill_value=False)
    return found


def speed_ups(compared: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the rows with a speed-up there and here, each shown once."""
    both = compared.dropna(subset=["published_ratio", "measured_ratio"])
    return both[~both["repetition"]]


def measured_over_published(compared: "pandas.DataFrame") -> "pandas.Series[float]":
    """Return measured over published speed-ups, of the runs that ended: by row.

    :param compared: of `beside_measured`.
    """
    import pandas

    shown = speed_ups(compared)
    pairs = zip(shown.index, shown["published_ratio"], shown["measured_ratio"], strict=True)
    factors = {
        row: here.value / there.value
        for row, there, here in pairs
        if not (there.bound or here.bound or here.first)
    }
    return pandas.Series(factors, dtype=float)
