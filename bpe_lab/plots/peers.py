"""Public trainers beside ours."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from bpe_lab.plots.grouped_rows import Row, grouped_rows
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.results.numbers import duration, significant, text_size

if TYPE_CHECKING:
    import pandas


def peer_ratios(
    records: "pandas.DataFrame",
    rows: "pandas.DataFrame",
    *,
    ours: str,
    other_words: Collection[str],
    educational: Collection[str],
) -> Figure:
    """Draw one row per text and trainer: the trainer's time over ours.

    :param records: of the suite `peers`.
    :param rows: their summary with the columns on (the text) and ratio.
    :param ours: name of our trainer.
    :param other_words: trainers that cut the text into other words than ours.
    :param educational: trainers that are not made to be fast.
    :raises ValueError: ours was not measured on any of the texts.
    """
    rows = rows.dropna(subset=["ratio"])
    if rows.empty:
        raise ValueError(f"no records of {ours!r}: measure it on the same text")
    groups: dict[str, list[Row]] = {}
    for _, row in rows.sort_values("ratio").iterrows():
        trainer, our_seconds = row["param_trainer"], row["median"] / row["ratio"]
        groups.setdefault(row["on"], []).append(
            Row(
                label=f"{trainer}{'*' if trainer in other_words else ''}",
                value=row["ratio"],
                least=row["least"] / our_seconds,
                most=row["most"] / our_seconds,
                text=f"{'' if row['complete'] else 'more than '}{duration(row['median'])}"
                + ("" if trainer == ours else f", x {significant(row['ratio'])}"),
                color=stage_color(DEFAULT_STAGE) if trainer == ours else UNKNOWN,
                more=not row["complete"],
            )
        )
    texts = rows.drop_duplicates("on").set_index("on")
    return grouped_rows(
        records,
        {text_name(texts.loc[on]): groups[str(on)] for on in texts.index},
        message(rows[(rows["param_trainer"] != ours) & rows["complete"]], educational),
        x_label="time over ours on the same text (log scale)",
        note="Whole job on one CPU, import and reading included. Line: fastest to slowest. Arrow: "
        "stopped, it takes longer. *: other words than ours, by line or by characters.",
        reference=1,
    )


def text_name(row: "pandas.Series[Any]") -> str:
    """Return the name of a text, with its size and the number of ids."""
    size = text_size(row["corpus_bytes"])
    return f"{row['corpus']} ({size}), {row['param_vocab_size']:,} ids"


def message(others: "pandas.DataFrame", educational: Collection[str]) -> str:
    """Return the title: on each text the fastest other trainer, and its time over ours."""
    fastest = [
        f"{significant(row['ratio'])} on {on} ({row['param_trainer']})"
        for on, group in others.groupby("on", sort=False)
        for _, row in group.nsmallest(1, "ratio").iterrows()
        if row["param_trainer"] not in educational
    ]
    if not fastest:
        return "No public trainer is installed beside ours"
    return f"The fastest other trainer takes this many times our time: {', '.join(fastest)}"
