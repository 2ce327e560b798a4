"""One training by a public trainer, measured in a process that does nothing else.

It is loaded as a file and imports nothing of bpe_lab, so that no trainer pays for another's
imports. The function of a trainer shows all that is needed to use its package: it trains, and
returns a function that lists its tokens, which is called after the clocks have stopped.
"""

import hashlib
import io
import json
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

started, started_cpu = time.perf_counter(), time.process_time()

PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The pattern of GPT-2, for the trainers that take one; equal to that of `bpe_lab.PATTERNS`."""

SPECIAL_TOKEN = "<|endoftext|>"

NO_LIMIT = 10**9
"""For trainers that need a greatest length."""

Tokens = Callable[[], Sequence[bytes]]


def bpe_lab(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with this project: stage `core`, counter `native`."""
    training = import_module("bpe_lab").train(path, vocab_size, [special], threads=threads)
    return lambda: [left + right for left, right in training.merges]


def gigabpe(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with gigabpe."""
    _, merges = import_module("gigabpe").train_bpe(
        [path],
        vocab_size=vocab_size,
        special_tokens=[special],
        pretokenizer="bytelevel",
        threads=threads,
    )
    return lambda: [from_letters(left + right) for left, right in merges]


def tokenizers(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with Hugging Face tokenizers, document by document: it cuts files at lines."""
    package = import_module("tokenizers")
    byte_level = package.pre_tokenizers.ByteLevel
    tokenizer = package.Tokenizer(package.models.BPE())
    tokenizer.pre_tokenizer = byte_level(add_prefix_space=False, use_regex=True)
    trainer = package.trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=[special],
        initial_alphabet=byte_level.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(documents(path, special), trainer)
    return lambda: [
        from_letters(left + right)
        for left, right in json.loads(tokenizer.to_str())["model"]["merges"]
    ]


def gigatoken(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with gigatoken."""
    package = import_module("gigatoken")
    source = package.TextFileSource([path], separator=special.encode())
    _, merges = package.train_bpe(source, vocab_size, [special])
    return lambda: [left + right for left, right in merges]


def rustbpe(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with rustbpe, which knows no special tokens: their ids are left out."""
    tokenizer = import_module("rustbpe").Tokenizer()
    tokenizer.train_from_iterator(
        documents(path, special), vocab_size=vocab_size - 1, pattern=PATTERN
    )
    return lambda: [bytes(token) for token, _ in tokenizer.get_mergeable_ranks()[256:]]


def ffbpe(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with ffbpe and our tie rule."""
    package = import_module("ffbpe")
    counter = package.PreTokenizer([special], pat_str=PATTERN).word_counter()
    counter.add_source(documents(path, special))
    trainer = package.BpeTrainer([special], tie_break="largest_content")
    trainer.add_word_counter(counter)
    trainer.train(vocab_size)

    def tokens() -> list[bytes]:
        by_id = sorted((number, token) for token, number in trainer.vocab.items())
        return [token for _, token in by_id[257:]]

    return tokens


def bpeasy(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with bpeasy, which knows no special tokens and limits the bytes of a token."""
    texts = documents(path, special)
    vocab = import_module("bpeasy").train_bpe(
        iter(texts), PATTERN, max_token_length=NO_LIMIT, vocab_size=vocab_size - 1
    )
    return lambda: sorted(vocab, key=vocab.__getitem__)[256:]


def sentencepiece(path: str, vocab_size: int, special: str, threads: int) -> Tokens:
    """Train with sentencepiece: lines cut at blanks, characters instead of bytes, as they are."""
    package = import_module("sentencepiece")
    model = io.BytesIO()
    package.SentencePieceTrainer.train(
        input=path,
        model_writer=model,
        model_type="bpe",
        vocab_size=vocab_size,
        user_defined_symbols=[special],
        num_threads=threads,
        character_coverage=1.0,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        add_dummy_prefix=False,
        split_by_unicode_script=False,
        split_by_number=False,
        max_sentence_length=NO_LIMIT,
        max_sentencepiece_length=512,
        hard_vocab_limit=False,
        minloglevel=2,
    )

    def tokens() -> list[bytes]:
        processor = package.SentencePieceProcessor(model_proto=model.getvalue())
        pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
        # <unk>, <s>, </s> and the special token come first, single characters last.
        return [piece.replace("▁", " ").encode() for piece in pieces[4:] if len(piece) > 1]

    return tokens


def documents(path: str, special: str) -> list[str]:
    """Read a file and cut it at the special token, for trainers that take strings."""
    return Path(path).read_bytes().decode().split(special)


def from_letters(token: str) -> bytes:
    """Return the bytes for GPT-2's letters."""
    return bytes(LETTERS[letter] for letter in token)


AS_THEY_ARE = [*range(33, 127), *range(161, 173), *range(174, 256)]
LETTERS = {chr(byte): byte for byte in AS_THEY_ARE} | {
    chr(256 + place): byte
    for place, byte in enumerate(byte for byte in range(256) if byte not in AS_THEY_ARE)
}


def train_peer(
    *, trainer: str, path: str, vocab_size: int, threads: int
) -> Callable[[], dict[str, Any]]:
    """Train with one of the functions above."""
    tokens = globals()[trainer](path, vocab_size, SPECIAL_TOKEN, threads)
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - started_cpu

    def fields() -> dict[str, Any]:
        hex_tokens = [token.hex() for token in tokens()]
        return {
            "seconds": seconds,
            "cpu_seconds": cpu_seconds,
            "digest": hashlib.sha256("\n".join(hex_tokens).encode()).hexdigest(),
            "operations": {"merges": len(hex_tokens)},
            "n_merges": len(hex_tokens),
            "stopped_by": "vocab_size",
            "tokens": hex_tokens,
        }

    return fields
