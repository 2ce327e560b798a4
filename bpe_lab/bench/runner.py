"""Run suites: each value in a fresh process, cases in turn, each record saved at once."""

import fnmatch
import hashlib
import importlib.util
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from operator import eq
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.child import Child, ChildTimeout
from bpe_lab.bench.suite import Case, Suite, typed
from bpe_lab.bench.texts import UserText, suite_text
from bpe_lab.corpora import digest
from bpe_lab.results import records as bench_records
from bpe_lab.results.machine_facts import commit, machine_facts, versions
from bpe_lab.support.errors import unknown
from bpe_lab.support.files import check_file
from bpe_lab.support.machine import available_cpus
from bpe_lab.support.progress import Bar

if TYPE_CHECKING:
    import pandas

TURNS = {10.0: sys.maxsize, 60.0: 5, 300.0: 3}
"""Seconds that a value takes at most -> how many values are enough (short ones: as many as were
asked for); one if it takes longer. Of an odd number the median is a run, whose phases are shown."""

PATIENCE = {"tiny": 60.0, "default": 600.0, "full": 14_400.0}
"""Seconds after which a process does not come back: more than `naive` takes."""

UNBUDGETED_SECONDS = 10.0
"""For the work of a process that a time budget does not cover, on a small text."""

SLOWEST = 10e6
"""Bytes per second at which a text is counted at least."""


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
    turns: Mapping[float, int] = TURNS,
    **options: Any,
) -> "pandas.DataFrame":
    """Measure the missing values of a suite and return all its records.

    Every case is measured once, then every case a second time, and so on: so a slow spell of the
    machine affects all of them. Beside each value its reference is measured, alternately after and
    before it: the case whose tokens are compared, or the last of those that must agree. Long values
    are measured less often, as `turns` says, and deterministic ones once. If killed, it loses only
    the value in progress.

    :param out: folder; each record is appended to `<suite>.jsonl` in it as soon as it is complete.
    :param repeats: values per case.
    :param cases: names of cases to measure, `*` for any part of a name; all when empty.
    :param file: a text to use instead of the suite's own, from `user_text`.
    :param resume: keep the records that are there and measure what is missing.
    :param force: start again where there are records.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param options: budget, threads, vocab_size, stage, as `Suite.chosen` takes them.
    :raises ValueError: unknown case, `repeats` below 1, an option that no case takes, more
        CPUs than there are, records of another run.
    :raises FileExistsError: there are records, and neither `resume` nor `force`.
    :raises OSError: the records cannot be written.
    :raises ImportError: something that the suite requires is missing.
    :raises RuntimeError: a value failed, or contradicts another one.
    """
    if repeats < 1:
        raise ValueError(f"repeats is {repeats}: give 1 or more")
    if missing := " and ".join(missing_requirements(suite)):
        raise ImportError(
            f"suite {suite.id!r} needs {missing}, not installed: see `bpe-lab doctor`"
        )
    named = options | {"file": file and file.name}
    options = {option: value for option, value in named.items() if value is not None}
    chosen = chosen_cases(suite, scale, cases, options)
    every = {case.name: case for case in suite.chosen(scale, options)}
    stamp = {
        "suite": suite.id,
        "scale": scale,
        "options": options,
        "machine": machine_facts(),
        "versions": versions(),
        "commit": commit(),
    }
    path = out / f"{suite.id}.jsonl"
    check_file(path)
    if not resume and not force:
        check_no_records(path)
    records = bench_records.read_records(path) if resume and path.exists() else []
    _check_resumed(path, records, every, stamp, file)
    bench_records.write_records(path, records)  # without a torn line, or to begin anew
    known = {(record["case"], record["round"]) for record in records}
    todo = [
        (number, case)
        for number in range(1, repeats + 1)
        for case in chosen
        if (number == 1 or not case.deterministic) and (case.name, number) not in known
    ]
    with Bar(progress, suite.id, len(todo), " values", at_once=True) as bar:
        for number, case in todo:
            took = (one["process_seconds"] for one in records if one["case"] == case.name)
            if number <= enough_values(max(took, default=0), turns):
                bar.describe(f"{suite.id}: {case.name}")
                record = _record(case, _reference(case, every), number, stamp, file)
                check_agreement(record, records)
                bench_records.append(path, record)
                records.append(record)
            bar.update()
    # In the order of an uninterrupted run.
    names = list(every)
    records.sort(key=lambda record: (record["round"], names.index(record["case"])))
    return bench_records.to_dataframe(records)


def _record(
    case: Case,
    reference: Case | None,
    number: int,
    stamp: Mapping[str, Any],
    file: UserText | None,
) -> bench_records.Record:
    """Measure a case once, with its reference beside it: before it in every second round."""
    # At scale "tiny" nothing is compared but tokens.
    if stamp["scale"] == "tiny" and not case.compare_tokens_with:
        reference = None
    pair = [case] if reference is None else [case, reference]
    first = number % 2 == 0
    try:
        values = [_measure(one, stamp, file) for one in (reversed(pair) if first else pair)]
    except (RuntimeError, ValueError, TypeError) as error:
        raise RuntimeError(f"suite {stamp['suite']!r}, case {case.name!r}: {error}") from None
    value, beside = (values[-1], values[0]) if first else (values[0], values[-1])
    if case.compare_tokens_with:
        equal = map(eq, value.pop("tokens", []), beside.get("tokens", []))
        value["leading_equal"] = sum(takewhile(bool, equal))
    if reference and stamp["scale"] != "tiny":
        seconds = {name: beside[name] for name in ("seconds", "merge_seconds") if name in beside}
        value["reference"] = {"case": reference.name, **seconds}
    return {
        **stamp,
        "case": case.name,
        "round": number,
        "params": case.settings,
        "agrees": case.same_result_as,
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        **case.facts,
        **value,
    }


