"""The work of a stage, as operation counts, beside that of the stages of the lab."""

import warnings
from collections.abc import Iterable, Mapping
from functools import cache
from math import log
from typing import TYPE_CHECKING

from bpe_lab import corpora
from bpe_lab.corpora.worked_example import WORKED_EXAMPLE
from bpe_lab.registry import STAGES
from bpe_lab.training.api import count_words
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.special_tokens import END_OF_TEXT

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

Work = Mapping[str, int]
"""Operation -> how often."""

TEXT_BYTES = 10_000
MERGES = 50
"""A text and a number of merges that the slowest stage is done with in half a second."""


@cache
def words_to_work_on() -> dict[bytes, int]:
    """Return the words of the first stories, sorted.

    The order in which a counter gives them is that of its table, and some counts depend on it.

    >>> len(words_to_work_on()) > 100
    True
    """
    file = corpora.excerpt("stories", TEXT_BYTES)
    return dict(sorted(count_words(file, [END_OF_TEXT]).items()))


def work_of(
    stage: "str | type[Stage]", counts: Mapping[bytes, int] | None = None, n_merges: int = MERGES
) -> Work:
    """Return the operation counts of a stage on a small text: the same on every machine.

    :param stage: id of a stage, or a class.
    :param counts: word -> number of occurrences; None: the first stories.
    :param n_merges: how many merges are made.

    >>> work_of("naive", {b"low": 5}, 1)["pairs_counted"]
    10
    """
    if counts is None and isinstance(stage, str):
        return work_on_stories(stage, n_merges)
    words = words_to_work_on() if counts is None else counts
    with warnings.catch_warnings(action="ignore"):
        training = train_from_counts(words, 256 + n_merges, [], stage=stage, threads=1)
    return {name: count for name, count in training.operations.items() if count}


@cache
def work_on_stories(stage: str, n_merges: int) -> Work:
    """Return the operation counts of a stage of the lab on the first stories.

    :param stage: its id.
    :param n_merges: how many merges are made.

    >>> "heap_pushes" in work_on_stories("max_heap", 2)
    True
    """
    return work_of(stage, words_to_work_on(), n_merges)


def built() -> list[str]:
    """Return the ids of the stages that are built here.

    >>> "naive" in built()
    True
    """
    return [id_ for id_, entry in STAGES.items() if not entry.missing()]


def stage_like(stage: "type[Stage]") -> str | None:
    """Return the id of the stage that a class resembles, None when it counts no operations.

    That of its nearest base class that is a stage; else the one that counts most of the same
    operations, about as often.

    :param stage: the class.

    >>> from bpe_lab.stages.naive import Naive
    >>> stage_like(type("MyNaive", (Naive,), {}))
    'naive'
    """
    classes = {STAGES[id_].load(): id_ for id_ in built()}
    for base in stage.__mro__:
        if base in classes:
            return classes[base]
    mine = work_of(stage, WORKED_EXAMPLE)
    found = {id_: work_of(id_, WORKED_EXAMPLE) for id_ in built()}
    likely = [id_ for id_ in found if mine.keys() & found[id_].keys()]
    return min(likely, key=lambda id_: unlikeness(mine, found[id_]), default=None)


def unlikeness(mine: Work, other: Work) -> tuple[float, float]:
    """Return how unlike the work of two stages is: other operations first, then other counts.

    >>> unlikeness({"a": 1}, {"a": 1})
    (0.0, 0.0)
    """
    both = mine.keys() & other.keys()
    share = len(both) / max(len(mine.keys() | other.keys()), 1)
    return 1 - share, sum(abs(log(mine[name] / other[name])) for name in both)


def compared(mine: Work, other: Work, like: str) -> str:
    """Say in a sentence how the work of a stage differs from that of another.

    :param mine: its operation counts.
    :param other: those of the other one, on the same words.
    :param like: name of the other one.

    >>> compared({"pairs_scanned": 112}, {"pairs_scanned": 100}, "naive")
    'beside `naive`: 12 % more pairs scanned (112 instead of 100).'
    >>> compared({"pairs_scanned": 100}, {"pairs_scanned": 100}, "naive")
    'the same work as `naive`: pairs scanned 100.'
    """
    if not mine:
        return (
            "no operations are counted: add to `self.operations[...]` where the work is done, and "
            "it is compared with that of the lab's stages."
        )
    same = [name for name in other if mine.get(name, 0) == other[name]]
    changed = [name for name in other if name in mine and mine[name] != other[name]]
    missing = [name for name in other if not mine.get(name)]
    more = [name for name in mine if name not in other]
    if not (changed or missing or more):
        return f"the same work as `{like}`: {counted(mine)}."
    said = [difference(name, mine[name], other[name]) for name in changed]
    if missing:
        said.append(f"no {spelled(missing)} (`{like}`: {counted({n: other[n] for n in missing})})")
    if more:
        said.append(f"besides {counted({name: mine[name] for name in more})}")
    if same:
        said.append(f"the same {spelled(same)}")
    return f"beside `{like}`: {'; '.join(said)}."


def difference(name: str, mine: int, other: int) -> str:
    """Say how one count differs.

    >>> difference("heap_pops", 50, 100), difference("heap_pops", 320, 100)
    ('50 % fewer heap pops (50 instead of 100)', '3.2 times as many heap pops (320 instead of 100)')
    """
    share = mine / other
    if share >= 2:
        by = f"{share:,.1f} times as many"
    elif 0.99 < share < 1.01:
        by = f"{abs(mine - other):,} {'more' if mine > other else 'fewer'}"
    else:
        by = f"{100 * abs(share - 1):.0f} % {'more' if share > 1 else 'fewer'}"
    return f"{by} {name.replace('_', ' ')} ({mine:,} instead of {other:,})"


def spelled(names: Iterable[str]) -> str:
    """Return names of operations as people read them.

    >>> spelled(["heap_pops", "pairs_scanned"])
    'heap pops, pairs scanned'
    """
    return ", ".join(name.replace("_", " ") for name in names)


def counted(work: Work) -> str:
    """Return operation counts as people read them.

    >>> counted({"heap_pops": 1_000})
    'heap pops 1,000'
    """
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in work.items())
