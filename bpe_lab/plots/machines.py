"""The ladder on several machines, side by side."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import count_of, three_digits
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def machines(ladders: Mapping[str, Records]) -> "Figure":
    """Draw merges per second of each stage, by machine.

    :param ladders: short name of a machine -> its records of the suite `ladder`.

    >>> from bpe_lab.corpora import data_path
    >>> from bpe_lab.results.records import load
    >>> machines({"A": load(data_path("recorded/bench/ladder.jsonl"))}).get_suptitle()
    'The ladder on 1 machine'
    """
    groups: dict[str, list[Row]] = {}
    for number, (name, records) in enumerate(ladders.items()):
        for stage, row in ladder_rows(records).to_dict("index").items():
            groups.setdefault(str(stage), []).append(
                Row(
                    name,
                    row["median"],
                    three_digits(row["median"]),
                    PALETTE[number % len(PALETTE)],
                    least=row["least"],
                    most=row["most"],
                )
            )
    return grouped_rows(
        None,
        groups,
        f"The ladder on {count_of(len(ladders), 'machine')}",
        x_label="merges per second (log scale)",
        note="Dot: median; bar: slowest to fastest run.",
    )
