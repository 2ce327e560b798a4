"""Suite `encoding`: public encoders beside ours, long words, and threads over documents.

An encoder and ours encode a text in turns in one process, on one CPU, with one vocabulary. A value
is the first time that an encoder, made anew, meets the text: nothing of it is remembered. The
second time is kept, too. Other ids than ours are said, and their seconds are no speed.
"""

import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.numbers import significant, text_size
from bpe_lab.results.tables import markdown_table, summary
from bpe_lab.results.turns import turn_ratios

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

    from bpe_lab.results.intervals import Interval

ENCODE = "bpe_lab.bench.measures.encoding:encode_in_turns"
WORD = "bpe_lab.bench.measures.encoding:encode_word"
DOCUMENTS = "bpe_lab.bench.measures.encoding:encode_documents"


@dataclass(frozen=True)
class PublicEncoder:
    """What the lab knows about an encoder.

    :param name: the function in `measures/encoders.py`.
    :param package: what is installed and imported.
    :param call: how it is called.
    :param slow: it is written to be read: it gets a small text and short words.
    """

    name: str
    package: str
    call: str
    slow: bool = False


OURS = "bpe_lab"

ENCODERS = {
    one.name: one
    for one in (
        PublicEncoder(OURS, "bpe_lab", "Tokenizer.encode_to_array"),
        PublicEncoder("bpe_lab_list", "bpe_lab", "Tokenizer.encode"),
        PublicEncoder("gigatoken", "gigatoken", "Tokenizer.encode"),
        PublicEncoder("tiktoken", "tiktoken", "Encoding.encode_to_numpy"),
        PublicEncoder("tokenizers", "tokenizers", "Tokenizer.encode_batch_fast, its ids"),
        PublicEncoder("readable", "bpe_lab", "ReadableEncoder.encode, plain Python", slow=True),
    )
}
"""The encoders that are compared, ours first."""


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
    """Return every encoder that is installed on every text, long words, and threads.

    :param scale: one of `SCALES`.
    :param file: name of the one text to train on and to encode, without the long words.
    """
    vocabulary = VOCABULARY[scale]
    if file is not None:
        vocabulary = {"vocab_size": vocabulary["vocab_size"]}
    size = TEXT_BYTES[scale] if file is None else 0
    texts = [(text, "gpt2") for text in (TEXTS[scale] if file is None else (file,))]
    if scale != "tiny":
        texts.append((texts[0][0], SECOND_PATTERN))
    return [
        *(
            encoder_case(encoder, f"{text}, {pattern}", ENCODE, {
                "text": text,
                "text_bytes": SLOW_BYTES[scale] if ENCODERS[encoder].slow else size,
                "pattern": pattern,
                "turns": TURNS[scale],
                **vocabulary,
            })
            for text, pattern in texts
            for encoder in installed()
            if file is None or not ENCODERS[encoder].slow
            if scale != "tiny" or encoder != "bpe_lab_list"
        ),
        *(word_cases(scale) if file is None else ()),
        *(documents_case(threads, texts[0][0], size, scale, vocabulary)
          for threads in MOST_THREADS[scale]),
    ]  # fmt: skip


def word_cases(scale: str) -> list[Case]:
    """Return every encoder that is installed on words of growing length."""
    return [
        encoder_case(
            encoder,
            f"a word of {letters:,} letters",
            WORD,
            {
                "text": "dna",
                "text_bytes": letters,
                "turns": SHORT_WORD_TURNS
                if letters <= SHORT_WORD and scale != "tiny" and not ENCODERS[encoder].slow
                else TURNS[scale],
                **WORD_VOCABULARY,
            },
        )
        for encoder in installed()
        for letters in LETTERS[scale]
        if encoder != "bpe_lab_list"
        and (encoder == OURS or letters <= MOST_LETTERS)
        and (scale != "tiny" or encoder == OURS)
    ]


def encoder_case(encoder: str, on: str, measure: str, params: dict[str, Any]) -> Case:
    """Return the case of one encoder on one text."""
    left_out = [name for name in ENCODERS if name not in installed()]
    return Case(
        f"{encoder}, {on}",
        measure,
        {"encoder": encoder, **params},
        cpus=1,
        environment=ALONE,
        facts={"version": version(ENCODERS[encoder].package), "left_out": left_out},
    )


def documents_case(
    threads: int, text: str, size: int, scale: str, vocabulary: dict[str, Any]
) -> Case:
    """Return the case of the documents of a text, by several threads of ours."""
    params = {name: value for name, value in vocabulary.items() if name != "trained_bytes"}
    return Case(
        f"documents of {text}, {threads} threads",
        DOCUMENTS,
        {"threads": threads, "text": text, "text_bytes": size, "turns": TURNS[scale], **params},
    )


