"""How fast a trainer is: its place among the stages of the lab, its lines, and what is next."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log
from pathlib import Path
from time import perf_counter

from bpe_lab import corpora
from bpe_lab.counting.api import count_words
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import duration, size_in_words
from bpe_lab.results.tables import markdown_table
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.outcome import Outcome
from bpe_lab.trials.running import Line, Measured, Trainer
from bpe_lab.trials.texts import Text
from bpe_lab.words.special_tokens import END_OF_TEXT

SIZES = (64_000, 250_000, 1_000_000, 5_000_000)  # bytes of stories
VOCAB_SIZE = 2_000
SECONDS = 60.0  # for all sizes, and the stages beside the last one
STEEPEST = 1.5  # the exponent by which the seconds are expected to grow with the text, at most

BESIDE = ("core", "cython", "max_heap", "inverted_index", "pair_table", "word_filter")
"""Stages of the ladder, the fastest first: they are run until one is slower than the trainer."""

LIMIT = 1.25  # times the seconds of the trainer, after which a stage is stopped: it is slower
SHOWN_LINES = 5

COUNTS_WORDS = re.compile(r"findall|finditer|\.split\(|\.encode\(|pretoken|Counter|\.group\(")
"""In a line that counts words: the half of the work that notebook 06 is about."""

SELECTS = re.compile(r"\b(?:max|min|sorted|most_common|argmax)\(")
"""In a line that looks for the most frequent pair: a heap takes its place."""


@dataclass(frozen=True)
class Beside:
    """A stage on the same text, in the same run.

    :param counting: counter -> seconds.
    :param phases: phase -> seconds of merging.
    :param ended: whether it made all merges.
    """

    stage: str
    counting: Mapping[str, float]
    phases: Mapping[str, float]
    ended: bool

    def seconds(self, counter: str = "regex") -> float:
        return self.counting[counter] + sum(self.phases.values())

    def whole(self, counter: str = "regex") -> str:
        """Return the time of the whole job in words."""
        return f"{'' if self.ended else 'over '}{duration(self.seconds(counter))}"


@dataclass(frozen=True)
class Speed:
    """What was measured of a trainer.

    :param name: of the trainer.
    :param runs: bytes of a text -> what it needed; ascending.
    :param beside: stages on the last of these texts, the fastest first; the last may be slower.
    """

    name: str
    runs: Mapping[int, Measured]
    beside: Sequence[Beside]

    @property
    def size(self) -> int:
        return max(self.runs)

    @property
    def seconds(self) -> float:
        return self.runs[self.size].seconds

    def slopes(self) -> list[float]:
        """Return, from each text to the next, the exponent by which the seconds grow.

        >>> Speed("mine", {10: Measured(None, 1.0), 20: Measured(None, 4.0)}, ()).slopes()
        [2.0]
        """
        runs = [(size, run.seconds) for size, run in self.runs.items()]
        return [log(b[1] / a[1]) / log(b[0] / a[0]) for a, b in pairwise(runs)]

    def faster(self) -> list[Beside]:
        """Return the stages that are faster, the slowest of them last."""
        return [stage for stage in self.beside if stage.ended and stage.seconds() < self.seconds]

    def parts(self) -> list[str]:
        """Return what is said of it: paragraphs and tables."""
        how_fast = (
            f"**How fast is it?** {VOCAB_SIZE:,} ids, each text in a fresh process, n = 1. Slope "
            "1: twice the text takes twice the time."
        )
        lines = lines_that_take_most(self.runs[self.size].lines, self.size)
        return [how_fast, self._sizes(), self._ladder(), *lines, self._next()]

    def _sizes(self) -> str:
        slopes = ["", *(f"{slope:.2f}" for slope in self.slopes())]
        rows = []
        for (size, run), slope in zip(self.runs.items(), slopes, strict=True):
            peak = "not known" if run.peak is None else size_in_words(run.peak)
            rows.append([size_in_words(size), duration(run.seconds), peak, slope])
        return markdown_table(["stories", "time", "peak memory", "slope"], rows)

    def _ladder(self) -> str:
        rows = [
            (stage.seconds(), [f"`{stage.stage}`", stage.whole(), stage.whole("native")])
            for stage in self.beside
        ]
        rows.append((self.seconds, [f"**{named(self.name)}**", duration(self.seconds), ""]))
        rows.sort(key=lambda row: -row[0])
        head = [f"{size_in_words(self.size)}, whole job", "with `regex`", "with `native`"]
        return markdown_table(head, [row for _, row in rows])

    def _next(self) -> str:
        lines, faster = self.runs[self.size].lines, self.faster()
        if not faster:
            return "**What next?** No stage of this lab is faster."
        stage, look = faster[-1], ""
        if lines and lines[0].file:
            top, counting = lines[0], self.beside[0].counting
            look = f" Look at {named(where_is(top))} first: it takes {top.share:.0%} of the time."
            if COUNTS_WORDS.search(top.source):
                return (
                    "**What next?** Count each distinct string once, in a `Counter` of strings, "
                    f"and make bytes of it then: {duration(counting['regex'])} for these words; "
                    f"without `regex`, notebook 06: {duration(counting['native'])}.{look}"
                )
            if SELECTS.search(top.source):
                stage = next((each for each in faster if each.stage == "max_heap"), stage)
        entry, factor = STAGES[stage.stage], f"{self.seconds / stage.seconds():.2f}"
        return (
            f"**What next?** `{entry.id}`, notebook {entry.notebook}, {factor} times as fast here: "
            f"{entry.idea}.{look}"
        )


def where_is(line: Line) -> str:
    """Return the file and the number of a line."""
    return f"{Path(line.file).name}:{line.line}" if line.file else "its workers"


def stories(size: int) -> Text:
    """Return the text on which a trainer is timed, of so many bytes."""
    content = corpora.excerpt("stories", size).read_bytes()
    name = f"{size_in_words(size)} of stories"
    return Text(name, name, 5, content, (END_OF_TEXT,), VOCAB_SIZE - 257)


def merges_of_stories(size: int) -> Sequence[Merge]:
    """Return the merges that are right on this text, as `core` makes them."""
    with warnings.catch_warnings(action="ignore"):
        path = corpora.excerpt("stories", size)
        return train_from_counts(count_words(path, [END_OF_TEXT]), VOCAB_SIZE, [END_OF_TEXT]).merges


def measure(
    trainer: Trainer,
    seconds: float = SECONDS,
    sizes: Sequence[int] | None = None,
    progress: bool = False,
) -> Speed | Outcome:
    """Measure a trainer on stories, as far as the time goes, and stages beside it.

    :param seconds: for all.
    :param sizes: bytes of the texts, ascending; None: `SIZES`.
    :param progress: show a bar.
    :return: what failed where it made no merges of the smallest text within half of the time.
    """
    sizes = SIZES if sizes is None else sizes
    end, runs = perf_counter() + seconds, dict[int, Measured]()
    with Bar(progress, f"time {trainer.name}", len(sizes), "text", at_once=True) as bar:
        for size in sizes:
            left = end - perf_counter()
            # As long again for the stages beside it.
            last = max(runs, default=0)
            if last and 2 * runs[last].seconds * (size / last) ** STEEPEST > left:
                break
            run = trainer.measure(stories(size), left / 2)
            if run.outcome.failed:
                break
            runs[size] = run
            bar.update()
    if not runs:
        return run.outcome
    return Speed(trainer.name, runs, _stages_beside(max(runs), runs[max(runs)].seconds))


def lines_that_take_most(lines: Sequence[Line], size: int) -> list[str]:
    """Return a table of the lines of a program that take most time on so many bytes."""
    if not lines:
        return []
    rows = []
    for line in lines[:SHOWN_LINES]:
        where = named(where_is(line))
        source = as_code(line.source[: 70 - len(where)]) if line.file else "it waits for them"
        rows.append([f"{line.share:.0%}", where, source])
    return [
        "**Where does the time go?** The lines of its own files that take most time, on "
        f"{size_in_words(size)}, sampled every 5 ms.",
        markdown_table(["time", "line", ""], rows),
    ]


def not_measured(failed: Outcome, seconds: float) -> str:
    """Say why `measure`, which was given so many seconds, has no times."""
    size = size_in_words(SIZES[0])
    if failed.failed != "endless":
        return f"**How fast is it?** Not measured: with {size} of stories it {failed.said}."
    return (
        f"**How fast is it?** It made no merges of {size} of stories within "
        f"{seconds / 2:g} seconds: if it only needs longer, `--seconds` gives it more."
    )


def _stages_beside(size: int, seconds: float) -> list[Beside]:
    """Run stages on a text, the fastest first, until one is slower than a number of seconds."""
    path, counting = corpora.excerpt("stories", size), dict[str, float]()
    for counter in ("regex", "native"):
        begun = perf_counter()
        counts = count_words(path, [END_OF_TEXT], counter=counter)
        counting[counter] = perf_counter() - begun
    beside = list[Beside]()
    for stage in BESIDE:
        if beside and beside[-1].seconds() > seconds:
            break
        budget = max(LIMIT * seconds - counting["regex"], 0.1)
        with warnings.catch_warnings(action="ignore"):
            training = train_from_counts(
                counts, VOCAB_SIZE, [END_OF_TEXT], stage=stage, time_budget=budget
            )
        ended = training.stopped_by != "time_budget"
        beside.append(Beside(stage, counting, training.phases, ended))
    return beside
