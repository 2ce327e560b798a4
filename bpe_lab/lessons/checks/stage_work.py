"""The work of a stage, as operation counts, beside that of the stages of the lab."""

import warnings
from collections.abc import Iterable, Mapping
from functools import cache

from bpe_lab import corpora
from bpe_lab.counting.api import count_words
from bpe_lab.registry import STAGES
from bpe_lab.stages.interface import Stage
from bpe_lab.training.training import train_from_counts
from bpe_lab.words.special_tokens import END_OF_TEXT

Work = Mapping[str, int]
"""Operation -> how often."""

TEXT_BYTES = 10_000
MERGES = 50
"""A text and a number of merges that the slowest stage is done with in half a second."""

DEFINITION = "word_counts"


@cache
def words_to_work_on() -> dict[bytes, int]:
    """Return the words of the first stories, sorted.

    The order in which a counter gives them is that of its table, and some counts depend on it.
    """
    file = corpora.excerpt("stories", TEXT_BYTES)
    return dict(sorted(count_words(file, [END_OF_TEXT]).items()))


@cache
def work_of(stage: str | type[Stage]) -> Work:
    """Return the operation counts of a stage on the first stories: the same on every machine."""
    with warnings.catch_warnings(action="ignore"):
        training = train_from_counts(words_to_work_on(), 256 + MERGES, [], stage=stage, threads=1)
    return {name: count for name, count in training.operations.items() if count}


def stage_like(stage: type[Stage]) -> str:
    """Return the id of the nearest base class that is a stage of the lab, or of the definition."""
    classes = {entry.load(): id_ for id_, entry in STAGES.items()}
    return next((classes[base] for base in stage.__mro__ if base in classes), DEFINITION)


def work_beside(mine: Work, other: Work, like: str) -> str:
    """Say in a sentence how the work of a stage differs from that of another."""
    if not mine:
        return (
            "no operations are counted: add to `self.operations[...]` where the work is done, and "
            "it is compared with that of the lab's stages."
        )
    if mine == other:
        return f"the same work as `{like}`: {_counted(mine)}."
    same = [name for name in other if mine.get(name) == other[name]]
    missing = {name: other[name] for name in other if name not in mine}
    more = {name: mine[name] for name in mine if name not in other}
    differences = [
        _difference(name, mine[name], other[name])
        for name in other
        if name in mine and mine[name] != other[name]
    ]
    if missing:
        differences.append(f"no {_spaced(missing)} (`{like}`: {_counted(missing)})")
    if more:
        differences.append(f"besides {_counted(more)}")
    if same:
        differences.append(f"the same {_spaced(same)}")
    return f"beside `{like}`: {'; '.join(differences)}."


def _difference(name: str, mine: int, other: int) -> str:
    share = mine / other
    if share >= 2:
        by = f"{share:,.1f} times as many"
    elif 0.99 < share < 1.01:
        by = f"{abs(mine - other):,} {'more' if mine > other else 'fewer'}"
    else:
        by = f"{100 * abs(share - 1):.0f} % {'more' if share > 1 else 'fewer'}"
    return f"{by} {name.replace('_', ' ')} ({mine:,} instead of {other:,})"


def _spaced(names: Iterable[str]) -> str:
    return ", ".join(name.replace("_", " ") for name in names)


def _counted(work: Work) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in work.items())
