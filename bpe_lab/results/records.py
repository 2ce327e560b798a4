"""Benchmark records: one JSON line per measured value."""

import errno
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias

from bpe_lab.support.files import PathLike, write_file
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.training.training import Training
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    import pandas

SCHEMA = 2
"""Increased when a field changes its meaning, not for a new field."""

MERGING = tuple(phase for phase in PHASES if phase != "count")
"""The phases of merging, in every table and figure: all but `count`."""

TRACE_POINTS = 200

Record: TypeAlias = dict[str, Any]
"""The record of one measured value: a JSON object with `FIELDS` and some of `MORE_FIELDS`."""

NUMBER, PERHAPS = (int, float), (int, float, NoneType)

FIELDS: dict[str, type | tuple[type, ...]] = {
    "schema": int,
    "seconds": NUMBER,  # the value: the mean of one repetition, above 0
    "digest": str,  # SHA-256 of the result; of a training, `Training.merges_sha256`
    "operations": dict,  # name -> count, the same on every machine
    "machine": dict,  # from `machine_facts`
    "utc": str,  # when the value was measured, ISO 8601
    "peak_rss_mb": NUMBER,  # the most memory that the process had resident; MB are 10**6 bytes
    "suite": str,
    "case": str,
    "params": dict,  # arguments of the function and settings of its process
    "round": int,  # 1 for the first value of each case
    "scale": str,
    "options": dict,  # other options of the command (file, budget, threads, vocab_size), if given
    "code": dict,  # from `code_facts`
    "agrees": str,  # cases with the same non-empty value must have the same digest
}
"""Name -> type of the fields that every record has."""

MORE_FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "load": PERHAPS,  # load average of the last minute before it
    "fixed_work": dict,  # before and after: piece -> seconds, as `fixed_work` makes it
    "reference": dict,  # the case beside it: its case, seconds, merge_seconds; `first`: before it
    # Of the process.
    "anonymous_mb": PERHAPS,  # memory at the end without pages of files; None: not known
    "peak_anonymous_mb": PERHAPS,  # its peak, sampled from outside fifty times a second
    "cpu_seconds": NUMBER,  # of all its threads, and of its workers
    "phase_cpu_seconds": dict,  # "count" and "merge" -> seconds of all threads, and of workers
    "involuntary_switches": (int, NoneType),  # how often the kernel took its processor away
    "steal_seconds": NUMBER,  # that the host took from all our processors meanwhile
    "process_seconds": NUMBER,  # from the start of the process until the value was there
    "cpus": (int, NoneType),  # that it was allowed to run on
    "each_seconds": list,  # of processes that ran at the same time; the slowest is the value
    # Of the work.
    "corpus": dict,  # name (no path), sha256 and bytes of the text
    "threads": int,
    "loops": int,  # how often the work was repeated for one value
    "stopped_by": str,  # "vocab_size", "no_pair_left" or "time_budget"
    "n_merges": int,
    "phases": dict,  # name -> seconds
    "validated": dict,  # what was checked
    # Of a training.
    "stage": str,
    "counter": (str, NoneType),
    "special_tokens": list,
    "pattern": str,  # an id of `bpe_lab.PATTERNS`, or a regex; "gpt2" if missing
    "vocab_size": int,  # ids that were asked for
    "time_budget": PERHAPS,  # seconds of merging allowed, None without a limit
    "merge_seconds": NUMBER,  # of the phases in `MERGING`
    "merges_per_second": NUMBER,
    "trace": dict,  # rank, count and seconds of at most 200 merges
    "count_loops": int,  # how often the counting was repeated
    "warmed_up": bool,  # whether a first run of counting and merging was thrown away
    # Of a counter.
    "megabytes_per_second": NUMBER,
    "largest_worker_mb": NUMBER,  # the most that one worker process had resident, 0 without workers
    # Of maps, heaps and selections.
    "probes_per_look_up": PERHAPS,
    "first_seconds": NUMBER,  # of the first selection, which builds the structure for the others
    # Of two programs in turns.
    "in_turns": list,  # seconds of the one and of the other, for each turn
    "distinct_words": int,
    "kind": str,  # kind of comparison in turns
    "idea": str,  # the idea that only one of them has
    # Of a processor, by cachegrind: "merge" -> event -> how often.
    "simulated": dict,
    # Of a trainer of others.
    "version": str,
    "import_seconds": NUMBER,  # part of `seconds`
    "leading_equal": int,  # tokens, from the first on, that equal ours
    "left_out": list,  # trainers, or cases, that were not installed
}
"""Name -> type of the fields that only some records have."""

INSIDE: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "corpus": {"name": str, "sha256": str, "bytes": int},
    "machine": {
        **dict.fromkeys(("cpu", "kernel", "python"), str),
        **dict.fromkeys(("compiler", "flags"), (str, NoneType)),
        "logical_cpus": int, "memory_gb": NUMBER, "caches_kb": dict, "openmp": (int, NoneType),
    },
    "code": {"version": str, "git": (str, NoneType), "sources": (str, dict)},  # dict: until 0.1
    "fixed_work": {"before": dict, "after": dict},
    "reference": {"case": str, "seconds": NUMBER},
}  # fmt: skip
"""Field -> what it holds, if it is there, that readers of any suite need."""

