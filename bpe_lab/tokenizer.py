"""Merges -> tokenizer: encode, decode, save, load."""

import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from bpe_lab.files import check_folder, write_folder
from bpe_lab.merges import Merge, first_vocab, merge_lines
from bpe_lab.pretokenize import PATTERN, check_special_tokens, special_pattern


def byte_characters() -> dict[int, str]:
    """Return the printable character that stands for each byte in GPT-2's files.

    Source: `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019).

    >>> byte_characters()[ord(" ")], byte_characters()[ord("a")]
    ('Ġ', 'a')
    """
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    characters = {byte: chr(byte) for byte in printable}
    characters.update({byte: chr(256 + number) for number, byte in enumerate(others)})
    return characters


class Tokenizer:
    """Byte-level BPE with the merges of a training.

    :param vocab: id -> bytes.
    :param merges: (left bytes, right bytes) in order.
    :param special_tokens: strings that become one id each.

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
        self._ranks = {merge: rank for rank, merge in enumerate(self.merges)}
        # A merge could spell the same bytes as a special token, with an id of its own.
        self._special_ids = {token: 256 + n for n, token in enumerate(self.special_tokens)}
        self._ids = {
            token: number
            for number, token in self.vocab.items()
            if number not in self._special_ids.values()
        }
        self._special_pattern = special_pattern(self.special_tokens)
        self._encode_word = lru_cache(maxsize=1 << 16)(self._merge_word)

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

    def files(self) -> dict[str, bytes]:
        """Return the files of a saved tokenizer: name -> content.

        `merges.hex` and `special_tokens.json` say everything; `sha256sum merges.hex` is the digest.
        `vocab.json` and `merges.txt` say it again in GPT-2's form, which other libraries read.

        :warns UserWarning: a special token is spelled like another token in GPT-2's form, which
            then cannot be written.
        """
        files = {
            "merges.hex": b"".join(merge_lines(self.merges)),
            "special_tokens.json": json.dumps(self.special_tokens).encode() + b"\n",
        }
        characters = byte_characters()

        def spell(token: bytes) -> str:
            return "".join(characters[byte] for byte in token)

        names = {number: token for token, number in self._special_ids.items()}
        ids: dict[str, int] = {}
        for number, token in self.vocab.items():
            name = names.get(number) or spell(token)
            if name in ids:
                warnings.warn(
                    f"special token {names.get(number, name)!r} is spelled like another token in "
                    "GPT-2's form: vocab.json and merges.txt are left out",
                    UserWarning,
                    stacklevel=2,
                )
                return files
            ids[name] = number
        merges = "".join(f"{spell(left)} {spell(right)}\n" for left, right in self.merges)
        return {
            **files,
            "vocab.json": json.dumps(ids, ensure_ascii=False, indent=0).encode() + b"\n",
            "merges.txt": b"#version: 0.2\n" + merges.encode(),
        }

    def save(self, folder: str | Path, *, force: bool = False) -> None:
        """Write the files of `files` into a folder: all of them complete, or none.

        :param folder: made when missing.
        :param force: write into it though it is not empty; other files in it stay.
        :raises OSError: the folder cannot be written, or is not empty without `force`.
        """
        check_folder(Path(folder), force)
        write_folder(Path(folder), self.files())

    @classmethod
    def load(cls, folder: str | Path) -> "Tokenizer":
        """Read a tokenizer from a folder that `bpe-lab train --out` wrote.

        :param folder: holds merges.hex and special_tokens.json.
        :raises FileNotFoundError: one of them is missing.
        """
        folder = Path(folder)
        specials = json.loads((folder / "special_tokens.json").read_bytes())
        lines = (folder / "merges.hex").read_text(encoding="ascii").splitlines()
        merges = [
            (bytes.fromhex(left), bytes.fromhex(right))
            for left, right in (line.split(" ") for line in lines)
        ]
        return cls(
            dict(enumerate(first_vocab(specials) + [left + right for left, right in merges])),
            merges,
            specials,
        )
