"""Suite `encoding`: public encoders beside ours, long words, and threads over documents.

An encoder and ours encode a text in turns in one process, on one CPU, with one vocabulary. A value
is the first time that an encoder, made anew, meets the text: nothing of it is remembered. The
second time is kept, too. Other ids than ours are said, and their seconds are no speed.
"""

import importlib.util
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any, NamedTuple

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN
from bpe_lab.results.numbers import significant, text_size
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    markdown_table,
    rows_table,
    sized_text,
    summary,
)
from bpe_lab.results.turns import turn_ratios

ENCODE = "bpe_lab.bench.measures.encoding:encode_in_turns"
WORD = "bpe_lab.bench.measures.encoding:encode_word"
DOCUMENTS = "bpe_lab.bench.measures.encoding:encode_documents"


class PublicEncoder(NamedTuple):
    """What the lab knows about an encoder."""

    package: str
    call: str  # how it is called
    slow: bool = False  # it is written to be read: it gets a small text and short words


OURS = "bpe_lab"
OURS_COLOR = PALETTE[1]

ENCODERS = {
    OURS: PublicEncoder("bpe_lab", "Tokenizer.encode_to_array"),
    "bpe_lab_list": PublicEncoder("bpe_lab", "Tokenizer.encode"),
    "gigatoken": PublicEncoder("gigatoken", "Tokenizer.encode"),
    "tiktoken": PublicEncoder("tiktoken", "Encoding.encode_to_numpy"),
    "tokenizers": PublicEncoder("tokenizers", "Tokenizer.encode_batch_fast, its ids"),
    "readable": PublicEncoder("bpe_lab", "ReadableEncoder.encode, plain Python", slow=True),
}
"""The encoders that are compared, ours first, by their function in `measures/encoders.py`."""


def installed() -> list[str]:
    """Return the encoders that can be imported.

    >>> OURS in installed()
    True
    """
    return [name for name, one in ENCODERS.items() if importlib.util.find_spec(one.package)]


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
"""For encoders that are not ours, or slow: nobody promised that they are linear."""

SHORT_WORD, SHORT_WORD_TURNS = 10_000, 30
"""So few letters take less than a millisecond."""

WORD_VOCABULARY = {"vocab_size": 500, "trained_bytes": 20_000}

MOST_THREADS = {"tiny": (2,), "default": (2,), "full": (2, 4, 8)}

