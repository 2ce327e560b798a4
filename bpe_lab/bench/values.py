"""One value of a case: what its function gives in a fresh process, and what is known of that."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from bpe_lab.bench.process import Child
from bpe_lab.bench.suite import Case
from bpe_lab.bench.texts import check_unchanged, find_text


def measure(case: Case, user_file: dict[str, Any] | None) -> dict[str, Any]:
    """Measure a case once and return what its function gave, and what is known of its process."""
    params, found = dict(case.params), dict[str, Any]()
    if "text" in params:
        path, found["corpus"] = find_text(
            params.pop("text"), params.pop("text_bytes", 0), user_file
        )
        params["path"] = str(path)
    with ExitStack() as stack:
        # Also where the function fails: that it was changed is the reason to name.
        stack.callback(check_unchanged, user_file)
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
            for number in range(case.at_once)
        ]
        values = [_value_of(child, case) for child in children]
    if case.at_once == 1:
        return found | values[0]
    if len({value["digest"] for value in values}) > 1:
        raise RuntimeError(f"{case.at_once} processes at once gave different results")
    slowest = max(values, key=lambda value: float(value["seconds"]))
    return found | {"each_seconds": [value["seconds"] for value in values]} | slowest


def _value_of(child: Child, case: Case) -> dict[str, Any]:
    """Return what a process gave; of one that was ended by the time limit, what is known of it."""
    try:
        made = child.result(case.time_limit)
    except TimeoutError:
        made = {
            "seconds": case.time_limit,
            "stopped_by": "time_budget",
            "digest": hashlib.sha256().hexdigest(),
            "operations": {},
            "n_merges": 0,
        }
    if not isinstance(made, dict):
        raise RuntimeError(f"its function returned a {type(made).__name__}, not a dict of fields")
    return {**child.facts, **made}


class Tokens:
    """The tokens of the cases of a suite with which those of others are compared."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self.cases = cases
        self.of_case: dict[str, list[str]] = {}

    def counted(
        self, case: Case, value: dict[str, Any], user_file: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Return a value with the number of its leading equal tokens in place of them all."""
        if not case.beside:
            return value
        tokens = value.pop("tokens", [])
        if case.beside == case.name:
            self.of_case[case.name] = tokens
        elif case.beside not in self.of_case:
            # Not chosen, or recorded by an earlier run.
            other = measure(self.cases[case.beside], user_file)
            self.of_case[case.beside] = other.get("tokens", [])
        return {**value, "leading_equal": leading_equal(tokens, self.of_case[case.beside])}


def leading_equal(tokens: Sequence[str], ours: Sequence[str]) -> int:
    """Return how many tokens, from the first on, are the same in both.

    >>> leading_equal(["6c6f", "6869"], ["6c6f", "686f"])
    1
    """
    pairs = zip(tokens, ours, strict=False)
    return next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(tokens), len(ours)))
