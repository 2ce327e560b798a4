"""A list that knows how far it was read: operation counts of an answer."""

from collections.abc import Iterator
from typing import Any


class WatchedList(list[Any]):
    """A list that notes which of its items were looked at."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.read: set[int] = set()

    @property
    def n_read(self) -> int:
        """How many items were looked at."""
        return len(self.read)

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]

    def __getitem__(self, place: Any) -> Any:
        self.read.update(
            range(len(self))[place] if isinstance(place, slice) else [range(len(self))[place]]
        )
        return super().__getitem__(place)
