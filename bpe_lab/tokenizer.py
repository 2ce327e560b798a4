"""Merges -> tokenizer: encode, decode, save, load."""

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from bpe_lab.files import check_folder, write_folder
from bpe_lab.merges import Merge, check_merges, first_vocab, merge_lines
from bpe_lab.special_tokens import check_special_tokens, special_pattern
from bpe_lab.tokenizer_files import FILES, SUMS, gpt2_files, read_files, sums


class Tokenizer:
    """Byte-level BPE with the merges of a training.

    It can be copied, and sent to other processes: `pool.map(tokenizer.encode, texts)`.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, one entry per merge.
    :param merges: (left bytes, right bytes) in order.
    :param special_tokens: strings that become one id each. Those of the vocabulary that are left
        out are ordinary text.
    :raises TypeError: a merge is not a pair of bytes, or a special token no string.
    :raises ValueError: the three contradict each other.

    >>> tokenizer = Tokenizer(
    ...     {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}, [(b"l", b"o")]
    ... )
    >>> tokenizer.encode("low"), tokenizer.decode([256, 119])
    ([256, 119], 'low')
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Merge],
        special_tokens: Iterable[str] = (),
    ) -> None:
        self.vocab = dict(vocab)
        self.merges = list(merges)
        self.special_tokens = check_special_tokens(special_tokens)
        check_merges(self.merges)
        self._ids = token_ids(self.vocab, self.merges, self.special_tokens)
        self._ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        self._special_ids = {token: 256 + n for n, token in enumerate(self.special_tokens)}
        self._special_pattern = special_pattern(self.special_tokens)
        self._encode_word = lru_cache(maxsize=1 << 16)(self._merge_word)

    def __reduce__(self) -> tuple[Any, ...]:
        # What was encoded so far is no part of it, and a cache cannot be sent.
        return type(self), (self.vocab, self.merges, self.special_tokens)

    def _merge_word(self, word: bytes) -> tuple[int, ...]:
        tokens = [word[position : position + 1] for position in range(len(word))]
        while len(tokens) > 1:
            ranked = [
                (self._ranks.get(pair, len(self._ranks)), position)
                for position, pair in enumerate(pairwise(tokens))
            ]
            rank, position = min(ranked)
            if rank == len(self._ranks):
                break
            tokens[position : position + 2] = [tokens[position] + tokens[position + 1]]
        return tuple(self._ids[token] for token in tokens)

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids.

        :param text: any text; special tokens in it become their own ids.
        :raises UnicodeEncodeError: it holds a lone surrogate, which has no UTF-8.
        """
        ids: list[int] = []
        position = 0
        if self._special_pattern is not None:
            for match in self._special_pattern.finditer(text):
                self._encode_piece(text[position : match.start()], ids)
                ids.append(self._special_ids[match.group()])
                position = match.end()
        self._encode_piece(text[position:], ids)
        return ids

    def _encode_piece(self, piece: str, ids: list[int]) -> None:
        # Here and not above: a training that saves its tokenizer encodes nothing.
        from bpe_lab.pretokenize import PATTERN

        for match in PATTERN.finditer(piece):
            ids.extend(self._encode_word(match.group().encode()))

    def decode(self, ids: Iterable[int]) -> str:
        """Turn ids into text; bytes that are not UTF-8 become U+FFFD.

        :param ids: ids of the vocabulary.
        :raises ValueError: an id is not in the vocabulary.
        """
        tokens = []
        for number in ids:
            if number not in self.vocab:
                raise ValueError(f"id {number} is not in the vocabulary of {len(self.vocab)}")
            tokens.append(self.vocab[number])
        return b"".join(tokens).decode("utf-8", "replace")

    def files(self, training: Mapping[str, Any] | None = None) -> dict[str, bytes]:
        """Return the files of a saved tokenizer: name -> content.

        `merges.hex` and `special_tokens.json` say everything; `sha256sum merges.hex` is the digest.
        `vocab.json` and `merges.txt` say it again in GPT-2's form, which other libraries read.
        `sha256sum -c SHA256SUMS` tells whether all are as they were written.

        :param training: what `training.json` says; None: there is none.
        :raises ValueError: the vocabulary has entries that are no bytes, special tokens or merges:
            `load` could not know them.
        :warns UserWarning: a special token is spelled like another token in GPT-2's form, which
            then cannot be written.
        """
        n_known = 256 + len(self.special_tokens) + len(self.merges)
        if len(self.vocab) > n_known:
            raise ValueError(
                f"the vocabulary has {len(self.vocab) - n_known} entries from id "
                f"{256 + len(self.special_tokens)} on that are no merges, and would be lost: name "
                "them as special_tokens"
            )
        files = {
            "merges.hex": b"".join(merge_lines(self.merges)),
            "special_tokens.json": json.dumps(self.special_tokens).encode() + b"\n",
        }
        try:
            files |= gpt2_files(self.vocab, self.merges, self._special_ids)
        except ValueError as error:
            warnings.warn(
                f"{error}: vocab.json and merges.txt are left out", UserWarning, stacklevel=2
            )
        if training is not None:
            files["training.json"] = json.dumps(training, indent=2).encode() + b"\n"
        return {**files, SUMS: sums(files)}

    def save(
        self,
        folder: str | Path,
        *,
        force: bool = False,
        training: Mapping[str, Any] | None = None,
    ) -> list[Path]:
        """Write the files of `files` into a folder: all of them complete, or none.

        A tokenizer that is there with `force` is replaced whole: at every moment, whatever ends the
        process, the folder has files of the one or of the other and never of both. A Ctrl-C waits
        for the few renames.

        :param folder: made when missing.
        :param force: write into it though it is not empty; files of other names in it stay.
        :param training: what `training.json` says; None: there is none.
        :return: the files.
        :raises OSError: the folder cannot be written, is not empty without `force`, or has a link
            or a folder in the place of a file.
        :raises ValueError: what `files` raises.
        """
        folder = Path(folder)
        check_folder(folder, force, FILES)
        files = self.files(training)
        write_folder(folder, files, FILES)
        return [folder / name for name in files]

    @classmethod
    def load(cls, folder: str | Path) -> "Tokenizer":
        """Read a tokenizer from a folder that `save` or `bpe-lab train --out` wrote.

        :param folder: holds merges.hex and special_tokens.json, and maybe what tells whether they
            are as they were written: SHA256SUMS, training.json.
        :raises FileNotFoundError: the folder, or one of the two, is missing.
        :raises ValueError: a file is damaged, or the files are not of one tokenizer; names it, and
            the line where it is one.
        """
        merges, specials = read_files(Path(folder))
        tokens = first_vocab(specials) + [left + right for left, right in merges]
        return cls(dict(enumerate(tokens)), merges, specials)


