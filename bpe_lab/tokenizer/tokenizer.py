"""Merges -> tokenizer: encode, decode, save, load."""

import reprlib
import warnings
from array import array
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bpe_lab import native
from bpe_lab.support.errors import checked_integer, find_entry
from bpe_lab.support.files import (
    TOKENIZER_FILES,
    PathLike,
    check_new_files,
    writing,
)
from bpe_lab.support.machine import check_threads, threads_used
from bpe_lab.tokenizer.formats import hugging_face, lab_file
from bpe_lab.tokenizer.formats.registry import FORMATS, read_tokenizer, tokenizer_file
from bpe_lab.tokenizer.merges import Merge, TokenizerData, find_special_ids, token_ids
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern
from bpe_lab.words.special_tokens import check_special_tokens
from bpe_lab.words.texts import check_errors, check_many, replaced

if TYPE_CHECKING:
    from bpe_lab.tokenizer.regex_encoder import RegexEncoder

Choice = Literal["all"] | Collection[str]
"""Special tokens by name, or all of them."""

_Hashable = Literal["all"] | frozenset[str]


class Tokenizer:
    """Byte-level BPE with the merges of a training.

    It can be used by several threads, copied, and sent to other processes.

    A text from elsewhere may hold a special token: as in tiktoken that is an error, unless
    `allowed_special` names it ("all": every one) and it becomes its id. `disallowed_special=()`
    makes all others ordinary text. One that is refused is looked for first: it is refused inside a
    longer one that is allowed, too. Of several allowed ones at one place the longest wins.

    Encoded words are cached for the next text: up to 100 MB for each thread that is encoding and
    each text in parts that has begun; afterwards at most one cache per processor is kept. Encoding
    a word of n bytes takes up to 40 n bytes of memory, or 14 n for one repeated letter.

    :param vocab: id -> bytes: the 256 bytes, the special tokens, what each merge makes. Ids may be
        in any order and have gaps. Other entries are only decoded, unless `ignore_merges`.
    :param merges: (left bytes, right bytes) in order.
    :param special_tokens: strings that become one id each: with their ids, or without, which are
        then looked up in the vocabulary; None: there are none. Special tokens of the vocabulary
        that are left out are ordinary text.
    :param pattern: cuts a text into words: an id of `bpe_lab.PATTERNS`, or any regex. Use that of
        the training.
    :param ignore_merges: a word that is in the vocabulary becomes that token, even if no merge
        makes it, as in Hugging Face's library for Llama 3. After a training it changes nothing.
    :raises TypeError: a merge is not a pair of bytes, or a special token no string.
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
        special_tokens: Iterable[str] | Mapping[str, int] | None = (),
        *,
        pattern: str = DEFAULT_PATTERN,
        ignore_merges: bool = False,
    ) -> None:
        tokens = {checked_integer("an id", id): token for id, token in vocab.items()}
        self.vocab = dict(sorted(tokens.items()))
        self.merges = list(merges)
        if isinstance(special_tokens, Mapping):
            check_special_tokens(special_tokens, ordered=False)
            ids = {token: checked_integer("an id", id) for token, id in special_tokens.items()}
        else:
            names = check_special_tokens(() if special_tokens is None else special_tokens)
            ids = find_special_ids(names, self.vocab)
        self.special_ids = dict(sorted(ids.items(), key=itemgetter(1)))
        self.special_tokens = tuple(self.special_ids)
        self.pattern = find_pattern(pattern)
        self.ignore_merges = ignore_merges
        self._ids = token_ids(self.vocab, self.merges, self.special_ids)
        contents = self.vocab, self.merges, self.special_ids, self.pattern, ignore_merges
        self.data = TokenizerData(*contents)
        # Making a choice takes longer than encoding a sentence.
        self._cached_choice = lru_cache(maxsize=16)(partial(_choose, self.special_ids))

    def __repr__(self) -> str:
        return (
            f"Tokenizer({len(self.vocab):,} ids, {len(self.merges):,} merges, pattern "
            f"{self.pattern.name!r}, special tokens {reprlib.repr(list(self.special_ids))})"
        )

    def __len__(self) -> int:
        """Return the number of ids."""
        return len(self.vocab)

    def __eq__(self, other: object) -> bool:
        """Tell whether another tokenizer has the same ids, merges, special tokens and pattern."""
        return self.data == other.data if isinstance(other, Tokenizer) else NotImplemented

    def __reduce__(self) -> tuple[Any, ...]:
        # Its cache of encoded words is left out: it cannot be sent.
        return type(self).from_data, (self.data,)

    @property
    def vocab_size(self) -> int:
        """The number of ids, as of `len`.

        >>> Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).vocab_size
        256
        """
        return len(self)

    def token_to_id(self, token: str | bytes) -> int | None:
        """Return the id of a token, None if there is no such token.

        :param token: its bytes; of a string those in UTF-8, if it is no special token.

        >>> Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).token_to_id("a")
        97
        """
        if isinstance(token, str):
            return self.special_ids.get(token, self._token_ids.get(str.encode(token)))
        return self._token_ids.get(token)

    def id_to_token(self, id: int) -> bytes | None:
        """Return the bytes of an id, None if there is no such id.

        >>> Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).id_to_token(97)
        b'a'
        """
        return self.vocab.get(checked_integer("id", id))

    def truncate(self, vocab_size: int) -> "Tokenizer":
        """Return the tokenizer of the first merges: after a training, what a smaller one makes.

        Ids move down where those below are left out: special tokens behind the merges stay so.

        :param vocab_size: number of ids to keep, the 256 bytes and the special tokens included.
        :raises ValueError: it is too small or too large, or there are tokens no merge makes.

        >>> vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"lo", 257: b"<s>"}
        >>> Tokenizer(vocab, [(b"l", b"o")], {"<s>": 257}).truncate(257)
        Tokenizer(257 ids, 0 merges, pattern 'gpt2', special tokens ['<s>'])
        """
        size, least = checked_integer("vocab_size", vocab_size), len(self) - len(self.merges)
        if not least <= size <= len(self):
            raise ValueError(f"vocab_size is {size:,}: give {least:,} to {len(self):,}")
        merges = self.merges[: size - least]
        dropped = sorted(self._ids[left + right] for left, right in self.merges[size - least :])
        kept = {id: id - bisect(dropped, id) for id in sorted(self.vocab.keys() - dropped)}
        vocab = {number: self.vocab[id] for id, number in kept.items()}
        specials = {token: kept[id] for token, id in self.special_ids.items()}
        return self.from_data(self.data._replace(vocab=vocab, merges=merges, special_ids=specials))

    def encode(
        self,
        text: str | bytes,
        *,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> list[int]:
        """Turn a text into ids.

        :param text: a string, or UTF-8 as bytes.
        :param allowed_special, disallowed_special: strings to find, to refuse; see `Tokenizer`.
        :param errors: "replace" puts U+FFFD in the place of lone surrogates, as tiktoken does, and
            of bytes that are not UTF-8; "strict" refuses them.
        :raises ValueError: the text has a refused special token.
        :raises UnicodeError: it holds a lone surrogate, or is not UTF-8.
        """
        choice = self._choice(allowed_special, disallowed_special)
        return self._encoder.encode(_valid(text, errors), choice)

    def encode_to_array(
        self,
        text: str | bytes,
        *,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> "array[int]":
        """Turn a text into ids as `encode` does: 32 bits each, in half the time of a list.

        :return: an array that `numpy.frombuffer(ids, "I")` takes without a copy.
        """
        choice = self._choice(allowed_special, disallowed_special)
        return self._encoder.encode_to_array(_valid(text, errors), choice)

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> list[list[int]]:
        """Turn each of many texts into ids as `encode` does; the ids do not depend on the threads.

        :param threads: None: all processors we may use. With your own regex there is one thread.
        """
        choice, valid = self._choice(allowed_special, disallowed_special), _valid_all(texts, errors)
        return self._encoder.encode_batch(valid, choice, threads_used(check_threads(threads)))

    def encode_batch_to_arrays(
        self,
        texts: Iterable[str | bytes],
        *,
        threads: int | None = None,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> "list[array[int]]":
        """Turn each of many texts into ids as `encode_batch` does, in arrays of 32 bits each."""
        choice, valid = self._choice(allowed_special, disallowed_special), _valid_all(texts, errors)
        return self._encoder.encode_batch(valid, choice, threads_used(check_threads(threads)), True)

    def encode_iterable(
        self,
        parts: Iterable[str],
        *,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> Iterator[int]:
        """Yield the ids of one text that comes in parts: the same as for all parts joined.

        Memory holds a part and the word that continues in the next one. With your own regex it
        holds the whole text, because its words may end anywhere.

        :param parts: strings of any length, such as the lines of an open file.
        :param allowed_special, disallowed_special, errors: see `encode`; what is refused raises
            only when its part is encoded.
        """
        check_many("parts", [parts] if isinstance(parts, str) else parts)
        if errors != "strict":
            check_errors(errors)
            parts = map(replaced, parts)
        choice, encoder = self._choice(allowed_special, disallowed_special), self._encoder
        if not isinstance(encoder, native.Encoder):
            yield from encoder.encode("".join(parts), choice)
            return
        stream = native.Stream(encoder, choice)
        for part in parts:
            for begin in range(0, len(part), 1 << 18):
                yield from stream.feed(part[begin : begin + (1 << 18)])
        yield from stream.feed("", last=True)

    def count(
        self,
        text: str | bytes,
        *,
        allowed_special: Choice = (),
        disallowed_special: Choice = "all",
        errors: str = "strict",
    ) -> int:
        """Return how many ids `encode` gives, without keeping them."""
        choice = self._choice(allowed_special, disallowed_special)
        return self._encoder.count(_valid(text, errors), choice)

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text.

        :param ids: ids of the vocabulary; an array of integers is decoded faster than a list.
        :param errors: for bytes that are not UTF-8, as in `bytes.decode`: "replace" puts U+FFFD in
            their place, "strict" raises UnicodeDecodeError.
        :raises TypeError: they are not integers.
        :raises ValueError: an id is not in the vocabulary.
        """
        return self.decode_bytes(ids).decode("utf-8", errors)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turn ids into their bytes; errors are those of `decode`."""
        try:
            return self._decoder.decode(ids)
        except (KeyError, OverflowError) as error:
            size = len(self.vocab)
            raise ValueError(f"an id is not in the vocabulary of {size}: {error}") from None

    def decode_batch(self, batch: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """Turn the ids of each of many texts into text, as `decode` does.

        >>> Tokenizer({byte: bytes([byte]) for byte in range(256)}, []).decode_batch([[97], [98]])
        ['a', 'b']
        """
        return [self.decode(ids, errors) for ids in batch]

    def save(self, folder: PathLike, *, force: bool = False) -> list[Path]:
        """Write `tokenizer.bpe.json`, which is complete, and the files of Hugging Face's libraries.

        :param folder: made when missing; other files in it stay.
        :param force: replace a tokenizer that is there.
        :return: the files.
        :raises OSError: the folder cannot be written, or holds one of the files without `force`.
        :raises ValueError: a token is neither a byte nor special, and no merge makes it.
        :warns UserWarning: Hugging Face's files cannot express this tokenizer, and are left out; or
            its libraries will show a special token wrongly.
        """
        folder = Path(folder)
        files = [folder / name for name in TOKENIZER_FILES]
        check_new_files(*files, force=force)
        contents = lab_file.write(self.data)
        try:
            contents |= hugging_face.write(self.data)
        except ValueError as error:
            warnings.warn(f"{error}: the files of Hugging Face are left out", stacklevel=2)
        for file in files[1:]:  # none is ever beside the tokenizer of another training
            file.unlink(missing_ok=True)
        return _written(folder, contents)

    def export(self, folder: PathLike, format: str, *, force: bool = False) -> list[Path]:
        """Write the files of one format into a folder.

        :param folder, force: as for `save`, which raises the same OSError.
        :param format: an id of `bpe_lab.tokenizer.formats.registry.FORMATS`.
        :raises ValueError: there is no such format, or it cannot express this tokenizer.

        >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
        >>> [file.name for file in tokenizer.export("exported", "gpt2")]
        ['vocab.json', 'merges.txt']
        """
        folder, entry = Path(folder), find_entry("format", format, FORMATS)
        check_new_files(*(folder / name for name in entry.files), force=force)
        return _written(folder, entry.write(self.data))

    @classmethod
    def load(cls, path: PathLike, *, pattern: str | None = None) -> "Tokenizer":
        """Read a tokenizer: `tokenizer.bpe.json`, or a `tokenizer.json` of byte-level BPE.

        :param path: a file, or a folder with one; if there are both, the lab's own is read.
        :param pattern: the regex of a `tokenizer.json`, if it is none of `bpe_lab.PATTERNS`.
        :raises OSError: it is missing, or cannot be read.
        :raises ValueError: it is of another format, damaged or too large, holds something
            unsupported, or has another pattern than the given one; says what.
        """
        file = tokenizer_file(Path(path))
        try:
            return cls.from_data(read_tokenizer(file, pattern))
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from None
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"{file} is damaged, or of another kind: {error!r:.200}") from None

    @classmethod
    def from_data(cls, data: TokenizerData) -> "Tokenizer":
        """Return the tokenizer of some contents."""
        return cls(*data[:3], pattern=data.pattern.regex, ignore_merges=data.ignore_merges)

    @cached_property
    def _encoder(self) -> "native.Encoder | RegexEncoder":
        # Created for the first text: a training that saves its tokenizer encodes nothing.
        places = {token: place for place, token in enumerate(self._ids)}
        merges = [(places[left], places[right]) for left, right in self.merges]
        ids = list(self._ids.values())
        whole = self._token_ids if self.ignore_merges else {}
        words = {token: number for token, number in whole.items() if token}
        if self.pattern.scanner:
            return native.Encoder(merges, ids, self.pattern.id, words)
        from bpe_lab.tokenizer.regex_encoder import RegexEncoder  # loads regex: 10 ms

        return RegexEncoder(native.Encoder(merges, ids, words=words), self.pattern)

    @cached_property
    def _decoder(self) -> native.Decoder:
        return native.Decoder(self.vocab)

    @cached_property
    def _token_ids(self) -> dict[bytes, int]:
        return self.data.ids()

    def _choice(self, allowed: Choice, disallowed: Choice) -> native.SpecialIds:
        return self._cached_choice(
            _hashable("allowed_special", allowed), _hashable("disallowed_special", disallowed)
        )


load = Tokenizer.load  # bpe_lab.load


def _written(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    """Write the files of a tokenizer into a folder, in their order, and return them."""
    for name, content in files.items():
        with writing(folder / name) as stream:
            stream.write(content)
    return [folder / name for name in files]


def _valid(text: str | bytes, errors: str) -> str | bytes:
    """Return a text whose faults are replaced if `errors` says so."""
    if errors == "strict":
        return text  # the encoder finds them
    check_errors(errors)
    if isinstance(text, bytes):
        return bytes.decode(text, "utf-8", "replace")
    return replaced(text) if isinstance(text, str) else text


def _valid_all(texts: Iterable[str | bytes], errors: str) -> Iterable[str | bytes]:
    """Return many texts, each as `_valid` has it."""
    check_many("texts", texts)
    return texts if errors == "strict" else (_valid(text, errors) for text in texts)


def _choose(
    special_ids: Mapping[str, int], allowed: _Hashable, disallowed: _Hashable
) -> native.SpecialIds:
    """Return the tokens to find in a text, and those to refuse."""
    tokens = special_ids if allowed == "all" else check_special_tokens(allowed, ordered=False)
    for token in tokens:
        if token not in special_ids:
            known = reprlib.repr(list(special_ids))
            raise ValueError(f"allowed_special has {token!r}, this tokenizer has {known}")
    ids = {token: special_ids[token] for token in tokens}
    if disallowed == "all":
        return native.SpecialIds(ids, [token for token in special_ids if token not in ids])
    return native.SpecialIds(ids, check_special_tokens(disallowed, ordered=False), named=True)


def _hashable(name: str, choice: Choice) -> _Hashable:
    """Return a key that is the same for equal choices, or raise TypeError."""
    if choice == "all":
        return "all"
    try:  # costs nothing, as asking for its type would, which takes as long as a short text
        if not isinstance(choice, str):
            return frozenset(choice)
    except TypeError:
        pass
    raise TypeError(f'{name} is {choice!r}: give "all", or a set of special tokens')
