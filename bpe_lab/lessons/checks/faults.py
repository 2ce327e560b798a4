"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import linecache
import sysconfig
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
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
    """What is wrong, and on which corpus."""

    kind: Literal["wrong", "raises", "slow"]
    said: str
    corpus: SmallCorpus

    def sentence(self) -> str:
        """Return what is wrong, with the words and how to see it again."""
        words = f"On the words `{self.corpus.counts}`"
        if self.corpus.special_tokens:
            words += f", with the special tokens `{[*self.corpus.special_tokens]}`"
        return f"{words}, {self.said}"


class _MergeDiffersError(Exception):
    """A merge is not the right one: its rank, and the merge that was made with its count."""

    def __init__(self, rank: int, made: Counted) -> None:
        self.rank, self.made = rank, made


def _merges(
    stage: "str | type[Stage]",
    corpus: SmallCorpus,
    on_merge: Callable[[MergeStep], None] | None = None,
) -> list[Counted]:
    """Return the merges that a stage makes of a corpus, to the last pair."""
    # More ids than any merging of these words reaches.
    vocab_size = 257 + len(corpus.special_tokens) + sum(map(len, corpus.counts))
    with warnings.catch_warnings(action="ignore"):
        training = train_from_counts(
            corpus.counts,
            vocab_size,
            corpus.special_tokens,
            stage=stage,
            threads=1,
            on_merge=on_merge,
        )
    return list(zip(training.merges, training.trace.counts, strict=True))


def find_fault(
    stage: "type[Stage]", corpus: SmallCorpus, seconds: float | None = None
) -> Fault | None:
    """Return what is wrong with a stage on a small corpus, None when nothing is."""
    seconds = LIMIT_SECONDS if seconds is None else seconds
    right = _merges(REFERENCE, corpus)
    end = perf_counter() + seconds

    def look(step: MergeStep) -> None:
        made = step.merge, step.count
        if step.rank >= len(right) or made != right[step.rank]:
            raise _MergeDiffersError(step.rank, made)
        if perf_counter() > end:  # where no signal can stop it
            raise OutOfTime

    # A stage that makes many merges in one call makes them one by one when somebody looks on.
    hooks = [look, None] if hasattr(stage, "run") else [look]
    try:
        for hook in hooks:
            with TimeLimit(seconds):
                made = _merges(stage, corpus, hook)
            for rank, (one, other) in enumerate(zip(made, right, strict=False)):
                if one != other:
                    raise _MergeDiffersError(rank, one)
            if len(made) > len(right):
                raise _MergeDiffersError(len(right), made[len(right)])
            if len(made) < len(right):
                merge, count = right[len(made)]
                said = (
                    f"{stage.__name__} says{_after(right, len(made))} that no pair is left, but "
                    f"`{merge}` stands {_times(count)}."
                )
                return Fault("wrong", said, corpus)
    except _MergeDiffersError as differs:
        return Fault("wrong", _said_of_merge(stage, corpus, right, differs), corpus)
    except OutOfTime as error:
        said = (
            f"{stage.__name__} was still at work after {seconds:g} seconds{said_of_place(error)}: "
            "is there a loop without an end?"
        )
        return Fault("slow", said, corpus)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Fault("raises", said_of_error(stage, error), corpus)
    return None


def _said_of_merge(
    stage: "type[Stage]", corpus: SmallCorpus, right: list[Counted], differs: _MergeDiffersError
) -> str:
    """Say which merge is wrong, and why."""
    rank, (made, count) = differs.rank, differs.made
    name, before = stage.__name__, _after(right, rank)
    if rank >= len(right):
        return f"no pair is left{before}, but {name} merges `{made}`."
    before = before and f" ({before.strip()})"
    merge, times_right = right[rank]
    if made == merge:
        return (
            f"merge {rank + 1}{before} is right, `{merge}`, but it stands {_times(times_right)}, "
            f"and {name} gives it the count {count!r}."
        )
    stands = _table_before(corpus, rank).get(made, 0)
    if stands == times_right:
        why = (
            "which stands as often. Among equals the greatest (left, right) is merged, compared as "
            "bytes"
        )
    elif stands:
        why = f"which stands {_times(stands)}"
    else:
        why = "which stands nowhere"
    return (
        f"merge {rank + 1}{before} must be `{merge}`, which stands {_times(times_right)}; "
        f"{name} makes `{made}`, {why}."
    )


