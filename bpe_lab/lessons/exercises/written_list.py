"""A list that knows how much of it was written: operation counts of an answer."""

from typing import Any


class WrittenList(list[int]):
    """A list that counts how many items are written, those that move included."""

    n_written = 0

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            first = range(len(self))[place].start
            value = list(value)
            same_size = len(value) == len(range(len(self))[place])
            self.n_written += len(value) if same_size else len(self) - first
        else:
            self.n_written += 1
        super().__setitem__(place, value)

    def __delitem__(self, place: Any) -> None:
        places = range(len(self))[place]
        end = max(places, default=len(self) - 1) if isinstance(places, range) else places
        self.n_written += len(self) - 1 - end  # what stands behind moves
        super().__delitem__(place)

    def pop(self, place: Any = -1) -> int:
        """Take an item out."""
        self.n_written += len(self) - 1 - range(len(self))[place]
        return super().pop(place)

    def insert(self, place: Any, value: int) -> None:
        """Put an item before another."""
        self.n_written += 1 + len(range(len(self))[place:])
        super().insert(place, value)

    def append(self, value: int) -> None:
        """Put an item behind the last one."""
        self.n_written += 1
        super().append(value)

    def extend(self, values: Any) -> None:
        """Put items behind the last one."""
        for value in values:
            self.append(value)
