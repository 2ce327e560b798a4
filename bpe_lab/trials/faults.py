"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from time import perf_counter
from typing import Any, Literal, NamedTuple

from bpe_lab.results.numbers import often
from bpe_lab.stages.interface import Stage
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.small_corpora import SmallCorpus
from bpe_lab.trials.time_limit import OutOfTime, TimeLimit

REFERENCE = "word_counts"
"""The definition, with a list per distinct word."""

LIMIT_SECONDS = 2.0
"""For one small corpus, on which the reference takes a few milliseconds."""

SHRINK_SECONDS = 2.0

Counted = tuple[Merge, int]
"""A merge and its count."""


class Fault(NamedTuple):
    """What is wrong, and on which corpus."""

    kind: Literal["wrong", "raises", "slow"]
    description: str
    corpus: SmallCorpus

    def sentence(self) -> str:
        """Return what is wrong, with the words and how to see it again."""
        words = f"On the words `{self.corpus.counts}`"
        if self.corpus.special_tokens:
            words += f", with the special tokens `{[*self.corpus.special_tokens]}`"
        return f"{words}, {self.description}"


class _MergeDiffersError(Exception):
    """The merge of this rank is not the right one; None: there is none."""

    def __init__(self, rank: int, merge: Counted | None) -> None:
        self.rank, self.merge = rank, merge


def _merges(
    stage: str | type[Stage],
    corpus: SmallCorpus,
    on_merge: Callable[[MergeStep], None] | None = None,
) -> list[Counted]:
    """Return the merges that a stage makes of a corpus, to the last pair."""
    # More ids than any merging of these words reaches.
    vocab_size = 257 + len(corpus.special_tokens) + sum(map(len, corpus.counts))
    with warnings.catch_warnings(action="ignore"):
        options: Any = {"stage": stage, "threads": 1, "on_merge": on_merge}
        training = train_from_counts(corpus.counts, vocab_size, corpus.special_tokens, **options)
    return list(zip(training.merges, training.trace.counts, strict=True))


def find_fault(
    stage: type[Stage], corpus: SmallCorpus, seconds: float | None = None
) -> Fault | None:
    """Return what is wrong with a stage on a small corpus, None when nothing is."""
    seconds = LIMIT_SECONDS if seconds is None else seconds
    name, expected = stage.__name__, _merges(REFERENCE, corpus)
    end = perf_counter() + seconds

    def compare(step: MergeStep) -> None:
        if [(step.merge, step.count)] != expected[step.rank : step.rank + 1]:
            raise _MergeDiffersError(step.rank, (step.merge, step.count))
        if perf_counter() > end:  # where no signal can stop it
            raise OutOfTime

    try:
        # A stage that makes many merges in one call makes them one by one when there is a hook.
        for hook in [compare, None] if hasattr(stage, "run") else [compare]:
            with TimeLimit(seconds):
                merges = _merges(stage, corpus, hook)
            for rank, (made, due) in enumerate(zip_longest(merges, expected)):
                if made != due:
                    raise _MergeDiffersError(rank, made)
    except _MergeDiffersError as differs:
        return Fault("wrong", _describe_merge(name, corpus, expected, differs), corpus)
    except OutOfTime as error:
        description = (
            f"{name} was still at work after {seconds:g} seconds{error_place(error)}: "
            "is there a loop without an end?"
        )
        return Fault("slow", description, corpus)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Fault("raises", describe_error(name, error), corpus)
    return None


def _describe_merge(
    name: str, corpus: SmallCorpus, expected: list[Counted], differs: _MergeDiffersError
) -> str:
    """Say which merge is wrong, and why."""
    rank, after = differs.rank, ""
    if rank:
        last = ", ".join(f"`{merge}`" for merge, _ in expected[max(rank - 4, 0) : rank])
        after = f"after {'..., ' * (rank > 4)}{last}"
    if differs.merge is None:
        merge, count = expected[rank]
        after = after and f" {after}"
        return f"{name} says{after} that no pair is left, but `{merge}` stands {_times(count)}."
    merge, count = differs.merge
    if rank >= len(expected):
        return f"no pair is left{after and f' {after}'}, but {name} merges `{merge}`."
    which = f"merge {rank + 1}{after and f' ({after})'}"
    right, times = expected[rank]
    if merge == right:
        return (
            f"{which} is right, `{merge}`, but it stands {_times(times)}, and {name} gives it the "
            f"count {count!r}."
        )
    stands = _table_before(corpus, rank).get(merge, 0)
    rule = "Among equals the greatest (left, right) is merged, compared as bytes"
    why = f"as often. {rule}" if stands == times else _times(stands)
    return (
        f"{which} must be `{right}`, which stands {_times(times)}; {name} makes `{merge}`, which "
        f"stands {why}."
    )


def _times(count: int) -> str:
    return often(count) if count else "nowhere"


def _table_before(corpus: SmallCorpus, rank: int) -> Mapping[Merge, int]:
    """Return how often each pair stands before a merge."""
    tables: list[dict[Merge, int]] = []

    def note_table(step: MergeStep) -> None:
        stage: Any = step.stage  # it recounts: its table is that of before the merge
        vocab = stage.vocab
        tables.append({(vocab[a], vocab[b]): n for (a, b), n in stage.pair_counts.items()})

    _merges(REFERENCE, corpus, note_table)
    return tables[rank]


def smallest(stage: type[Stage], fault: Fault, seconds: float = SHRINK_SECONDS) -> Fault:
    """Return a fault of the same kind on fewer and shorter words.

    Words are left out, then their counts made 1, then bytes are left out, as long as the stage
    fails in the same way.
    """
    end = perf_counter() + seconds
    smaller: Fault | None = fault
    # Of a slow stage each step would take as long as it did.
    while smaller is not None and fault.kind != "slow":
        fault = smaller
        smaller = next(
            (
                other
                for corpus in _smaller_corpora(fault.corpus)
                if perf_counter() < end
                and (other := find_fault(stage, corpus, seconds / 4))
                and other.kind == fault.kind
            ),
            None,
        )
    return fault


def _smaller_corpora(corpus: SmallCorpus) -> Iterator[SmallCorpus]:
    """Yield corpora that are a little smaller, the smallest first."""
    counts = corpus.counts
    if corpus.special_tokens:
        yield corpus._replace(special_tokens=corpus.special_tokens[:-1])
    others = {word: {one: n for one, n in counts.items() if one != word} for word in counts}
    for word in counts:
        yield corpus._replace(counts=others[word])
    for word, count in counts.items():
        for fewer in sorted({1, count // 2} - {0, count}):
            yield corpus._replace(counts=counts | {word: fewer})
    for word, count in counts.items():
        for place in range(len(word)):
            shorter = word[:place] + word[place + 1 :]
            if shorter not in counts:
                yield corpus._replace(counts={**others[word], shorter: count})
