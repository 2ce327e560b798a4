"""Which share of merging each phase takes: in a recorded quiet run, and in the reader's."""

from collections.abc import Mapping

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import rows_of
from bpe_lab.lessons.runs import Run
from bpe_lab.merge_loop import PHASES

LEAST = 0.005
"""A share below it is not told."""


def recorded_shares(stage: str) -> dict[str, float]:
    """Return the share of each phase in merging, the largest first, of the recorded ladder.

    :param stage: its id.

    >>> next(iter(recorded_shares("fine_grained")))
    'select'
    """
    row = rows_of("ladder").loc[stage].to_dict()
    shares = {name: row[f"phase_{name}"] / row["merge_seconds"] for name in PHASES}
    del shares["count"]
    return dict(sorted(shares.items(), key=lambda item: item[1], reverse=True))


def told(shares: Mapping[str, float]) -> str:
    """Return shares as prose has them.

    :param shares: phase -> share.

    >>> told({"select": 0.731, "init": 0.0001})
    '`select` 73%'
    """
    return " · ".join(f"`{name}` {share:.0%}" for name, share in shares.items() if share > LEAST)


def phase_shares(one: Run) -> Prose:
    """Say which share of merging each phase of a stage takes: recorded, and in a run.

    :param one: from `run`.

    >>> from bpe_lab.lessons.runs import run
    >>> phase_shares(run("max_heap", 3)).split("**")[1]
    'Recorded on a quiet machine'
    """
    row = rows_of("ladder").loc[one.stage].to_dict()
    merges = (
        f"{row['n_merges']:,.0f} merges of {row['corpus']} ({row['corpus_bytes'] / 1e6:.0f} MB)"
    )
    return say(
        f"`{one.stage}`, shares of merging.\n\n"
        f"- **Recorded on a quiet machine**, {merges}: {told(recorded_shares(one.stage))}\n"
        f"- In this run, {len(one.training.merges):,} merges of the excerpt: {told(one.shares)}"
    )
