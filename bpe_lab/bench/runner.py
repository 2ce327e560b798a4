"""Run suites: each value in a fresh process, cases in turn, each record saved at once."""

import fnmatch
import importlib.util
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.fixed_work import fixed_work
from bpe_lab.bench.suite import SCALES, Case, Suite, typed
from bpe_lab.bench.texts import UserText
from bpe_lab.bench.values import leading_equal, measure
from bpe_lab.results import records as bench_records
from bpe_lab.results.code_facts import code_facts, program
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.support.errors import unknown
from bpe_lab.support.files import check_file
from bpe_lab.support.machine import available_cpus
from bpe_lab.support.progress import Bar
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    import pandas

TURNS = {10.0: 9, 60.0: 5, 300.0: 3}
"""Seconds that a value takes at most -> how many values are enough; one if it takes longer. Of an
odd number the median is a run, whose phases are shown."""

MIN_VOCAB = 258
"""The bytes, a special token, and one merge."""


def run_suite(
    suite: Suite,
    out: Path,
    *,
    scale: str = "default",
    repeats: int = 3,
    cases: Sequence[str] = (),
    file: UserText | None = None,
    resume: bool = False,
    force: bool = False,
    progress: bool = False,
    before_each: Callable[[str], object] = lambda name: None,
    turns: Mapping[float, int] | None = None,
    **options: Any,
) -> "pandas.DataFrame":
    """Measure the missing values of a suite and return all its records.

    Every case is measured once, then every case a second time, and so on: so a slow spell of the
    machine affects all of them. Beside each value its reference is measured, alternately after and
    before it: the case whose tokens are compared, or the last of those that must agree. Long values
    are measured less often, as `TURNS` says, and deterministic ones once. If killed, it
    loses only the value in progress.

    :param out: folder; each record is appended to `<suite>.jsonl` in it as soon as it is complete.
    :param repeats: values per case.
    :param cases: names of cases to measure, `*` for any part of a name; all when empty.
    :param file: a text to use instead of the suite's own, from `user_text`.
    :param resume: keep the records that are there and measure what is missing.
    :param force: start again where there are records.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param before_each: called before each value with the names of suite and case.
    :param turns: as `TURNS`, which is meant if it is None.
    :param options: budget, threads, vocab_size, stage, checkout, as `Suite.chosen` takes them.
    :raises ValueError: unknown scale or case, `repeats` below 1, an option that no case takes or
        that is missing, more CPUs than there are, records of another run.
    :raises FileExistsError: there are records, and neither `resume` nor `force`.
    :raises OSError: the records cannot be written, or another run writes into the folder.
    :raises ImportError: something that the suite requires is missing.
    :raises RuntimeError: a value failed, or contradicts another one.
    """
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}: give 1 or more")
    if lacking := " and ".join(missing_requirements(suite)):
        raise ImportError(
            f"suite {suite.id!r} needs {lacking}, not installed: see `bpe-lab doctor`"
        )
    named = options | {"file": file and file.typed}
    options = {option: value for option, value in named.items() if value is not None}
    chosen = chosen_cases(suite, scale, cases, options)
    every = {case.name: case for case in suite.chosen(scale, options)}
    stamp = {
        "schema": bench_records.SCHEMA,
        "suite": suite.id,
        "scale": scale,
        # Only the name of a folder: a record shows no path of the machine.
        "options": {
            option: bench_records.plain(value.name) if isinstance(value, Path) else value
            for option, value in options.items()
        },
        "machine": machine_facts(),
        "code": code_facts(),
    }
    path = out / f"{suite.id}.jsonl"
    check_file(path)
    out.mkdir(parents=True, exist_ok=True)
    records = _kept_records(path, resume, force)
    known = {(one["case"], one["round"]) for one in records}
    missing = [
        (number, case)
        for number in range(1, repeats + 1)
        for case in chosen
        if (number == 1 or not case.deterministic) and (case.name, number) not in known
    ]
    _check_resumed(path, records, every, stamp if missing else {**stamp, "machine": None}, file)
    looked: dict[str, float] | None = None
    with Bar(progress, suite.id, len(missing), " values", scale=False) as bar:
        for number, case in missing:
            took = [one.get("process_seconds", 0) for one in records if one["case"] == case.name]
            if number <= enough_values(max(took, default=0), turns):
                name = f"{suite.id}: {case.name}"
                bar.describe(name)
                before_each(name)
                record = _record(case, _reference(case, every), number, stamp, file, looked)
                looked = record.get("fixed_work", {}).get("after")
                check_agreement(record, records)
                bench_records.append(path, record)
                records.append(record)
            bar.update()
    # In the order of an uninterrupted run.
    names = list(every)
    records.sort(key=lambda one: (one["round"], names.index(one["case"])))
    return bench_records.to_dataframe(records)