MARKUP = re.compile(r"[`\x00-\x1f\x7f]|<[A-Za-z/!?]|!\[|\][(:\[]")
"""What a page of Markdown or HTML would take for markup: code, a tag, an image, a link."""


def training_facts(training: Training) -> dict[str, Any]:
    """Return the fields of a record for a training.

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


def append(path: PathLike, new_record: Record) -> None:
    """Add a record to a file as one line, in one write: if killed meanwhile, one torn line is
    left."""
    line = _line_of(new_record)
    with Path(path).open("ab", buffering=0) as file:
        if file.write(line) != len(line):
            reason = "its disk is full, a part of a record was written"
            raise OSError(errno.ENOSPC, reason, str(path))


def read_records(path: PathLike) -> tuple[list[Record], bool]:
    """Read a file of records.

    :param path: a `.jsonl` file written by `append`.
    :return: the records, and whether a last line is torn: its writer was killed.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is not a record, was written by another version of bpe_lab, or
        repeats a value of another line.
    """
    records: list[Record] = []
    places: dict[tuple[object, ...], int] = {}
    lines = Path(path).read_bytes().splitlines()
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        try:
            one = json.loads(line)
        except ValueError:
            if number == len(lines):
                return records, True
            raise ValueError(f"{where}: not a record: remove the line") from None
        check_record(one, where)
        if (value := (one["suite"], one["case"], one["round"])) in places:
            raise ValueError(
                f"{path}: lines {places[value]} and {number} are of the same case and round: "
                "remove one of them"
            )
        places[value] = number
        records.append(one)
    return records, False


def check_record(one: Any, where: str, remedy: str = "remove the line") -> None:
    """Refuse anything that is not a record of a suite, or was written by another version of
    bpe_lab.

    >>> check_record({"schema": 1}, "ladder.jsonl, line 1")
    Traceback (most recent call last):
    ValueError: ladder.jsonl, line 1: schema 1 is from an earlier bpe_lab: measure again
    """
    one = one if isinstance(one, dict) else {}
    if isinstance(one.get("schema"), int) and one["schema"] != SCHEMA:
        is_later = one["schema"] > SCHEMA
        raise ValueError(
            f"{where}: schema {one['schema']} is from "
            + ("a later bpe_lab: update it" if is_later else "an earlier bpe_lab: measure again")
        )
    fields = FIELDS | {name: kind for name, kind in MORE_FIELDS.items() if name in one}
    wrong = [name for name, kind in fields.items() if not isinstance(one.get(name), kind)]
    wrong += [
        f"{name}.{inside}"
        for name, needed in INSIDE.items()
        if name in one and name not in wrong
        for inside, kind in needed.items()
        if not isinstance(one[name].get(inside, ...), kind)
    ]
    if wrong or not one["seconds"] > 0:
        name = [*wrong, "seconds"][0]
        raise ValueError(f"{where}: not a record, it has no valid {name!r}: {remedy}")
    for name, value in one.items():  # a regex may look like markup, and no page shows it
        if name not in ("pattern", "special_tokens") and any(map(MARKUP.search, _texts(value))):
            raise ValueError(f"{where}: a page would take its {name!r} for markup: {remedy}")


def _texts(value: object) -> Iterator[str]:
    """Yield the strings in a value, names of fields among them."""
    if isinstance(value, str):
        yield value
    inside = chain(value, value.values()) if isinstance(value, dict) else value
    if isinstance(inside, list | chain):
        for one in inside:
            yield from _texts(one)


def plain(name: str) -> str:
    """Return a name of the user, such as of a file, as a record may hold it."""
    return MARKUP.sub("_", name)


def write_records(path: PathLike, records: Iterable[Record]) -> None:
    """Write a file of records; it replaces an older one when it is complete."""
    write_file(Path(path), b"".join(map(_line_of, records)))


def _line_of(one: Mapping[str, object]) -> bytes:
    r"""Return a record as a line of its file."""
    # A lone surrogate, from a file name that is not UTF-8, is written as a JSON escape.
    return json.dumps(one, ensure_ascii=False).encode(errors="backslashreplace") + b"\n"


def load(path: PathLike) -> "pandas.DataFrame":
    """Read a file of records into a table.

    :param path: a `.jsonl` file written by `append`.
    :return: as `to_dataframe`.
    :raises FileNotFoundError: there is none.
    :raises ValueError: a line is not a record, or was written by another version of bpe_lab.
    :warns UserWarning: the last line is torn: the process that wrote it was killed.
    """
    records, torn = read_records(path)
    if torn:
        warnings.warn(
            f"{path}: its last line is not a complete record, its writer was stopped; left out",
            UserWarning,
            stacklevel=2,
        )
    return to_dataframe(records)


def to_dataframe(records: Iterable[Record]) -> "pandas.DataFrame":
    """Return records as a table, one row each.

    :param records: from a file, say.
    :return: the fields of a record, with a missing pattern filled in, corpus (name),
        corpus_sha256 and corpus_bytes, one column per parameter of a suite's case
        (`param_threads`, ...) and one of seconds per phase (`phase_count`, ...); operations,
        trace, machine and validated stay dicts.

    >>> len(to_dataframe([]))
    0
    """
    import pandas

    rows = []
    for one in records:
        row: dict[str, Any] = {"pattern": one.get("pattern", DEFAULT_PATTERN)}
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
