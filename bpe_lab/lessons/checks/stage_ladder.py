"""Merges per second of a stage, measured here and now in turns with some of the lab's."""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.bench.measures.training import train_text
from bpe_lab.bench.process import call
from bpe_lab.lessons.checks.class_source import place_of
from bpe_lab.lessons.checks.stage_work import built
from bpe_lab.results.numbers import estimate, significant

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

BESIDE = ("inverted_index", "max_heap", "cython", "cpp_flat", "core")
"""One of each kind; the slower ones would be stopped before their last merge."""

VALUE_SECONDS = 0.3
"""What merges faster is repeated, until a value has taken about as long."""

MOST_LOOPS = 100


class Size(NamedTuple):
    """How large the ladder is.

    :param text: a bundled corpus.
    :param vocab_size: ids to reach.
    :param time_budget: seconds of merging, after which a stage is stopped.
    :param rounds: how often each stage is measured.
    :param beside: ids of the stages that are measured beside.
    """

    text: str
    vocab_size: int
    time_budget: float
    rounds: int
    beside: tuple[str, ...]


SIZES = {
    "default": Size("stories", 2_000, 2.0, 3, BESIDE),
    "tiny": Size("languages", 280, 1.0, 1, ("max_heap", "core")),
}


class Step(NamedTuple):
    """A stage on the ladder.

    :param stage: name of the class, or id.
    :param rates: merges per second, a value per round.
    :param n_merges: how many it made.
    :param complete: whether it made all; else the time budget stopped it.
    :param digest: SHA-256 of its merges.
    """

    stage: str
    rates: tuple[float, ...]
    n_merges: int
    complete: bool
    digest: str

    @property
    def rate(self) -> float:
        """The median of the rates."""
        return median(self.rates)


class Ladder(NamedTuple):
    """All steps, the slowest first.

    :param steps: of the stage that is tried, and those beside it.
    :param own: name of the stage that is tried.
    :param size: what was measured.
    :param not_alone: why the stages ran in this process and not each in its own, "" if they did.
    """

    steps: tuple[Step, ...]
    own: str
    size: Size
    not_alone: str = ""


def measure_ladder(stage: "type[Stage]", like: str | None, size: Size) -> Ladder:
    """Measure a stage in turns with some of the registry.

    Each value runs in a fresh process, which finds the class by its module; a class that was
    written in a notebook is put into a module for it. Where that fails all of them run here.

    :param stage: the class.
    :param like: id of a stage that is measured, too.
    :param size: how much.
    :raises RuntimeError: a stage makes wrong merges, or fails.

    >>> from bpe_lab.stages.naive import Naive
    >>> nowhere = type("Nowhere", (Naive,), {})
    >>> ladder = measure_ladder(nowhere, None, SIZES["tiny"])
    >>> sorted(step.stage for step in ladder.steps), ladder.not_alone
    (['Nowhere', 'core', 'max_heap'], 'the source of Nowhere is not known')
    """
    beside = [id_ for id_ in built() if id_ in (*size.beside, like)]
    own = stage.__name__
    with folder_of_modules() as folder:
        try:
            place = place_of(stage, folder)
            first = {own: fresh_value(place, size, 1)}
        except (ValueError, RuntimeError) as error:
            said = " ".join(str(error).split())
            stages: dict[str, Any] = {own: stage, **{id_: id_ for id_ in beside}}
            return measured(stages, {}, size, own, said, train_text_of)
        return measured(
            {own: place, **{id_: id_ for id_ in beside}}, first, size, own, "", fresh_value
        )


@contextmanager
def folder_of_modules() -> Iterator[Path]:
    """Give a folder in which Python looks for modules as long as the block runs."""
    with tempfile.TemporaryDirectory() as folder:
        sys.path.append(folder)
        try:
            yield Path(folder)
        finally:
            sys.path.remove(folder)


def fresh_value(stage: str, size: Size, loops: int) -> dict[str, Any]:
    """Return what one value says of a stage, from a process of its own."""
    made: dict[str, Any] = call(
        "bpe_lab.bench.measures.training:train_text", options(stage, size, loops)
    )
    return made


def train_text_of(stage: Any, size: Size, loops: int) -> dict[str, Any]:
    """Return what one value says of a stage, from this process."""
    return train_text(**options(stage, size, loops))


def options(stage: Any, size: Size, loops: int) -> dict[str, Any]:
    """Return what `train_text` is asked for."""
    return {
        "stage": stage,
        "text": size.text,
        "vocab_size": size.vocab_size,
        "time_budget": size.time_budget,
        "loops": loops,
    }


def measured(
    stages: dict[str, Any],
    first: dict[str, dict[str, Any]],
    size: Size,
    own: str,
    not_alone: str,
    value: Any,
) -> Ladder:
    """Measure stages in turns.

    :param stages: name -> what `train_text` takes.
    :param first: values that are there already.
    :param size: how much.
    :param own: name of the stage that is tried.
    :param not_alone: as in `Ladder`.
    :param value: measures one value.
    """
    made = {name: first.get(name) or value(stage, size, 1) for name, stage in stages.items()}
    loops = {
        name: max(1, min(MOST_LOOPS, round(VALUE_SECONDS / one["merge_seconds"])))
        for name, one in made.items()
    }
    # A first value of milliseconds is mostly what a first run costs.
    rates = {
        name: [one["merges_per_second"]] if loops[name] == 1 or size.rounds == 1 else []
        for name, one in made.items()
    }
    for _ in range(size.rounds - 1):
        for name, stage in stages.items():
            rates[name].append(value(stage, size, loops[name])["merges_per_second"])
    steps = (
        Step(
            name,
            tuple(rates[name]),
            one["n_merges"],
            one["stopped_by"] != "time_budget",
            one["digest"],
        )
        for name, one in made.items()
    )
    return Ladder(tuple(sorted(steps, key=lambda step: step.rate)), own, size, not_alone)


def factor(step: Step, own: Step) -> str:
    """Return how many times as many merges per second a stage makes as another.

    With two digits and a sign where one of them was stopped: later merges cost less.

    :param step: the stage.
    :param own: the other one.

    >>> one, other = Step("a", (100.0,), 9, True, ""), Step("b", (38_300.0,), 9, True, "")
    >>> factor(other, one), factor(other, one._replace(complete=False))
    ('383', '≈ 380')
    """
    share = step.rate / own.rate
    if (step.complete and own.complete) or step is own:
        return significant(share)
    return f"≈ {estimate(share)}"


def same_digest(steps: Sequence[Step]) -> bool:
    """Tell whether all stages that made all merges made the same ones.

    :param steps: of one ladder.

    >>> same_digest([Step("a", (1.0,), 2, True, "x"), Step("b", (2.0,), 2, True, "y")])
    False
    """
    return len({step.digest for step in steps if step.complete}) <= 1
