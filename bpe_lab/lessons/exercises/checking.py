"""How an answer is checked: the reader's function beside ours, on cases.

An exercise that nobody has answered yet (the function returns None or `...`) is not a mistake. A
mistake is shown with the smallest call that we know it in.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit

Answer = Callable[..., Any]

MOST_SECONDS = 5.0
"""For one call of an answer; ours take milliseconds."""


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


def call_of(answer: Answer, case: tuple[Any, ...]) -> str:
    """Return a call of the reader's function as one would write it."""
    return f"{name_of(answer)}({', '.join(map(repr, case))})"


def name_of(answer: Answer) -> str:
    """Return the name of the reader's function."""
    return getattr(answer, "__name__", "your function")


def not_yet(mistake: str) -> Verdict:
    """Return the verdict on an answer with a mistake."""
    return Verdict(False, f"Not yet: {mistake}")


@contextmanager
def _asked() -> Iterator[None]:
    """Make an ordinary error of an answer that does not come back, or ends the program."""
    try:
        with TimeLimit(MOST_SECONDS):
            yield
    except OutOfTime:
        said = f"still at work after {MOST_SECONDS:g} seconds: is there a loop without an end?"
        raise TimeoutError(said) from None
    except SystemExit as error:
        raise RuntimeError(f"it ends the program, with {error.code!r}") from None


def try_each(
    answer: Answer,
    cases: Iterable[tuple[Any, ...]],
    mistake: Callable[..., str],
    passed: Callable[[], str],
    *,
    ask: Answer | None = None,
    call: Callable[..., str] | None = None,
) -> Verdict:
    """Look for a mistake in what an answer gives for each case; whatever it raises is one.

    :param mistake: (what was given, *case) -> what is wrong, "" if nothing is.
    :param passed: what is said where nothing is wrong.
    :param ask: *case -> what is given, where the answer is no function of the case.
    :param call: *case -> what is said to raise, where that is more than the call.
    """
    for number, case in enumerate(cases):
        try:
            with _asked():
                given = (ask or answer)(*deepcopy(case))
                if number == 0 and (given is None or isinstance(given, EllipsisType)):
                    remedy = "write it above, then run the cell."
                    return Verdict(None, f"`{name_of(answer)}` has no answer yet: {remedy}")
                wrong = mistake(given, *case)
        except Exception as error:
            name = call(*case) if call else f"`{call_of(answer, case)}`"
            return not_yet(f"{name} raises `{type(error).__name__}: {error}`.")
        if wrong:
            return not_yet(wrong)
    return Verdict(True, passed())


def try_cases(
    answer: Answer,
    cases: Iterable[tuple[Any, ...]],
    expected: Answer,
    hint: str = "",
    *,
    read: Callable[[Any], Any] = lambda value: value,
) -> Verdict:
    """Compare the reader's function with ours on cases."""
    cases = list(cases)

    def mistake(given: Any, *case: Any) -> str:
        right = expected(*case)
        given = given if given is None else read(given)
        if not bool(given != right):
            return ""
        call = call_of(answer, case)
        return f"`{call}` returned `{given!r}`; `{right!r}` is right.{hint and f' {hint}'}"

    return try_each(
        answer,
        cases,
        mistake,
        lambda: f"`{name_of(answer)}` is right on all {len(cases)} cases.",
        call=lambda *case: f"`{call_of(answer, case)}` should return `{expected(*case)!r}`, but it",
    )