def _after(right: list[Counted], rank: int) -> str:
    """Return the merges before one as part of a sentence, the last four of them."""
    if not rank:
        return ""
    shown = [f"`{merge}`" for merge, _ in right[max(rank - 4, 0) : rank]]
    return f" after {'..., ' * (rank > 4)}{', '.join(shown)}"


def _times(count: int) -> str:
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")


def _table_before(corpus: SmallCorpus, rank: int) -> Mapping[Merge, int]:
    """Return how often each pair stands before a merge."""
    tables: list[dict[Merge, int]] = []

    def look(step: MergeStep) -> None:
        stage: Any = step.stage  # it recounts: its table is that of before the merge
        vocab = stage.vocab
        tables.append({(vocab[a], vocab[b]): n for (a, b), n in stage.pair_counts.items()})

    _merges(REFERENCE, corpus, look)
    return tables[rank]


def said_of_error(stage: "type[Stage]", error: BaseException) -> str:
    """Say what an exception says, and in which line of the reader it was raised."""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    inner = frames[-1]
    if not readers_lines(error) and inner.f_code.co_filename.endswith("merge_loop.py"):
        chosen = [frame.f_locals["selection"] for frame in frames if "selection" in frame.f_locals]
        if chosen:
            return (
                f"`select` returns `{chosen[-1]!r}`: it must return ((left id, right id), count), "
                f"or None when no pair is left (`{what}`)."
            )
    return f"{stage.__name__} raises `{what}`{said_of_place(error)}."


def said_of_place(error: BaseException) -> str:
    """Say in which line of the reader an exception was raised, as the end of a sentence."""
    lines = readers_lines(error)
    if not lines:
        inner = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
        return f" in `{inner.f_code.co_name}`, which is not its own code"
    frame, line = lines[-1]
    file = frame.f_code.co_filename
    place = "the cell" if _is_cell(file) else f"`{Path(file).name}`"
    source = linecache.getline(file, line).strip()
    shown = f": `{source}`" if source else ""
    return f" in `{frame.f_code.co_name}`, line {line} of {place}{shown}"


def readers_lines(error: BaseException) -> list[tuple[FrameType, int]]:
    """Return the reader's frames of an exception, each with its line, the outermost first."""
    return [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not _is_library(frame.f_code.co_filename)
    ]


def _is_library(file: str) -> bool:
    """Tell whether code is of bpe_lab, of Python or of an installed package."""
    return file.startswith("<frozen") or str(Path(file).absolute()).startswith(LIBRARIES)


def _is_cell(file: str) -> bool:
    """Tell whether code was read from a cell of a notebook, or typed."""
    return file.startswith("<") or "ipykernel_" in file


def smallest(stage: "type[Stage]", fault: Fault, seconds: float = SHRINK_SECONDS) -> Fault:
    """Return a fault of the same kind on fewer and shorter words.

    Words are left out, then their counts made 1, then bytes are left out, as long as the stage
    fails in the same way.
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
                for corpus in _smaller_corpora(fault.corpus)
                if perf_counter() < end
                and (smaller := find_fault(stage, corpus, seconds / 4))
                and smaller.kind == fault.kind
            ),
            None,
        )
    return fault


def _smaller_corpora(corpus: SmallCorpus) -> Iterator[SmallCorpus]:
    """Yield corpora that are a little smaller, the smallest first."""
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
