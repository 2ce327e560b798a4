"""What a scheduler of dask sees while ranges are counted: which tables were made, how often."""

from collections import Counter
from typing import Any

from distributed import SchedulerPlugin


class TableWatch(SchedulerPlugin):  # type: ignore[misc]
    """Counts how often each table was made: twice, when a worker took it with it."""

    def __init__(self, scheduler: Any) -> None:
        self.scheduler = scheduler
        self.made: Counter[str] = Counter()
        scheduler.add_plugin(self)

    def transition(self, key: str, start: str, finish: str, *args: Any, **kwargs: Any) -> None:
        """Take note of a task that is done, when it counted a range."""
        if (start, finish) != ("processing", "memory"):
            return
        # A range needs the special tokens, the merging of tables does not.
        if any(str(one.key).endswith("-options") for one in self.scheduler.tasks[key].dependencies):
            self.made[key] += 1

    @property
    def ranges(self) -> int:
        """How many ranges were counted, each once."""
        return len(self.made)

    @property
    def counted_again(self) -> int:
        """How often a range was counted that had been counted before."""
        return self.made.total() - len(self.made)
