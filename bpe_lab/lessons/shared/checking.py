"""How an answer is checked: the reader's function beside ours, on cases.

An exercise that nobody has answered yet (the function returns `...`) is not a mistake. A mistake is
shown with the smallest call that we know it in. A name that is missing is explained: an exercise
stands far below the cells that define what it uses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from numbers import Integral, Real
from random import Random
from types import EllipsisType
from typing import Any, NamedTuple

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE
from bpe_lab.support.time_limit import OutOfTime, time_limit
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.trials.small_corpora import random_corpora

Answer = Callable[..., Any]

MOST_SECONDS = 5.0
"""For one call of an answer; ours take milliseconds."""


RUN_FIRST = (
    "If a cell above defines it, run the cells above first: menu Run, Run All Above Selected Cell."
)


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
    given = [name_of(value) if callable(value) else repr(value) for value in case]
    return f"{name_of(answer)}({', '.join(given)})"


def name_of(answer: Answer) -> str:
    """Return the name of the reader's function."""
    return getattr(answer, "__name__", "your function")


def not_yet(mistake: str) -> Verdict:
    """Return the verdict on an answer with a mistake, which may be a list of millions."""
    return Verdict(False, f"Not yet: {mistake:.2000}")


class Form(NamedTuple):
    """What a right answer is in any case."""

    name: str  # such as "a number"
    fits: Callable[[Any], bool]


NUMBER = Form("a number", lambda value: isinstance(value, Real))
NUMBERS = Form(
    "a list of whole numbers",
    lambda value: isinstance(value, list) and all(isinstance(one, Integral) for one in value),
)


def try_each(
    answer: Answer,
    cases: Iterable[tuple[Any, ...]],
    mistake: Callable[..., str],
    passed: Callable[[], str] | None = None,
    *,
    ask: Answer | None = None,
    call: Callable[..., str] | None = None,
    form: Form | None = None,
    copied: Callable[[Any], Any] = deepcopy,
) -> Verdict:
    """Look for a mistake in what an answer gives for each case; whatever it raises is one.

    :param mistake: (what was given, *case) -> what is wrong, "" if nothing is.
    :param passed: what is said where nothing is wrong, if more than that.
    :param ask: *case -> what is given, where the answer is no function of the case.
    :param call: *case -> what is said to raise, where that is more than the call.
    :param form: another one is said to be wrong before the value is read.
    :param copied: makes of a case what the answer gets, and has to leave as it is.
    """
    cases = list(cases)
    for number, case in enumerate(cases):
        name = call(*case) if call else f"`{call_of(answer, case)}`"
        mine = copied(case)
        try:
            with time_limit(MOST_SECONDS):
                given = (ask or answer)(*mine)
                if number == 0 and isinstance(given, EllipsisType):
                    remedy = "write it above, then run the cell."
                    return Verdict(None, f"`{name_of(answer)}` has no answer yet: {remedy}")
                if given is None:
                    return not_yet(f"{name} returned `None`: does it end with `return`?")
                if form and not form.fits(given):
                    is_list, kind = isinstance(given, list), type(given).__name__
                    what = f"`{given!r}`" if is_list else f"a value of the type `{kind}`"
                    return not_yet(f"{name} returned {what}; {form.name} is expected.")
                wrong = mistake(given, *case)
        except OutOfTime as error:
            long = f"is still at work after {MOST_SECONDS:g} seconds{error_place(error)}"
            return not_yet(f"{name} {long}: is there an endless loop?")
        except SystemExit as error:
            return not_yet(f"{name} ends the program, with {error.code!r}.")
        except Exception as error:
            missing = isinstance(error, NameError) and not isinstance(error, UnboundLocalError)
            return not_yet(describe_error(name, error) + (f" {RUN_FIRST}" if missing else ""))
        if wrong:
            return not_yet(wrong)
        if mine != case:
            return not_yet(f"{name} also changes what it is given: leave that as it was.")
    right = f"`{name_of(answer)}` is right on all {len(cases)} cases."
    return Verdict(True, passed() if passed else right)


