"""The rungs of the ladder: each a stage, and the counter that hands it its words."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from bpe_lab.registry import STAGES


class Rung(NamedTuple):
    """A step of the ladder: a stage, and the counter that hands it its words.

    :param name: the case of its records.
    :param notebook: the two digits of the notebook that explains it.
    :param threads: of the stage.
    :param counting_threads: of the counter.
    """

    name: str
    notebook: str
    stage: str
    counter: str
    threads: int = 1
    counting_threads: int = 1


COUNT_NATIVELY, BOTH_THREADS = "count natively", "core, two threads"


def _rungs() -> Iterable[Rung]:
    counter = "regex"
    for entry in (entry for entry in STAGES.values() if entry.in_ladder):
        threads = 2 if entry.id == "openmp_scan" else 1
        yield Rung(entry.id, entry.notebook, entry.id, counter, threads)
        if entry.id == "cpp_flat":  # from here on counting would hide what the stages gain
            counter = "native"
            yield Rung(COUNT_NATIVELY, "06", entry.id, counter)
    yield Rung(BOTH_THREADS, entry.notebook, entry.id, counter, threads=2, counting_threads=2)


RUNGS: Mapping[str, Rung] = MappingProxyType({rung.name: rung for rung in _rungs()})
"""Name -> rung, from the definition to the fastest."""
