"""Suite `encoding`: public encoders beside ours, and long words.

An encoder and ours take turns to encode a text in one process, on one CPU, with one vocabulary. A
value is the time of a newly created encoder, which has seen nothing of the text. A second time is
recorded, too. If its ids differ from ours, the table says so and shows no speed.
"""

import importlib.util
from importlib.metadata import version
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.spread import drawn_spreads, turn_ratios
from bpe_lab.results.tables import (
    Columns,
    Records,
    TableRow,
    digest_text,
    left_out,
    rows_table,
    summary,
)
from bpe_lab.support.sizes import size_in_words

OURS, OUR_LIST, READABLE = "bpe_lab", "bpe_lab_list", "readable"
OURS_COLOR = PALETTE[1]

PACKAGES = {
    OURS: "bpe_lab",
    OUR_LIST: "bpe_lab",
    "gigatoken": "gigatoken",
    "tiktoken": "tiktoken",
    "tokenizers": "tokenizers",
    READABLE: "bpe_lab",
}
"""Encoder (ours first) -> its package.

`measure.py` shows how each is called. `readable` is plain Python, written for readers: it
gets a small text and short words.
"""


def installed() -> list[str]:
    """Return the encoders that can be imported."""
    return [name for name, package in PACKAGES.items() if importlib.util.find_spec(package)]


ALL_TEXTS = ("stories", "languages", "chinese_sentences", "json")
TEXTS = {"tiny": ("languages",), "default": ALL_TEXTS, "full": ALL_TEXTS}
TEXT_BYTES = {"tiny": 0, "default": 1_000_000, "full": 50_000_000}
SLOW_BYTES = {"tiny": 0, "default": 50_000, "full": 1_000_000}
TURNS = {"tiny": 1, "default": 3, "full": 3}
VOCABULARY: dict[str, dict[str, Any]] = {
    "tiny": {"vocab_size": 400, "trained_on": ["languages"]},
    "default": {"vocab_size": 5_000, "trained_on": ["stories", "languages"]},
    "full": {"vocab_size": 50_000, "trained_on": ["many_words", "stories", "languages"],
             "trained_bytes": 20_000_000},
}  # fmt: skip

SECOND_PATTERN = "llama3"
"""On the first text; all of these encoders know it."""

LETTERS = {
    "tiny": (1_000,),
    "default": (1_000, 10_000, 100_000, 1_000_000),
    "full": (1_000, 10_000, 100_000, 1_000_000, 10_000_000),
}
MOST_LETTERS = 100_000
"""For other encoders, which may not be linear."""

SHORT_WORD, SHORT_WORD_TURNS = 10_000, 30
"""Words this short take less than a millisecond."""

