"""Merges per second of a stage, measured here and now in turns with some of the lab's."""

import sys
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.bench.measures.training import train_text
from bpe_lab.bench.process import call
from bpe_lab.bench.texts import suite_text
from bpe_lab.lessons.checks.stage_work import built
from bpe_lab.registry import STAGES
from bpe_lab.results.spread import ratio_by_round

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

BESIDE = ("inverted_index", "max_heap", "cython", "cpp_flat", "core")
"""One of each kind; the slower ones would be stopped before their last merge."""

VALUE_SECONDS = 0.3
"""What merges faster is repeated, until a value has taken as long."""


class Size(NamedTuple):
    """How large the ladder is."""

    text: str
    vocab_size: int
    time_budget: float  # seconds of all but counting, after which a stage is stopped
    rounds: int  # how often each stage is measured
    beside: tuple[str, ...]


SIZES = {
    "default": Size("stories", 2_000, 2.0, 3, BESIDE),
    "tiny": Size("languages", 280, 1.0, 1, ("max_heap", "core")),
}


class Step(NamedTuple):
    """A stage on the ladder."""

    stage: str
    rates: tuple[float, ...]  # merges per second, a value per round
    n_merges: int
    complete: bool  # else the time budget stopped it
    digest: str  # of all merges; several if the rounds differ, none if no round made all

    @property
    def rate(self) -> float:
        """The median of the rates."""
        return median(self.rates)


class Ladder(NamedTuple):
    """All steps, the slowest first."""

    steps: tuple[Step, ...]
    own: str
    size: Size
    fresh: bool = True  # each value was measured in a process of its own

    @property
    def own_step(self) -> Step:
        """The step of the stage that is tried."""
        return next(step for step in self.steps if step.stage == self.own)

    @property
    def same_digest(self) -> bool:
        """Whether all stages that made all merges made the same ones."""
        return len({one for step in self.steps for one in step.digest.split()}) <= 1


def measure_ladder(stage: "type[Stage]", like: str, size: Size) -> Ladder:
    """Measure a stage in turns with some of the lab's.

    Each value runs in a fresh process where one finds the class by its module. A class of a
    notebook's cell is in no module: then all are measured in this process.
    """
    name, fresh = stage.__name__, _is_importable(stage)
    own = f"your {name}" if name in STAGES else name
    stages: dict[str, Any] = {own: f"{stage.__module__}:{name}" if fresh else stage}
    stages |= {id_: id_ for id_ in built() if id_ in (*size.beside, like)}

    def value(name: str) -> dict[str, Any]:
        params = {
            "stage": stages[name],
            "path": str(suite_text(size.text)),
            "vocab_size": size.vocab_size,
            "time_budget": size.time_budget,
            "least_seconds": VALUE_SECONDS if size.rounds > 1 else 0.0,
        }
        if not fresh:
            return train_text(**params)
        made: dict[str, Any] = call("bpe_lab.bench.measures.training:train_text", params)
        return made

    rounds = [{name: value(name) for name in stages} for _ in range(size.rounds)]
    steps = (_step(name, [values[name] for values in rounds]) for name in stages)
    return Ladder(tuple(sorted(steps, key=lambda step: step.rate)), own, size, fresh)


def _step(name: str, values: "list[dict[str, Any]]") -> Step:
    """Return the step of a stage: stopped if one of its values was, and with all their digests."""
    whole = [one for one in values if one["stopped_by"] != "time_budget"]
    return Step(
        name,
        tuple(one["merges_per_second"] for one in values),
        min(one["n_merges"] for one in values),
        len(whole) == len(values),
        " ".join(sorted({one["digest"] for one in whole})),
    )


def _is_importable(stage: type) -> bool:
    """Tell whether a fresh process finds this class by the names of its module and its own."""
    module = stage.__module__
    if module == "__main__" or module not in sys.modules:
        return False
    return getattr(sys.modules[module], stage.__name__, None) is stage


def factor(step: Step, own: Step) -> str:
    """Return how many times as many merges per second a stage makes as another.

    The median of the ratios by round, with their spread; "" where one of them was stopped: its
    first merges are not those of a whole run.
    """
    if not (step.complete and own.complete):
        return ""
    ours, base = (dict(enumerate(one.rates)) for one in (step, own))
    return "1" if step is own else str(ratio_by_round(ours, base))
