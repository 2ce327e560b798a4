"""Benchmark records: one JSON line per measured value, and the table made of them."""

import json
import os
import types
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    NotRequired,
    TypedDict,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from bpe_lab.results.disturbance import is_fixed_work
from bpe_lab.support.files import PathLike, write_aside
from bpe_lab.training.training import Training
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    import pandas

SCHEMA = 2
"""Raised when a field changes its meaning; a new field does not raise it."""

TRACE_POINTS = 200


class Record(TypedDict):
    """What is kept of one measured value. Seconds are floats, MB are 10**6 bytes."""

    schema: int
    seconds: float
    """The value: the mean of one repetition, above 0."""
    digest: str
    """SHA-256 of the result; of a training, `Training.merges_sha256`."""
    operations: dict[str, int]
    """Name -> count, the same on every machine."""
    machine: dict[str, Any]
    """From `machine_facts`."""
    utc: str
    """When the value was there, ISO 8601."""
    peak_rss_mb: float
    """The most memory that the process had resident."""

    # Of a suite: what was asked for.
    suite: NotRequired[str]
    case: NotRequired[str]
    params: NotRequired[dict[str, Any]]
    """What the case gave to the function and its process."""
    agrees: NotRequired[str]
    """Cases with the same non-empty value must have the same digest."""
    round: NotRequired[int]
    """1 for the first value of each case."""
    scale: NotRequired[str]
    options: NotRequired[dict[str, Any]]
    """Other options of the command (file, budget, threads, vocab_size), as far as given."""
    code: NotRequired[str | dict[str, str | None]]
    """From `code_facts`; in older records a digest of the sources."""
    load: NotRequired[float | None]
    """Load average of the last minute before it."""
    fixed_work: NotRequired[dict[str, Any]]
    """Seconds of a fixed piece of work around it, as `is_fixed_work` says."""

    # Of the process.
    anonymous_mb: NotRequired[float | None]
    """Memory at the end that no file stands behind; None where the system does not tell."""
    peak_anonymous_mb: NotRequired[float | None]
    """The most of it, looked at from outside fifty times a second."""
    cpu_seconds: NotRequired[float]
    """Of all its threads, and of its workers."""
    process_seconds: NotRequired[float]
    """From the start of the process until the value was there."""
    cpus: NotRequired[int | None]
    """CPUs it might run on, None where that cannot be told."""
    each_seconds: NotRequired[list[float]]
    """Of processes that did the same at the same time; the value is the slowest."""

    # Of the work.
    corpus: NotRequired[dict[str, Any]]
    """name (no path), sha256 and bytes of the text."""
    threads: NotRequired[int]
    loops: NotRequired[int]
    """How often the work was repeated for one value."""
    stopped_by: NotRequired[str]
    """"vocab_size", "no_pair_left" or "time_budget"."""
    n_merges: NotRequired[int]
    phases: NotRequired[dict[str, float]]
    """Name -> seconds."""
    validated: NotRequired[dict[str, Any]]
    """What was checked."""

    # Of a training.
    stage: NotRequired[str]
    counter: NotRequired[str | None]
    special_tokens: NotRequired[list[str]]
    pattern: NotRequired[str]
    """Of the words: an id of `bpe_lab.PATTERNS`, or a regex; "gpt2" where it is not said."""
    vocab_size: NotRequired[int]
    """Ids that were asked for."""
    time_budget: NotRequired[float | None]
    """Seconds of merging that were allowed, None without a limit."""
    merge_seconds: NotRequired[float]
    """Of all phases but `count`."""
    merges_per_second: NotRequired[float]
    trace: NotRequired[dict[str, list[Any]]]
    """At most 200 points: rank, count and seconds."""
    count_loops: NotRequired[int]
    """How often the counting was repeated."""

    # Of a counter.
    megabytes_per_second: NotRequired[float]
    largest_worker_mb: NotRequired[float]
    """The most memory that one worker process had resident, 0 without workers."""

    # Of a vocabulary; text -> [ids, tokens of the text] by size, and its bytes.
    tokens_by_ids: NotRequired[dict[str, list[list[int]]]]
    bytes_of_texts: NotRequired[dict[str, int]]

    # Of memory.
    grown_mb: NotRequired[float]
    """Peak while the stage or counter ran, less what was resident before it."""
    estimate_mb: NotRequired[float]
    """What `memory_estimate` said before."""
    """Anonymous memory that stays taken when the stage is gone."""

    # Of maps, heaps and selections.
    probes_per_look_up: NotRequired[float | None]
    first_seconds: NotRequired[float]
    """Of the first selection, which builds what the others use."""

    # Of two programs in turns.
    in_turns: NotRequired[list[list[float]]]
    """Seconds of the one and of the other, for each turn."""
    again_in_turns: NotRequired[list[list[float]]]
    """The same, of the second time that each encoder met the text."""
    ids_equal: NotRequired[bool]
    """Whether an encoder gave our ids; if not, its seconds are no speed."""
    distinct_words: NotRequired[int]
    kind: NotRequired[str]
    """Which of the questions of a suite it is about."""
    idea: NotRequired[str]
    """What one of them has and the other has not."""

    # Of limits.
    array_bytes: NotRequired[int]
    """Of the array of tokens."""
    nanoseconds_by_bytes: NotRequired[dict[str, float]]
    """Size of an array -> of one place or position."""
    place_seconds: NotRequired[dict[str, float]]
    """Way to touch a place -> for all positions that a training looked at."""

    # Of a processor; part ("count", "set_up" or "merge") -> event -> how often.
    simulated: NotRequired[dict[str, dict[str, int]]]
    """By cachegrind."""

    # Of a trainer of others.
    version: NotRequired[str]
    import_seconds: NotRequired[float]
    """Part of `seconds`."""
    leading_equal: NotRequired[int]
    """Tokens, from the first on, that equal ours."""
    left_out: NotRequired[list[str]]
    """Trainers that were not installed."""


