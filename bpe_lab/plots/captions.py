"""What several figures say in their titles, labels and captions."""

from typing import TYPE_CHECKING, Any, cast

from matplotlib.axes import Axes

from bpe_lab.plots.style import is_headline
from bpe_lab.results.machine_facts import machine_line

if TYPE_CHECKING:
    import pandas


FRESH = "each in a fresh process"
"""How a benchmark runs, for captions."""


def measured_line(records: "pandas.DataFrame", where: str = FRESH) -> str:
    """Return the line of a caption that says what was measured, how often and where.

    :param records: comparable records.
    :param where: in which process the runs took place.
    """
    first = records.iloc[0]
    runs = records.groupby("stage").size()
    times = str(runs.min()) if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
    return (
        f"{first['corpus']} ({first['corpus_bytes'] / 1e6:.1f} MB), {first['vocab_size']:,} ids; "
        f"median of {times} run{'s' * (times != '1')} per stage, {where}.\n"
        f"{machine_line(first['machine'])}."
    )


def best_headline(table: "pandas.DataFrame") -> str:
    """Return the last headline stage of a summary, the last stage when it has none."""
    headline = [str(stage) for stage in table.index if is_headline(str(stage))]
    return headline[-1] if headline else str(table.index[-1])


def median_trace(records: "pandas.DataFrame", stage: str) -> dict[str, list[Any]]:
    """Return the trace of a stage's run with the median rate (the lower of the middle two)."""
    runs = records[records["stage"] == stage].sort_values("merges_per_second")
    return cast("dict[str, list[Any]]", runs["trace"].iloc[(len(runs) - 1) // 2])


def name_rows(axes: Axes, stages: list[str]) -> None:
    """Write the stages' names on the y axis, the first on top, headline stages in bold."""
    axes.set_yticks(range(len(stages)), stages)
    for label, stage in zip(axes.get_yticklabels(), stages, strict=True):
        label.set_fontweight("bold" if is_headline(stage) else "normal")
    axes.set_ylim(len(stages) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def two_digits(number: float) -> str:
    """Return a number rounded to two significant digits.

    >>> two_digits(6915.2), two_digits(28.84), two_digits(1.264)
    ('6,900', '29', '1.3')
    """
    rounded = float(f"{number:.1e}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def suite_caption(records: "pandas.DataFrame", what: str = "") -> str:
    """Return the caption of a suite's figure: what a reader must know, how often, and where.

    :param records: of one suite.
    :param what: sentences before it; "" for none.
    """
    values = records.groupby("case").size()
    times = str(values.min()) if values.min() == values.max() else f"{values.min()}-{values.max()}"
    texts = (
        f"Texts: {', '.join(sorted(map(text_size, corpora_of(records))))}. "
        if "corpus" in records
        else ""
    )
    lines = list(dict.fromkeys(machine_line(machine) for machine in records["machine"]))
    return (
        (f"{what}\n" if what else "")
        + f"{texts}Median of {times} value{'s' * (times != '1')} per case, {FRESH}.\n"
        + "\n".join(f"{line}." for line in lines)
    )


def corpora_of(records: "pandas.DataFrame") -> set[tuple[str, int]]:
    """Return name and size of the texts of records; of several sizes of one text, the largest."""
    sizes = records.dropna(subset=["corpus"]).groupby("corpus")["corpus_bytes"].max()
    return {(str(name), int(size)) for name, size in sizes.items()}


def text_size(text: tuple[str, int]) -> str:
    """Return the name and size of a text.

    >>> text_size(("stories", 5_000_331)), text_size(("languages", 13_988))
    ('stories (5.0 MB)', 'languages (14 KB)')
    """
    name, size = text
    return f"{name} ({size / 1e6:.1f} MB)" if size >= 1e5 else f"{name} ({size / 1e3:.0f} KB)"
