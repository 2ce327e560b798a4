"""Makes what shows a mistake small: parts are left out as long as it still shows it."""

from collections.abc import Callable, Sequence
from typing import TypeVar

Items = TypeVar("Items", bound=Sequence[object])


def fewest(items: Items, shows: Callable[[Items], bool]) -> Items:
    """Return a few of some items, in their order, that still show a mistake.

    Pieces of half the length are left out first, then of a quarter, down to single items, each
    time from the end on.

    Source of the idea: Zeller and Hildebrandt's delta debugging (2002).

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
