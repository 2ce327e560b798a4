"""Suite `patterns`: what counting costs with each pattern."""

from operator import attrgetter

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import PALETTE, UNKNOWN
from bpe_lab.results.numbers import three_digits, two_digits
from bpe_lab.results.spread import turn_ratios
from bpe_lab.results.tables import (
    LAST_COLUMNS,
    Columns,
    Records,
    factor,
    rows_table,
    short,
    summary,
)
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS, find_pattern

A_REGEX = r"\p{L}+|\p{N}|[^\p{L}\p{N}]+"
"""A regex that a user might write: there is no scanner for it."""

NAMED = {"tiny": ("o200k",), "default": tuple(PATTERNS), "full": tuple(PATTERNS)}

ALL_TEXTS = ("stories", "languages", "chinese_sentences", "json")
TEXTS = {"tiny": ("languages",), "default": ALL_TEXTS, "full": ALL_TEXTS}
"""English; more than thirty scripts; no spaces; more digits and punctuation than letters."""

TEXT_BYTES = {"tiny": 0, "default": 1_000_000, "full": 50_000_000}
TURNS = {"tiny": 1, "default": 20, "full": 4}
"""For the counter `native`; the regex package takes twenty times as long, and one turn is
enough."""


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return every pattern on every text."""
    texts, size = (TEXTS[scale], TEXT_BYTES[scale]) if file is None else ((file,), 0)
    return [
        Case(
            f"{text}, {_label_of(pattern)}, {counter}",
            "bpe_lab.bench.measures.patterns:count_by_pattern",
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
        for pattern in [*NAMED[scale], A_REGEX]
        for counter in ("native", "regex")
        if counter == "regex" or find_pattern(pattern).scanner
    ]


def _label_of(pattern: str) -> str:
    return pattern if pattern in PATTERNS else "a regex"


def _counted(records: Records) -> Records:
    """Return the summary.

    Added: label (of the pattern), rate (MB/s) and of_gpt2 (its speed over that of `gpt2` by the
    same counter).
    """
    rows = summary(records)
    return rows.assign(
        label=[_label_of(pattern) for pattern in rows["param_pattern"]],
        rate=rows["corpus_bytes"] / 1e6 / rows["median"],
        of_gpt2=turn_ratios(records).map(attrgetter("inverse")),
    )


COLUMNS: Columns = {
    "text": "{corpus}",
    "pattern": "{label}",
    "counter": "{param_counter}",
    "MB/s": short("rate"),
    "x speed of gpt2": factor("of_gpt2"),
    "words per MB": lambda row: f"{1e6 * row['operations']['words'] / row['corpus_bytes']:,.0f}",
    "distinct words": "{operations[distinct_words]:,}",
    **LAST_COLUMNS,
}


def table(records: Records) -> str:
    """Return MB/s by text and pattern."""
    return (
        f"{rows_table(_counted(records), COLUMNS)}\n\nOne thread. Over `gpt2` by the same counter, "
        f'in the same turns. "A regex" is `{A_REGEX}`.\n'
    )


def figure(records: Records) -> Figure:
    """Draw MB/s by text and pattern, of the native counter and of the regex package."""
    rows = _counted(records)
    native = rows["param_counter"] == "native"
    ratios = sorted(rows["of_gpt2"][native & (rows["label"] != DEFAULT_PATTERN)])
    low, high = two_digits(ratios[0].median), two_digits(ratios[-1].median)
    size = rows["corpus_bytes"] / 1e6
    drawn = rows.assign(
        group=rows["corpus"],
        text=rows["rate"].map(three_digits) + " MB/s, x " + rows["of_gpt2"].map(str),
        color=native.map({True: PALETTE[1], False: UNKNOWN}),
        # The regex package counts last.
        ring=rows.groupby(["corpus", "label"])["rate"].transform("last").where(native),
        median=rows["rate"],
        least=size / rows["most"],
        most=size / rows["least"],
    )
    return grouped_rows(
        records,
        # With the native counter, if there is a scanner.
        rows_by(drawn.drop_duplicates(["corpus", "label"])),
        f"By other patterns the native counter is {low} to {high} times as fast as by gpt2",
        x_label="MB/s by one thread (log scale)",
        note="Blue: the native counter; ring: the regex package; grey: by the regex package only. "
        f"x: speed over that by gpt2 in the same turns, with the same counter. A regex: {A_REGEX}.",
    )


SUITE = Suite(
    id="patterns",
    title="Patterns",
    question="What does counting cost with each pattern?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native", "regex"),
)
