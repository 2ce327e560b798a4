"""A reader's stage against the stage `cython`, at the scale of the notebooks."""

from bpe_lab.lessons.shared.scale import SCALES, TURNS, scale
from bpe_lab.trials.stage import StageReport, try_stage


def race(stage: str) -> StageReport:
    """Check a stage in a process of its own, and measure how many times as fast as `cython` it is.

    :param stage: "mystage.pyx:MyStage", which is compiled, or as `try_stage` takes it.

    >>> race("bpe_lab.trials.traps:JoinedTies").passed
    False
    """
    size = "tiny" if scale() is SCALES["tiny"] else "default"
    return try_stage(stage, size, like="cython", turns=TURNS)
