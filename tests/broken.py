"""A pytest plugin that breaks a counter or a stage and runs the tests that carry its name.

    PYTHONPATH=tests python -m pytest -p broken --broken counter=regex tests/test_counters.py

A test that passes then has not asked what it names.
"""

from typing import Any, NoReturn

import pytest

import bpe_lab

ENTRIES = {"counter": bpe_lab.COUNTERS, "stage": bpe_lab.STAGES}


class BrokenError(Exception):
    """What was broken was used."""


class Broken:
    """Stands for a counting function and for the class of a stage."""

    def __init__(self, *args: Any, **options: Any) -> NoReturn:
        raise BrokenError


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--broken", required=True, metavar="counter=ID or stage=ID")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kind, _, name = config.getoption("--broken").partition("=")
    items[:] = [
        item
        for item in items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and item.callspec.params.get(kind) == name
    ]
    # Not before: some files look at all stages when they are imported.
    entry_class = type(ENTRIES[kind][name])
    load = entry_class.load

    def load_broken(entry: Any) -> Any:
        return Broken if entry.id == name else load(entry)

    entry_class.load = load_broken