def _record(
    case: Case,
    reference: Case | None,
    number: int,
    stamp: Mapping[str, Any],
    file: UserText | None,
    looked: Mapping[str, float] | None,
) -> bench_records.Record:
    """Measure a case once, with its reference beside it: before it in every second round.

    :param looked: the fixed work after the value before, which is also that before this one.
    """
    where = f"suite {stamp['suite']!r}, case {case.name!r}"
    # Not for values that nothing disturbs, nor at scale "tiny": they are as short as this work.
    looks = stamp["scale"] != "tiny" and not case.deterministic
    pair = (
        [case]
        if reference is None or not (looks or case.compare_tokens_with)
        else [case, reference]
    )
    load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
    before = (looked or fixed_work(available_cpus())) if looks else {}
    first = number % 2 == 0
    try:
        values = [measure(one, file) for one in (reversed(pair) if first else pair)]
    except (RuntimeError, ValueError, TypeError) as error:
        raise RuntimeError(f"{where}: {error}") from None
    value, beside = (values[-1], values[0]) if first else (values[0], values[-1])
    if case.compare_tokens_with:
        value["leading_equal"] = leading_equal(value.pop("tokens", []), beside.get("tokens", []))
    record = {
        **case.facts,
        **value,
        "case": case.name,
        "params": case.settings,
        "agrees": case.same_result_as,
        "round": number,
        **stamp,
        "load": load,
    }
    if looks:
        record["fixed_work"] = {"before": before, "after": fixed_work(available_cpus())}
    if looks and reference:
        seconds = {name: beside[name] for name in ("seconds", "merge_seconds") if name in beside}
        record["reference"] = {"case": reference.name, **seconds, "first": first}
    bench_records.check_record(record, where, "fix its function")
    return record


def _reference(case: Case, cases: Mapping[str, Case]) -> Case | None:
    """Return the case that is measured beside a case, if any."""
    if case.compare_tokens_with:
        return cases[case.compare_tokens_with]
    if not case.has_reference or case.deterministic or case.copies > 1:
        return None
    alike = [
        one
        for one in cases.values()
        if case.same_result_as and one.same_result_as == case.same_result_as
    ]
    return alike[-1] if alike else None


def _check_resumed(
    path: Path,
    records: Iterable[bench_records.Record],
    cases: Mapping[str, Case],
    stamp: Mapping[str, Any],
    file: UserText | None,
) -> None:
    """Refuse records of an earlier run that cannot be compared with values of this one."""
    for one in records:
        case, text = cases.get(one["case"]), one.get("corpus", {}).get("sha256")
        same = {
            "scale": one["scale"] == stamp["scale"],
            "options": one["options"] == stamp["options"],
            # Where nothing is missing, these may differ.
            "machine": stamp["machine"] in (None, one["machine"]),
            "code": not stamp["machine"] or program(one["code"]) == program(stamp["code"]),
            f"case {one['case']!r}": case is not None and case.settings == one["params"],
            "text": not file or "text" not in one["params"] or text == file.sha256,
        }
        if not all(same.values()):
            others = " and ".join(name for name, equal in same.items() if not equal)
            raise ValueError(
                f"{path} cannot be resumed: its records are of another {others}; start again with "
                "--force, or name another --out"
            )


