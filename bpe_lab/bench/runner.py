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
from bpe_lab.results.code_facts import code_facts, program
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.records import (
    SCHEMA,
    Record,
    append,
    check_record,
    plain,
    read_records,
    to_dataframe,
    write_records,
)
from bpe_lab.support.files import check_file, only_writer
from bpe_lab.support.progress import Bar
from bpe_lab.words.patterns import DEFAULT_PATTERN

if TYPE_CHECKING:
    import pandas

NOT_TAKEN = {
    "file": "it measures texts of its own",
    "budget": "nothing in it is stopped by time",
    "threads": "its cases say how many",
    "vocab_size": "its cases say how large it is",
    "stage": "its cases say which",
    "checkout": "it runs no programs of a checkout",
}
"""Option -> why a suite takes none."""

TURNS = {10.0: 9, 60.0: 6, 300.0: 3}
"""Seconds of a value -> values that are enough, if it takes no longer; above all: one."""

SMALLEST_VOCAB = 258
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
    before_each: Callable[[Case], object] = lambda case: None,
    **options: Any,
) -> "pandas.DataFrame":
    """Measure the missing values of a suite and return all its records.

    Every case is measured once, then every case a second time, and so on: so a slow spell of the
    machine affects all of them. Beside each value its anchor is measured, before it and after it in
    turn: the case whose tokens are compared, or the last of those that must agree. Long values are
    measured less often, as `TURNS` says, and what is the same each time once. If killed, it loses
    only the value in progress.

    :param suite: the suite.
    :param out: folder; each record is appended to `<suite>.jsonl` in it as soon as it is complete.
    :param scale: "tiny", "default" or "full".
    :param repeats: values per case.
    :param cases: names of cases to measure, `*` for any part of a name; all when empty.
    :param file: a text to use instead of the suite's own, from `user_text`.
    :param resume: keep the records that are there and measure what is missing.
    :param force: start again where there are records.
    :param progress: show a progress bar when it takes longer than two seconds.
    :param before_each: called before each value.
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
    if missing := missing_requirements(suite):
        raise ImportError(
            f"suite {suite.id!r} needs {' and '.join(missing)}, not installed: see `bpe-lab doctor`"
        )
    named = options | {"file": file and file.typed}
    options = {option: value for option, value in named.items() if value is not None}
    chosen = chosen_cases(suite, scale, cases, options)
    stamp = {
        "scale": scale,
        # Of a folder its name: a record names no place of a machine.
        "options": {
            option: plain(value.name) if isinstance(value, Path) else value
            for option, value in options.items()
        },
        "machine": machine_facts(),
        "code": code_facts(),
    }
    path = out / f"{suite.id}.jsonl"
    check_file(path)
    out.mkdir(parents=True, exist_ok=True)
    with only_writer(out):
        records = _kept_records(path, resume, force)
        run = _Run(suite, suite.chosen(scale, options), stamp, file)
        known = {(one["case"], one["round"]) for one in records}
        missing_values = [
            (number, case)
            for number in range(1, repeats + 1)
            for case in chosen
            if (number == 1 or not case.once) and (case.name, number) not in known
        ]
        run.check_resumed(path, records, adds=bool(missing_values))
        with Bar(progress, suite.id, len(missing_values), " values", scale=False) as bar:
            for number, case in missing_values:
                if not _is_enough(case, number - 1, records):
                    before_each(case)
                    bar.describe(f"{suite.id}: {case.name}")
                    record = run.record(case, number)
                    check_agreement(record, records)
                    append(path, record)
                    records.append(record)
                bar.update()
    # In the order of an uninterrupted run.
    names = list(run.cases)
    records.sort(key=lambda one: (one["round"], names.index(one["case"])))
    return to_dataframe(records)


class _Run:
    """A suite in progress: its cases, and what is common to all values."""

    def __init__(
        self, suite: Suite, cases: Sequence[Case], stamp: Mapping[str, Any], file: UserText | None
    ) -> None:
        self.suite, self.stamp, self.file = suite, stamp, file
        self.cases = {case.name: case for case in cases}
        self.anchors = _anchors(cases)
        self.tokens: dict[str, list[str]] = {}

    def record(self, case: Case, number: int) -> Record:
        """Measure a case once."""
        where = f"suite {self.suite.id!r}, case {case.name!r}"
        # Not for values that cannot be disturbed, and not at scale "tiny", which is as short as the
        # check.
        looks = self.stamp["scale"] != "tiny" and not case.once
        load = round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None
        before = fixed_work(_usable_cpus()) if looks else {}
        try:
            anchor, first = self.anchors.get(case.name) if looks else None, number % 2 == 0
            if anchor and first:
                found = self._beside(anchor)
            value = measure(case, self.file)
            if anchor:
                found = found if first else self._beside(anchor)
                value["anchor"] = {**found, "first": first}
            if case.tokens_beside:
                value["leading_equal"] = self._leading_equal(case, value.pop("tokens", []))
        except (RuntimeError, ValueError, TypeError) as error:
            raise RuntimeError(f"{where}: {error}") from None
        made = {
            **case.facts,
            **value,
            "schema": SCHEMA,
            "suite": self.suite.id,
            "case": case.name,
            "params": case.settings,
            "agrees": case.agrees,
            "round": number,
            **self.stamp,
            "load": load,
        }
        if looks:
            made["fixed_work"] = {"before": before, "after": fixed_work(_usable_cpus())}
        check_record(made, where, "fix its function")
        return made

    def _beside(self, anchor: Case) -> dict[str, Any]:
        """Measure an anchor, and return what is compared of it."""
        made = measure(anchor, self.file)
        compared = ("seconds", "merge_seconds")
        return {"case": anchor.name, **{name: made[name] for name in compared if name in made}}

    def _leading_equal(self, case: Case, tokens: list[str]) -> int:
        """Return how many of the first tokens equal those of the other case."""
        if case.tokens_beside == case.name:
            self.tokens[case.name] = tokens
        elif case.tokens_beside not in self.tokens:
            # Not chosen, or recorded by an earlier run.
            other = measure(self.cases[case.tokens_beside], self.file)
            self.tokens[case.tokens_beside] = other.get("tokens", [])
        return leading_equal(tokens, self.tokens[case.tokens_beside])

    def check_resumed(self, path: Path, records: Iterable[Record], *, adds: bool) -> None:
        """Refuse records of an earlier run that cannot be compared with values of this one."""
        params = {name: case.settings for name, case in self.cases.items()}
        same = ["scale", "options", *(["machine"] if adds else [])]
        for one in records:
            text = one.get("corpus", {}).get("sha256")
            other = [name for name in same if one[name] != self.stamp[name]]
            if adds and program(one["code"]) != program(self.stamp["code"]):
                other.append("code")
            if one["params"] != params.get(one["case"]):
                other.append(f"case {one['case']!r}")
            if self.file and "text" in one["params"] and text != self.file.sha256:
                other.append("text")
            if other:
                raise ValueError(
                    f"{path} cannot be resumed: its records are of another {' and '.join(other)}; "
                    "start again with --force, or name another --out"
                )


def _anchors(cases: Sequence[Case]) -> dict[str, Case]:
    """Return the anchor of each case that has one, by its name."""
    by_name = {case.name: case for case in cases}
    last = {case.agrees: case for case in cases if case.agrees}
    return {
        case.name: by_name[case.tokens_beside] if case.tokens_beside else last[case.agrees]
        for case in cases
        if case.anchored
        and (case.tokens_beside or case.agrees)
        and not case.once
        and case.copies == 1
    }


def _is_enough(case: Case, n_values: int, records: Iterable[Record]) -> bool:
    """Tell whether a case has as many values as the time of one allows."""
    took = [one.get("process_seconds", 0.0) for one in records if one["case"] == case.name]
    return n_values >= enough_values(max(took, default=0.0))


def enough_values(seconds: float) -> int:
    """Return how many values are enough of what takes so long.

    >>> enough_values(9.0), enough_values(59.0), enough_values(3_600.0)
    (9, 6, 1)
    """
    return next((turns for most, turns in TURNS.items() if seconds <= most), 1)


def missing_requirements(suite: Suite) -> list[str]:
    """Return the modules and programs that a suite requires and that are not installed."""
    missing = [name for name in suite.requires if importlib.util.find_spec(name) is None]
    return [*missing, *suite.lacking()]


def chosen_cases(
    suite: Suite, scale: str, names: Sequence[str], options: Mapping[str, Any]
) -> list[Case]:
    """Return the cases to measure, with the user's options; refuse options that no case takes."""
    if scale not in SCALES:
        raise ValueError(f"unknown scale {scale!r}: known are {', '.join(SCALES)}")
    if not 0 < (budget := options.get("budget", 1.0)) < float("inf"):
        raise ValueError(f"--time-budget is {budget:g}: give seconds above 0")
    if (size := options.get("vocab_size", SMALLEST_VOCAB)) < SMALLEST_VOCAB:
        raise ValueError(f"--vocab-size is {size}: give {SMALLEST_VOCAB} or more")
    for option, what in suite.needs.items():
        if option not in options:
            raise ValueError(f"suite {suite.id!r} needs {typed(option)}: {what}")
    found = suite.chosen(scale, options)
    all_names = [case.name for case in found]
    if unknown := [name for name in names if not fnmatch.filter(all_names, name)]:
        raise ValueError(
            f"unknown case {unknown[0]!r} of {suite.id}: known are {'; '.join(all_names)}"
        )
    chosen = [
        case
        for case in found
        if not names or any(fnmatch.fnmatchcase(case.name, pattern) for pattern in names)
    ]
    for option in options:
        if not suite.accepts(option, scale):
            raise ValueError(f"suite {suite.id!r} takes no {typed(option)}: {NOT_TAKEN[option]}")
    cpus = _usable_cpus()
    if beyond := [case for case in chosen if (case.cpus or 1) * case.copies > cpus]:
        needed = (beyond[0].cpus or 1) * beyond[0].copies
        raise ValueError(f"case {beyond[0].name!r} needs {needed} CPUs, we may use {cpus}")
    return chosen