def _measure(case: Case, stamp: Mapping[str, Any], file: UserText | None) -> dict[str, Any]:
    """Return what the function of a case returns in a fresh process, and facts about that."""
    params, corpus, limit = dict(case.params), dict[str, Any](), case.time_limit
    budget = stamp["options"].get("budget")
    patience = PATIENCE[stamp["scale"]] if budget is None else 2 * budget + UNBUDGETED_SECONDS
    if "text" in params:
        text, n_bytes = params.pop("text"), params.pop("text_bytes", 0)
        path = file.path if file else suite_text(text, n_bytes)
        params["path"], size = str(path), path.stat().st_size
        sha256 = file.sha256 if file else digest(path)
        corpus["corpus"] = {"name": text, "sha256": sha256, "bytes": size}
        patience += size / SLOWEST
    with Child(cpus=case.cpus, environment=case.environment) as child:
        try:
            result = child.call(case.measure, params, patience if limit is None else limit)
        except ChildTimeout:
            if limit is None:
                raise RuntimeError(
                    f"it had not come back after {patience:.0f} s and was ended: `bpe-lab try` "
                    "finds where a stage hangs, --time-budget gives it more time"
                ) from None
            result = {
                "seconds": limit,
                "stopped_by": "time_budget",
                "digest": hashlib.sha256().hexdigest(),
                "operations": {},
                "n_merges": 0,
            }
    return {**corpus, **child.facts, **result}


def _reference(case: Case, cases: Mapping[str, Case]) -> Case | None:
    """Return the case that is measured beside a case, if any."""
    if case.compare_tokens_with:
        return cases[case.compare_tokens_with]
    if not (case.same_result_as and case.has_reference) or case.deterministic:
        return None
    return [one for one in cases.values() if one.same_result_as == case.same_result_as][-1]


def _check_resumed(
    path: Path,
    records: Iterable[bench_records.Record],
    cases: Mapping[str, Case],
    stamp: Mapping[str, Any],
    file: UserText | None,
) -> None:
    """Refuse records of an earlier run that cannot be compared with values of this one."""
    for record in records:
        case = cases.get(record["case"])
        same = {name: record[name] == of for name, of in stamp.items() if name != "commit"}
        same["text"] = not file or record["corpus"]["sha256"] == file.sha256
        same[f"case {record['case']!r}"] = bool(case and case.settings == record["params"])
        if not all(same.values()):
            others = " and ".join(name for name, equal in same.items() if not equal)
            raise ValueError(
                f"{path} cannot be resumed: its records are of another {others}; start again with "
                "--force, or name another --out"
            )


def enough_values(seconds: float, turns: Mapping[float, int] = TURNS) -> int:
    """Return how many values are enough if one takes this long."""
    return next((number for most, number in turns.items() if seconds <= most), 1)


def missing_requirements(suite: Suite) -> list[str]:
    """Return the modules and programs that a suite requires and that are not installed."""
    return [
        name
        for name in suite.requires
        if not (shutil.which(name) or importlib.util.find_spec(name))
    ]


def chosen_cases(
    suite: Suite, scale: str, names: Sequence[str], options: Mapping[str, Any]
) -> list[Case]:
    """Return the cases to measure, with the user's options; refuse options that no case takes."""
    for option in options:
        if not suite.accepts(option, scale):
            raise ValueError(f"suite {suite.id!r} takes no {typed(option)}")
    cases = {case.name: case for case in suite.chosen(scale, options)}
    chosen = {name for pattern in names or "*" for name in fnmatch.filter(cases, pattern)}
    for name in names:
        if not fnmatch.filter(cases, name):
            raise unknown("case", name, cases)
    for name in chosen:
        needed = cases[name].cpus or 1
        if needed > available_cpus():
            raise ValueError(f"case {name!r} needs {needed} CPUs, we may use {available_cpus()}")
    return [case for name, case in cases.items() if name in chosen]


def check_no_records(path: Path) -> None:
    """Refuse a file that has records; name the two options."""
    if path.exists() and path.stat().st_size:
        raise FileExistsError(
            f"{path} has records: add --resume to keep them and measure what is missing, --force "
            "to start again, or name another folder with --out"
        )


def check_agreement(record: bench_records.Record, others: Iterable[bench_records.Record]) -> None:
    """Refuse a record whose text or digest differs from cases it must agree with.

    A stopped value has made only a part; its measuring function has checked that part.
    """
    for other in others:
        if not record["agrees"] or other["agrees"] != record["agrees"]:
            continue
        stopped = "time_budget" in (record.get("stopped_by"), other.get("stopped_by"))
        texts = [one.get("corpus", {}).get("sha256") for one in (record, other)]
        if texts[0] != texts[1] or not (stopped or record["digest"] == other["digest"]):
            what = "digests" if texts[0] == texts[1] else "texts"
            raise RuntimeError(
                f"suite {record['suite']!r}: {record['case']!r} and {other['case']!r} must give "
                f"the same result, but their {what} differ; the former is not recorded"
            )
