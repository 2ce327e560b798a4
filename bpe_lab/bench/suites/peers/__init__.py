"""Suite `peers`: public trainers beside ours.

Each value is one training in a process that imports nothing else, on as many CPUs as threads. It is
the time from the first line of the program until the merges are in memory: it includes imports and
reading the file, but not the start of Python.
"""

import importlib.util
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE
from bpe_lab.results import tables
from bpe_lab.results.numbers import count_of, duration, three_digits
from bpe_lab.results.spread import Spread, reference_ratios


class Peer(NamedTuple):
    """What the lab knows about a trainer, besides its function in `trainers.py`."""

    splits: str  # how it finds words
    ties: str  # which of several pairs with the highest count it merges
    differs: str = ""  # how its words differ from ours, so that its merges do, too
    mind: str = ""  # what else is not comparable


TRAIN = f"{Path(__file__).with_name('trainers.py')}:train_peer"
"""Named by its file, so that the process itself imports nothing of bpe_lab."""

OURS = "bpe_lab"

DOCUMENTS = "documents given to it, GPT-2's pattern"
AT_SPECIAL = "at the special token, GPT-2's pattern"
GREATEST_BYTES = "greatest bytes"
BYTE_IDS = "smallest ids, bytes numbered by value"
LETTER_IDS = "smallest ids, bytes numbered by GPT-2's letter for them"
SHORTEST = "shortest, then smallest characters, a blank being U+2581"
"""Tie rules; `tests/test_peers.py` checks that the trainers follow them."""

PEERS = {
    OURS: Peer(AT_SPECIAL, GREATEST_BYTES),
    "gigabpe": Peer(
        "GPT-2's pattern on each line; the special token is counted as text",
        LETTER_IDS,
        differs="by line",
        mind="it has ids only for bytes that occur, so it makes a few more merges",
    ),
    "tokenizers": Peer(
        DOCUMENTS,
        LETTER_IDS,
        mind="it can read files itself, cut at lines: not measured",
    ),
    "gigatoken": Peer(AT_SPECIAL, LETTER_IDS),
    "rustbpe": Peer(DOCUMENTS, BYTE_IDS, mind="it knows no special token"),
    "ffbpe": Peer(
        DOCUMENTS, GREATEST_BYTES, mind="we set its tie rule; its default is smallest ids"
    ),
    "bpeasy": Peer(
        DOCUMENTS,
        BYTE_IDS,
        mind="it knows no special token; two merges that give the same bytes share one id",
    ),
    "sentencepiece": Peer(
        "at blanks, on each line; no pattern",
        SHORTEST,
        differs="by line, by characters",
        mind="characters of the text instead of 256 bytes, so it makes more merges",
    ),
}
"""The trainers that are compared, ours first."""


def installed() -> list[str]:
    """Return the trainers that can be imported."""
    return [name for name in PEERS if importlib.util.find_spec(name)]


TEXTS = {"stories": (0, 5_000), "many_words": (2_000_000, 6_000)}
"""Text -> bytes and ids: many documents with few distinct words; few documents with many, where
merging is more of the work."""

FILE_VOCAB_SIZE = 32_000
"""Ids on a text of the user."""


def cases(
    scale: str,
    *,
    file: str | None = None,
    threads: Sequence[int] = (1,),
    vocab_size: int | None = None,
) -> list[Case]:
    """Return every installed trainer on every text."""
    texts, time_limit = TEXTS, 15.0
    if scale == "tiny":
        texts, time_limit = {"stories": (20_000, 300)}, 10.0
    if file is not None:
        texts = {file: (0, FILE_VOCAB_SIZE)}
    return [
        case(trainer, text, text_bytes, vocab_size or ids, number, time_limit)
        for text, (text_bytes, ids) in texts.items()
        for number in threads
        for trainer in installed()
    ]


def case(
    trainer: str, text: str, text_bytes: int, vocab_size: int, threads: int, time_limit: float
) -> Case:
    """Return the case of one trainer on one text."""
    on = text if threads == 1 else f"{text}, {threads} threads"
    params = {"trainer": trainer, "text": text, "text_bytes": text_bytes}
    return Case(
        name=f"{trainer}, {on}",
        measure=TRAIN,
        params={**params, "vocab_size": vocab_size, "threads": threads},
        cpus=threads,
        environment={
            "RAYON_NUM_THREADS": str(threads),
            "OMP_NUM_THREADS": str(threads),
            "TOKENIZERS_PARALLELISM": "true",
        },
        time_limit=time_limit,
        compare_tokens_with=f"{OURS}, {on}",
        facts={
            "version": version(trainer),
            "left_out": [name for name in PEERS if name not in installed()],
        },
    )


