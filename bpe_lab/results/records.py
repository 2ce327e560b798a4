"""Benchmark records: one JSON line per measured value, and the table made of them."""

import json
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.api import PathLike
from bpe_lab.files import write_aside
from bpe_lab.training import Training

if TYPE_CHECKING:
    import pandas

SCHEMA = 1
"""Raised when a field changes its meaning; a new field does not raise it."""

TRACE_POINTS = 200


def record(
    training: Training,
    corpus_name: str,
    corpus_sha256: str,
    corpus_bytes: int,
    *,
    vocab_size: int,
    threads: int,
    time_budget: float | None,
    validated: dict[str, Any],
    peak_rss_mb: float,
    machine: dict[str, Any],
    utc: str,
) -> dict[str, Any]:
    """Return the record of one training, ready for JSON.

    :param training: from `bpe_lab.train`.
    :param corpus_name: a name, not a path.
    :param corpus_sha256: digest of the file.
    :param corpus_bytes: its size.
    :param vocab_size: number of ids that were asked for.
    :param threads: processes or threads of the counter.
    :param time_budget: seconds of merging that were allowed, None without a limit.
    :param validated: what was checked.
    :param peak_rss_mb: the most memory that the process had resident, in MB (10**6 bytes).
    :param machine: from `machine_facts`.
    :param utc: time of the measurement, ISO 8601.
    :return: the arguments and what `training_facts` returns.

    >>> from bpe_lab import train_from_counts
    >>> made = record(train_from_counts({b"low": 5}, 258, []), "low", "", 3, vocab_size=258,
    ...     threads=1, time_budget=None, validated={}, peak_rss_mb=20.0, machine={}, utc="")
    >>> made["n_merges"], made["trace"]["count"]
    (2, [5, 5])
    """
    return {
        "schema": SCHEMA,
        "utc": utc,
        "corpus": {"name": corpus_name, "sha256": corpus_sha256, "bytes": corpus_bytes},
        "threads": threads,
        "vocab_size": vocab_size,
        "time_budget": time_budget,
        "validated": validated,
        **training_facts(training),
        "peak_rss_mb": peak_rss_mb,
        "machine": machine,
    }


def training_facts(training: Training) -> dict[str, Any]:
    """Return what a record says of a training.

    :param training: from `bpe_lab.train`.
    :return: stage, counter, special_tokens, n_merges, digest, stopped_by, phases, seconds,
        merge_seconds (all but `count`), merges_per_second, operations and the trace thinned to 200
        points.

    >>> from bpe_lab import train_from_counts
    >>> training_facts(train_from_counts({b"low": 5}, 258, []))["stopped_by"]
    'vocab_size'
    """
    merge_seconds = training.seconds - training.phases["count"]
    return {
        "stage": training.stage,
        "counter": training.counter,
        "special_tokens": list(training.special_tokens),
        "n_merges": len(training.merges),
        "digest": training.merges_sha256,
        "stopped_by": training.stopped_by,
        "phases": training.phases,
        "seconds": training.seconds,
        "merge_seconds": merge_seconds,
        "merges_per_second": len(training.merges) / merge_seconds,
        "operations": training.operations,
        "trace": thin_trace(training),
    }


def thin_trace(training: Training) -> dict[str, list[Any]]:
    """Return at most 200 points of the trace: columns rank (0 for the first), count and seconds."""
    trace = training.trace
    ranks = thin_ranks(len(trace))
    return {
        "rank": ranks,
        "count": [trace.counts[rank] for rank in ranks],
        "seconds": [trace.seconds[rank] for rank in ranks],
    }


def thin_ranks(n_merges: int) -> list[int]:
    """Return at most 200 ranks, first and last included, close at the start and never far apart.

    Half of them are evenly spaced, for linear axes; half grow by a constant factor, for log axes.

    >>> thin_ranks(4), len(thin_ranks(30_000)), thin_ranks(30_000)[-1]
    ([0, 1, 2, 3], 184, 29999)
    """
    if n_merges <= TRACE_POINTS:
        return list(range(n_merges))
    half, last = TRACE_POINTS // 2, n_merges - 1
    even = {round(last * step / (half - 1)) for step in range(half)}
    growing = {round(n_merges ** (step / (half - 1))) - 1 for step in range(half)}
    return sorted(even | growing)


