"""How fast the counters are: recorded quiet runs, and the run of the reader beside them."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from bpe_lab.lessons import charts
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import (
    WHOLE,
    RecordedFactor,
    beside,
    recorded_factor,
    rows_of,
    times,
)
from bpe_lab.results.numbers import duration, text_size

CORPUS_BYTES = 10_000_000_000
"""Of a large corpus, for which a time is said."""

REGEX, NATIVE = "stories, regex", "stories, native x1"


def faster_than_regex() -> RecordedFactor:
    """Return how many times as fast as `regex` the native counter is, by one thread.

    >>> faster_than_regex().value > 10
    True
    """
    return recorded_factor(REGEX, NATIVE, of=WHOLE, suite="counting")


def recorded_speeds() -> Figure:
    """Draw how fast each counter counts the stories, as it is recorded.

    >>> recorded_speeds()
    Figure: The scanner counts many times as fast as the pattern
    """
    rows = rows_of("counting")
    cases = {
        "regex": REGEX,
        "regex_parallel, 2 processes": "stories, regex_parallel x2",
        "native, 1 thread": NATIVE,
        "native, 2 threads": "stories, native x2",
    }
    first = rows.loc[REGEX].to_dict()
    return charts.bars(
        "The scanner counts many times as fast as the pattern",
        "MB of text per second",
        {
            name: float(row["corpus_bytes"] / row["median"] / 1e6)
            for name, row in ((name, rows.loc[case].to_dict()) for name, case in cases.items())
        },
        f"Recorded on a quiet machine: suite counting, {first['corpus']} "
        f"({text_size(first['corpus_bytes'])}).",
    )


def seconds_of_corpus(case: str) -> float:
    """Return how long a large corpus would take at the recorded speed of a case.

    :param case: of the suite `counting`.

    >>> seconds_of_corpus("stories, native x1") < seconds_of_corpus("stories, regex")
    True
    """
    row = rows_of("counting").loc[case].to_dict()
    return float(row["median"]) * CORPUS_BYTES / float(row["corpus_bytes"])


def counters_compared(rates: Mapping[str, float]) -> Prose:
    """Say how much faster the scanner counts: recorded, and in a run.

    :param rates: counter and threads -> MB per second, of this run.

    >>> counters_compared({"regex": 14.0, "native, 1 thread": 620.0}).split("**")[1]
    '44 times'
    """
    live = rates["native, 1 thread"] / rates["regex"]
    processes = recorded_factor(REGEX, "stories, regex_parallel x2", of=WHOLE, suite="counting")
    return say(
        "How many times as fast as the pattern is the scanner, by one thread? "
        f"{beside(faster_than_regex(), live)}\n\nAt the recorded speeds `regex` counts a corpus "
        f"of {text_size(CORPUS_BYTES)} in {duration(seconds_of_corpus(REGEX))}, `native` in "
        f"{duration(seconds_of_corpus(NATIVE))}. `regex_parallel` with two processes is "
        f"{processes} as fast as `regex` there: it must start its processes first, and the "
        "smaller the text, the larger that part."
    )


def two_threads(rates: Mapping[str, float]) -> Prose:
    """Say what a second thread gains: recorded, and in a run.

    :param rates: counter and threads -> MB per second, of this run.

    >>> two_threads({"native, 1 thread": 600.0, "native, 2 threads": 960.0}).split("**")[1]
    '1.6 times'
    """
    live = rates["native, 2 threads"] / rates["native, 1 thread"]
    threads = recorded_factor("counter native, 1", "counter native, 2", of=WHOLE, suite="threads")
    small = recorded_factor(NATIVE, "stories, native x2", of=WHOLE, suite="counting")
    return say(
        f"How many times as fast are two threads? {beside(threads, live)}\n\nRecorded on half of "
        f"that text: {times(small.value)} times (suite `counting`). {text_size(10_000_000)} are "
        "counted in a hundredth of a second, and to start a thread and to add its table up takes "
        "a part of that."
    )
