"""Where the time of a stage goes: in the recorded ladder, and in a run beside it."""

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import rows_of
from bpe_lab.lessons.runs import Run
from bpe_lab.results.tables import markdown_table


def recorded_share(stage: str, phase: str) -> float:
    """Return the share of a phase in a stage's merging, in the recorded ladder.

    :param stage: its id.
    :param phase: any but `count`.

    >>> recorded_share("naive", "select") < 0.001
    True
    """
    row = rows_of("ladder").loc[stage].to_dict()
    return float(row[f"phase_{phase}"] / row["merge_seconds"])


def percent(share: float) -> str:
    """Return a share as prose has it.

    >>> percent(0.512), percent(0.00004)
    ('51%', 'less than 1%')
    """
    return f"{share:.0%}" if share >= 0.01 else "less than 1%"


def shares_beside(one: Run, *phases: str) -> Prose:
    """Return a table of how much of its merging a run spent in phases, here and recorded.

    :param one: from `run`.
    :param phases: which.

    >>> from bpe_lab.lessons.runs import run
    >>> print(shares_beside(run("naive", 1), "select"))
    | phase of `naive` | share of the merging, in this run | recorded on a quiet machine |
    | :-- | :-- | :-- |
    | `select` | less than 1% | less than 1% |
    """
    head = (
        f"phase of `{one.stage}`",
        "share of the merging, in this run",
        "recorded on a quiet machine",
    )
    rows = [
        (f"`{phase}`", percent(one.shares[phase]), percent(recorded_share(one.stage, phase)))
        for phase in phases
    ]
    return say(markdown_table(head, rows))


def most_to_gain(stage: str, phase: str) -> Prose:
    """Say how many times as fast a stage would be without a phase: Amdahl's law.

    Gene Amdahl, "Validity of the single processor approach", AFIPS 1967.

    :param stage: its id.
    :param phase: any but `count`.

    >>> most_to_gain("word_counts", "update").split(":")[0]
    'In the recorded ladder `update` takes 35% of the merging of `word_counts`'
    """
    share = recorded_share(stage, phase)
    return say(
        f"In the recorded ladder `{phase}` takes {percent(share)} of the merging of `{stage}`: if "
        f"it took no time at all, the stage would be {1 / (1 - share):.1f} times as fast. Nothing "
        f"that is done to `{phase}` can gain more."
    )
