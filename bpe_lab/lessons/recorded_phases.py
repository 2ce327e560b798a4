"""The recorded ladder in notebooks: shares of phases, some steps, counting beside merging."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from bpe_lab.corpora import data_path
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import recorded_factor, rows_of, run_as_recorded, times
from bpe_lab.lessons.runs import Run
from bpe_lab.lessons.texts import corpus
from bpe_lab.plots.ladder import ladder
from bpe_lab.results.numbers import duration, text_size
from bpe_lab.results.records import load
from bpe_lab.training.merge_loop import PHASES

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


def _told(shares: Mapping[str, float]) -> str:
    """Return shares as prose has them."""
    return " · ".join(f"`{name}` {share:.0%}" for name, share in shares.items() if share > LEAST)


def phase_shares(one: Run | str) -> Prose:
    """Say which share of merging each phase of a stage takes: recorded, and in a run.

    :param one: from `run`; or the id of a stage, which then repeats the recorded work.

    >>> from bpe_lab.lessons.runs import run
    >>> phase_shares(run("max_heap", 3)).split("**")[1]
    'Recorded on a quiet machine'
    """
    live = run_as_recorded(one) if isinstance(one, str) else one
    row = rows_of("ladder").loc[live.stage].to_dict()
    merges = f"{row['n_merges']:,.0f} merges of {row['corpus']} ({text_size(row['corpus_bytes'])})"
    beginning = f"the first {text_size(corpus().stat().st_size)}"
    here = (
        "the same work"
        if isinstance(one, str)
        else f"{len(live.training.merges):,} merges of {beginning}"
    )
    return say(
        f"`{live.stage}`, shares of merging.\n\n"
        f"- **Recorded on a quiet machine**, {merges}: {_told(recorded_shares(live.stage))}\n"
        f"- In this run, {here}: {_told(live.shares)}"
    )


def most_to_gain(stage: str, phase: str) -> Prose:
    """Say how many times as fast a stage would be without a phase: Amdahl's law.

    Gene Amdahl, "Validity of the single processor approach", AFIPS 1967.

    :param stage: its id.
    :param phase: any but `count`.

    >>> most_to_gain("word_counts", "update").split(":")[0]
    'In the recorded ladder `update` takes 35% of the merging of `word_counts`'
    """
    share = recorded_shares(stage)[phase]
    return say(
        f"In the recorded ladder `{phase}` takes {share:.0%} of the merging of `{stage}`: if it "
        f"took no time at all, the stage would be {1 / (1 - share):.1f} times as fast. Nothing "
        f"that is done to `{phase}` can gain more."
    )


def phase_seconds(*stages: str, phases: Sequence[str] = ("select", "update")) -> Prose:
    """Say how long phases of some stages took in the recorded ladder, for the same merges.

    :param stages: ids of stages that made equally many merges there.
    :param phases: names, one line for each.
    :raises ValueError: the stages made different numbers of merges.

    >>> phase_seconds("max_heap", "max_heap_cython").split(":")[0]
    'Recorded on a quiet machine, 1,743 merges of stories (5.0 MB)'
    """
    rows = rows_of("ladder").loc[list(stages)]
    if rows["n_merges"].nunique() > 1:
        raise ValueError(f"{', '.join(stages)} made different numbers of merges")
    first = rows.iloc[0]
    lines = [
        f"- `{phase}`: "
        + " · ".join(
            f"{duration(seconds)} in `{stage}`" for stage, seconds in rows[f"phase_{phase}"].items()
        )
        for phase in phases
    ]
    return say(
        f"Recorded on a quiet machine, {first['n_merges']:,.0f} merges of {first['corpus']} "
        f"({text_size(first['corpus_bytes'])}):\n\n" + "\n".join(lines)
    )


def recorded_ladder(*stages: str) -> Figure:
    """Draw the recorded merges per second of stages.

    :param stages: ids, all when none is given; the factors are over the first.

    >>> recorded_ladder("naive", "max_heap").axes[0].get_xscale()
    'log'
    """
    records = load(data_path("recorded/bench/ladder.jsonl"))
    if stages:
        records = records[records["case"].isin(stages)].reset_index(drop=True)
    return ladder(records)


def counting_beside_merging(stage: str) -> Prose:
    """Say how long the words are counted with a regular expression, and how long a stage merges.

    Both recorded, on the stories; counting takes time in proportion to the text.

    :param stage: its id.

    >>> counting_beside_merging("max_heap").split(",")[0]
    'Recorded on a quiet machine'
    """
    merging = rows_of("ladder").loc[stage].to_dict()
    counting = rows_of("counting").loc["stories, regex"].to_dict()
    seconds = counting["median"] * merging["corpus_bytes"] / counting["corpus_bytes"]
    largest, share = next(iter(recorded_shares(stage).items()))
    size = text_size(merging["corpus_bytes"])
    return say(
        f"Recorded on a quiet machine, `{stage}` makes its {merging['n_merges']:,.0f} merges of "
        f"{size} of stories in {duration(merging['merge_seconds'])}, {share:.0%} of it in "
        f"`{largest}`. To count the words of these {size} with a regular expression takes "
        f"{duration(seconds)} (in proportion to the {duration(counting['median'])} recorded for "
        f"{text_size(counting['corpus_bytes'])}): "
        f"**{times(seconds / merging['merge_seconds'])} times** as long as merging."
    )


CHOOSING = ("pairs_scanned", "heap_pushes", "heap_pops", "stale_pops")
"""Operations with which a stage chooses a pair."""


def fewer_entries(before: str, after: str) -> Prose:
    """Say what a step saves in entries that `select` touches, in its seconds, and in all of them.

    The three are of the same recorded work, that of the ladder.

    :param before: id of the slower stage.
    :param after: id of the faster one.

    >>> fewer_entries("fine_grained", "max_heap").split("**")[1]
    '695 times fewer entries'
    """
    operations = rows_of("ladder")["operations"]
    slow, fast = (
        sum(operations[stage].get(name, 0) for name in CHOOSING) for stage in (before, after)
    )
    whole, select = recorded_factor(before, after), recorded_factor(before, after, of="select")
    return say(
        f"For the same recorded work ({whole.work}) `{after}` touches **{slow / fast:,.0f} times "
        f"fewer entries** than `{before}`; its `select` is **{select} as fast**, and merging as a "
        f"whole **{whole} as fast**."
    )