def encoders(records: "pandas.DataFrame", measure: str) -> "pandas.DataFrame":
    """Return the summary of the cases of encoders on texts, or on long words.

    Besides: on (the text), ratio and again_ratio (`Interval` of its time over ours of the same
    turn: made anew, and the second time), known (its ids are ours).

    :param records: of the suite.
    :param measure: `ENCODE` or `WORD`.
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
    )


def table(records: "pandas.DataFrame") -> str:
    """Return MB/s by text and encoder, long words, threads, and how each encoder is called."""
    rows = summary(records)
    parts = []
    if not (texts := encoders(records, ENCODE)).empty:
        parts.append(texts_table(texts))
    if not (words := encoders(records, WORD)).empty:
        parts.append(words_table(words))
    documents = rows[rows.index.str.startswith("documents of ")]
    if not documents.empty:
        parts.append(documents_table(documents, turn_ratios(records)))
    named = [name for name in ENCODERS if name in set(rows.get("param_encoder", []))]
    if named:
        head = ("encoder", "call")
        parts.append(markdown_table(head, [[name, ENCODERS[name].call] for name in named]))
    if "left_out" in records and (said := left_out(records["left_out"].dropna())):
        parts.append(said)
    return "\n\n".join(parts) + "\n"


def texts_table(rows: "pandas.DataFrame") -> str:
    """Return MB/s and ratios by text and encoder."""
    lines = []
    for _, row in rows.iterrows():
        speed = [significant(row["corpus_bytes"] / 1e6 / row["median"]), ratio_text(row["ratio"]),
                 ratio_text(row["again_ratio"])]  # fmt: skip
        lines.append(
            [
                f"{row['on']} ({text_size(row['corpus_bytes'])})",
                f"{row['param_encoder']} {row['version']}",
                *(speed if row["known"] else ["other ids", "", ""]),
                f"{row['corpus_bytes'] / row['operations']['ids']:.2f}",
                f"{row['peak_rss_mb']:.0f}",
                f"`{row['digest'][:12]}`",
            ]
        )
    head = ("text", "encoder", "MB/s", "x our time", "x our time again", "bytes per token",
            "peak MB", "ids")  # fmt: skip
    return (
        f"{markdown_table(head, lines)}\n\nOne thread, one text in one call, one vocabulary. "
        '"MB/s" and "x our time": the first time that an encoder, made anew, meets the text; '
        '"again": the second time. Ratios are of the same turn (least to most of all turns); '
        "that of ours to itself is the noise. Where the ids are others, the seconds are no speed."
    )


def words_table(rows: "pandas.DataFrame") -> str:
    """Return nanoseconds and operations per letter by length of a word and encoder."""
    lines = [
        [
            f"{row['corpus_bytes']:,}",
            f"{row['param_encoder']} {row['version']}",
            significant(1e9 * row["median"] / row["corpus_bytes"]) if row["known"] else "other ids",
            ratio_text(row["ratio"]) if row["known"] else "",
            f"{row['operations']['pairs_looked_up'] / row['corpus_bytes']:.2f}"
            if row["param_encoder"] == OURS
            else "",
        ]
        for _, row in rows.iterrows()
    ]
    head = ("letters of one word", "encoder", "ns per letter", "x our time",
            "pairs looked up per letter")  # fmt: skip
    return markdown_table(head, lines)


def documents_table(rows: "pandas.DataFrame", ratios: "dict[str, Interval]") -> str:
    """Return MB/s by number of threads."""
    lines = [
        [
            f"{row['corpus']} ({text_size(row['corpus_bytes'])})",
            f"{row['operations']['documents']:,}",
            f"{row['param_threads']:.0f}",
            significant(row["corpus_bytes"] / 1e6 / row["median"]),
            f"{1 / ratios[str(case)].median:.2f}",
        ]
        for case, row in rows.iterrows()
    ]
    head = ("text", "documents", "threads", "MB/s", "x speed of one thread")
    return markdown_table(head, lines)


def ratio_text(ratio: "Interval") -> str:
    """Return a ratio, and from where to where it went.

    >>> from bpe_lab.results.intervals import median_interval
    >>> ratio_text(median_interval([2.0, 2.5, 3.0]))
    '2.5 (2 to 3)'
    """
    return f"{significant(ratio.median)} ({significant(ratio.low)} to {significant(ratio.high)})"


def left_out(lists: Iterable[list[str]]) -> str:
    """Return the sentence on encoders that were not installed, "" when there is none.

    :param lists: of each record.

    >>> left_out([["gigatoken"], ["gigatoken"]])
    'Left out, not installed: gigatoken (pip install gigatoken).'
    """
    missing = [name for name in ENCODERS if any(name in one for one in lists)]
    install = " ".join(ENCODERS[name].package for name in missing)
    return (
        f"Left out, not installed: {', '.join(missing)} (pip install {install})." if missing else ""
    )


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw how many times our time each encoder takes."""
    from bpe_lab.plots.encoding import encoder_ratios

    rows = encoders(records, ENCODE)
    return encoder_ratios(records[records["case"].isin(rows.index)], rows, OURS)


def long_words(records: "pandas.DataFrame") -> "Figure":
    """Draw nanoseconds per letter against the length of a word."""
    from bpe_lab.plots.encoding import long_words as draw

    rows = encoders(records, WORD)
    return draw(records[records["case"].isin(rows.index)], rows, OURS)


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
