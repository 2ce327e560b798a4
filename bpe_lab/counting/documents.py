"""Documents that no file holds, one after the other: of a generator, of a dataset."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from bpe_lab.support.progress import Report
from bpe_lab.words.patterns import DEFAULT_PATTERN

SEPARATORS = [chr(code) for code in range(0xFDD0, 0xFDF0)]
"""Noncharacters, which Unicode keeps for the inner use of programs: no text should hold one."""


def checked_documents(
    documents: Iterable[str | bytes], errors: str, raised: list[BaseException] | None = None
) -> Iterator[bytes]:
    """Yield documents as UTF-8.

    :param documents: strings, or bytes that are UTF-8.
    :param errors: "strict", or "replace" by U+FFFD what is not UTF-8, and lone surrogates.
    :param raised: gets what the iterable itself raises; None: nobody asks.
    :raises TypeError: one is neither; it is one document instead of several.
    :raises ValueError: one is not UTF-8, or holds a lone surrogate, and `errors` is "strict".

    >>> list(checked_documents(["low", b"lo\\xffw"], "replace"))
    [b'low', b'lo\\xef\\xbf\\xbdw']
    """
    if isinstance(documents, str | bytes) or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents is {type(documents).__name__}: give an iterable of strings or bytes"
        )
    for number, document in enumerate(taken(documents, [] if raised is None else raised)):
        try:
            if isinstance(document, str):
                # By the class: a subclass may encode otherwise.
                text = document
                if errors == "replace":
                    text = str.encode(text, "utf-16", "surrogatepass").decode("utf-16", errors)
                yield str.encode(text)
            elif isinstance(document, bytes):
                yield bytes.decode(document, "utf-8", errors).encode()
            else:
                raise TypeError(
                    f"document {number} (the first is 0) is {type(document).__name__}: give a str "
                    "or bytes"
                )
        except UnicodeError as error:
            raise ValueError(
                f"document {number} (the first is 0) is no valid text: {error}; mend it, or use "
                'errors="replace" (--errors replace)'
            ) from None


def taken(documents: Iterable[str | bytes], raised: list[BaseException]) -> Iterator[str | bytes]:
    """Yield documents, and note what stopped them: it is for their owner to explain.

    :param documents: the documents.
    :param raised: gets the exception.
    """
    try:
        yield from documents
    except Exception as error:
        raised.append(error)
        raise


def separator_for(special_tokens: Sequence[str]) -> str:
    """Return a character that no special token holds, so that none reaches over it.

    :param special_tokens: checked special tokens.
    :raises ValueError: they hold all noncharacters that could be one.

    >>> hex(ord(separator_for(["<|endoftext|>"])))
    '0xfdd0'
    """
    for separator in SEPARATORS:
        if not any(separator in token for token in special_tokens):
            return separator
    raise ValueError("the special tokens hold every noncharacter from U+FDD0 on: remove one")


class DocumentStream:
    """Documents as one text with a separator before each, as the native counter reads it.

    :param documents: UTF-8.
    :param special_tokens: checked special tokens.
    :param report: called with the number of bytes of each document.
    :param pattern: of the words, as `pretokenize` takes it.
    """

    def __init__(
        self,
        documents: Iterator[bytes],
        special_tokens: Sequence[str],
        report: Report,
        pattern: str = DEFAULT_PATTERN,
    ) -> None:
        self.documents, self.special_tokens, self.report = documents, special_tokens, report
        self.pattern = pattern
        self.separator = separator_for(special_tokens).encode()
        """A special token of this text only."""
        self.rest = memoryview(b"")
        self.apart: Counter[str] = Counter()
        """The words of documents that hold the separator: counted as the definition says."""

    def readinto(self, into: memoryview) -> int:
        """Read bytes of the text; 0 is the end."""
        filled = 0
        while filled < len(into) and (self.rest or self.begin_next()):
            n_bytes = min(len(self.rest), len(into) - filled)
            into[filled : filled + n_bytes] = self.rest[:n_bytes]
            self.rest = self.rest[n_bytes:]
            filled += n_bytes
        return filled

    def begin_next(self) -> bool:
        """Begin the next document, and tell whether there is one."""
        for document in self.documents:
            self.report(len(document))
            if self.separator not in document:
                self.rest = memoryview(self.separator + document)
                return True
            # Loaded for the rare document that needs it: `regex` takes longer than a training can.
            from bpe_lab.words.pretokenize import pretokenize

            self.apart.update(pretokenize(document.decode(), self.special_tokens, self.pattern))
        return False
