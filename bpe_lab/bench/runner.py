"""Run suites: each value in a fresh process, cases in turn, each record kept once it is made."""

import fnmatch
import hashlib
import importlib.util
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm.auto import tqdm

import bpe_lab
from bpe_lab.bench.process import call
from bpe_lab.bench.process_child import find_function
from bpe_lab.bench.suite import SCALES, Case, Suite
from bpe_lab.files import check_file, only_writer
from bpe_lab.progress import SHOW_PROGRESS_AFTER
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.records import SCHEMA, append, read_records, to_dataframe, write_records
from bpe_lab.training import check_time_budget

if TYPE_CHECKING:
    import pandas

COMPILED = (
    "native",
    "stages.cython_stage",
    "heaps.cython_heap",
    "experiments_native",
    "bench.measures.compiled_max_heap",
)
"""Modules that are measured and are no Python files."""

MIXABLE = ("machines", "code")
"""What --mixed lets stand in one table."""

Record = dict[str, Any]


def run_suite(
    suite: Suite,
    out: Path,
    *,
    scale: str = "default",
    repeats: int = 3,
    cases: Sequence[str] = (),
    time_budget: float | None = None,
    file: dict[str, Any] | None = None,
    resume: bool = False,
    force: bool = False,
    mixed: bool = False,
    progress: bool = False,
) -> "pandas.DataFrame":
    """Measure what is missing of a suite and return all its records.

    Every case is measured once, then every case a second time, and so on: what slows the machine
    down for a while meets all of them. Killed at any moment, it loses the value in flight only.

    :param suite: the suite.
    :param out: folder; each record is appended to `<suite>.jsonl` in it as soon as it is complete.
    :param scale: "tiny", "default" or "full".
    :param repeats: values per case.
    :param cases: names of cases to measure, `*` for any part of a name; all when empty.
    :param time_budget: seconds of merging per value, for cases that take a budget.
    :param file: a text to use instead of the suite's own, as `file_facts` describes it.
    :param resume: keep the records that are there and measure what is missing.
    :param force: begin anew where there are records.
    :param mixed: resume on another machine or with another version of the code.
    :param progress: show a progress bar when it takes longer than two seconds.
    :raises ValueError: unknown scale or case, `repeats` below 1, a budget or file that no case
        takes, records that do not go with this run.
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
    if file is not None and not suite.takes_file:
        raise ValueError(f"suite {suite.id!r} takes no --file: it measures texts of its own")
    chosen = chosen_cases(suite, scale, cases, time_budget, file)
    stamp = {"scale": scale, "machine": machine_facts(), "code": code_digest()}
    path = out / f"{suite.id}.jsonl"
    check_file(path)
    out.mkdir(parents=True, exist_ok=True)
    with only_writer(out):
        return measure_missing(
            suite, path, chosen, stamp, file, repeats=repeats,
            resume=resume, force=force, mixed=mixed, progress=progress,
        )  # fmt: skip


def measure_missing(
    suite: Suite,
    path: Path,
    chosen: Sequence[Case],
    stamp: dict[str, Any],
    user_file: dict[str, Any] | None,
    *,
    repeats: int,
    resume: bool,
    force: bool,
    mixed: bool,
    progress: bool,
) -> "pandas.DataFrame":
    """Measure the cases that a file of records lacks; see `run_suite`."""
    records = kept_records(path, resume, force)
    known = {(one["case"], one["round"]) for one in records}
    wanted = [(number, case) for number in range(1, repeats + 1) for case in chosen]
    pending = [(number, case) for number, case in wanted if (case.name, number) not in known]
    check_resumed(path, records, chosen, stamp, user_file, mixed or not pending)

    bar = tqdm(total=len(pending), delay=SHOW_PROGRESS_AFTER, disable=not progress)
    with bar:
        for number, case in pending:
            # The name of what is running now; a refresh would draw the bar before its time.
            bar.set_description(f"{suite.id}: {case.name}", refresh=False)
            load = load_average()
            try:
                value = measure(case, user_file)
            except RuntimeError as error:
                # A text that was changed may be the reason.
                check_unchanged(user_file)
                raise RuntimeError(f"suite {suite.id!r}, case {case.name!r}: {error}") from None
            record = {
                "schema": SCHEMA,
                "suite": suite.id,
                "case": case.name,
                "params": dict(case.params),
                "agrees": case.agrees,
                "round": number,
                **stamp,
                "load": load,
                **value,
            }
            check_agreement(record, records)
            check_unchanged(user_file)
            append(path, record)
            records.append(record)
            bar.update()
    names = [case.name for case in chosen]
    # As an uninterrupted run would have written them.
    in_order = sorted(records, key=lambda one: (one["round"], names.index(one["case"])))
    made = to_dataframe(in_order)
    if mixed:
        made.attrs["mixed"] = MIXABLE
    return made


def missing_requirements(suite: Suite) -> list[str]:
    """Return the modules that a suite requires and that are not installed.

    :param suite: the suite.
    """
    return [name for name in suite.requires if importlib.util.find_spec(name) is None]


def check_unchanged(user_file: dict[str, Any] | None) -> None:
    """Check that the text of the user is the one that every record names.

    :param user_file: from `file_facts`.
    :raises ValueError: it was changed while it was measured.

    >>> check_unchanged(None)
    """
    if user_file is None:
        return
    now = Path(user_file["path"]).stat()
    if (now.st_size, now.st_mtime_ns) != (user_file["bytes"], user_file["changed_ns"]):
        raise ValueError(
            f"{user_file['path']} was changed while it was measured; the last value is not "
            "recorded: measure a text that stays as it is"
        )


def chosen_cases(
    suite: Suite,
    scale: str,
    names: Sequence[str],
    time_budget: float | None,
    user_file: dict[str, Any] | None,
) -> list[Case]:
    """Return the cases to measure, with the user's text and budget where they take one.

    :raises ValueError: unknown scale or case, a bad budget, or one that no case takes.
    """
    if scale not in SCALES:
        raise ValueError(f"unknown scale {scale!r}: known are {', '.join(SCALES)}")
    check_time_budget(time_budget)
    given: dict[str, Any] = {}
    if time_budget is not None:
        given["time_budget"] = time_budget
    if user_file is not None:
        given["text"] = user_file["name"]
    found = {}
    for case in suite.cases(scale):
        taken = {name: value for name, value in given.items() if name in case.params}
        found[case.name] = replace(case, params={**case.params, **taken})
    if unknown := [name for name in names if not fnmatch.filter(found, name)]:
        known = "; ".join(found)
        raise ValueError(f"unknown case {unknown[0]!r} of {suite.id}: known are {known}")
    chosen = [
        case
        for name, case in found.items()
        if not names or any(fnmatch.fnmatchcase(name, pattern) for pattern in names)
    ]
    if time_budget is not None and not any("time_budget" in case.params for case in chosen):
        raise ValueError(f"suite {suite.id!r} takes no --budget: nothing in it is stopped by time")
    return chosen


def code_digest() -> str:
    """Return 12 digits of the SHA-256 of the code that is measured: Python files, compiled modules.

    >>> len(code_digest())
    12
    """
    package = Path(bpe_lab.__file__).parent
    files = sorted(package.rglob("*.py"))
    for module in COMPILED:
        found = importlib.util.find_spec(f"bpe_lab.{module}")
        if found is not None and found.origin is not None:
            files.append(Path(found.origin))
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.name.encode() + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()[:12]


def load_average() -> float | None:
    """Return the load average of the last minute, None where the system has none.

    >>> load_average() is None or load_average() >= 0
    True
    """
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def kept_records(path: Path, resume: bool, force: bool) -> list[Record]:
    """Return the records that are to be kept, and make the file hold these and no torn line.

    :raises FileExistsError: there are some, and neither `resume` nor `force`.
    :raises OSError: the file cannot be written.
    """
    if not resume and not force:
        check_no_records(path)
    records, torn = read_records(path) if path.exists() and resume else ([], [])
    # Also tells before the measurements whether it can be written.
    if torn or not resume or not path.exists():
        write_records(path, records)
    return records


def check_no_records(path: Path) -> None:
    """Refuse a file that has records.

    :param path: of the records of a suite.
    :raises FileExistsError: it has some; names the two ways to go on.

    >>> check_no_records(Path("no such file"))
    """
    if path.exists() and (n_records := len(read_records(path)[0])):
        raise FileExistsError(
            f"{path} has {n_records} records: add --resume to keep them and measure what is "
            "missing, --force to begin anew, or name another folder with --out"
        )


def check_resumed(
    path: Path,
    records: Iterable[Record],
    cases: Iterable[Case],
    stamp: dict[str, Any],
    user_file: dict[str, Any] | None,
    mixed: bool,
) -> None:
    """Check that what is measured now may stand beside the records of an earlier run.

    :raises ValueError: another scale, other parameters, another text, or, unless `mixed`, another
        machine or other code.
    """
    params = {case.name: dict(case.params) for case in cases}

    def refuse(what: str) -> None:
        raise ValueError(
            f"{path} cannot be resumed: {what}; begin anew with --force, or name another --out"
        )

    for one in records:
        if one["scale"] != stamp["scale"]:
            refuse(f"its scale is {one['scale']}, not {stamp['scale']}")
        if one["params"] != params.get(one["case"]):
            refuse(f"case {one['case']!r} was measured with other parameters, or is not chosen")
        if user_file and "text" in one["params"] and one["corpus"]["sha256"] != user_file["sha256"]:
            refuse(f"its text {one['corpus']['name']!r} had other content")
        if not mixed and one["machine"] != stamp["machine"]:
            refuse("its records are of another machine or its software (--mixed accepts that)")
        if not mixed and one["code"] != stamp["code"]:
            refuse("its records are of other code of bpe_lab (--mixed accepts that)")


def check_agreement(made: Record, others: Iterable[Record]) -> None:
    """Hold a record to those that must have the same digest.

    A value that was stopped has made a part only; its measuring function has checked that part.

    :raises RuntimeError: it has another digest, or another text; names both cases.
    """
    if not made["agrees"]:
        return
    for other in others:
        if other["agrees"] != made["agrees"]:
            continue
        pair = f"suite {made['suite']!r}: {made['case']!r} and {other['case']!r}"
        texts = [one["corpus"]["sha256"][:12] for one in (made, other) if one.get("corpus")]
        if len(set(texts)) > 1:
            raise RuntimeError(f"{pair} read different texts ({' and '.join(texts)}); not recorded")
        stopped = "time_budget" in (made.get("stopped_by"), other.get("stopped_by"))
        if not stopped and made["digest"] != other["digest"]:
            raise RuntimeError(
                f"{pair} must give the same result, and give the digests {made['digest'][:12]} and "
                f"{other['digest'][:12]}; the former is not recorded"
            )


def measure(case: Case, user_file: dict[str, Any] | None) -> Record:
    """Measure a case once and return what its function gave.

    :param case: the case.
    :param user_file: handed to the function as `file`, when there is one.
    :raises RuntimeError: it failed; says why.
    """
    params = dict(case.params)
    made: Record
    if case.starts_process:
        made = find_function(case.measure)(**params, file=user_file)
    else:
        request = {"measure": case.measure, "params": params, "file": user_file}
        made = call("bpe_lab.bench.run_once:run_once", request)
    return made
