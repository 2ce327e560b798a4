"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import linecache
import sysconfig
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import bpe_lab
from bpe_lab.lessons.checks.small_corpora import SmallCorpus
from bpe_lab.lessons.checks.time_limit import OutOfTime, TimeLimit
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

REFERENCE = "word_counts"
"""The definition, with a list per distinct word."""

LIMIT_SECONDS = 2.0
"""For one small corpus, on which the reference takes a few milliseconds."""

SHRINK_SECONDS = 2.0

Counted = tuple[Merge, int]
"""A merge and its count."""

LIBRARIES = tuple(
    str(Path(folder).resolve())
    for folder in {
        *Path(bpe_lab.__file__).parents[:1],
        *map(Path, map(sysconfig.get_path, ("stdlib", "platstdlib", "purelib", "platlib"))),
    }
)
"""Folders whose code is not the reader's."""


class Fault(NamedTuple):
    """What is wrong, and on which corpus.

    :param kind: a wrong merge, an exception, or no end.
    :param said: a sentence about the corpus, without its beginning "On the words ...".
    :param corpus: the words.
    """

    kind: Literal["wrong", "raises", "slow"]
    said: str
    corpus: SmallCorpus

    def sentence(self) -> str:
        """Return what is wrong, with the words and how to see it again.

        >>> Fault("slow", "it has no end.", SmallCorpus("", {b"ab": 1}, ("<a>",))).sentence()
        "On the words `{b'ab': 1}`, with the special tokens `['<a>']`, it has no end."
        """
        words = f"On the words `{self.corpus.counts}`"
        if self.corpus.special_tokens:
            words += f", with the special tokens `{[*self.corpus.special_tokens]}`"
        return f"{words}, {self.said}"


class MergeDiffersError(Exception):
    """A merge is not the right one.

    :param rank: its number, 0 for the first.
    :param made: the merge that was made and the count that was said.
    """

    def __init__(self, rank: int, made: Counted) -> None:
        self.rank, self.made = rank, made


def right_merges(corpus: SmallCorpus) -> list[Counted]:
    """Return the merges of a corpus with their counts, to the last pair, by the rules.

    :param corpus: the words.

    >>> right_merges(SmallCorpus("", {b"aaa": 1}))
    [((b'a', b'a'), 2), ((b'aa', b'a'), 1)]
    """
    with warnings.catch_warnings(action="ignore"):
        training = train_from_counts(
            corpus.counts, end_of(corpus), corpus.special_tokens, stage=REFERENCE
        )
    return list(zip(training.merges, training.trace.counts, strict=True))


def end_of(corpus: SmallCorpus) -> int:
    """Return a number of ids that no merging of these words reaches."""
    return 257 + len(corpus.special_tokens) + sum(map(len, corpus.counts))


def find_fault(
    stage: "type[Stage]", corpus: SmallCorpus, seconds: float = LIMIT_SECONDS
) -> Fault | None:
    """Return what is wrong with a stage on a small corpus, None when nothing is.

    :param stage: the class.
    :param corpus: the words; they are merged to the last pair.
    :param seconds: after which it is stopped.

    >>> from bpe_lab.stages.naive import Naive
    >>> find_fault(Naive, SmallCorpus("", {b"low": 5})) is None
    True
    """
    right = right_merges(corpus)
    end = perf_counter() + seconds

    def compare(step: MergeStep) -> None:
        made = step.merge, step.count
        if step.rank >= len(right) or made != right[step.rank]:
            raise MergeDiffersError(step.rank, made)
        if perf_counter() > end:  # where no signal can stop it
            raise OutOfTime

    # A stage that makes many merges in one call makes them one by one when somebody looks on.
    hooks = [compare, None] if hasattr(stage, "run") else [compare]
    try:
        for hook in hooks:
            with TimeLimit(seconds), warnings.catch_warnings(action="ignore"):
                training = train_from_counts(
                    corpus.counts,
                    end_of(corpus),
                    corpus.special_tokens,
                    stage=stage,
                    threads=1,
                    on_merge=hook,
                )
            made = list(zip(training.merges, training.trace.counts, strict=True))
            for rank, (one, other) in enumerate(zip(made, right, strict=False)):
                if one != other:
                    raise MergeDiffersError(rank, one)
            if len(made) > len(right):
                raise MergeDiffersError(len(right), made[len(right)])
            if len(made) < len(right):
                return Fault("wrong", said_of_end(stage, corpus, right, len(made)), corpus)
    except MergeDiffersError as differs:
        return Fault("wrong", said_of_merge(stage, corpus, right, differs), corpus)
    except OutOfTime as error:
        where = said_of_place(stage, error)
        return Fault(
            "slow",
            f"{stage.__name__} was still at work after {seconds:g} seconds{where}: is there a loop "
            "without an end?",
            corpus,
        )
    except Exception as error:
        return Fault("raises", said_of_error(stage, error), corpus)
    return None