def append(path: PathLike, new_record: dict[str, Any]) -> None:
    """Add one record to a file as one line.

    The line goes out in one write at the end of the file, so writers do not mix, and a writer that
    is killed leaves at most one torn line, which the next record does not continue.

    :param path: a `.jsonl` file; made when there is none.
    :param new_record: from `record`.
    :raises OSError: it cannot be written.
    """
    line = line_of(new_record)
    # Unbuffered and appending: one write, always at the end.
    with Path(path).open("ab+", buffering=0) as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = b"\n" + line
        if file.write(line) != len(line):
            raise OSError(f"{path}: the disk took only a part of the record")


def read_records(path: PathLike) -> tuple[list[dict[str, Any]], list[int]]:
    """Read a file of records.

    :param path: a `.jsonl` file written by `append`.
    :return: the records, and the numbers of the lines that are torn: their writer was killed.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is no record, or was written by a later version of bpe_lab.
    """
    records, torn = [], []
    for number, line in enumerate(Path(path).read_bytes().splitlines(), start=1):
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            torn.append(number)
            continue
        check_record(one, f"{path}, line {number}")
        records.append(one)
    return records, torn


def check_record(one: Any, where: str) -> None:
    """Check that something read from a file can be a record.

    :param one: what a line held.
    :param where: file and line, for the message.
    :raises ValueError: it is no record, or was written by a later version of bpe_lab.

    >>> check_record({"schema": 1, "seconds": 0.5}, "records.jsonl, line 1")
    """
    if not isinstance(one, dict) or not isinstance(one.get("schema"), int):
        raise ValueError(f"{where}: no record of bpe_lab: remove the line, or name another folder")
    if one["schema"] > SCHEMA:
        raise ValueError(f"{where}: schema {one['schema']} is from a later bpe_lab: update it")
    kinds: dict[str, type | tuple[type, ...]] = {"seconds": (int, float)}
    if "suite" in one:
        kinds |= {"case": str, "round": int, "digest": str, "params": dict, "machine": dict}
    for name, kind in kinds.items():
        if not isinstance(one.get(name), kind):
            raise ValueError(f"{where}: the record has no valid {name!r}: remove the line")
    if not one["seconds"] > 0:
        raise ValueError(f"{where}: its seconds are {one['seconds']}: remove the line")


def write_records(path: PathLike, records: Iterable[dict[str, Any]]) -> None:
    """Write a file of records anew; an older one is replaced when the new one is complete.

    :raises OSError: it cannot be written.
    """
    write_aside(Path(path), b"".join(map(line_of, records)))


def line_of(one: dict[str, Any]) -> bytes:
    r"""Return a record as a line of its file.

    >>> line_of({"schema": 1})
    b'{"schema": 1}\n'
    """
    return json.dumps(one, ensure_ascii=False).encode() + b"\n"


def load(path: PathLike) -> "pandas.DataFrame":
    """Read a file of records into a table.

    :param path: a `.jsonl` file written by `append`.
    :return: as `to_dataframe`.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a record was written by a later version of bpe_lab.
    :warns UserWarning: a line is torn: the process that wrote it was killed.
    """
    records, torn = read_records(path)
    for number in torn:
        warnings.warn(
            f"{path}, line {number}: not a whole record, its writer was stopped; left out",
            UserWarning,
            stacklevel=2,
        )
    return to_dataframe(records)


def to_dataframe(records: Iterable[dict[str, Any]]) -> "pandas.DataFrame":
    """Return records as a table, one row each.

    :param records: dicts as they stand in a file of records.
    :return: the fields of a record, with corpus (name), corpus_sha256 and corpus_bytes, one column
        per parameter of a suite's case (`param_threads`, ...) and one of seconds per phase
        (`phase_count`, ...); operations, trace, machine and validated stay dicts.

    >>> len(to_dataframe([]))
    0
    """
    import pandas

    rows = []
    for one in records:
        row = {
            key: value for key, value in one.items() if key not in ("corpus", "phases", "params")
        }
        if corpus := one.get("corpus"):
            row["corpus"] = corpus["name"]
            row["corpus_sha256"] = corpus["sha256"]
            row["corpus_bytes"] = corpus["bytes"]
        row |= {f"param_{name}": value for name, value in one.get("params", {}).items()}
        row |= {f"phase_{phase}": seconds for phase, seconds in one.get("phases", {}).items()}
        rows.append(row)
    return pandas.DataFrame(rows)
