"""Suite `encoding`: public encoders beside ours, and long words.

An encoder and ours take turns to encode a text in one process, on one CPU, with one vocabulary. A
value is the time of a newly created encoder, which has seen nothing of the text. A second time is
recorded, too. If its ids differ from ours, the table says so and shows no speed.

Each encoder has the same vocabulary and the same pattern, looks for no special token, and returns
the ids in its cheapest form: an array if it has one. It gets one text, a string, in one call.
"""

import importlib.util
from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab import native
from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.measures.interleaved import interleaved_facts, interleaved_seconds
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.texts import suite_text
from bpe_lab.corpora import digest
from bpe_lab.plots.lines import draw_lines, lines_by
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import PALETTE, QUIET, UNKNOWN
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.spread import turn_ratios
from bpe_lab.results.tables import Records, digest_text, left_out, rows_table, summary
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.support.sizes import size_in_words
from bpe_lab.tokenizer.formats.registry import find_format
from bpe_lab.tokenizer.reference_encoder import ReferenceEncoder
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.api import train

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

`readable` is plain Python, written for readers: it gets a small text and short words.
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
        pairs.append((texts[0], "llama3"))  # all of these encoders know it
    chosen: list[tuple[str, str, str, dict[str, Any]]] = []
    for text, pattern in pairs:
        for encoder in installed():
            if encoder != READABLE or file is None:
                n_bytes = SLOW_BYTES[scale] if encoder == READABLE else size
                params = {"text": text, "text_bytes": n_bytes, "pattern": pattern, **vocabulary}
                params["turns"] = TURNS[scale]
                chosen.append((encoder, f"{text}, {pattern}", "text", params))
    for encoder in installed():
        for letters in LETTERS[scale] if encoder != OUR_LIST else ():
            if encoder == OURS or letters <= MOST_LETTERS:
                is_short = letters <= SHORT_WORD and encoder != READABLE
                turns = SHORT_WORD_TURNS if is_short else TURNS[scale]
                # Not as a text of the case, which a file of the user would replace.
                params = {"letters": letters, "turns": turns}
                chosen.append((encoder, f"a word of {letters:,} letters", "word", params))
    missing = [name for name in PACKAGES if name not in installed()]
    return [
        Case(
            f"{encoder}, {on}",
            f"{__name__}:encode_{kind}",
            {"encoder": encoder, **params},
            cpus=1,
            environment=ALONE,
            facts={"kind": kind, "version": version(PACKAGES[encoder]), "left_out": missing},
        )
        for encoder, on, kind, params in chosen
    ]


Encode = Callable[[str], Any]
"""Text -> ids, as a list or an array."""


def tiktoken(tokenizer: Tokenizer) -> Encode:
    """Create OpenAI's encoder, which returns an array."""
    encoding = import_module("tiktoken").Encoding(
        "trained here",
        pat_str=tokenizer.pattern.regex,
        mergeable_ranks={token: number for number, token in tokenizer.vocab.items()},
        special_tokens={},
    )
    return lambda text: encoding.encode_to_numpy(text, disallowed_special=())


def tokenizers(tokenizer: Tokenizer) -> Encode:
    """Create Hugging Face's encoder, without the offsets of its ids."""
    wrapped = import_module("tokenizers").Tokenizer.from_str(tokenizer_json(tokenizer))
    return lambda text: wrapped.encode_batch_fast([text], add_special_tokens=False)[0].ids


def tokenizer_json(tokenizer: Tokenizer) -> str:
    """Return the file of a tokenizer for Hugging Face's libraries."""
    return find_format("huggingface").write(tokenizer.data)["tokenizer.json"].decode()


ENCODERS: dict[str, Callable[[Tokenizer], Encode]] = {
    # A new encoder: it remembers no earlier text.
    "bpe_lab": lambda tokenizer: Tokenizer.from_data(tokenizer.data).encode_to_array,
    "bpe_lab_list": lambda tokenizer: Tokenizer.from_data(tokenizer.data).encode,
    "readable": lambda tokenizer: ReferenceEncoder(*tokenizer.data).encode,
    "tiktoken": tiktoken,
    "tokenizers": tokenizers,
    "gigatoken": lambda tokenizer: (
        import_module("gigatoken").Tokenizer.from_json(tokenizer_json(tokenizer)).encode
    ),
}
"""Name -> function that creates it from a tokenizer."""

