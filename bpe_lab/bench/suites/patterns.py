"""Suite `patterns`: what a pattern costs to count by, and the tokens that it leads to."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import PALETTE, UNKNOWN
from bpe_lab.plots.tokens import tokens_by_vocabulary as draw
from bpe_lab.results.intervals import turn_ratios
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    markdown_table,
    rows_table,
    short,
    spread_text,
    summary,
)
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS, find_pattern

COUNT = "bpe_lab.bench.measures.patterns:count_by_pattern"
TOKENS = "bpe_lab.bench.measures.patterns:tokens_by_pattern"

A_REGEX = r"\p{L}+|\p{N}|[^\p{L}\p{N}]+"
"""A regex as a user may write one: there is no scanner for it."""

NAMED = {"tiny": ("o200k",), "default": tuple(PATTERNS), "full": tuple(PATTERNS)}

ALL_TEXTS = ("stories", "languages", "chinese_sentences", "json")
TEXTS = {"tiny": ("languages",), "default": ALL_TEXTS, "full": ALL_TEXTS}
"""English; more than thirty scripts; no spaces; more digits and punctuation than letters."""

TEXT_BYTES = {"tiny": 0, "default": 1_000_000, "full": 50_000_000}
TURNS = {"tiny": 1, "default": 20, "full": 4}
"""Of the counter `native`; the regex package takes twenty times as long, and one turn is enough."""

TRAININGS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_sizes": [300, 400]},
    "default": {
        "text": "stories",
        "also": ["languages"],
        "vocab_sizes": [500, 1_000, 2_000, 5_000],
    },
    "full": {
        "text": "many_words",
        "also": ["languages"],
        "text_bytes": 20_000_000,
        "vocab_sizes": [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
    },
}


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return every pattern on every text, and a training with each."""
    texts, size, training = TEXTS[scale], TEXT_BYTES[scale], TRAININGS[scale]
    if file is not None:
        texts, size = (file,), 0
        training = {"text": file, "vocab_sizes": training["vocab_sizes"]}
    patterns = [*NAMED[scale], A_REGEX]
    counting = [
        Case(
            f"{text}, {_label_of(pattern)}, {counter}",
            COUNT,
            {
                "pattern": pattern,
                "counter": counter,
                "text": text,
                "text_bytes": size,
                "turns": TURNS[scale] if counter == "native" else 1,
            },
            agrees=f"counts of {text} by {_label_of(pattern)}",
        )
        for text in texts
        for pattern in patterns
        for counter in ("native", "regex")
        if counter == "regex" or find_pattern(pattern).scanner
    ]
    training = {"name": training["text"], **training}
    return counting + [
        Case(f"tokens, {_label_of(pattern)}", TOKENS, {"pattern": pattern, **training}, once=True)
        for pattern in (patterns if scale != "tiny" else NAMED[scale])
    ]


def _label_of(pattern: str) -> str:
    return pattern if pattern in PATTERNS else "a regex"


def _rows(records: Records) -> Records:
    """Return the summary with the label of the pattern."""
    rows = summary(records)
    return rows.assign(label=[_label_of(pattern) for pattern in rows["param_pattern"]])


def _counted(records: Records) -> Records:
    """Return the rows of the cases that count.

    Besides: rate (MB/s) and of_gpt2 (its speed over that of `gpt2` by the same counter).
    """
    rows = _rows(records)
    rows = rows[rows["param_counter"].notna()]
    return rows.assign(
        rate=rows["corpus_bytes"] / 1e6 / rows["median"],
        of_gpt2=turn_ratios(records).map(lambda ratio: 1 / ratio.median),
    )


def _trained(records: Records) -> Records:
    """Return the rows of the cases that train."""
    rows = _rows(records)
    return rows[rows["tokens_by_ids"].notna()]


def bytes_per_token(records: Records) -> dict[str, dict[str, dict[int, float]]]:
    """Return text -> pattern -> ids of the vocabulary -> bytes per token."""
    rows = _trained(records)
    return {
        text: {
            row["label"]: {ids: size / tokens for ids, tokens in row["tokens_by_ids"][text]}
            for _, row in rows.iterrows()
        }
        for text, size in rows["bytes_of_texts"].iloc[0].items()
    }


COLUMNS: Columns = {
    "text": "{corpus}",
    "pattern": "{label}",
    "counter": "{param_counter}",
    "MB/s": short("rate"),
    "x speed of gpt2": "{of_gpt2:.2f}",
    "spread": spread_text,
    "words per MB": lambda row: f"{1e6 * row['operations']['words'] / row['corpus_bytes']:,.0f}",
    "distinct words": "{operations[distinct_words]:,}",
    "counts": digest_text,
}


def table(records: Records) -> str:
    """Return MB/s by text and pattern, and bytes per token by pattern and size of vocabulary."""
    curves, rows = bytes_per_token(records), _trained(records)
    sizes = rows["param_vocab_sizes"].iloc[0]
    digests = dict(zip(rows["label"], map(digest_text, rows.to_dict("records")), strict=True))
    head = ("text", "pattern", *(f"{ids:,} ids" for ids in sizes), "merges")
    lines = [
        [text, label, *(f"{of[ids]:.2f}" if ids in of else "" for ids in sizes), digests[label]]
        for text, by_pattern in curves.items()
        for label, of in by_pattern.items()
    ]
    return (
        f"{rows_table(_counted(records), COLUMNS)}\n\nOne thread. Over `gpt2` by the same counter, "
        f'in the same turns. "A regex" is `{A_REGEX}`.\n\n'
        f"{markdown_table(head, lines)}\n\n"
        "Bytes per token of the texts of the training, a special token being one.\n"
    )


def figure(records: Records) -> Figure:
    """Draw MB/s by text and pattern, of the native counter and of the regex package."""
    rows = _counted(records)
    native = rows["param_counter"] == "native"
    ratios = sorted(rows["of_gpt2"][native & (rows["label"] != DEFAULT_PATTERN)])
    size = rows["corpus_bytes"] / 1e6
    drawn = rows.assign(
        group=rows["corpus"],
        text=rows["rate"].map(significant) + " MB/s, x " + rows["of_gpt2"].map("{:.2f}".format),
        color=native.map({True: PALETTE[1], False: UNKNOWN}),
        # The regex package counts last.
        ring=rows.groupby(["corpus", "label"])["rate"].transform("last").where(native),
        median=rows["rate"],
        least=size / rows["most"],
        most=size / rows["least"],
    )
    return grouped_rows(
        records[records["case"].isin(rows.index)],
        # By the native counter, where there is a scanner.
        rows_by(drawn.drop_duplicates(["corpus", "label"])),
        f"By other patterns the native counter is {ratios[0]:.2f} to {ratios[-1]:.2f} times as "
        "fast as by gpt2",
        x_label="MB/s by one thread (log scale)",
        note="Blue: the native counter; ring: the regex package; grey: by the regex package only. "
        f"x: speed over that by gpt2 in the same turns, with the same counter. A regex: {A_REGEX}.",
    )


def tokens_by_vocabulary(records: Records) -> Figure:
    """Draw bytes per token against the size of the vocabulary, by pattern and text."""
    shown = records[records["tokens_by_ids"].notna()]
    return draw(shown, bytes_per_token(records))


SUITE = Suite(
    id="patterns",
    title="Patterns",
    question=(
        "What does each pattern cost to count by, and how many bytes does a token of a vocabulary "
        "trained with it stand for?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native", "regex"),
    more_figures=(tokens_by_vocabulary,),
)
