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
    """A bar of tqdm that appears with the first step that ends after two seconds.

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
        scale: bool = False,
        at_once: bool = False,
    ) -> None:
        self.shown, self.after = shown, 0.0 if at_once else SHOW_PROGRESS_AFTER
        self.words: dict[str, Any] = {"desc": description, "total": total, "unit": unit}
        self.words["unit_scale"] = scale
        self.bar: Any = None
        self.done: float = 0  # a whole number stays one: 50/56, not 50.0/56
        self._begun, self._lock = perf_counter(), threading.Lock()

    def __enter__(self) -> Self:
        self.update(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self.bar is not None:
            self.bar.close()

    def describe(self, description: str) -> None:
        """Name what is being done."""
        self.words["desc"] = description
        self.update(0)
        if self.bar is not None:
            self.bar.set_description(description)

    def update(self, n: float = 1) -> None:
        """Advance by `n`; several threads may."""
        if not self.shown:
            return
        with self._lock:
            self.done += n
            if self.bar is not None:
                self.bar.update(n)
            elif perf_counter() - self._begun > self.after:
                from tqdm.auto import tqdm  # 45 ms: a training can take less

                self.bar = tqdm(initial=self.done, **self.words)
