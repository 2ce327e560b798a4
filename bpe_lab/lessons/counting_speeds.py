"""How fast the counters are in recorded quiet runs."""

from matplotlib.figure import Figure

from bpe_lab.lessons import charts
from bpe_lab.lessons.recorded import WHOLE, RecordedFactor, recorded_factor, rows_of
from bpe_lab.results.numbers import text_size

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
