"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import warnings
from collections.abc import Collection
from time import perf_counter
from typing import Any, Literal, NamedTuple

from bpe_lab.stages.interface import Stage
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.time_limit import OutOfTime, TimeLimit
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.counter_example import describe_merge, first_difference
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.small_corpora import SmallCorpus
from bpe_lab.trials.smallest import Smallest, fewest

LIMIT_SECONDS = 2.0  # for one small corpus, on which a sane stage takes a few milliseconds
SHRINK_SECONDS = 2.0


class Fault(NamedTuple):
    """What is wrong, and on which corpus."""

    kind: Literal["wrong", "raises", "slow"]
    description: str
    corpus: SmallCorpus

    def sentence(self) -> str:
        words = f"On the words {as_code(f'{self.corpus.counts}')}"
        if specials := self.corpus.special_tokens:
            words += f", with the special tokens {as_code(f'{[*specials]}')}"
        return f"{words}, {self.description}"


class _MergeDiffersError(Exception):
    """The merge of this rank is not the right one; None: there is none."""

    def __init__(self, rank: int, merge: tuple[Merge, int] | None) -> None:
        self.rank, self.merge = rank, merge


def _right(corpus: SmallCorpus, n_merges: int) -> Rules:
    """Return the rules after so many merges of a corpus, or to the last pair."""
    specials = corpus.special_tokens
    rules = Rules(b"", 256 + len(specials) + n_merges, specials)
    rules.merge_words(rules.table(corpus.counts))
    return rules


def find_fault(
    stage: type[Stage], corpus: SmallCorpus, seconds: float | None = None
) -> Fault | None:
    """Return what is wrong with a stage on a small corpus, None when nothing is."""
    seconds = LIMIT_SECONDS if seconds is None else seconds
    name, specials = named(stage.__name__), corpus.special_tokens
    n_merges = 1 + sum(map(len, corpus.counts))  # more than any merging of these words makes
    n_ids, end = 256 + len(specials) + n_merges, perf_counter() + seconds
    right = _right(corpus, n_merges)
    expected = [*zip(right.merges, right.counts, strict=True)]

    def compare(step: MergeStep) -> None:
        if [(step.merge, step.count)] != expected[step.rank : step.rank + 1]:
            raise _MergeDiffersError(step.rank, (step.merge, step.count))
        if perf_counter() > end:  # where no signal can stop it
            raise OutOfTime

    try:
        # A stage that makes many merges in one call makes them one by one when there is a hook.
        for hook in [compare, None] if hasattr(stage, "run") else [compare]:
            options: dict[str, Any] = {"stage": stage, "threads": 1, "on_merge": hook}
            with TimeLimit(seconds), warnings.catch_warnings(action="ignore"):
                training = train_from_counts(corpus.counts, n_ids, specials, **options)
            merges = [*zip(training.merges, training.trace.counts, strict=True)]
            if differs := first_difference(expected, merges):
                raise _MergeDiffersError(differs[0], differs[2])
    except _MergeDiffersError as error:
        said = describe_merge(name, _right(corpus, error.rank), error.merge)
        return Fault("wrong", said, corpus)
    except OutOfTime as error:
        said = f"{name} was still at work after {seconds:g} seconds{error_place(error)}"
        return Fault("slow", f"{said}: is there an endless loop?", corpus)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Fault("raises", describe_error(name, error), corpus)
    return None


def smallest(stage: type[Stage], fault: Fault) -> Fault:
    """Return a fault of the same kind on fewer and shorter words.

    Words are left out, then their counts made small, then bytes are left out, as long as the stage
    fails in the same way.
    """

    def look(corpus: SmallCorpus) -> Fault | None:
        other = find_fault(stage, corpus, SHRINK_SECONDS / 4)
        return other if other and other.kind == fault.kind else None

    best = Smallest(fault.corpus, fault, look, SHRINK_SECONDS)

    def shows_words(words: Collection[bytes]) -> bool:
        counts = {word: count for word, count in best.case.counts.items() if word in words}
        return best.change(counts=counts)

    def shrink_word(word: bytes) -> None:
        others = dict(best.case.counts)
        count = others.pop(word)

        def shows_with(word: bytes, count: int) -> bool:
            return word not in others and best.change(counts=others | {word: count})

        fewer = (less for less in sorted({1, count // 2} - {0, count}) if shows_with(word, less))
        count = next(fewer, count)
        fewest(word, lambda letters: shows_with(letters, count))

    def step() -> None:
        best.fewer("special_tokens")
        fewest([*best.case.counts], shows_words)
        for word in [*best.case.counts]:
            shrink_word(word)

    if fault.kind != "slow":  # each step would take as long as it did
        best.repeat(step)
    return best.found
