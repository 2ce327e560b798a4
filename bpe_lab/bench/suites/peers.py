"""Suite `peers`: public trainers beside ours."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.peers import OURS, PEERS, installed, peers_markdown
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SMALL = "small text"

TEXTS: dict[str, dict[str, dict[str, Any]]] = {
    "tiny": {
        "stories": {"text": "stories", "text_bytes": 20_000, "vocab_size": 300},
        SMALL: {"text": "stories", "text_bytes": 10_000, "vocab_size": 280},
    },
    "default": {
        "stories": {"text": "stories", "text_bytes": 0, "vocab_size": 5_000},
        "many_words": {"text": "many_words", "text_bytes": 2_000_000, "vocab_size": 6_000},
        SMALL: {"text": "stories", "text_bytes": 50_000, "vocab_size": 350},
    },
    "full": {
        "stories": {"text": "stories", "text_bytes": 100_000_000, "vocab_size": 8_000},
        "many_words": {"text": "many_words", "text_bytes": 100_000_000, "vocab_size": 32_000},
        SMALL: {"text": "stories", "text_bytes": 1_000_000, "vocab_size": 1_000},
    },
}
"""Many documents of few distinct words; few documents of many distinct words, where merging is more
of the work; and a small text for the educational trainers.
"""

TIME_BUDGET = {"tiny": 10.0, "default": 15.0, "full": 3_600.0}


def cases(scale: str) -> list[Case]:
    """Return every trainer that is installed, the educational ones on a small text."""
    return [
        Case(
            name=f"{trainer}, {name}",
            measure="bpe_lab.bench.peers:train_peer",
            params={"trainer": trainer, **text, "time_budget": TIME_BUDGET[scale]},
            starts_process=True,
        )
        for name, text in TEXTS[scale].items()
        for trainer in installed()
        if trainer == OURS or PEERS[trainer].educational == (name == SMALL)
    ]


def ratios(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the summary of the cases with on (the text), ratio (over ours on it; NaN if ours was
    not measured).
    """
    rows = summary(records)
    # The first word of the name is the trainer, the rest the text.
    rows["on"] = [str(case).partition(", ")[2] for case in rows.index]
    ours = rows["median"].where(rows["param_trainer"] == OURS)
    rows["ratio"] = rows["median"] / ours.groupby(rows["on"]).transform("first")
    return rows


def table(records: "pandas.DataFrame") -> str:
    """Return seconds and merges by trainer; how each splits and decides ties; what is left out."""
    rows = ratios(records)
    names = list(dict.fromkeys(rows["param_trainer"]))
    head = ("trainer", "text", "ids", "seconds", "x ours", "spread", "import s", "peak MB",
            "merges", "same first", "other words than ours", "digest")  # fmt: skip
    parts = [
        markdown_table(head, [line(row) for _, row in rows.iterrows()]),
        "Whole job on one CPU, from the first line of the program to the merges: the import of the "
        'package and the reading of the file are part of it. "Same first": leading tokens that '
        "equal ours; they end at the first tie where the tie rule is another, and say nothing "
        "where the words are others. Trainers with one digest made the same tokens.",
        peers_markdown(names).strip(),
        left_out(records["left_out"], names),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def line(row: Any) -> list[str]:
    """Return the cells of one case."""
    more = "" if row["complete"] else "> "
    return [
        f"{row['param_trainer']} {row['version']}",
        f"{row['corpus']} ({row['corpus_bytes'] / 1e6:.2g} MB)",
        f"{row['param_vocab_size']:,}",
        f"{more}{row['median']:.3f}",
        "" if row["ratio"] != row["ratio"] else f"{more}{significant(row['ratio'])}",
        f"{row['spread']:.0%}" if row["complete"] else "stopped",
        f"{row['import_seconds']:.3f}" if row["complete"] else "",
        f"{row['peak_rss_mb']:.0f}",
        f"{row['n_merges']:,}" if row["complete"] else "",
        f"{row['leading_equal']:,}" if row["complete"] else "",
        PEERS[row["param_trainer"]].differs,
        f"`{row['digest'][:12]}`" if row["complete"] else "",
    ]


def left_out(lists: Iterable[list[str]], names: Iterable[str]) -> str:
    """Return the sentence on trainers without a row, "" when there is none.

    :param lists: of each record, the trainers that were not installed when it was made.
    :param names: the trainers that have a row.

    >>> left_out([["rustbpe"]], [name for name in PEERS if name != "rustbpe"])
    'Left out, not installed: rustbpe (pip install rustbpe).'
    """
    absent = [name for name in PEERS if name not in set(names)]
    missing = [name for name in absent if any(name in one for one in lists)]
    sentences = []
    if missing:
        install = " ".join(dict.fromkeys(PEERS[name].package for name in missing))
        sentences.append(f"Left out, not installed: {', '.join(missing)} (pip install {install}).")
    if others := [name for name in absent if name not in missing]:
        sentences.append(f"Left out, not chosen: {', '.join(others)}.")
    return " ".join(sentences)


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw how many times our time each trainer takes."""
    from bpe_lab.plots.peers import peer_ratios

    return peer_ratios(
        records,
        ratios(records),
        ours=OURS,
        other_words={name for name, peer in PEERS.items() if peer.differs},
        educational={name for name, peer in PEERS.items() if peer.educational},
    )


SUITE = Suite(
    id="peers",
    title="Public trainers",
    question="How fast are the public trainers of BPE beside ours, and do they make our merges?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
    takes_file=True,
)
