"""The encoder in plain Python; the compiled one gives the same ids.

An encoder does to each word what the training did to the words of its corpus: `merge_word`.
Searching all pairs before each merge would take n * n steps for a word of n bytes: no difference
for an English word, but days for one of ten million letters, as notebook 11 shows.
"""

from collections.abc import Iterator

from bpe_lab import Tokenizer
from bpe_lab.tokenizer.merges import merge_word
from bpe_lab.words.pretokenize import words_of
from bpe_lab.words.special_tokens import special_pattern


def reference_encode(tokenizer: Tokenizer, text: str, *, ignore_merges: bool = False) -> list[int]:
    """Turn a text into ids; special tokens in it become their own.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"<s>"}
    >>> reference_encode(Tokenizer(vocab, [(b"l", b"o")], {"<s>": 257}), "lo<s>w")
    [256, 257, 119]
    """
    special, special_ids = special_pattern(tokenizer.special_ids), tokenizer.special_ids
    ids = {token: id for id, token in tokenizer.vocab.items() if id not in special_ids.values()}
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}

    def of_piece(piece: str) -> Iterator[int]:
        for word in (word.encode() for word in words_of(tokenizer.pattern, piece)):
            whole = ignore_merges and word in ids
            yield from map(ids.__getitem__, [word] if whole else merge_word(word, ranks))

    made, end = list[int](), 0
    for match in special.finditer(text) if special else ():
        made += [*of_piece(text[end : match.start()]), special_ids[match.group()]]
        end = match.end()
    return [*made, *of_piece(text[end:])]
