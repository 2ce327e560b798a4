"""The records that come with the lab, of which the prose of the notebooks speaks."""

from typing import TYPE_CHECKING

from bpe_lab.corpora import data_path
from bpe_lab.results.records import load

if TYPE_CHECKING:
    import pandas


def records(suite: str) -> "pandas.DataFrame":
    """Return the records of a suite, a row per value.

    :param suite: its id, as `bpe-lab bench` lists them.
    :raises FileNotFoundError: there are none.

    >>> "naive" in set(records("ladder")["case"])
    True
    """
    return load(data_path(f"recorded/bench/{suite}.jsonl"))
