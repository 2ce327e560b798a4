"""Merges -> tokenizer: encode, decode, save, load."""

import reprlib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bpe_lab.support.files import check_new_files, write_files
from bpe_lab.tokenizer.formats import lab_file
from bpe_lab.tokenizer.formats.known import find_format, recognise
from bpe_lab.tokenizer.formats.parts import Parts, named
from bpe_lab.tokenizer.merges import GREATEST_ID, Merge, check_merges, first_vocab
from bpe_lab.tokenizer.text_encoding import TextEncoding
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import check_special_tokens

FILES = ("tokenizer_config.json", "tokenizer.json", lab_file.NAME)
"""All that a saved tokenizer can have, in the order in which it comes into the folder.

The own file comes last, and goes first when a tokenizer is replaced: so where it is, the others are
of the same tokenizer, and `load` needs no other file.
"""


class Tokenizer(TextEncoding):
    """Byte-level BPE with the merges of a training.

    It can be used by several threads, copied, and sent to other processes.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, what each merge makes. Ids may be
        in any order and have gaps. What else there is, is decoded, and encoded only by
        `whole_words`.
    :param merges: (left bytes, right bytes) in order.
    :param special_tokens: strings that become one id each: with their ids, or without, which are
        then those from 256 on. Those of the vocabulary that are left out are ordinary text.
    :param pattern: cuts a text into words: an id of `bpe_lab.PATTERNS`, or any regex. Use the
        one of the training.
    :param whole_words: a word that is in the vocabulary is that one token, whatever the merges make
        of it: what Hugging Face calls `ignore_merges`, of Llama 3. So tokens that no merge makes
        are encoded, too. After a training it changes nothing: bytes lead to their own token.
    :raises TypeError: a merge is not a pair of bytes, a special token no string, an id no integer.
    :raises ValueError: they contradict each other, or one of the 256 bytes is missing.

    >>> tokenizer = Tokenizer(
    ...     {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}, [(b"l", b"o")]
    ... )
    >>> tokenizer.encode("low"), tokenizer.decode([256, 119])
    ([256, 119], 'low')
    >>> tokenizer
    Tokenizer(257 ids, 1 merges, pattern 'gpt2', special tokens [])
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Merge],
        special_tokens: Iterable[str] | Mapping[str, int] = (),
        *,
        pattern: str = DEFAULT_PATTERN,
        whole_words: bool = False,
    ) -> None:
        self.vocab = dict(vocab)
        self.merges = list(merges)
        self.special_tokens = check_special_tokens(special_tokens)
        self.special_ids = (
            dict(special_tokens)
            if isinstance(special_tokens, Mapping)
            else {token: 256 + n for n, token in enumerate(self.special_tokens)}
        )
        self.pattern = find_pattern(pattern)
        self.whole_words = whole_words
        check_merges(self.merges)
        _check_special_ids(self.special_ids, self.vocab)
        self._ids = _token_ids(self.vocab, self.merges, self.special_ids)

    def __repr__(self) -> str:
        return (
            f"Tokenizer({len(self.vocab):,} ids, {len(self.merges):,} merges, pattern "
            f"{self.pattern.name!r}, special tokens {reprlib.repr(list(self.special_ids))})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # What was encoded so far is no part of it, and a cache cannot be sent.
        made = partial(type(self), pattern=self.pattern.regex, whole_words=self.whole_words)
        return made, (self.vocab, self.merges, self.special_ids)

    @property
    def parts(self) -> Parts:
        """What every file of a tokenizer says."""
        return Parts(self.vocab, self.merges, self.special_ids, self.pattern, self.whole_words)

    def files(self, training: Mapping[str, Any] | None = None) -> dict[str, bytes]:
        """Return the files of a saved tokenizer: name -> content.

        `tokenizer.bpe.json` says everything. `tokenizer.json` and `tokenizer_config.json` say it
        again for Hugging Face's libraries; where they cannot, a warning says so.
        """
        files = lab_file.write(self.parts, training)
        try:
            return find_format("huggingface").write(self.parts) | files
        except ValueError as error:
            left_out = " and ".join(find_format("huggingface").files)
            warnings.warn(f"{error}: {left_out} are left out", UserWarning, stacklevel=2)
            return files

    def save(
        self,
        folder: str | Path,
        *,
        force: bool = False,
        training: Mapping[str, Any] | None = None,
    ) -> list[Path]:
        """Write the files of `files` into a folder, each aside and then renamed.

        :param folder: made when missing; other files in it stay.
        :param force: replace a tokenizer that is there.
        :param training: how it was trained; None: nobody says.
        :return: the files.
        :raises OSError: the folder cannot be written, or holds one of the files without `force`.
        :raises ValueError: a token is no byte, no special token, and made by no merge.
        :warns UserWarning: Hugging Face's files cannot say this tokenizer, and are left out.
        """
        folder = Path(folder)
        check_new_files(folder, FILES, force)
        files = self.files(training)
        write_files(folder, files, FILES)
        return [folder / name for name in files]

    def export(self, folder: str | Path, format: str, *, force: bool = False) -> list[Path]:
        """Write the files of one format into a folder, each aside and then renamed.

        :param folder: made when missing; other files in it stay.
        :param format: an id of `bpe_lab.tokenizer.formats.known.FORMATS`.
        :param force: replace files that are there.
        :raises OSError: what `save` raises.
        :raises ValueError: there is no such format, or it cannot say this tokenizer.

        >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
        >>> [file.name for file in tokenizer.export("exported", "gpt2")]
        ['vocab.json', 'merges.txt']
        """
        folder, entry = Path(folder), find_format(format)
        check_new_files(folder, entry.files, force)
        files = entry.write(self.parts)
        write_files(folder, files, list(files))
        return [folder / name for name in files]

    @classmethod
    def of_parts(cls, parts: Parts) -> "Tokenizer":
        """Return the tokenizer that is made of parts."""
        return cls(*parts[:3], pattern=parts.pattern.regex, whole_words=parts.whole_words)

    @classmethod
    def load(cls, path: str | Path) -> "Tokenizer":
        """Read a tokenizer that `save` or `bpe-lab train --out` wrote.

        :param path: the folder, or its `tokenizer.bpe.json`.
        :raises FileNotFoundError: it is missing.
        :raises ValueError: it is damaged, or another kind of file; says where.
        """
        path = Path(path)
        file = path / lab_file.NAME if path.is_dir() else path
        if not file.exists():
            raise FileNotFoundError(
                f"{file} is missing: name a folder that a tokenizer was saved in, or train again"
            )
        parts = lab_file.read(file)
        with named(file):
            return cls.of_parts(parts)

    @classmethod
    def from_file(cls, path: str | Path, **options: Any) -> "Tokenizer":
        """Read a tokenizer of any known format, of this lab or of another library.

        :param path: the file, or a folder with one; of several, the lab's own is read.
        :param options: what a `.tiktoken` does not hold, where no second file beside it says it:
            pattern, special_tokens (text -> id).
        :raises OSError: it cannot be read.
        :raises TypeError: the format does not take the options.
        :raises ValueError: it is of no known format, damaged, too large, or holds what is not
            supported; says what.
        """
        entry, file = recognise(Path(path))
        if options and entry.id != "tiktoken":
            raise TypeError(
                f"{file} says all by itself: leave {', '.join(options)} out, which .tiktoken needs"
            )
        parts = entry.read(file, **options)
        with named(file):
            return cls.of_parts(parts)


def _check_special_ids(special_ids: Mapping[str, int], vocab: Mapping[int, bytes]) -> None:
    """Check that each special token has an id of its own in the vocabulary."""
    owners: dict[int, str] = {}
    for token, number in special_ids.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"the id of special token {token!r} is {number!r}: give an integer")
        if number in owners:
            raise ValueError(
                f"special tokens {owners[number]!r} and {token!r} have one id, {number}: "
                "give each its own"
            )
        owners[number] = token
        if vocab.get(number) != token.encode():
            said = f"is {vocab[number]!r} instead of" if number in vocab else "is missing, and is"
            raise ValueError(
                f"id {number} of the vocabulary {said} {token.encode()!r}: give the ids of the "
                "special tokens, {token: id}, where they are not those from 256 on"
            )


def _token_ids(
    vocab: Mapping[int, bytes], merges: Iterable[Merge], special_ids: Mapping[str, int]
) -> dict[bytes, int]:
    """Return the id of each byte and of what each merge makes, from a vocabulary that is checked.

    Special tokens are left out: a merge can make the same bytes, with an id of its own.
    """
    special = set(special_ids.values())
    ids: dict[bytes, int] = {}
    for number, token in vocab.items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise TypeError(f"id {number!r} of the vocabulary is no integer: give integers")
        if not 0 <= number <= GREATEST_ID:
            raise ValueError(f"id {number} of the vocabulary is not one of 0..{GREATEST_ID}")
        if not isinstance(token, bytes):
            raise ValueError(f"id {number} of the vocabulary is {token!r}: give bytes")
        if number not in special and ids.setdefault(token, number) != number:
            raise ValueError(
                f"ids {ids[token]} and {number} of the vocabulary are both {token[:40]!r}: leave "
                "one out, or name it as a special token"
            )
    known = {}
    for token in first_vocab([]):
        if token not in ids:
            raise ValueError(f"the vocabulary lacks the byte {token!r}: all 256 are needed")
        known[token] = ids[token]
    for rank, (left, right) in enumerate(merges, start=1):
        if left + right not in ids:
            raise ValueError(
                f"the vocabulary lacks {(left + right)[:40]!r}, which merge {rank} makes: add it"
            )
        known[left + right] = ids[left + right]
    return known
