"""Parts of titles and captions that several figures share."""

from typing import TYPE_CHECKING, Any, cast

from bpe_lab.plots.style import is_headline
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import text_size

if TYPE_CHECKING:
    import pandas


FRESH = "each in a fresh process"
"""How benchmarks run, for captions."""


def caption(records: "pandas.DataFrame", what: str = "", where: str = FRESH) -> str:
    """Return what a reader needs to trust a figure: the text, the number of values, the machine."""
    values = records.groupby("case").size()
    least, most = int(values.min()), int(values.max())
    times = f"Median of {most}" if least == most else f"Median of {least} to {most}"
    measured = f"{times} values per case" if most > 1 else "One value per case"
    machines = dict.fromkeys(map(machine_line, records["machine"]))
    return "\n".join(
        [
            *([what] if what else []),
            _texts_line(records) + f"{measured}, {where}.",
            *(f"{machine}." for machine in machines),
        ]
    )


def _texts_line(records: "pandas.DataFrame") -> str:
    """Return the texts of records, and the number of ids if it is the same; "" without a text."""
    if "corpus" not in records:
        return ""
    # Of several sizes of one text, the largest; made-up counts have no size, and are not a text.
    sizes = records.dropna(subset=["corpus"]).groupby("corpus")["corpus_bytes"].max()
    texts = ", ".join(
        f"{name} ({text_size(size)})" if size else str(name) for name, size in sizes.items()
    )
    ids = records["vocab_size"].dropna().unique().tolist() if "vocab_size" in records else []
    return f"{texts}{f', {int(ids[0]):,} ids' if len(ids) == 1 else ''}. "


def best_headline(rows: "pandas.DataFrame") -> str:
    """Return the last headline stage of `ladder_rows`, or its last stage if it has none."""
    headline = [str(stage) for stage in rows.index if is_headline(str(stage))]
    return headline[-1] if headline else str(rows.index[-1])


def median_trace(records: "pandas.DataFrame", stage: str) -> dict[str, list[Any]]:
    """Return the trace of the run with the median rate (the lower of the middle two)."""
    runs = records[records["stage"] == stage].sort_values("merges_per_second")
    return cast("dict[str, list[Any]]", runs["trace"].iloc[(len(runs) - 1) // 2])