ALONE = {
    "RAYON_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def cases(scale: str, *, file: str | None = None) -> list[Case]:
    """Return every encoder that is installed on every text, long words, and threads."""
    vocabulary, turns, known = VOCABULARY[scale], TURNS[scale], installed()
    size, texts = TEXT_BYTES[scale], TEXTS[scale]
    if file is not None:
        vocabulary, size, texts = {"vocab_size": vocabulary["vocab_size"]}, 0, (file,)
    pairs = [(text, "gpt2") for text in texts]
    if scale != "tiny":
        pairs.append((texts[0], SECOND_PATTERN))
    made: list[tuple[str, str, str, dict[str, Any]]] = []
    for text, pattern in pairs:
        for encoder in known:
            slow = ENCODERS[encoder].slow
            if (slow and file is not None) or (scale == "tiny" and encoder == "bpe_lab_list"):
                continue
            of_text = {"text": text, "text_bytes": SLOW_BYTES[scale] if slow else size}
            params = {**of_text, "pattern": pattern, "turns": turns, **vocabulary}
            made.append((encoder, f"{text}, {pattern}", ENCODE, params))
    for encoder in known if file is None else ():
        for letters in LETTERS[scale]:
            if encoder != OURS and (
                scale == "tiny" or encoder == "bpe_lab_list" or letters > MOST_LETTERS
            ):
                continue
            short = letters <= SHORT_WORD and scale != "tiny" and not ENCODERS[encoder].slow
            of_word = {"text": "dna", "text_bytes": letters, **WORD_VOCABULARY}
            params = {**of_word, "turns": SHORT_WORD_TURNS if short else turns}
            made.append((encoder, f"a word of {letters:,} letters", WORD, params))
    left_out = [name for name in ENCODERS if name not in known]
    encoders = [
        Case(
            f"{encoder}, {on}",
            measure,
            {"encoder": encoder, **params},
            cpus=1,
            environment=ALONE,
            facts={"version": version(ENCODERS[encoder].package), "left_out": left_out},
        )
        for encoder, on, measure, params in made
    ]
    trained = {name: value for name, value in vocabulary.items() if name != "trained_bytes"}
    documents = {"text": texts[0], "text_bytes": size, "turns": turns, **trained}
    return encoders + [
        Case(f"documents of {texts[0]}, {threads} threads", DOCUMENTS,
             {"threads": threads, **documents})
        for threads in MOST_THREADS[scale]
    ]  # fmt: skip


def _encoders(records: Records, measure: str) -> Records:
    """Return the summary of the cases of encoders on texts (`ENCODE`), or on long words (`WORD`).

    Besides: on (the text), ratio and again_ratio (`Interval` of its time over ours of the same
    turn: made anew, and the second time), known (its ids are ours), rate (MB/s), per_letter (ns).
    """
    rows = summary(records)
    if "param_encoder" not in rows:
        return rows.iloc[:0]
    is_word = rows.index.to_series().str.endswith(" letters")
    rows = rows[rows["param_encoder"].notna() & (is_word == (measure == WORD))]
    first, again = turn_ratios(records), turn_ratios(records, "again_in_turns")
    # pandas-stubs knows no column of tuples.
    ratios: list[Any] = [first[str(case)] for case in rows.index]
    again_ratios: list[Any] = [again[str(case)] for case in rows.index]
    return rows.assign(
        on=[str(case).partition(", ")[2] for case in rows.index],
        ratio=ratios,
        again_ratio=again_ratios,
        known=rows["ids_equal"] == True,  # noqa: E712 (None where a case is no encoder)
        rate=rows["corpus_bytes"] / 1e6 / rows["median"],
        per_letter=1e9 * rows["median"] / rows["corpus_bytes"],
    )


TEXT_COLUMNS: Columns = {
    "text": lambda row: f"{row['on']} ({text_size(row['corpus_bytes'])})",
    "encoder": "{param_encoder} {version}",
    "MB/s": lambda row: significant(row["rate"]) if row["known"] else "other ids",
    "x our time": lambda row: _ratio_text(row, "ratio"),
    "x our time again": lambda row: _ratio_text(row, "again_ratio"),
    "bytes per token": lambda row: f"{row['corpus_bytes'] / row['operations']['ids']:.2f}",
    "peak MB": "{peak_rss_mb:.0f}",
    "ids": digest_text,
}
WORD_COLUMNS: Columns = {
    "letters of one word": "{corpus_bytes:,}",
    "encoder": "{param_encoder} {version}",
    "ns per letter": lambda row: significant(row["per_letter"]) if row["known"] else "other ids",
    "x our time": lambda row: _ratio_text(row, "ratio"),
    "pairs looked up per letter": lambda row: (
        f"{row['operations']['pairs_looked_up'] / row['corpus_bytes']:.2f}"
        if row["param_encoder"] == OURS
        else ""
    ),
}
DOCUMENT_COLUMNS: Columns = {
    "text": sized_text,
    "documents": "{operations[documents]:,}",
    "threads": "{param_threads:.0f}",
    "MB/s": lambda row: significant(row["corpus_bytes"] / 1e6 / row["median"]),
    "x speed of one thread": "{speed:.2f}",
}


def table(records: Records) -> str:
    """Return MB/s by text and encoder, long words, threads, and how each encoder is called."""
    rows = summary(records)
    parts = []
    if not (texts := _encoders(records, ENCODE)).empty:
        parts.append(
            f"{rows_table(texts, TEXT_COLUMNS)}\n\nOne thread, one text in one call, one "
            'vocabulary. "MB/s" and "x our time": the first time that an encoder, made anew, meets '
            'the text; "again": the second time. Ratios are of the same turn (95% interval of the '
            "median; least to most of fewer than six turns); that of ours to itself is the noise. "
            "Where the ids are others, the seconds are no speed."
        )
    if not (words := _encoders(records, WORD)).empty:
        parts.append(rows_table(words, WORD_COLUMNS))
    documents = rows[rows.index.str.startswith("documents of ")]
    if not documents.empty:
        ratios = turn_ratios(records)
        speed = [1 / ratios[str(case)].median for case in documents.index]
        parts.append(rows_table(documents.assign(speed=speed), DOCUMENT_COLUMNS))
    named = [name for name in ENCODERS if name in set(rows.get("param_encoder", []))]
    if named:
        calls = [[name, ENCODERS[name].call] for name in named]
        parts.append(markdown_table(("encoder", "call"), calls))
    if "left_out" in records and (said := left_out(records["left_out"].dropna())):
        parts.append(said)
    return "\n\n".join(parts) + "\n"


def _ratio_text(row: Mapping[Any, Any], column: str) -> str:
    """Return a ratio and its interval; "" of an encoder with other ids."""
    if not row["known"]:
        return ""
    median, low, high = (significant(value) for value in row[column][:3])
    return f"{median} ({low} to {high})"


def left_out(lists: Iterable[list[str]]) -> str:
    """Return the sentence on encoders that some record says were not installed, "" without one.

    >>> left_out([["gigatoken"], ["gigatoken"]])
    'Left out, not installed: gigatoken (pip install gigatoken).'
    """
    missing = [name for name in ENCODERS if any(name in one for one in lists)]
    install = " ".join(ENCODERS[name].package for name in missing)
    return (
        f"Left out, not installed: {', '.join(missing)} (pip install {install})." if missing else ""
    )


def _with_our_ids(records: Records, measure: str, what: str) -> Records:
    """Return the cases whose ids are ours."""
    rows = _encoders(records, measure)
    if rows.empty or not rows["known"].any():
        raise IndexError(f"no records of {what}: measure those cases of encoding, too")
    return rows[rows["known"]]


def figure(records: Records) -> Figure:
    """Draw how many times our time each encoder takes, in the same turn."""
    rows = _with_our_ids(records, ENCODE, "encoders on texts")
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        ratio, name = row["ratio"], row["param_encoder"]
        speed = f"{significant(row['rate'])} MB/s"
        groups.setdefault(row["on"], []).append(
            Row(
                label=name,
                value=ratio.median,
                least=ratio.low,
                most=ratio.high,
                text=speed if name == OURS else f"{speed}, x {significant(ratio.median)}",
                color=OURS_COLOR if name.startswith(OURS) else UNKNOWN,
                ring=row["again_ratio"].median,
            )
        )
    said = []
    for name, same in rows.groupby("param_encoder", sort=False):
        if ENCODERS[str(name)].package != OURS:
            medians = [ratio.median for ratio in same["ratio"]]
            ends = dict.fromkeys(map(significant, (min(medians), max(medians))))
            said.append(f"{name!s} {' to '.join(ends)}")
    return grouped_rows(
        records[records["case"].isin(_encoders(records, ENCODE).index)],
        groups,
        f"Times as long as ours on the same text: {', '.join(said)}"
        if said
        else "No public encoder was measured beside ours",
        x_label="time over ours in the same turn (log scale)",
        note="One thread, one text in one call, the same ids. Dot: the first time that an encoder, "
        "made anew, meets the text; ring: the second time. Bar: its 95% interval, or "
        "all of fewer than six turns. "
        f"{OURS} beside itself shows the noise; what is readable has a small text.",
        reference=1,
    )


def long_words(records: Records) -> Figure:
    """Draw nanoseconds per letter against the length of a word, a line per encoder."""
    rows = _with_our_ids(records, WORD, "long words")
    lines = [
        Line(
            str(name),
            same["corpus_bytes"].tolist(),
            same["per_letter"].tolist(),
            color=color if name != "readable" else QUIET,
        )
        for (name, same), color in zip(
            rows.groupby("param_encoder", sort=False), (OURS_COLOR, *PALETTE[2:]), strict=False
        )
    ]
    own = dict(zip(lines[0].x, lines[0].y, strict=True))
    shortest, longest = min(own), max(own)
    first, last = (f"{significant(own[size])} ns" for size in (shortest, longest))
    return draw_lines(
        records[records["case"].isin(_encoders(records, WORD).index)],
        lines,
        f"A letter costs {lines[0].name} {first} in a word of {shortest:,}, {last} in one of "
        f"{longest:,}",
        x_label="letters of one word (log scale)",
        y_label="ns per letter (log scale)",
        note="Random DNA letters, which are one word to the pattern gpt2; the same ids.",
    )


SUITE = Suite(
    id="encoding",
    title="Encoding",
    question=(
        "How fast are the public encoders beside ours, with the same vocabulary and the same ids; "
        "and what does a letter of a long word cost?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native", "regex"),
    more_figures=(long_words,),
    takes_file=True,
    takes=("file",),
)
