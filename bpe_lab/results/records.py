"""Benchmark records: one JSON line per measured value."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bpe_lab.support.files import PathLike, write_file
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.training.training import Training

if TYPE_CHECKING:
    import pandas

MERGING = tuple(phase for phase in PHASES if phase != "count")
"""The phases of merging, in every table and figure: all but `count`."""

TRACE_POINTS = 200

Record: TypeAlias = dict[str, Any]
"""The record of one measured value: `FIELDS`, and what a suite's columns need."""

FIELDS = (
    "suite", "case", "round", "scale", "options", "params", "agrees", "utc", "seconds",
    "operations", "digest", "machine", "versions", "commit", "process_seconds", "cpu_seconds",
    "peak_rss_mb",
)  # fmt: skip
"""Of every record. `options` of the command, `params` of the function and its process; cases that
have the same text in `agrees` must have the same digest; `process_seconds` are from the start of
the process until its end, `cpu_seconds` of all its threads and workers. More: `corpus` (name,
sha256 and bytes of the text), `phases` (name -> seconds), `reference` (case and seconds of what ran
beside it)."""


def training_facts(training: Training) -> dict[str, Any]:
    """Return the fields of a record for a training.

    >>> from bpe_lab import train_from_counts
    >>> training_facts(train_from_counts({b"low": 5}, 258, []))["stopped_by"]
    'vocab_size'
    """
    merge_seconds = training.seconds - training.phases["count"]
    return {
        "stage": training.stage,
        "n_merges": len(training.merges),
        "digest": training.merges_sha256,
        "stopped_by": training.stopped_by,
        "phases": training.phases,
        "seconds": training.seconds,
        "merge_seconds": merge_seconds,
        "merges_per_second": len(training.merges) / merge_seconds,
        "operations": training.operations,
        "trace": _thin_trace(training),
    }


def _thin_trace(training: Training) -> dict[str, list[Any]]:
    """Return at most 200 merges of the trace: dense at the start, and never far apart."""
    trace, half, last = training.trace, TRACE_POINTS // 2, len(training.trace) - 1
    ranks = list(range(len(trace)))
    if len(trace) > TRACE_POINTS:
        even = {round(last * step / (half - 1)) for step in range(half)}
        growing = {round(len(trace) ** (step / (half - 1))) - 1 for step in range(half)}
        ranks = sorted(even | growing)
    return {
        "rank": ranks,
        "count": [trace.counts[rank] for rank in ranks],
        "seconds": [trace.seconds[rank] for rank in ranks],
    }


def append(path: PathLike, record: Record) -> None:
    """Add a record to a file as one line, in one write."""
    with Path(path).open("ab", buffering=0) as file:
        file.write(_line_of(record))


def read_records(path: PathLike) -> list[Record]:
    """Read a file of records; a last line that is torn, because its writer was killed, is left out.

    :param path: a `.jsonl` file written by `append`.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is not a record, or of an earlier version of bpe_lab.
    """
    lines = Path(path).read_bytes().split(b"\n")[:-1]
    try:
        records: list[Record] = [json.loads(line) for line in lines]
    except ValueError:
        records = [{}]
    if any({*FIELDS} - record.keys() for record in records):
        raise ValueError(f"{path} has no records of this version: measure again, with --force")
    return records


def write_records(path: PathLike, records: Iterable[Record]) -> None:
    """Write a file of records; it replaces an older one when it is complete."""
    write_file(Path(path), b"".join(map(_line_of, records)))


def _line_of(record: Mapping[str, object]) -> bytes:
    # A lone surrogate, from a file name that is not UTF-8, is written as a JSON escape.
    return json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def load(path: PathLike) -> "pandas.DataFrame":
    """Read a file of records into a table, as `to_dataframe` makes it of `read_records`.

    :param path: a `.jsonl` file written by `append`.
    """
    return to_dataframe(read_records(path))


def to_dataframe(records: Iterable[Record]) -> "pandas.DataFrame":
    """Return records as a table, one row each.

    :param records: from a file, say.
    :return: the fields of a record, with corpus (name), corpus_sha256 and corpus_bytes, one column
        per parameter of a suite's case (`param_threads`, ...) and one of seconds per phase
        (`phase_count`, ...); operations, trace and machine stay dicts.

    >>> len(to_dataframe([]))
    0
    """
    import pandas

    rows = []
    for record in records:
        row = {
            name: of for name, of in record.items() if name not in ("corpus", "phases", "params")
        }
        if corpus := record.get("corpus"):
            row["corpus"] = corpus["name"]
            row["corpus_sha256"] = corpus["sha256"]
            row["corpus_bytes"] = corpus["bytes"]
        row |= {f"param_{name}": value for name, value in record["params"].items()}
        row |= {f"phase_{phase}": value for phase, value in record.get("phases", {}).items()}
        rows.append(row)
    return pandas.DataFrame(rows)