WORD_IDS, WORD_PATTERN, WORD_TRAINED_BYTES = 500, "gpt2", 20_000
"""Size of the vocabulary for words of many letters."""


def encode_text(
    *,
    encoder: str,
    path: PathLike,
    vocab_size: int,
    pattern: str,
    turns: int,
    trained_on: Sequence[str] = (),
    trained_bytes: int = 0,
) -> dict[str, Any]:
    """Encode a text by an encoder and by ours in turns."""
    paths = [suite_text(name, trained_bytes) for name in trained_on]
    tokenizer = trained_tokenizer(paths or [path], vocab_size, pattern)
    value = _encode_interleaved(encoder, tokenizer, Path(path).read_bytes(), turns)
    return {**value, "pattern": pattern, "vocab_size": vocab_size}


def encode_word(*, encoder: str, letters: int, turns: int) -> dict[str, Any]:
    """Encode a text that is one word by an encoder and by ours, and count the look-ups of ours."""
    path = suite_text("dna", letters)
    corpus = {"name": "dna", "sha256": digest(path), "bytes": letters}
    word = path.read_bytes()
    trained_on = suite_text("dna", WORD_TRAINED_BYTES)
    tokenizer = trained_tokenizer([trained_on], WORD_IDS, WORD_PATTERN)
    value = _encode_interleaved(encoder, tokenizer, word, turns)
    number_of = {token: place for place, token in enumerate(tokenizer.vocab.values())}
    merges = [(number_of[left], number_of[right]) for left, right in tokenizer.merges]
    ids, looked_up = native.Encoder(merges, list(tokenizer.vocab)).merge_word(word)
    if value["ids_equal"] and ids_digest(ids) != value["digest"]:
        raise RuntimeError(f"{letters} letters are encoded otherwise as one word")
    operations = {**value["operations"], "pairs_looked_up": looked_up}
    facts = {"corpus": corpus, "pattern": WORD_PATTERN, "vocab_size": WORD_IDS}
    return {**value, **facts, "operations": operations}


def _encode_interleaved(
    encoder: str, tokenizer: Tokenizer, content: bytes, turns: int
) -> dict[str, Any]:
    """Encode by an encoder and by ours in turns: newly created in each, and then once again.

    The first time it has seen no text, the second time it may remember the words of this one.
    """
    again: dict[str, list[float]] = {encoder: [], OURS: []}
    made_of: dict[str, tuple[str, int]] = {}

    def encode(name: str) -> float:
        encode_once = ENCODERS[name](tokenizer)
        encode_once("")  # work that an encoder delays until its first text is not part of encoding
        # A new string each time: an encoded string may keep its UTF-8 for the next encoder.
        string = content.decode()
        started = perf_counter()
        ids = encode_once(string)
        first = perf_counter() - started
        made_of[name] = ids_digest(ids), len(ids)
        string = content.decode()
        del ids
        started = perf_counter()
        encode_once(string)
        again[name].append(perf_counter() - started)
        return first

    # Against itself: this shows how much two equal programs differ.
    pairs = interleaved_seconds(lambda: encode(encoder), lambda: encode(OURS), turns)
    if encoder == OURS:
        mine, ours = again[OURS][2::2], again[OURS][3::2]
    else:
        mine, ours = again[encoder][1:], again[OURS][1:]
    digest, n_ids = made_of[encoder]
    equal = digest == made_of[OURS][0]
    if not equal and encoder in ("bpe_lab_list", "readable"):
        raise RuntimeError(f"{encoder} and {OURS} give different ids")
    return {
        **interleaved_facts(pairs),
        "again_in_turns": list(zip(mine, ours, strict=True)),
        "ids_equal": equal,
        "digest": digest,
        "operations": {"bytes": len(content), "ids": n_ids},
        "peak_rss_mb": peak_rss_mb(),
    }


def trained_tokenizer(paths: Sequence[Any], vocab_size: int, pattern: str) -> Tokenizer:
    """Return a tokenizer trained on files, for which the special token is ordinary text."""
    training = train(paths, vocab_size, SPECIAL_TOKENS, pattern=pattern, threads=1)
    special = {token.encode() for token in SPECIAL_TOKENS}
    vocab = {number: token for number, token in training.vocab.items() if token not in special}
    return Tokenizer(vocab, training.merges, pattern=pattern)


