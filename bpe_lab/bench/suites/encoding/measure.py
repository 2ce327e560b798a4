"""Measurements of the suite `encoding`: encoders in turns, on texts and words.

Each encoder has the same vocabulary and the same pattern, looks for no special token, and returns
the ids in its cheapest form: an array if it has one. It gets one text, a string, in one call.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab import native
from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.measures.interleaved import interleaved_facts, interleaved_seconds
from bpe_lab.bench.texts import suite_text
from bpe_lab.corpora import digest
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.tokenizer.formats.registry import find_format
from bpe_lab.tokenizer.reference_encoder import ReferenceEncoder
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.api import train

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

OURS = "bpe_lab"

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
