"""A list that knows how far it was read: operation counts of an answer."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from bpe_lab.lessons.exercises.checking import Answer, Verdict, call_of, name_of, try_each


class WatchedList(list[Any]):
    """A list that notes which of its items were looked at."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.read: set[int] = set()

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]

    def __getitem__(self, place: Any) -> Any:
        self.read.update(
            range(len(self))[place] if isinstance(place, slice) else [range(len(self))[place]]
        )
        return super().__getitem__(place)


def try_looks(
    answer: Answer,
    cases: Sequence[tuple[Any, ...]],
    looks: Callable[..., tuple[int, int]],
    things: str,
    reason: str = "{} are enough",
) -> Verdict:
    """Count at how many things of each case an answer looks that is right on all cases.

    :param looks: *case -> at how many it looks, and how many are enough.
    :param things: of which the first value of a case is a list.
    :param reason: with a place for how many are enough.
    """
    looked = 0

    def mistake(counted: tuple[int, int], *case: Any) -> str:
        nonlocal looked
        n_read, enough = counted
        looked += n_read
        if n_read <= enough:
            return ""
        call = f"`{call_of(answer, case)}`"
        return f"{call} is right, but it looks at {n_read} {things}; {reason.format(enough)}."

    def passed() -> str:
        right = f"`{name_of(answer)}` is right on all {len(cases)} cases"
        return f"{right}, and looks at {looked} of {sum(len(case[0]) for case in cases)} {things}."

    return try_each(answer, cases, mistake, passed, ask=looks)