def ratios(records: tables.Records) -> tables.Records:
    """Return the summary of the cases beside ours.

    Added: on (text and threads); beside (`Spread` of what it takes of our time, run beside it in
    turn; of what was stopped a bound, from the medians) and ratio (its median; NaN if ours was not
    measured).
    """
    rows = tables.summary(records)
    # The first word of the name is the trainer, the rest the text.
    rows["on"] = [str(case).partition(", ")[2] for case in rows.index]
    ours = rows[rows["param_trainer"] == OURS].set_index("on")["median"]
    bounds = (rows["median"] / rows["on"].map(ours)).map(lambda of: Spread(of, of, of, 1))
    beside = reference_ratios(records).reindex(rows.index).fillna(bounds)
    return rows.assign(beside=beside, ratio=[one.median for one in beside])


def _whole(cell: Callable[[tables.TableRow], str]) -> Callable[[tables.TableRow], str]:
    """Return a column of which a trainer that was stopped has nothing."""
    return lambda row: cell(row) if row["complete"] else ""


def _ratio(row: tables.TableRow) -> str:
    """Return what a trainer takes of our time."""
    takes = tables.factor("beside")(row)
    return takes if row["complete"] or not takes else f"> {takes}"


COLUMNS: tables.Columns = {
    "trainer": "{param_trainer} {version}",
    "text": tables.sized_text,
    "CPUs": "{param_threads}",
    "ids": "{param_vocab_size:,}",
    "time": lambda row: (
        tables.time_cell(row) if row["complete"] else f"> {duration(row['median'])}"
    ),
    "x ours": _ratio,
    "n": "{values}",
    "CPU s": _whole(tables.short("cpu_seconds")),
    "peak MB": _whole("{peak_rss_mb:.0f}".format_map),
    "anonymous MB": _whole("{peak_anonymous_mb:.0f}".format_map),
    "merges": _whole("{n_merges:,}".format_map),
    "same first": _whole("{leading_equal:,}".format_map),
    "digest": _whole(tables.digest_text),
}


def table(records: tables.Records) -> str:
    """Return times, memory and merges by trainer; how each splits and breaks ties; the missing
    ones."""
    rows = ratios(records)
    parts = [
        tables.rows_table(rows, COLUMNS),
        '"CPU s": of all threads; other programs disturb it less. "Anonymous": at '
        'its peak, without pages of files. "Same first": leading tokens that equal ours; they end '
        "at the first tie if the tie rule differs, and mean nothing if the words "
        "differ. Trainers with the same digest made the same tokens.",
        tables.markdown_table(
            ("trainer", "words", "other words than ours", "ties", "note"),
            [
                (name, peer.splits, peer.differs, peer.ties, peer.mind)
                for name, peer in PEERS.items()
                if name in set(rows["param_trainer"])
            ],
        ),
    ]
    if missing := records["left_out"].explode().dropna().unique().tolist():
        names = " ".join(missing)
        parts.append(f"Left out, not installed: {names} (pip install {names}).")
    return "\n\n".join(parts) + "\n"


def _beside_ours(records: tables.Records) -> tables.Records:
    """Return the trainers but ours, by text, the fastest first."""
    rows = ratios(records).dropna(subset=["ratio"])
    if rows.empty:
        raise ValueError(f"no records of {OURS} on the same text: measure it with --resume")
    trainers = rows["param_trainer"]
    stars = {name: "*" for name, peer in PEERS.items() if peer.differs}
    ours = rows[trainers == OURS].set_index("on")["median"].map(duration)
    beside = rows["on"].map(lambda on: f"; {OURS}: {ours[on]}" if on in ours else "")
    threads = rows["param_threads"].map(lambda number: count_of(int(number), "thread"))
    ids = rows["param_vocab_size"].map(", {:,} ids, ".format)
    order = rows["on"].map({on: number for number, on in enumerate(rows["on"].unique())})
    drawn = rows.assign(
        group=rows.apply(tables.sized_text, axis=1) + ids + threads + beside,
        label=trainers + trainers.map(lambda name: stars.get(name, "")),
        # No seconds: a median of others' runs and one of ours do not divide to a ratio by run.
        text=rows["complete"].map({True: "x ", False: "> x "}) + rows["ratio"].map(three_digits),
        color=PALETTE[1],
        order=order,
    )  # fmt: skip
    # Ours is the line at 1.
    others = drawn[trainers != OURS] if len(set(trainers)) > 1 else drawn
    return others.sort_values(["order", "ratio"], kind="stable")


DRAW = rows_figure(
    x_label=f"time, as a multiple of that of {OURS} (the line; log scale)",
    note="Whole job, import and reading included, a CPU per thread. >: stopped, it takes "
    "longer. *: its words differ from ours: by line or by characters.",
    spread="beside",
    reference=1,
)

SUITE = Suite(
    id="peers",
    title="Public trainers",
    question="How fast are the public BPE trainers compared with ours, and do they make our "
    "merges?",
    cases=cases,
    table=table,
    figure=lambda records: DRAW(_beside_ours(records), "Public trainers: their time over ours"),
)
