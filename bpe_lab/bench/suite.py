"""A suite of benchmarks: cases to measure, and the table and figure made from their records.

A measuring function is called once in a fresh process and returns fields of a record, at least:

- `seconds`: the one timed value, above 0; timed inside the function, so set-up is not part of it.
- `digest`: hex string of the result, so that cases can be compared.
- `operations`: name -> count, the same on every machine.

If computing these takes work, it may return a function that returns them; it is called after the
facts about the process (memory, processor time) have been noted.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

from bpe_lab.results.tables import LAST_COLUMNS, Columns, Records, rows_table

if TYPE_CHECKING:
    import matplotlib.figure

Figure: TypeAlias = "matplotlib.figure.Figure"
"""Only the name: matplotlib is loaded for drawing."""

SCALES = ("tiny", "default", "full")
"""Seconds; minutes, all suites within half an hour; hours, of `ladder` and `openwebtext` alone."""


def typed(option: str) -> str:
    """Return an option of a suite, named as in records, as a user types it.

    >>> typed("vocab_size"), typed("budget")
    ('--vocab-size', '--time-budget')
    """
    return "--" + {"budget": "time-budget"}.get(option, option).replace("_", "-")


@dataclass(frozen=True)
class Case:
    """One thing to measure, and the settings of its process.

    :param name: unique in its suite, readable.
    :param measure: "module:function", or "/folder/file.py:function", whose process imports nothing
        of bpe_lab by itself.
    :param params: its keyword arguments, JSON values only. A `text`, with its size `text_bytes`, is
        one of `bpe_lab.bench.texts` or the user's: the function gets its `path` instead.
    :param same_result_as: cases of a suite with the same non-empty value must give the same digest.
    :param cpus: CPUs that the process may use; None: all of ours.
    :param environment: variables to set for the process.
    :param time_limit: seconds after which the process is ended, and its value counts as stopped.
    :param compare_tokens_with: the case with whose `tokens` those of this one are compared: the
        function returns them as a list, and the record says how many leading ones are equal.
    :param facts: further fields of its records, name -> JSON value.
    :param deterministic: one value is enough: it is the same each time, even if other programs run.
    :param has_reference: its reference is measured beside each value.
    """

    name: str
    measure: str
    params: Mapping[str, Any]
    same_result_as: str = ""
    cpus: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    time_limit: float | None = None
    compare_tokens_with: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)
    deterministic: bool = False
    has_reference: bool = True

    @property
    def settings(self) -> dict[str, Any]:
        """The `params` of its records: the arguments, and limits of the process."""
        limit = {} if self.time_limit is None else {"time_budget": self.time_limit}
        return {**self.params, **limit}

    def with_options(self, options: Mapping[str, Any]) -> "Case":
        """Return the case with the user's text and budget, if it takes them."""
        given = {"text": options.get("file"), "time_budget": options.get("budget")}
        if given["text"] is not None:
            given["text_bytes"] = 0  # all of it
        taken = {name: value for name, value in given.items() if value is not None}
        params = {name: taken.get(name, value) for name, value in self.params.items()}
        limit = self.time_limit and options.get("budget", self.time_limit)
        return replace(self, params=params, time_limit=limit)


@dataclass(frozen=True)
class Suite:
    """A question, and the measurements, table and figure that answer it.

    :param id: what users type, and the name of its files.
    :param title: a few words.
    :param question: one sentence.
    :param cases: scale -> cases; it gets those options of the command that it takes as keywords:
        file (name of the user's text), threads (numbers), vocab_size, stage ("file.py:Class" of
        each).
    :param table: its records, as `bpe_lab.results.records.load` gives them -> Markdown.
    :param figure: its records -> one figure.
    :param requires: modules that must be importable, and programs.
    :param takes_file: a file of the user can replace the `text` of its cases.
    :param in_all: `bpe-lab bench all` measures it.
    """

    id: str
    title: str
    question: str
    cases: Callable[..., list[Case]]
    table: Callable[[Records], str]
    figure: Callable[[Records], Figure]
    requires: tuple[str, ...] = ()
    takes_file: bool = False
    in_all: bool = True

    @classmethod
    def of_rows(
        cls,
        *,
        title: str,
        rows: Callable[[Records], Records],
        columns: Columns,
        draw: Callable[[Records, str], Figure],
        note: str = "",
        **fields: Any,
    ) -> "Suite":
        """Return a suite whose table and figure show the same rows.

        :param rows: its records -> rows, such as `summary`.
        :param columns: of the table, as `rows_table` takes them, before `LAST_COLUMNS`.
        :param draw: rows, title -> figure: `rows_figure` or `lines_figure`.
        :param note: below the table.
        """
        columns = {**columns, **LAST_COLUMNS}
        return cls(
            title=title,
            table=lambda records: f"{rows_table(rows(records), columns)}\n\n{note}".strip(),
            figure=lambda records: draw(rows(records), title),
            **fields,
        )

    @property
    def _keywords(self) -> set[str]:
        """The options that `cases` itself takes."""
        return set(inspect.signature(self.cases).parameters) - {"scale"}

    def chosen(self, scale: str, options: Mapping[str, Any]) -> list[Case]:
        """Return the cases with the options of a command applied, the time budget among them."""
        if "file" in options:  # cases, tables and figures show only its name
            options = {**options, "file": PurePath(options["file"]).stem}
        given = {name: value for name, value in options.items() if name in self._keywords}
        return [case.with_options(options) for case in self.cases(scale, **given)]

    def accepts(self, option: str, scale: str) -> bool:
        """Tell whether an option changes any case."""
        if option == "budget":
            return any("time_budget" in case.settings for case in self.cases(scale))
        return option in self._keywords or (option == "file" and self.takes_file)
