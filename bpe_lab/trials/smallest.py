"""What shows a mistake, made small, and written as one would type it."""

import tempfile
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Any, Generic, TypeVar

Items = TypeVar("Items", bound=Sequence[object])
Letters = TypeVar("Letters", str, bytes)
Case = TypeVar("Case", bound=Any)  # a NamedTuple
Found = TypeVar("Found")

LONG = 2_000  # letters of a text that is not shrunk letter by letter
MOST_SHOWN = 200  # letters of a text that are shown; a longer one is kept in a file


def fewest(items: Items, shows: Callable[[Items], bool]) -> Items:
    """Return a few of some items, in their order, that still show a mistake.

    Pieces of half the length are left out first, then of a quarter, down to single items, each
    time from the end on. Source of the idea: Zeller and Hildebrandt's delta debugging (2002).

    :param items: a sequence that shows it, which can be cut and added: text, bytes, a list.
    :param shows: whether fewer items show it.

    >>> fewest("abcdefghij", lambda text: "c" in text and "h" in text)
    'ch'
    """
    size = max(len(items) // 2, 1)
    while size:
        end, smaller = len(items), False
        while end > 0:
            fewer = items[: max(end - size, 0)] + items[end:]  # type: ignore[operator]
            if shows(fewer):
                items, smaller = fewer, True
            end -= size
        size = 1 if smaller and size == 1 else size // 2
    return items


class Smallest(Generic[Case, Found]):
    """A case that shows a mistake, replaced by smaller ones as long as they show it.

    :param case: a NamedTuple, such as a text or words.
    :param found: what was found of it.
    :param look: returns what is found of a smaller case, None where that does not show the mistake.
    :param seconds: after which none is looked at any more.
    """

    def __init__(
        self, case: Case, found: Found, look: Callable[[Case], Found | None], seconds: float
    ) -> None:
        self.case, self.found, self.look = case, found, look
        self.end = perf_counter() + seconds

    def change(self, **fields: Any) -> bool:
        """Take the case with other fields if it shows the mistake; return whether it does."""
        if perf_counter() > self.end:
            return False
        smaller = self.case._replace(**fields)
        found = self.look(smaller)
        if found is not None:
            self.case, self.found = smaller, found
        return found is not None

    def fewer(self, field: str) -> None:
        """Leave out items of a field."""
        fewest(getattr(self.case, field), lambda items: self.change(**{field: items}))

    def fewer_letters(self, field: str) -> None:
        """Leave out letters of a text, which may be bytes; of a long one a hundredth at a time."""
        value = getattr(self.case, field)
        text = value if isinstance(value, str) else value.decode()
        size = max(1, len(text) // 100) if len(text) > LONG else 1
        pieces = [text[at : at + size] for at in range(0, len(text), size)]

        def shows(pieces: list[str]) -> bool:
            fewer = "".join(pieces)
            return self.change(**{field: fewer if isinstance(value, str) else fewer.encode()})

        fewest(pieces, shows)

    def repeat(self, step: Callable[[], object]) -> None:
        """Take a step again and again, until the case stays as it is."""
        before = None
        while before != self.case:
            before = self.case
            step()


def repeated(content: Letters) -> tuple[Letters, int]:
    """Return what a text repeats, of at most a hundred letters, and how often; or itself, and 1.

    >>> repeated(b"ababab"), repeated("abc")
    ((b'ab', 3), ('abc', 1))
    """
    for size in range(1, min(100, len(content) // 2) + 1):
        count, rest = divmod(len(content), size)
        if not rest and content[:size] * count == content:
            return content[:size], count
    return content, 1


def literal(content: Letters) -> str:
    """Return a text or bytes as Python writes them.

    >>> literal(b"ab"), literal("ab" * 2_000)
    ("b'ab'", "'ab' * 2_000")
    """
    unit, count = repeated(content)
    return f"{unit!r} * {count:_}" if count > 9 else repr(content)


def kept(content: bytes) -> str:
    """Return a file with a text that is too long to be shown; it stays."""
    with tempfile.NamedTemporaryFile(prefix="bpe-lab-try-", suffix=".txt", delete=False) as file:
        file.write(content)
    return file.name
