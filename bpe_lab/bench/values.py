"""One value of a case: the result of its function in a fresh process, and facts about the
process."""

import hashlib
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import takewhile
from operator import eq
from typing import Any

from bpe_lab.bench.process import Child
from bpe_lab.bench.suite import Case
from bpe_lab.bench.texts import UserText, suite_text
from bpe_lab.corpora import digest


def measure(case: Case, file: UserText | None) -> dict[str, Any]:
    """Measure a case once and return the result of its function, and the facts about its
    process."""
    params, corpus = dict(case.params), dict[str, Any]()
    if "text" in params:
        text, n_bytes = params.pop("text"), params.pop("text_bytes", 0)
        path = file.path if file else suite_text(text, n_bytes)
        params["path"] = str(path)
        corpus["corpus"] = {
            "name": text,
            "sha256": file.sha256 if file else digest(path),
            "bytes": path.stat().st_size,
        }
    with ExitStack() as stack:
        if file:
            # Also if the function fails: a changed text is then the reason to name.
            stack.callback(file.check_unchanged)
        children = [
            stack.enter_context(
                Child(
                    case.measure,
                    params,
                    cpus=case.cpus,
                    first_cpu=number * (case.cpus or 0),
                    environment=case.environment,
                    watch_memory=case.watch_memory,
                )
            )
            for number in range(case.copies)
        ]
        values = [_value_of(child, case) for child in children]
    if case.copies == 1:
        return corpus | values[0]
    if len({value["digest"] for value in values}) > 1:
        raise RuntimeError(f"{case.copies} processes at once gave different results")
    slowest = max(values, key=lambda value: float(value["seconds"]))
    return corpus | {"each_seconds": [value["seconds"] for value in values]} | slowest


def _value_of(child: Child, case: Case) -> dict[str, Any]:
    """Return the result of a process; if the time limit ended it, the facts about it."""
    try:
        result = child.result(case.time_limit)
    except TimeoutError:
        result = {
            "seconds": case.time_limit,
            "stopped_by": "time_budget",
            "digest": hashlib.sha256().hexdigest(),
            "operations": {},
            "n_merges": 0,
        }
    if not isinstance(result, dict):
        raise RuntimeError(f"its function returned a {type(result).__name__}, not a dict of fields")
    return {**child.facts, **result}


def leading_equal(tokens: Sequence[str], ours: Sequence[str]) -> int:
    """Return how many of the first tokens are the same in both."""
    return sum(takewhile(bool, map(eq, tokens, ours)))
