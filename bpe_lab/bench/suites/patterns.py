"""Suite `patterns`: what a pattern costs to count by, and the tokens that it leads to."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE, UNKNOWN
from bpe_lab.plots.tokens import tokens_by_vocabulary as draw
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
from bpe_lab.results.turns import turn_ratios
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
        "unseen": ["json"],
        "unseen_bytes": 1_000_000,
        "vocab_sizes": [500, 1_000, 2_000, 5_000],
    },
    "full": {
        "text": "many_words",
        "also": ["languages"],
        "unseen": ["json"],
        "unseen_bytes": 1_000_000,
        "text_bytes": 20_000_000,
        "vocab_sizes": [1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
    },
}


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return every pattern on every text, and a training with each."""
    texts, size = (TEXTS[scale], TEXT_BYTES[scale]) if file is None else ((file,), 0)
    training = TRAININGS[scale]
    if file is not None:
        training = {"text": file, "vocab_sizes": TRAININGS[scale]["vocab_sizes"]}
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
    return counting + [
        Case(f"tokens, {_label_of(pattern)}", TOKENS, {"pattern": pattern, **training}, once=True)
        for pattern in (patterns if scale != "tiny" else NAMED[scale])
    ]


def _label_of(pattern: str) -> str:
    """Return how tables and figures call a pattern.

    >>> _label_of("qwen2"), _label_of(A_REGEX)
    ('qwen2', 'a regex')
    """
    return pattern if pattern in PATTERNS else "a regex"


def _rates(records: Records) -> Records:
    """Return the summary of the cases that count.

    Besides: label (of the pattern), rate (MB/s), of_gpt2 (its speed over that of `gpt2` by the same
    counter, the median over all turns).
    """
    ratios = turn_ratios(records)
    rows = summary(records)
    rows = rows[rows.index.isin(list(ratios))]
    if rows.empty:
        raise IndexError("no records of counting: measure more than the cases of tokens")
    return rows.assign(
        label=[_label_of(pattern) for pattern in rows["param_pattern"]],
        rate=rows["corpus_bytes"] / 1e6 / rows["median"],
        of_gpt2=[1 / ratios[str(case)].median for case in rows.index],
    )


def trained(records: Records) -> Records:
    """Return the summary of the cases that train, with the column label."""
    rows = summary(records)
    if "tokens_by_ids" not in rows:
        return rows.iloc[:0]
    rows = rows[rows["tokens_by_ids"].notna()]
    return rows.assign(label=[_label_of(pattern) for pattern in rows["param_pattern"]])


def bytes_per_token(rows: Records) -> dict[str, dict[str, dict[int, float]]]:
    """Return text -> pattern -> ids of the vocabulary -> bytes per token."""
    return {
        text: {
            row["label"]: {ids: size / tokens for ids, tokens in row["tokens_by_ids"][text]}
            for _, row in rows.iterrows()
        }
        for text, size in rows["bytes_of_texts"].iloc[0].items()
    }


def table(records: Records) -> str:
    """Return MB/s by text and pattern, and bytes per token by pattern and size of vocabulary."""
    rows = summary(records)
    parts = []
    if turn_ratios(records):
        parts.append(
            f"{rows_table(_rates(records), COUNTING_COLUMNS)}\n\nOne thread. Over `gpt2` by the "
            "same counter, in the same turns. Counts of one digest are the same."
        )
    if not (vocabularies := trained(records)).empty:
        parts.append(_tokens_table(vocabularies))
    if A_REGEX in set(rows["param_pattern"]):
        parts.append(f'"a regex" is `{A_REGEX}`.')
    return "\n\n".join(parts) + "\n"


COUNTING_COLUMNS: Columns = {
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


def _tokens_table(rows: Records) -> str:
    """Return bytes per token by text, pattern and size of the vocabulary."""
    sizes, unseen = rows["param_vocab_sizes"].iloc[0], _unseen_texts(rows)
    curves = bytes_per_token(rows)
    lines = [
        [text, label, *(f"{known[ids]:.2f}" if ids in known else "" for ids in sizes), digest]
        for text, by_pattern in curves.items()
        for (label, known), digest in zip(
            by_pattern.items(), map(digest_text, rows.to_dict("records")), strict=True
        )
    ]
    head = ("text", "pattern", *(f"{ids:,} ids" for ids in sizes), "merges")
    return (
        f"{markdown_table(head, lines)}\n\nBytes per token, a special token being one; "
        f"trained on {' and '.join(text for text in curves if text not in unseen)}."
    )


def _unseen_texts(rows: Records) -> list[str]:
    """Return the texts that were encoded and not trained on."""
    if "param_unseen" not in rows or not isinstance(unseen := rows["param_unseen"].iloc[0], list):
        return []
    return unseen


def figure(records: Records) -> Figure:
    """Draw MB/s by text and pattern, of the native counter and of the regex package."""
    rows = _rates(records)
    groups: dict[str, list[Row]] = {}
    for (text, label), same in rows.groupby(["corpus", "label"], sort=False):
        by: dict[str, Any] = {row["param_counter"]: row for _, row in same.iterrows()}
        shown = by["native"] if "native" in by else by["regex"]
        size = shown["corpus_bytes"] / 1e6
        groups.setdefault(str(text), []).append(
            Row(
                label=str(label),
                value=shown["rate"],
                least=size / shown["most"],
                most=size / shown["least"],
                text=f"{significant(shown['rate'])} MB/s, x {shown['of_gpt2']:.2f}",
                color=PALETTE[1] if "native" in by else UNKNOWN,
                ring=by["regex"]["rate"] if len(by) > 1 else None,
            )
        )
    native = rows[(rows["param_counter"] == "native") & (rows["label"] != DEFAULT_PATTERN)]
    return grouped_rows(
        records[records["case"].isin(rows.index)],
        groups,
        f"By other patterns the native counter is {native['of_gpt2'].min():.2f} to "
        f"{native['of_gpt2'].max():.2f} times as fast as by gpt2"
        if len(native)
        else SUITE.title,
        x_label="MB/s by one thread (log scale)",
        note="Blue: the native counter; ring: the regex package; grey: by the regex package only. "
        "x: speed over that by gpt2 in the same turns, with the same counter. "
        f"A regex: {A_REGEX}.",
    )


def tokens_by_vocabulary(records: Records) -> Figure:
    """Draw bytes per token against the size of the vocabulary, by pattern and text."""
    rows = trained(records)
    unseen = _unseen_texts(rows)
    curves = {
        f"{text}, not trained on" if text in unseen else text: by_pattern
        for text, by_pattern in bytes_per_token(rows).items()
    }
    return draw(records[records["case"].isin(rows.index)], curves)


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
    takes_file=True,
    takes=("file",),
)
