"""Parts of titles and captions that several figures share."""

from typing import TYPE_CHECKING, Any, cast

from bpe_lab.plots.style import is_headline
from bpe_lab.results.ladder import median_run
from bpe_lab.results.numbers import text_size

if TYPE_CHECKING:
    import pandas


def caption(records: "pandas.DataFrame", what: str = "") -> str:
    """Return what stands below a figure: what it shows, the text, n and the processor.

    The footnote of the table beside it has the rest.
    """
    n = records.groupby("case").size()
    values = f"n = {n.min()}" + (f" to {n.max()}" if n.min() < n.max() else "")
    processors = ", ".join(dict.fromkeys(machine["cpu"] for machine in records["machine"]))
    return " ".join(filter(None, [what, f"{_texts(records)}{values}, {processors}."]))


def _texts(records: "pandas.DataFrame") -> str:
    """Return the texts of records, and the number of ids if it is the same; "" without a text."""
    if "corpus" not in records:
        return ""
    # Of several sizes of one text, the largest; made-up counts have no size, and are not a text.
    sizes = records.dropna(subset=["corpus"]).groupby("corpus")["corpus_bytes"].max()
    texts = ", ".join(
        f"{name} ({text_size(size)})" if size else str(name) for name, size in sizes.items()
    )
    ids = records["vocab_size"].dropna().unique().tolist() if "vocab_size" in records else []
    return f"{texts}{f', {int(ids[0]):,} ids' if len(ids) == 1 else ''}; "


def best_headline(rows: "pandas.DataFrame") -> str:
    """Return the last headline stage of `ladder_rows`, or its last stage if it has none."""
    headline = [str(stage) for stage in rows.index if is_headline(str(stage))]
    return headline[-1] if headline else str(rows.index[-1])


def median_trace(records: "pandas.DataFrame", stage: str) -> dict[str, list[Any]]:
    """Return the trace of the run of a stage with the median time."""
    run = median_run(records[records["stage"] == stage])
    return cast("dict[str, list[Any]]", run["trace"].iloc[0])
