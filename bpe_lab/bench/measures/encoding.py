"""What the suite `encoding` measures: encoders in turns, on texts, words and documents."""

from array import array
from collections.abc import Iterable, Sequence
from hashlib import sha256
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.encoders import ENCODERS, anew
from bpe_lab.bench.measures.in_turns import seconds_in_turns, turns_facts
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.bench.texts import find_text
from bpe_lab.native import Encoder
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.api import train
from bpe_lab.words.special_tokens import END_OF_TEXT

OURS = "bpe_lab"


def encode_in_turns(
    *,
    encoder: str,
    text: str,
    vocab_size: int,
    pattern: str = "gpt2",
    text_bytes: int = 0,
    trained_on: Sequence[str] = (),
    trained_bytes: int = 0,
    turns: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Encode a text by an encoder and by ours in turns: made anew in each, and then once again.

    The first time it has seen no text, the second time it may remember the words of this one.

    >>> made = encode_in_turns(encoder="readable", text="languages", vocab_size=300)
    >>> made["ids_equal"], made["operations"]["ids"]
    (True, 12014)
    """
    path, corpus = find_text(text, text_bytes, file)
    content = path.read_bytes()
    paths = [find_text(name, trained_bytes, None)[0] for name in trained_on]
    tokenizer = trained_tokenizer(paths or [path], vocab_size, pattern)
    again: dict[str, list[float]] = {encoder: [], OURS: []}
    made_of: dict[str, tuple[str, int]] = {}

    def encode(name: str) -> float:
        made = ENCODERS[name](tokenizer)
        made("")  # what waits for the first text is no part of encoding it
        # A new string each time: one that has been encoded may keep its UTF-8 for the next one.
        string = content.decode()
        started = perf_counter()
        ids = made(string)
        first = perf_counter() - started
        made_of[name] = ids_digest(ids), len(ids)
        string = content.decode()
        del ids
        started = perf_counter()
        made(string)
        again[name].append(perf_counter() - started)
        return first

    # Against itself it shows how far two equal programs are apart.
    pairs = seconds_in_turns(lambda: encode(encoder), lambda: encode(OURS), turns)
    if encoder == OURS:
        mine, ours = again[OURS][2::2], again[OURS][3::2]
    else:
        mine, ours = again[encoder][1:], again[OURS][1:]
    digest, n_ids = made_of[encoder]
    equal = digest == made_of[OURS][0]
    if not equal and encoder in ("bpe_lab_list", "readable"):
        raise RuntimeError(f"{encoder} and {OURS} give different ids of {corpus['name']}")
    return {
        **turns_facts(pairs),
        "again_in_turns": list(zip(mine, ours, strict=True)),
        "ids_equal": equal,
        "digest": digest,
        "operations": {"bytes": corpus["bytes"], "ids": n_ids},
        "corpus": corpus,
        "pattern": pattern,
        "vocab_size": vocab_size,
        "peak_rss_mb": peak_rss_mb(),
    }


def encode_word(
    *, text: str, text_bytes: int, vocab_size: int, trained_bytes: int, **more: Any
) -> dict[str, Any]:
    """Encode a text that is one word, as `encode_in_turns` does, and count what ours looks up.

    >>> sizes = {"text_bytes": 2_000, "vocab_size": 300, "trained_bytes": 1_000}
    >>> made = encode_word(encoder="bpe_lab", text="dna", **sizes)
    >>> made["operations"]["bytes"], made["operations"]["ids"] < 1_000
    (2000, True)
    """
    of_word = {"text": text, "text_bytes": text_bytes, "vocab_size": vocab_size, **more}
    made = encode_in_turns(**of_word, trained_on=[text], trained_bytes=trained_bytes)
    path = find_text(text, trained_bytes, None)[0]
    tokenizer = trained_tokenizer([path], vocab_size, "gpt2")
    number_of = {token: place for place, token in enumerate(tokenizer.vocab.values())}
    merges = [(number_of[left], number_of[right]) for left, right in tokenizer.merges]
    word = find_text(text, text_bytes, None)[0].read_bytes()
    ids, looked_up = Encoder(merges, list(tokenizer.vocab)).merge_word(word)
    if made["ids_equal"] and ids_digest(ids) != made["digest"]:
        raise RuntimeError(f"{text} of {text_bytes} bytes is encoded otherwise as one word")
    return {**made, "operations": {**made["operations"], "pairs_looked_up": looked_up}}


def encode_documents(
    *,
    threads: int,
    text: str,
    vocab_size: int,
    pattern: str = "gpt2",
    text_bytes: int = 0,
    trained_on: Sequence[str] = (),
    turns: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Encode the documents of a text by several threads and by one, in turns.

    >>> made = encode_documents(threads=2, text="stories", text_bytes=20_000, vocab_size=300)
    >>> made["threads"], len(made["in_turns"])
    (2, 1)
    """
    path, corpus = find_text(text, text_bytes, file)
    documents = path.read_bytes().decode().split(END_OF_TEXT)
    paths = [find_text(name, 0, None)[0] for name in trained_on]
    tokenizer = trained_tokenizer(paths or [path], vocab_size, pattern)
    made: dict[int, list[list[int]]] = {}

    def encode(number: int) -> float:
        made.pop(number, None)
        batches = anew(tokenizer)
        batches.encode_batch([""], threads=1)
        started = perf_counter()
        made[number] = batches.encode_batch(documents, threads=number)
        return perf_counter() - started

    pairs = seconds_in_turns(lambda: encode(threads), lambda: encode(1), turns)
    if made[threads] != made[1]:
        raise RuntimeError(f"{threads} threads give other ids of {corpus['name']} than one")
    ids = [number for document in made[threads] for number in document]
    return {
        **turns_facts(pairs),
        "digest": ids_digest(ids),
        "operations": {"bytes": corpus["bytes"], "documents": len(documents), "ids": len(ids)},
        "corpus": corpus,
        "pattern": pattern,
        "vocab_size": vocab_size,
        "threads": threads,
    }


def trained_tokenizer(paths: Sequence[Any], vocab_size: int, pattern: str) -> Tokenizer:
    """Return a tokenizer trained on files, to which the special token is text as any other."""
    training = train(paths, vocab_size, SPECIAL_TOKENS, pattern=pattern, threads=1)
    special = {token.encode() for token in SPECIAL_TOKENS}
    vocab = {number: token for number, token in training.vocab.items() if token not in special}
    return Tokenizer(vocab, training.merges, pattern=pattern)


def ids_digest(ids: Iterable[int]) -> str:
    """Return the SHA-256 of ids, each as four bytes, whatever holds them.

    >>> ids_digest([1, 2]) == ids_digest(array("I", [1, 2]))
    True
    """
    return sha256(array("I", ids).tobytes()).hexdigest()