def enough_values(seconds: float, turns: Mapping[float, int] | None = None) -> int:
    """Return how many values are enough if one takes this long.

    :param turns: as `TURNS`, which is meant if it is None.
    """
    known = TURNS if turns is None else turns
    return next((number for most, number in known.items() if seconds <= most), 1)


def missing_requirements(suite: Suite) -> list[str]:
    """Return the modules and programs that a suite requires and that are not installed."""
    missing = [name for name in suite.requires if importlib.util.find_spec(name) is None]
    return [*missing, *suite.lacking()]


def chosen_cases(
    suite: Suite, scale: str, names: Sequence[str], options: Mapping[str, Any]
) -> list[Case]:
    """Return the cases to measure, with the user's options; refuse options that no case takes."""
    if scale not in SCALES:
        raise unknown("scale", scale, SCALES)
    if (size := options.get("vocab_size", MIN_VOCAB)) < MIN_VOCAB:
        raise ValueError(f"--vocab-size is {size}: give {MIN_VOCAB} or more")
    for option, what in suite.needs.items():
        if option not in options:
            raise ValueError(f"suite {suite.id!r} needs {typed(option)}: {what}")
    for option in options:
        if not suite.accepts(option, scale):
            raise ValueError(f"suite {suite.id!r} takes no {typed(option)}")
    cases = {case.name: case for case in suite.chosen(scale, options)}
    chosen = {name for pattern in names or "*" for name in fnmatch.filter(cases, pattern)}
    for name in names:
        if not fnmatch.filter(cases, name):
            raise unknown("case", name, cases)
    for name in chosen:
        needed = (cases[name].cpus or 1) * cases[name].copies
        if needed > available_cpus():
            raise ValueError(f"case {name!r} needs {needed} CPUs, we may use {available_cpus()}")
    return [case for name, case in cases.items() if name in chosen]


def _kept_records(path: Path, resume: bool, force: bool) -> list[bench_records.Record]:
    """Return the records to keep, and rewrite the file with these, without a torn line."""
    if not resume and not force:
        check_no_records(path)
    records, torn = bench_records.read_records(path) if path.exists() and resume else ([], False)
    # This also shows before the measurements whether the file can be written.
    if torn or not resume or not path.exists():
        bench_records.write_records(path, records)
    return records


def check_no_records(path: Path) -> None:
    """Refuse a file that has records; name the two options."""
    if path.exists() and (records := bench_records.read_records(path)[0]):
        raise FileExistsError(
            f"{path} has {len(records)} records: add --resume to keep them and measure what is "
            "missing, --force to start again, or name another folder with --out"
        )


def check_agreement(record: bench_records.Record, others: Iterable[bench_records.Record]) -> None:
    """Refuse a record whose text, pattern or digest differs from cases it must agree with.

    A stopped value has made only a part; its measuring function has checked that part.
    """
    for other in others:
        if not record["agrees"] or other["agrees"] != record["agrees"]:
            continue
        stopped = "time_budget" in (record.get("stopped_by"), other.get("stopped_by"))
        for name, *pair in zip(
            ("texts", "patterns", "digests"), _result(record), _result(other), strict=True
        ):
            # Values without a text have none.
            if len({*pair}) > 1 and all(pair) and not (name == "digests" and stopped):
                raise RuntimeError(
                    f"suite {record['suite']!r}: {record['case']!r} and {other['case']!r} must "
                    f"give the same result, but their {name} differ ({' and '.join(pair)}); "
                    "the former is not recorded"
                )


def _result(record: bench_records.Record) -> tuple[str, str, str]:
    """Return text, pattern and digest."""
    text = record.get("corpus", {}).get("sha256", "")
    return text[:12], record.get("pattern", DEFAULT_PATTERN), record["digest"][:12]
