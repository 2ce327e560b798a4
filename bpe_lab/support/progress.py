"""Progress bars, in the terminal and in notebooks."""

import threading
from collections.abc import Callable
from time import perf_counter
from typing import Any, Self

SHOW_PROGRESS_AFTER = 2.0
"""Seconds without a progress bar."""

Report = Callable[[int], object]
"""Called with the number of bytes that were counted since the last call."""


class Bar:
    """A bar of tqdm that appears when the work takes longer than two seconds.

    A timer shows it, because the first step of a slow stage may take longer than that.

    :param shown: False: it never appears.
    :param total: units of work in all, seconds as expected among them; None: unknown.
    :param scale: write 1.2M instead of 1200000.
    :param at_once: show it from the beginning.
    """

    def __init__(
        self,
        shown: bool,
        description: str,
        total: float | None,
        unit: str,
        *,
        scale: bool,
        at_once: bool = False,
    ) -> None:
        self.shown = shown
        self.words: dict[str, Any] = {"desc": description, "total": total, "unit": unit}
        self.words["unit_scale"] = scale
        self.bar: Any = None
        self.done: float = 0  # a whole number stays one: 50/56, not 50.0/56
        self._begun = perf_counter()
        self.after = 0.0 if at_once else SHOW_PROGRESS_AFTER

    def __enter__(self) -> Self:
        if self.shown:
            self._lock = threading.Lock()
            self._timer = threading.Timer(self.after, self._show)
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.shown:
            with self._lock:
                self._timer.cancel()
                self.shown = False
                if self.bar is not None:
                    self.bar.close()

    def _show(self) -> None:
        from tqdm.auto import tqdm  # 45 ms: a training can take less

        with self._lock:
            if self.shown:
                self.bar = tqdm(**self.words)
                self.bar.start_t -= perf_counter() - self._begun
                self.bar.update(self.done)

    def describe(self, description: str) -> None:
        """Name what is being done."""
        self.words["desc"] = description
        if self.bar is not None:
            self.bar.set_description(description)

    def update(self, n: float = 1) -> None:
        """Advance by `n`."""
        if self.shown:
            with self._lock:
                self.done += n
                if self.bar is not None:
                    self.bar.update(n)
