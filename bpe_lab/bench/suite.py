"""What a suite of benchmarks is: cases to measure, and the table and figure made of their records.

A measuring function is called once in a fresh process and returns a dict that JSON can hold:

- `seconds`: the one timed value, above 0; timed inside the function, so set-up is no part of it.
- `digest`: hex string of the result, so that cases can be held equal.
- `operations`: name -> count, the same on every machine.
- optional: `phases` (name -> seconds), `stopped_by`, `n_merges`, `loops` (how often the work was
  repeated, `seconds` being the mean), `corpus` (name, sha256, bytes), and what else explains it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SCALES = ("tiny", "default", "full")
"""Seconds for a suite; all suites within 15 minutes; what runs overnight."""


@dataclass(frozen=True)
class Case:
    """One thing to measure.

    :param name: unique in its suite, readable.
    :param measure: "module:function".
    :param params: its keyword arguments, JSON values only.
    :param agrees: cases of a suite with the same non-empty value must give the same digest.
    :param starts_process: the function starts the process that it measures itself, and says what is
        known of it: `utc`, `peak_rss_mb`, `anonymous_mb` and `cpu_seconds`, too.
    """

    name: str
    measure: str
    params: Mapping[str, Any]
    agrees: str = ""
    starts_process: bool = False


@dataclass(frozen=True)
class Suite:
    """A question, and what is measured and shown to answer it.

    :param id: what users type.
    :param title: a few words.
    :param question: one sentence.
    :param cases: scale -> cases.
    :param table: its records, as `bpe_lab.results.records.load` gives them -> Markdown.
    :param figure: its records -> one figure.
    :param requires: modules that must be importable.
    :param more_figures: further figures of its records, each named as its function.
    :param takes_file: its cases have a parameter `text` that a file of the user can replace.
    """

    id: str
    title: str
    question: str
    cases: Callable[[str], list[Case]]
    table: Callable[["pandas.DataFrame"], str]
    figure: Callable[["pandas.DataFrame"], "Figure"]
    requires: tuple[str, ...] = ()
    more_figures: "tuple[Callable[[pandas.DataFrame], Figure], ...]" = ()
    takes_file: bool = False