def said_of_merge(
    stage: "type[Stage]", corpus: SmallCorpus, right: list[Counted], differs: MergeDiffersError
) -> str:
    """Say which merge is wrong, and why."""
    rank, (made, count) = differs.rank, differs.made
    name, before = stage.__name__, after(right, rank)
    if rank >= len(right):
        return f"no pair is left{before}, but {name} merges `{made}`."
    before = before and f" ({before.strip()})"
    merge, times_right = right[rank]
    if made == merge:
        return (
            f"merge {rank + 1}{before} is right, `{merge}`, but it stands {times(times_right)}, "
            f"and {name} gives it the count {count!r}."
        )
    stands = table_before(corpus, rank).get(made, 0)
    if stands == times_right:
        why = (
            "which stands as often. Among equals the greatest (left, right) is merged, compared as "
            "bytes"
        )
    elif stands:
        why = f"which stands {times(stands)}"
    else:
        why = "which stands nowhere"
    return (
        f"merge {rank + 1}{before} must be `{merge}`, which stands {times(times_right)}; "
        f"{name} makes `{made}`, {why}."
    )


def said_of_end(stage: "type[Stage]", corpus: SmallCorpus, right: list[Counted], rank: int) -> str:
    """Say that a stage stops too early."""
    merge, count = right[rank]
    return (
        f"{stage.__name__} says{after(right, rank)} that no pair is left, but `{merge}` stands "
        f"{times(count)}."
    )


def after(right: list[Counted], rank: int) -> str:
    """Return the merges before one as part of a sentence, the last four of them.

    >>> after([((b"a", b"a"), 2)], 1)
    " after `(b'a', b'a')`"
    """
    if not rank:
        return ""
    shown = [f"`{merge}`" for merge, _ in right[max(rank - 4, 0) : rank]]
    return f" after {'..., ' * (rank > 4)}{', '.join(shown)}"