def ids_digest(ids: Iterable[int]) -> str:
    """Return the SHA-256 of ids from any container, each as four bytes."""
    return sha256(array("I", ids).tobytes()).hexdigest()


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


def _shown(records: Records, kind: str) -> Records:
    """Return the rows of a table, with speeds as texts: none of an encoder that gives other ids."""
    rows = _rows(records, kind)
    for name in ("rate", "per_letter"):
        rows[name] = rows[name].map(three_digits).where(rows["ids_equal"], "other ids")
    for name in ("ratio", "again_ratio"):
        rows[name] = rows[name].map(str).where(rows["ids_equal"], "")
    return rows


def table(records: Records) -> str:
    """Return MB/s by text and encoder, and long words."""
    texts = rows_table(
        _shown(records, "text"),
        {
            "text": lambda row: f"{row['on']} ({size_in_words(row['corpus_bytes'])})",
            "encoder": "{param_encoder} {version}",
            "MB/s": "{rate}",
            "x our time": "{ratio}",
            "x our time again": "{again_ratio}",
            "bytes per token": lambda row: f"{row['corpus_bytes'] / row['operations']['ids']:.2f}",
            "peak MB": "{peak_rss_mb:.0f}",
            "ids": digest_text,
        },
    )
    words = rows_table(
        _shown(records, "word"),
        {
            "letters of one word": "{corpus_bytes:,}",
            "encoder": "{param_encoder} {version}",
            "ns per letter": "{per_letter}",
            "x our time": "{ratio}",
            "pairs we look up per letter": lambda row: (
                f"{row['operations']['pairs_looked_up'] / row['corpus_bytes']:.2f}"
            ),
        },
    )
    note = (
        'One thread, one text in one call, one vocabulary. "MB/s" and "x our time": the first '
        'time of a newly created encoder; "again": the second time. Ratios are within '
        "one turn; the ratio of ours to itself is the noise. Where the ids differ, no speed is "
        "shown."
    )
    return "\n\n".join(filter(None, [texts, note, words, left_out(records, PACKAGES)])) + "\n"


def figure(records: Records) -> Figure:
    """Draw how many times our time each encoder takes, in the same turn."""
    rows = _rows(records, "text").query("ids_equal")
    encoders = rows["param_encoder"]
    ratios, again = (rows[name].map(lambda one: one.median) for name in ("ratio", "again_ratio"))
    rates = rows["rate"].map(three_digits) + " MB/s"
    rows = rows.assign(
        group=rows["on"],
        label=encoders,
        text=rates.where(encoders == OURS, rates + ", x " + ratios.map(three_digits)),
        color=encoders.str.startswith(OURS).map({True: OURS_COLOR, False: UNKNOWN}),
        ring=again,
    )
    times = [
        f"{name} {' to '.join(dict.fromkeys(map(three_digits, (of.min(), of.max()))))}"
        for name, of in ratios.groupby(encoders)
        if PACKAGES[str(name)] != OURS
    ]
    return grouped_rows(
        records[records["kind"] == "text"],
        rows,
        f"Times as long as ours on the same text: {', '.join(times)}"
        if times
        else "No public encoder was measured beside ours",
        x_label="time over ours in the same turn (log scale)",
        note="One thread, one text in one call, the same ids. Dot: the first time of a "
        "newly created encoder; ring: the second time. "
        f"{OURS} beside itself shows the noise; the readable encoders have a small text.",
        spread="ratio",
        reference=1,
    )


def long_words(records: Records) -> Figure:
    """Draw nanoseconds per letter against the length of a word, a line per encoder."""
    rows = _rows(records, "word").query("ids_equal")
    colors = dict(zip(rows["param_encoder"].unique(), (OURS_COLOR, *PALETTE[2:]), strict=False))
    colors[READABLE] = QUIET
    rows["color"] = rows["param_encoder"].map(colors)
    lines = lines_by(rows, "param_encoder", "corpus_bytes", "per_letter")
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
    question="How fast are the public encoders compared with ours, with the same vocabulary and "
    "ids, and what does a letter of a long word cost?",
    cases=cases,
    table=table,
    figure=figure,
    more_figures=(long_words,),
)
