"""Merges per second of a stage, measured here and now, interleaved with some of the lab's."""

from statistics import median
from typing import Any, NamedTuple

from bpe_lab.bench.texts import suite_text
from bpe_lab.lessons.checks.own_process import answer_of
from bpe_lab.registry import STAGES
from bpe_lab.results.spread import ratio_by_round
from bpe_lab.results.tables import factor_text

BESIDE = ("inverted_index", "max_heap", "cython", "cpp_flat", "core")
"""One of each kind; the slower ones would be stopped before their last merge."""

VALUE_SECONDS = 0.3
"""What merges faster is repeated, until a value has taken as long."""

PROCESS_SECONDS = 60.0
"""For a value; the time budget is looked at after each merge, and one merge may take long."""


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
    digests: frozenset[str]  # of all merges; several if the rounds differ, none if no round ended

    def factor(self, own: "Step") -> str:
        """Return how many times as many merges per second it makes as another, by round.

        "" where one of them was stopped: its first merges are not those of a whole run.
        """
        if not (self.complete and own.complete):
            return ""
        rates, base = dict(enumerate(self.rates)), dict(enumerate(own.rates))
        return factor_text(ratio_by_round(rates, base))


class Ladder(NamedTuple):
    """All steps, the slowest first."""

    steps: tuple[Step, ...]
    own: str
    size: Size

    @property
    def own_step(self) -> Step:
        """The step of the stage that is tried."""
        return next(step for step in self.steps if step.stage == self.own)

    @property
    def same_digest(self) -> bool:
        """Whether all stages that made all merges made the same ones."""
        return len(frozenset().union(*(step.digests for step in self.steps))) <= 1


def measure_ladder(stage: str, like: str, size: Size) -> Ladder:
    """Measure a stage, interleaved with some of the lab's, each value in a fresh process.

    :param stage: "file.py:Class" or "module:Class".
    :raises NoVerdictError: a process did not give a value.
    """
    name = stage.rpartition(":")[2]
    own = f"your {name}" if name in STAGES else name
    stages = {own: stage} | {id_: id_ for id_ in STAGES if id_ in (*size.beside, like)}

    def value(name: str) -> dict[str, Any]:
        params = {
            "stage": stages[name],
            "path": str(suite_text(size.text)),
            "vocab_size": size.vocab_size,
            "time_budget": size.time_budget,
            "least_seconds": VALUE_SECONDS if size.rounds > 1 else 0.0,
        }
        function = "bpe_lab.bench.measures.training:train_text"
        values: dict[str, Any] = answer_of(function, params, PROCESS_SECONDS)
        return values

    rounds = [{name: value(name) for name in stages} for _ in range(size.rounds)]
    steps = [_step(name, [values[name] for values in rounds]) for name in stages]
    return Ladder(tuple(sorted(steps, key=lambda step: median(step.rates))), own, size)


def _step(name: str, values: list[dict[str, Any]]) -> Step:
    """Return the step of a stage: stopped if one of its values was, and with all their digests."""
    ended = [value for value in values if value["stopped_by"] != "time_budget"]
    return Step(
        name,
        tuple(value["merges_per_second"] for value in values),
        min(value["n_merges"] for value in values),
        len(ended) == len(values),
        frozenset(value["digest"] for value in ended),
    )
