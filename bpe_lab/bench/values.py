"""One value of a case: the result of its function in a fresh process, and facts about the
process."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import takewhile
from operator import eq
from typing import Any

from bpe_lab.bench.process import Child
from bpe_lab.bench.suite import Case
from bpe_lab.bench.texts import UserText, suite_text
from bpe_lab.corpora import digest

SLOWEST = 10e6
"""Bytes per second at which a text is counted at least."""


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
                    # What is ended cannot say itself how much it took.
                    watch_memory=case.watch_memory or case.time_limit is not None,
                )
            )
            for number in range(case.copies)
        ]
        values = [_value_of(child, case, corpus) for child in children]
    if case.copies == 1:
        return corpus | values[0]
    if len({value["digest"] for value in values}) > 1:
        raise RuntimeError(f"{case.copies} processes at once gave different results")
    slowest = max(values, key=lambda value: float(value["seconds"]))
    return corpus | {"each_seconds": [value["seconds"] for value in values]} | slowest


def _value_of(child: Child, case: Case, corpus: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of a process; if the time limit ended it, the facts about it."""
    limit = case.time_limit
    if limit is None and case.patience is not None:
        # Its text is counted twice at most, with a few threads.
        limit = case.patience + sum(one["bytes"] for one in corpus.values()) / SLOWEST
    try:
        result = child.result(limit)
    except TimeoutError:
        if case.time_limit is None:
            reason = f"it had not come back after {limit:.0f} s and was ended"
            if "stage" in case.params:
                reason += ": `bpe-lab try` finds where a stage hangs, --time-budget gives it more "
                reason += "time"
            raise RuntimeError(reason) from None
        result = {
            "seconds": case.time_limit,
            "stopped_by": "time_budget",
            "digest": hashlib.sha256().hexdigest(),
            "operations": {},
            "n_merges": 0,
        }
    return {**child.facts, **result}


def leading_equal(tokens: Sequence[str], ours: Sequence[str]) -> int:
    """Return how many of the first tokens are the same in both."""
    return sum(takewhile(bool, map(eq, tokens, ours)))