def _usable_cpus() -> int:
    """Return how many CPUs can be given to processes, one each."""
    affinity = hasattr(os, "sched_getaffinity")
    return len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1


def _kept_records(path: Path, resume: bool, force: bool) -> list[Record]:
    """Return the records to keep, and rewrite the file with these, without a torn line."""
    if not resume and not force:
        check_no_records(path)
    records, torn = read_records(path) if path.exists() and resume else ([], False)
    # This also shows before the measurements whether the file can be written.
    if torn or not resume or not path.exists():
        write_records(path, records)
    return records


def check_no_records(path: Path) -> None:
    """Refuse a file that has records; name the two options."""
    if path.exists() and (records := read_records(path)[0]):
        raise FileExistsError(
            f"{path} has {len(records)} records: add --resume to keep them and measure what is "
            "missing, --force to start again, or name another folder with --out"
        )


def check_agreement(made: Record, others: Iterable[Record]) -> None:
    """Refuse a record whose text, pattern or digest differs from cases it must agree with.

    A stopped value has made only a part; its measuring function has checked that part.
    """

    def compared(one: Record) -> dict[str, str]:
        text = one.get("corpus", {}).get("sha256", "")
        pattern = one.get("pattern", DEFAULT_PATTERN)
        return {"texts": text[:12], "patterns": pattern, "digests": one["digest"][:12]}

    for other in others:
        if not made["agrees"] or other["agrees"] != made["agrees"]:
            continue
        stopped = "time_budget" in (made.get("stopped_by"), other.get("stopped_by"))
        theirs = compared(other)
        for name, mine in compared(made).items():
            # Values without a text have none.
            same = not mine or not theirs[name] or mine == theirs[name]
            if not same and not (name == "digests" and stopped):
                raise RuntimeError(
                    f"suite {made['suite']!r}: {made['case']!r} and {other['case']!r} must give "
                    f"the same result, and have other {name} ({mine} and {theirs[name]}); the "
                    "former is not recorded"
                )