def token_ids(
    vocab: Mapping[int, bytes], merges: Sequence[Merge], special_tokens: Sequence[str]
) -> dict[bytes, int]:
    """Return the id of each byte and of what each merge makes.

    Not of the special tokens: a merge can spell the same bytes as one, with an id of its own.

    :param vocab: id -> bytes.
    :param merges: checked merges.
    :param special_tokens: checked special tokens.
    :raises ValueError: the vocabulary has no such ids: 0..255 are the bytes, the next ones the
        special tokens, the last ones the merges.

    >>> token_ids(dict(enumerate([*first_vocab(["<a>"]), b"lo"])), [(b"l", b"o")], ["<a>"])[b"lo"]
    257
    """
    first = first_vocab(special_tokens)
    first_made = len(vocab) - len(merges)
    if first_made < len(first):
        raise ValueError(
            f"the vocabulary has {len(vocab)} entries: 256 bytes, {len(special_tokens)} special "
            f"tokens and {len(merges)} merges need {len(first) + len(merges)}"
        )
    made = {left + right: first_made + rank for rank, (left, right) in enumerate(merges)}
    for number, token in [*enumerate(first), *((number, token) for token, number in made.items())]:
        if vocab.get(number) != token:
            raise ValueError(
                f"id {number} of the vocabulary is {vocab.get(number)!r} instead of {token!r}: "
                "0..255 are the bytes, the next ones the special tokens, the last ones the merges"
            )
    for number in range(len(first), first_made):
        if not isinstance(vocab.get(number), bytes):
            raise ValueError(f"id {number} of the vocabulary is {vocab.get(number)!r}: give bytes")
    return {bytes([byte]): byte for byte in range(256)} | made