OF_A_SUITE = ("suite", "case", "params", "round", "scale", "options", "code")
"""What a record in a file must have besides: suites write all of them."""


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
) -> Record:
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
    made = {
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
    return cast(Record, made)


def training_facts(training: Training) -> dict[str, Any]:
    """Return what a record says of a training.

    :param training: from `bpe_lab.train`.
    :return: the fields of `Record` that a training has.

    >>> from bpe_lab import train_from_counts
    >>> training_facts(train_from_counts({b"low": 5}, 258, []))["stopped_by"]
    'vocab_size'
    """
    merge_seconds = training.seconds - training.phases["count"]
    return {
        "stage": training.stage,
        "counter": training.counter,
        "special_tokens": list(training.special_tokens),
        "pattern": training.pattern,
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
    """Return at most 200 points of the trace: columns rank (0 for the first), count and seconds."""
    trace = training.trace
    ranks = _thin_ranks(len(trace))
    return {
        "rank": ranks,
        "count": [trace.counts[rank] for rank in ranks],
        "seconds": [trace.seconds[rank] for rank in ranks],
    }


def _thin_ranks(n_merges: int) -> list[int]:
    """Return at most 200 ranks, first and last included, close at the start and never far apart."""
    if n_merges <= TRACE_POINTS:
        return list(range(n_merges))
    half, last = TRACE_POINTS // 2, n_merges - 1
    even = {round(last * step / (half - 1)) for step in range(half)}
    growing = {round(n_merges ** (step / (half - 1))) - 1 for step in range(half)}
    return sorted(even | growing)


def append(path: PathLike, new_record: Record) -> None:
    """Add one record to a file as one line.

    The line goes out in one write at the end of the file, so writers do not mix, and a writer that
    is killed leaves at most one torn line, which the next record does not continue.

    :param path: a `.jsonl` file; made when there is none.
    :param new_record: the record.
    :raises OSError: it cannot be written.
    """
    line = _line_of(new_record)
    # Unbuffered and appending: one write, always at the end.
    with Path(path).open("ab+", buffering=0) as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                line = b"\n" + line
        if file.write(line) != len(line):
            raise OSError(f"{path}: the disk took only a part of the record")


def read_records(path: PathLike) -> tuple[list[Record], list[int]]:
    """Read a file of records.

    :param path: a `.jsonl` file written by `append`.
    :return: the records, and the numbers of the lines that are torn: their writer was killed.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is no record, was written by another version of bpe_lab, or says the
        same value of a suite as another line.
    """
    records: list[Record] = []
    torn = []
    lines: dict[tuple[object, ...], int] = {}
    for number, line in enumerate(Path(path).read_bytes().splitlines(), start=1):
        try:
            one = json.loads(line)
        except (ValueError, RecursionError):
            torn.append(number)
            continue
        check_record(one, f"{path}, line {number}")
        if (value := (one["suite"], one["case"], one["round"])) in lines:
            raise ValueError(
                f"{path}: lines {lines[value]} and {number} are of the same case and round: remove "
                "one of them"
            )
        lines[value] = number
        records.append(one)
    return records, torn


def check_record(one: Any, where: str, remedy: str = "remove the line") -> None:
    """Check that something is a record of a suite.

    :param one: what a line of a file held, or is to hold.
    :param where: file and line, for the message.
    :param remedy: what helps where a field is wrong.
    :raises ValueError: it is none, or was written by another version of bpe_lab.

    >>> check_record({"schema": 1}, "ladder.jsonl, line 1")
    Traceback (most recent call last):
    ValueError: ladder.jsonl, line 1: schema 1 is from an earlier bpe_lab: measure again
    """
    if not isinstance(one, dict) or not isinstance(one.get("schema"), int):
        raise ValueError(f"{where}: no record of bpe_lab: remove the line, or name another folder")
    if one["schema"] != SCHEMA:
        is_later = one["schema"] > SCHEMA
        raise ValueError(
            f"{where}: schema {one['schema']} is from "
            + ("a later bpe_lab: update it" if is_later else "an earlier bpe_lab: measure again")
        )
    for name, hint in get_type_hints(Record).items():
        must = name in Record.__required_keys__ or name in OF_A_SUITE
        if (must or name in one) and not isinstance(one.get(name), _kinds(hint)):
            raise ValueError(f"{where}: the record has no valid {name!r}: {remedy}")
    if "fixed_work" in one and not is_fixed_work(one["fixed_work"]):
        raise ValueError(f"{where}: the record has no valid 'fixed_work': {remedy}")
    if not 0 < one["seconds"] < float("inf"):
        raise ValueError(f"{where}: its seconds are {one['seconds']}: {remedy}")


def _kinds(hint: Any) -> tuple[type, ...]:
    """Return the types that JSON values of a declared type can have."""
    if isinstance(hint, types.UnionType):
        return tuple(kind for part in get_args(hint) for kind in _kinds(part))
    return (int, float) if hint is float else (get_origin(hint) or hint,)


def pattern_of(one: Record) -> str:
    """Return the pattern of a record: results of two patterns are never compared."""
    return one.get("pattern", DEFAULT_PATTERN)


def write_records(path: PathLike, records: Iterable[Record]) -> None:
    """Write a file of records anew; an older one is replaced when the new one is complete.

    :raises OSError: it cannot be written.
    """
    write_aside(Path(path), b"".join(map(_line_of, records)))


def _line_of(one: Mapping[str, object]) -> bytes:
    r"""Return a record as a line of its file."""
    # A lone surrogate, of the name of a file that is not UTF-8, is written as JSON escapes it.
    return json.dumps(one, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def load(path: PathLike) -> "pandas.DataFrame":
    """Read a file of records into a table.

    :param path: a `.jsonl` file written by `append`.
    :return: as `to_dataframe`.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is no record, or was written by another version of bpe_lab.
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


def to_dataframe(records: Iterable[Record]) -> "pandas.DataFrame":
    """Return records as a table, one row each.

    :param records: from a file, or from `record`.
    :return: the fields of a record, with the pattern where it was not said, corpus (name),
        corpus_sha256 and corpus_bytes, one column per parameter of a suite's case
        (`param_threads`, ...) and one of seconds per phase (`phase_count`, ...); operations,
        trace, machine and validated stay dicts.

    >>> len(to_dataframe([]))
    0
    """
    import pandas

    rows = []
    for one in records:
        row: dict[str, Any] = {"pattern": pattern_of(one)}
        row |= {
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