ALONE = {
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return every encoder that is installed on every text and on long words."""
    vocabulary, size, texts = VOCABULARY[scale], TEXT_BYTES[scale], TEXTS[scale]
    if file is not None:
        vocabulary, size, texts = {"vocab_size": vocabulary["vocab_size"]}, 0, (file,)
    pairs = [(text, "gpt2") for text in texts]
    if scale != "tiny":
        pairs.append((texts[0], SECOND_PATTERN))
    chosen = []
    for text, pattern in pairs:
        for encoder in installed():
            if encoder == READABLE and file is not None:
                continue
            n_bytes = SLOW_BYTES[scale] if encoder == READABLE else size
            params = {"text": text, "text_bytes": n_bytes, "pattern": pattern, **vocabulary}
            params["turns"] = TURNS[scale]
            chosen.append(_case(encoder, f"{text}, {pattern}", "text", params))
    for encoder in installed():
        for letters in LETTERS[scale] if encoder != OUR_LIST else ():
            if encoder == OURS or letters <= MOST_LETTERS:
                short = letters <= SHORT_WORD and encoder != READABLE
                # Not as a text of the case, which a file of the user would replace.
                params = {"letters": letters, "turns": SHORT_WORD_TURNS if short else TURNS[scale]}
                chosen.append(_case(encoder, f"a word of {letters:,} letters", "word", params))
    return chosen


def _case(encoder: str, on: str, kind: str, params: dict[str, Any]) -> Case:
    return Case(
        f"{encoder}, {on}",
        f"{__name__}.measure:encode_{kind}",
        {"encoder": encoder, **params},
        cpus=1,
        environment=ALONE,
        facts={
            "kind": kind,
            "version": version(PACKAGES[encoder]),
            "left_out": [name for name in PACKAGES if name not in installed()],
        },
    )


def _rows(records: Records, kind: str) -> Records:
    """Return the summary of the cases of encoders on texts ("text"), or on long words ("word").

    Added: on (the text), ratio and again_ratio (`Spread` of its time over ours in the same turn:
    newly created, and the second time), rate (MB/s), per_letter (ns).
    """
    rows = summary(records)
    rows = rows[rows["kind"] == kind]
    return rows.assign(
        on=[str(case).partition(", ")[2] for case in rows.index],
        ratio=turn_ratios(records),
        again_ratio=turn_ratios(records, "again_in_turns"),
        rate=rows["corpus_bytes"] / 1e6 / rows["median"],
        per_letter=1e9 * rows["median"] / rows["corpus_bytes"],
    )


def _times_ours(row: TableRow) -> str:
    """Return what an encoder takes of our time, "" if it gives other ids."""
    return str(row["ratio"]) if row["ids_equal"] else ""


TEXT_COLUMNS: Columns = {
    "text": lambda row: f"{row['on']} ({size_in_words(row['corpus_bytes'])})",
    "encoder": "{param_encoder} {version}",
    "MB/s": lambda row: three_digits(row["rate"]) if row["ids_equal"] else "other ids",
    "x our time": _times_ours,
    "x our time again": lambda row: str(row["again_ratio"]) if row["ids_equal"] else "",
    "bytes per token": lambda row: f"{row['corpus_bytes'] / row['operations']['ids']:.2f}",
    "peak MB": "{peak_rss_mb:.0f}",
    "ids": digest_text,
}
WORD_COLUMNS: Columns = {
    "letters of one word": "{corpus_bytes:,}",
    "encoder": "{param_encoder} {version}",
    "ns per letter": lambda row: (
        three_digits(row["per_letter"]) if row["ids_equal"] else "other ids"
    ),
    "x our time": _times_ours,
    "pairs we look up per letter": lambda row: (
        f"{row['operations']['pairs_looked_up'] / row['corpus_bytes']:.2f}"
    ),
}


def table(records: Records) -> str:
    """Return MB/s by text and encoder, and long words."""
    parts = [
        rows_table(_rows(records, "text"), TEXT_COLUMNS),
        'One thread, one text in one call, one vocabulary. "MB/s" and "x our time": the first '
        'time of a newly created encoder; "again": the second time. Ratios are within '
        "one turn; the ratio of ours to itself is the noise. Where the ids differ, no speed is "
        "shown.",
        rows_table(_rows(records, "word"), WORD_COLUMNS),
        left_out(records, PACKAGES),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def figure(records: Records) -> Figure:
    """Draw how many times our time each encoder takes, in the same turn."""
    rows = _rows(records, "text").query("ids_equal")
    drawn = drawn_spreads(rows["ratio"])
    rates = rows["rate"].map(three_digits) + " MB/s"
    rows = rows.assign(
        group=rows["on"],
        label=rows["param_encoder"],
        text=rates.where(
            rows["param_encoder"] == OURS, rates + ", x " + drawn["median"].map(three_digits)
        ),
        color=[OURS_COLOR if name.startswith(OURS) else UNKNOWN for name in rows["param_encoder"]],
        ring=drawn_spreads(rows["again_ratio"])["median"],
        **drawn,
    )
    times = [
        f"{name} {' to '.join(dict.fromkeys(map(three_digits, (of.min(), of.max()))))}"
        for name, of in rows.groupby("param_encoder")["median"]
        if PACKAGES[str(name)] != OURS
    ]
    return grouped_rows(
        records[records["kind"] == "text"],
        rows_by(rows),
        f"Times as long as ours on the same text: {', '.join(times)}"
        if times
        else "No public encoder was measured beside ours",
        x_label="time over ours in the same turn (log scale)",
        note="One thread, one text in one call, the same ids. Dot: the first time of a "
        "newly created encoder; ring: the second time. Bar: least to greatest. "
        f"{OURS} beside itself shows the noise; the readable encoders have a small text.",
        reference=1,
    )


def long_words(records: Records) -> Figure:
    """Draw nanoseconds per letter against the length of a word, a line per encoder."""
    rows = _rows(records, "word").query("ids_equal")
    colors = (OURS_COLOR, *PALETTE[2:])
    lines = [
        Line(
            str(name),
            same["corpus_bytes"].tolist(),
            same["per_letter"].tolist(),
            color=color if name != READABLE else QUIET,
        )
        for (name, same), color in zip(
            rows.groupby("param_encoder", sort=False), colors, strict=False
        )
    ]
    ours = lines[0]
    first, last = (f"{three_digits(ours.y[end])} ns" for end in (0, -1))
    return draw_lines(
        records[records["kind"] == "word"],
        lines,
        f"A letter costs {ours.name} {first} in a word of {ours.x[0]:,}, {last} in one of "
        f"{ours.x[-1]:,}",
        x_label="letters of one word (log scale)",
        y_label="ns per letter (log scale)",
        note="Random DNA letters, one word for the pattern gpt2; the same ids.",
    )


SUITE = Suite(
    id="encoding",
    title="Encoding",
    question=(
        "How fast are the public encoders compared with ours, with the same vocabulary and ids, "
        "and what does a letter of a long word cost?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    more_figures=(long_words,),
)
