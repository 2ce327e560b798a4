"""How an answer is checked: the reader's function beside ours, on cases.

An exercise that nobody has answered yet (the function returns None or `...`) is not a mistake. A
mistake is shown with the smallest call that we know it in.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Verdict:
    """What a checker found; a notebook shows it as a line of text."""

    passed: bool | None  # None: there is no answer yet
    message: str

    def _repr_markdown_(self) -> str:
        mark = {None: "✎", True: "✓", False: "✗"}[self.passed]
        return f"{mark} {self.message}"

    def __repr__(self) -> str:
        return self.message


def is_unanswered(value: Any) -> bool:
    """Tell whether a value is what an empty function returns."""
    return value is None or isinstance(value, EllipsisType)


def call_of(answer: Answer, case: tuple[Any, ...]) -> str:
    """Return a call of the reader's function as one would write it."""
    return f"{name_of(answer)}({', '.join(map(repr, case))})"


def name_of(answer: Answer) -> str:
    """Return the name of the reader's function."""
    return getattr(answer, "__name__", "your function")


def not_answered(answer: Answer) -> Verdict:
    """Return the verdict on an empty function."""
    return Verdict(
        None, f"`{name_of(answer)}` has no answer yet: write it above, then run the cell."
    )


def raised(answer: Answer, case: tuple[Any, ...], error: Exception, more: str = "") -> Verdict:
    """Return the verdict on a function that raises: whatever it raises is the finding."""
    what = f"{type(error).__name__}: {error}"
    return Verdict(False, f"Not yet: `{call_of(answer, case)}` raises `{what}`{more}.")


MOST_SECONDS = 5.0
"""For one call of an answer; ours take milliseconds."""


@contextmanager
def asked() -> Iterator[None]:
    """Make an ordinary error of an answer that does not come back, or ends the program."""
    try:
        with TimeLimit(MOST_SECONDS):
            yield
    except OutOfTime:
        said = f"still at work after {MOST_SECONDS:g} seconds: is there a loop without an end?"
        raise TimeoutError(said) from None
    except SystemExit as error:
        raise RuntimeError(f"it ends the program, with {error.code!r}") from None


def try_cases(
    answer: Answer,
    cases: Sequence[tuple[Any, ...]],
    expected: Answer,
    hint: str = "",
    *,
    read: Callable[[Any], Any] = lambda value: value,
) -> Verdict:
    """Compare the reader's function with ours on cases."""
    for number, case in enumerate(cases):
        right = expected(*deepcopy(case))
        try:
            with asked():
                given = answer(*deepcopy(case))
                if not is_unanswered(given):
                    given = read(given)
                elif number == 0:
                    return not_answered(answer)
                wrong = bool(given != right)
        except Exception as error:
            return raised(answer, case, error, f"; it should return `{right!r}`")
        if wrong:
            more = f" {hint}" if hint else ""
            call = call_of(answer, case)
            return Verdict(
                False, f"Not yet: `{call}` returned `{given!r}`; `{right!r}` is right.{more}"
            )
    return Verdict(True, f"`{name_of(answer)}` is right on all {len(cases)} cases.")


def as_dict(value: Any) -> Any:
    """Return a mapping as a plain dict, other values as they are, so that a Counter is welcome."""
    return dict(value) if isinstance(value, Mapping) else value
