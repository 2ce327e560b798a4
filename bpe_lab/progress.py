"""Progress bars, in the terminal and in notebooks."""

from types import TracebackType
from typing import Protocol, Self

SHOW_PROGRESS_AFTER = 2.0
"""Seconds without a progress bar."""


class Bar(Protocol):
    """What the loops need of a progress bar."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> object: ...

    def update(self, n: float | None = 1) -> bool | None:
        """Move on by `n`."""


class NoBar:
    """A bar that shows nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def update(self, n: float | None = 1) -> bool | None:
        """Do nothing."""
        return None


def progress_bar(shown: bool, description: str, total: int, unit: str, *, scale: bool) -> Bar:
    """Return a bar that appears when the work takes longer than two seconds.

    :param shown: False: a bar that shows nothing, and tqdm is not even imported: a training can
        take less time than that import.
    :param description: what is going on.
    :param total: units of work in all.
    :param unit: name of the unit.
    :param scale: write 1.2M instead of 1200000.

    >>> with progress_bar(False, "count", 10, "B", scale=True) as bar:
    ...     bar.update(10)
    """
    if not shown:
        return NoBar()
    from tqdm.auto import tqdm

    bar: Bar = tqdm(
        desc=description, total=total, unit=unit, unit_scale=scale, delay=SHOW_PROGRESS_AFTER
    )
    return bar
