"""Progress bars, in the terminal and in notebooks."""

from collections.abc import Callable
from time import perf_counter
from types import TracebackType
from typing import Any, Self

SHOW_PROGRESS_AFTER = 2.0
"""Seconds without a progress bar."""

Report = Callable[[int], object]
"""Called with the number of bytes that were counted since the last call."""


class Bar:
    """A bar of tqdm that appears when the work takes longer than two seconds.

    No earlier than that is tqdm loaded: a training can take less time than that.

    :param shown: False: it never appears.
    :param description: what is going on.
    :param total: units of work in all; None: nobody knows.
    :param unit: name of the unit.
    :param scale: write 1.2M instead of 1200000.

    >>> with Bar(False, "count", 10, "B", scale=True) as bar:
    ...     bar.update(10)
    """

    def __init__(
        self, shown: bool, description: str, total: int | None, unit: str, *, scale: bool
    ) -> None:
        self.shown = shown
        self.words: dict[str, Any] = {
            "desc": description, "total": total, "unit": unit, "unit_scale": scale
        }  # fmt: skip
        self.done = 0
        self.begun = perf_counter()
        self.bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.bar is not None:
            self.bar.close()

    def update(self, n: int = 1) -> None:
        """Move on by `n`."""
        if not self.shown:
            return
        self.done += n
        if self.bar is not None:
            self.bar.update(n)
        elif (waited := perf_counter() - self.begun) >= SHOW_PROGRESS_AFTER:
            from tqdm.auto import tqdm

            self.bar = tqdm(**self.words)
            self.bar.start_t -= waited
            self.bar.update(self.done)