def times(count: int) -> str:
    """Return how often as a word.

    >>> times(1), times(3)
    ('once', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def table_before(corpus: SmallCorpus, rank: int) -> Mapping[Merge, int]:
    """Return how often each pair stands before a merge.

    :param corpus: the words.
    :param rank: of the merge, 0 for the first.
    """
    tables: list[dict[Merge, int]] = []

    def look(step: MergeStep) -> None:
        stage: Any = step.stage  # it recounts: its table is that of before the merge
        vocab = stage.vocab
        tables.append({(vocab[a], vocab[b]): n for (a, b), n in stage.pair_counts.items()})

    with warnings.catch_warnings(action="ignore"):
        train_from_counts(
            corpus.counts, end_of(corpus), corpus.special_tokens, stage=REFERENCE, on_merge=look
        )
    return tables[rank]


def said_of_error(stage: "type[Stage]", error: Exception) -> str:
    """Say what an exception says, and in which line of the reader it was raised."""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    inner = frames[-1]
    if not readers_lines(stage, error) and inner.f_code.co_filename.endswith("merge_loop.py"):
        chosen = [frame.f_locals["selection"] for frame in frames if "selection" in frame.f_locals]
        if chosen:
            return (
                f"`select` returns `{chosen[-1]!r}`: it must return ((left id, right id), count), "
                f"or None when no pair is left (`{what}`)."
            )
    return f"{stage.__name__} raises `{what}`{said_of_place(stage, error)}."


def said_of_place(stage: "type[Stage]", error: BaseException) -> str:
    """Say in which line of the reader an exception was raised, as the end of a sentence."""
    lines = list(readers_lines(stage, error))
    if not lines:
        inner = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
        return f" in `{inner.f_code.co_name}`, which is not its own code"
    frame, line = lines[-1]
    file = frame.f_code.co_filename
    place = "the cell" if is_cell(file) else f"`{Path(file).name}`"
    source = linecache.getline(file, line).strip()
    shown = f": `{source}`" if source else ""
    return f" in `{frame.f_code.co_name}`, line {line} of {place}{shown}"


def readers_lines(stage: "type[Stage]", error: BaseException) -> list[tuple[FrameType, int]]:
    """Return the frames of an exception that are the reader's, each with its line, outermost first.

    :param stage: the class; the files of its own functions are the reader's, wherever they lie.
    :param error: that was caught.
    """
    own = set(files_of(vars(stage).values()))
    return [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if frame.f_code.co_filename in own or not is_library(frame.f_code.co_filename)
    ]


def files_of(members: Iterable[object]) -> Iterator[str]:
    """Yield the files that functions and properties were read from.

    :param members: of a class.
    """
    for member in members:
        function = getattr(member, "fget", None) or getattr(member, "__func__", member)
        if code := getattr(function, "__code__", None):
            yield code.co_filename


def is_library(file: str) -> bool:
    """Tell whether code is of bpe_lab, of Python or of an installed package.

    :param file: its name.

    >>> is_library(__file__), is_library("<frozen runpy>"), is_library("mystage.py")
    (True, True, False)
    """
    return file.startswith("<frozen") or str(Path(file).absolute()).startswith(LIBRARIES)


def is_cell(file: str) -> bool:
    """Tell whether code was read from a cell of a notebook, or typed.

    >>> is_cell("/x/ipykernel_12/3456.py"), is_cell("<stdin>"), is_cell("mystage.py")
    (True, True, False)
    """
    return file.startswith("<") or "ipykernel_" in file


def smallest(stage: "type[Stage]", fault: Fault, seconds: float = SHRINK_SECONDS) -> Fault:
    """Return a fault of the same kind on fewer and shorter words.

    Words are left out, then their counts made 1, then bytes are left out, as long as the stage
    fails in the same way.

    :param stage: the class.
    :param fault: that was found.
    :param seconds: after which the smallest so far is taken.

    >>> from bpe_lab.stages.naive import Naive
    >>> class NoMerge(Naive):
    ...     def select(self):
    ...         return None
    >>> found = find_fault(NoMerge, SmallCorpus("", {b"lower": 3, b"newest": 2}))
    >>> smallest(NoMerge, found).corpus.counts
    {b'st': 1}
    """
    if fault.kind == "slow":
        return fault  # each step would take as long as it did
    end = perf_counter() + seconds
    found: Fault | None = fault
    while found is not None:
        fault = found
        found = next(
            (
                smaller
                for corpus in smaller_corpora(fault.corpus)
                if perf_counter() < end
                and (smaller := find_fault(stage, corpus, seconds / 4))
                and smaller.kind == fault.kind
            ),
            None,
        )
    return fault


def smaller_corpora(corpus: SmallCorpus) -> Iterator[SmallCorpus]:
    """Yield corpora that are a little smaller, the smallest first.

    :param corpus: the words.

    >>> [one.counts for one in smaller_corpora(SmallCorpus("", {b"ab": 2}))]
    [{}, {b'ab': 1}, {b'b': 2}, {b'a': 2}]
    """
    counts = corpus.counts
    if corpus.special_tokens:
        yield corpus._replace(special_tokens=corpus.special_tokens[:-1])
    for word in counts:
        yield corpus._replace(counts={one: n for one, n in counts.items() if one != word})
    for word, count in counts.items():
        for fewer in sorted({1, count // 2} - {0, count}):
            yield corpus._replace(counts=counts | {word: fewer})
    for word, count in counts.items():
        for place in range(len(word)):
            shorter = word[:place] + word[place + 1 :]
            if shorter not in counts:
                rest = {one: n for one, n in counts.items() if one != word}
                yield corpus._replace(counts={**rest, shorter: count})
