"""What a reader of each notebook should know before and can do after, and how long it takes."""

import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from bpe_lab.corpora import data_path
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.road import NOTEBOOKS
from bpe_lab.results.numbers import count_of, significant


class Aims(NamedTuple):
    """What one notebook takes and gives."""

    before: str
    after: str


AIMS = {
    "00": Aims(
        "some Python: lists, dicts, functions",
        "train a tokenizer by hand, say which pair is merged next and why, and estimate how "
        "long the definition takes on a text of yours",
    ),
    "01": Aims(
        "the seven rules of notebook 00",
        "write a trainer that is right, name the three places where others go wrong, and foretell "
        "from the words how much work a merge is",
    ),
    "02": Aims(
        "the methods `count_pairs`, `select` and `update` of notebook 01",
        "say from a word list how much equal words save, and reckon from a profile how much a "
        "faster part can gain at most",
    ),
    "03": Aims(
        "the table of pair counts of notebook 02, and Python's sets",
        "keep a table and its index right while what they describe changes, and find by an "
        "invariant the step at which an incremental program goes wrong",
    ),
    "04": Aims(
        "the posting lists of notebook 03",
        "build a lazy max-heap, say which of its entries can be stale and why that does no harm, "
        "and tell whether a better heap would help",
    ),
    "05": Aims(
        "the heap of notebook 04; no C++: what you meet is explained",
        "say what a Python object, a node and a slot cost, read the C++ of this lab, and tell when "
        "several threads gain nothing",
    ),
    "06": Aims(
        "regular expressions, and cache lines from notebook 05",
        "cut a text without a regular expression, 64 bytes at once, and share the counting among "
        "threads without changing a count",
    ),
    "07": Aims(
        "the array of all words that `cpp_positions` of notebook 05 has",
        "say what a processor waits for, measure what it costs, and lay data out so that a merge "
        "is one pass",
    ),
    "08": Aims(
        "the core so far, from notebook 07",
        "prove that work can be left out, measure what each idea is worth, and say how far a "
        "program is from what its machine allows",
    ),
    "09": Aims(
        "what counting and merging are (notebooks 06 and 07); a cluster is started for you",
        "divide a count among machines that may die, and extrapolate from a text to a crawl, with "
        "an error that you can defend",
    ),
    "10": Aims(
        "nothing more: the scoreboard can be read first",
        "read a benchmark's records, repeat them on your machine, and put a stage of your own "
        "among the others",
    ),
    "11": Aims(
        "a tokenizer that was trained (notebook 00), and heaps from notebook 04",
        "encode a text of any shape in time that grows as the text does, take a tokenizer to "
        "another library, and name what changes its ids without a word",
    ),
}
"""The two digits of a notebook -> its aims."""


@cache
def recorded_times() -> Mapping[str, Any]:
    """Return how long the notebooks take, as `bpe_lab.lessons.execute --times` found it."""
    try:
        path = data_path("recorded/notebooks.json")
    except FileNotFoundError:  # nobody has timed them yet
        return {"machine": "", "notebooks": {}}
    return dict(json.loads(path.read_text(encoding="utf-8")))


ROW = re.compile(
    r"^(?P<cells>\| \[[^]]*\]\(notebooks/(?P<name>\w+)\.ipynb\) (?:\|[^|\n]*)*?)\|[^|\n]*\|$", re.M
)
"""Of the README's table of notebooks; its last cell is ours."""

WORDS_PER_MINUTE = 200
"""Of a text that explains something."""
SECONDS_PER_FIGURE = 20


def _reading_minutes(words: int, figures: int) -> int:
    """Return how long a page takes to read."""
    return max(1, round(words / WORDS_PER_MINUTE + figures * SECONDS_PER_FIGURE / 60))


def _times_text(name: str) -> str:
    """Return how long one notebook takes to read and to run; "" where nobody has looked."""
    found = recorded_times()["notebooks"].get(name)
    if found is None:
        return ""
    minutes = _reading_minutes(found["words"], found["figures"])
    return f"{count_of(minutes, 'minute')} to read, {significant(found['seconds'])} s to run"


def with_times(readme: str) -> str:
    """Return a README whose table of notebooks says in its last column how long each takes."""

    def row(found: re.Match[str]) -> str:
        times = _times_text(found["name"]).replace(" to read", "").replace(" to run", "")
        return f"{found['cells']}| {times}{' ' if times else ''}|"

    return ROW.sub(row, readme)


def aims(number: str) -> Prose:
    """Say what to know before a notebook, what one can do after it, and how long it takes.

    :param number: its two digits.

    >>> aims("04").splitlines()[0]
    '**You need** the posting lists of notebook 03.'
    """
    before, after = AIMS[number]
    lines = [f"**You need** {before}.", f"**Afterwards you can** {after}."]
    if times := _times_text(NOTEBOOKS[number][0]):
        lines.append(f"**Time:** {times}.")
    return say("\n\n".join(lines))
