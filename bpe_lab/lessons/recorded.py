"""Records of the benchmarks: the reader's own where there are some, else those of the lab."""

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import bpe_lab
from bpe_lab.corpora import data_path
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.records import load

if TYPE_CHECKING:
    import pandas

OWN = "results/bench"
"""Where `bpe-lab bench` writes when it is called in the checkout."""


@cache
def _found(suite: str) -> tuple[Path, str]:
    """Return the file of a suite's records, and whose they are."""
    shipped = data_path(f"recorded/bench/{suite}.jsonl")
    named = os.environ.get("BPE_LAB_RESULTS", OWN)
    own = Path(bpe_lab.__file__).resolve().parents[1] / named / f"{suite}.jsonl"
    if not own.exists() or own.resolve() == shipped.resolve():
        return shipped, "recorded with the lab"
    return own, "your records" if named == OWN else "the records that you named"


def records(suite: str) -> "pandas.DataFrame":
    """Return the records of a suite, a row per value: yours if you measured it, else the lab's.

    `BPE_LAB_RESULTS` in the environment names another folder than `results/bench`, from the
    checkout. `bpe_lab.results.tables.summary` makes one row per case of them.

    :param suite: its id, as `bpe-lab bench` lists them.
    :raises FileNotFoundError: neither has records of it.

    >>> records("ladder")["case"].iloc[0]
    'naive'
    """
    return load(_found(suite)[0])


def source(suite: str) -> str:
    """Return whose records of a suite are shown, and of which machine: for a caption.

    >>> "CPU" in source("ladder")
    True
    """
    path, whose = _found(suite)
    return f"{whose}, {machine_line(load(path)['machine'].iloc[0])}"
