"""Records of the benchmarks: the reader's own where there are some, else those of the lab."""

import os
import warnings
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpe_lab
from bpe_lab.corpora import data_path
from bpe_lab.results.machine_facts import processor
from bpe_lab.results.records import load, read_records

if TYPE_CHECKING:
    import pandas

OWN = "results/bench"
"""Where `bpe-lab bench` writes when it is called in the checkout."""


@cache
def _found(suite: str) -> tuple[Path, str]:
    """Return the file of a suite's records, and whose they are."""
    shipped = data_path(f"recorded/bench/{suite}.jsonl")
    named = os.environ.get("BPE_LAB_RESULTS", OWN)
    folder = Path(bpe_lab.__file__).resolve().parents[1] / named
    if not folder.is_dir() and named != OWN:
        warnings.warn(f"BPE_LAB_RESULTS is {named}: no folder", UserWarning, stacklevel=4)
    own = folder / f"{suite}.jsonl"
    if not own.is_file() or own.resolve() == shipped.resolve():
        return shipped, "recorded with the lab"
    if lacking := _work(shipped) - _work(own):
        case = min(case for case, *_ in lacking)
        return shipped, f"recorded with the lab (yours lack {case}, or did other work)"
    return own, "your records"


def _work(path: Path) -> set[tuple[Any, ...]]:
    """Return of each case of a file its text, by the digest, its vocabulary, and what ended it."""
    return {
        (
            one["case"],
            one.get("corpus", {}).get("sha256"),
            one.get("vocab_size"),
            one.get("stopped_by"),
        )
        for one in read_records(path)
        if not one["case"].endswith("at once")  # measured until 1.0.0
    }


def records(suite: str) -> "pandas.DataFrame":
    """Return the records of a suite, a row per value: yours if you measured it, else the lab's.

    Yours must have all cases that those of the lab have, on the same texts, with the same
    vocabularies and to the same end, for which the notebooks are written.
    `BPE_LAB_RESULTS` in the environment names another folder than `results/bench`, from the
    checkout. `bpe_lab.results.tables.summary` makes one row per case of them.

    :param suite: its id, as `bpe-lab bench` lists them.
    :raises FileNotFoundError: neither has records of it.

    >>> records("ladder")["case"].iloc[0]
    'naive'
    """
    return load(_found(suite)[0])


def source(suite: str) -> str:
    """Return whose records of a suite are shown, their processor and n: for a caption.

    >>> source("ladder").partition(":")[0]
    'recorded with the lab'
    """
    path, whose = _found(suite)
    found = load(path)
    n = found.groupby("case").size()
    values = f"n = {n.min()}{f' to {n.max()}' if n.min() < n.max() else ''}"
    return f"{whose}: {processor(found['machine'].iloc[0])}, {values}"