class WatchedList(list[Any]):
    """A list that notes which of its items were looked at."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.looked: set[int] = set()

    def __iter__(self) -> Iterator[Any]:
        for place in range(len(self)):
            yield self[place]

    def __getitem__(self, place: Any) -> Any:
        found, size = super().__getitem__(place), len(self)
        self.looked.update(range(size)[place] if isinstance(place, slice) else [place % size])
        return found


class WatchedDict(dict[Any, Any]):
    """A dict that notes which of its keys were looked up."""

    def __init__(self, items: Any = ()) -> None:
        super().__init__(items)
        self.looked: set[Any] = set()

    def __getitem__(self, key: Any) -> Any:
        self.looked.add(key)
        return super().__getitem__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of a key, or a default."""
        self.looked.add(key)
        return super().get(key, default)


class Looks(NamedTuple):
    """At how many things an answer may look that is right."""

    things: str  # such as "words", of which the first value of a case is a list
    enough: Callable[..., int]  # *case -> how many looks are enough
    reason: str = "{} are enough"
    watched: tuple[Callable[[Any], Any], ...] = (WatchedList,)  # what its first values are given as
    spare: int = 0  # further looks that are not asked to go


def try_cases(
    answer: Answer,
    cases: Iterable[tuple[Any, ...]],
    expected: Answer,
    hint: str | Callable[..., str] = "",
    *,
    form: Form | None = None,
    read: Callable[[Any], Any] = lambda value: value,
    looks: Looks | None = None,
) -> Verdict:
    """Compare the reader's function with ours on cases, and count at how many things it looks.

    :param hint: behind what is wrong; or (what was given, *case) -> that.
    """
    cases, given_as, looked, too_many = list(cases), list[Any](), 0, ""

    def watched(case: tuple[Any, ...]) -> tuple[Any, ...]:
        kinds, case = looks.watched if looks else (), deepcopy(case)
        given_as[:] = [watch(value) for watch, value in zip(kinds, case, strict=False)]
        return *given_as, *case[len(given_as) :]

    def mistake(given: Any, *case: Any) -> str:
        nonlocal looked, too_many
        right, call = expected(*case), f"`{call_of(answer, case)}`"
        with suppress(TypeError, ValueError, OverflowError):  # what cannot be read is not right
            given = read(given)
        # A generator looks while it is read.
        n_looks = max((len(one.looked) for one in given_as), default=0)
        looked += n_looks
        if bool(given != right):
            why = hint if isinstance(hint, str) else hint(given, *case)
            return f"{call} returned `{given!r}`; `{right!r}` is right.{why and f' {why}'}"
        # First all answers, then the looks.
        if looks and not too_many and n_looks > (enough := looks.enough(*case)) + looks.spare:
            at = f"it looks at {n_looks} of {len(case[0])} {looks.things}"
            too_many = f"{call} is right, but {at}; {looks.reason.format(enough)}."
        return ""

    def passed() -> str:
        assert looks
        right = f"`{name_of(answer)}` is right on all {len(cases)} cases"
        all_things = sum(len(case[0]) for case in cases)
        return f"{right}, and looks at {looked:,} of {all_things:,} {looks.things}."

    verdict = try_each(
        answer,
        cases,
        mistake,
        passed if looks else None,
        call=lambda *case: f"`{call_of(answer, case)}` should return `{expected(*case)!r}`, but it",
        form=form,
        copied=watched,
    )
    return not_yet(too_many) if verdict.passed and too_many else verdict


def token_lists(alphabet: Sequence[int] = (97, 98), most: int = 60) -> list[list[int]]:
    """Return short token lists, the smallest first, the same on every machine."""
    random = Random(0)
    # `aaa` first: it shows both the overlap in counting and the lack of it in replacing.
    lists = [[alphabet[0]] * 3, [], [alphabet[1]], [alphabet[0], alphabet[1]] * 2]
    others = [random.choices(alphabet, k=random.randint(2, 8)) for _ in range(most - len(lists))]
    return [*lists, *sorted(others, key=len)]


def small_corpora() -> list[dict[bytes, int]]:
    """Return small word counts, the smallest first, the same on every machine."""
    first = [{b"low": 5}, {b"a": 7}, {b"aaa": 3, b"ab": 2}, WORKED_EXAMPLE]
    return [*first, *(corpus.counts for corpus in random_corpora(20))]
