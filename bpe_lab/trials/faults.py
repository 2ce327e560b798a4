"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import warnings
from collections.abc import Collection
from time import perf_counter
from typing import Any, Literal, NamedTuple

from bpe_lab.stages.interface import Stage
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.time_limit import OutOfTime, time_limit
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.counter_example import describe_merge, fewest, first_difference
from bpe_lab.trials.kinds import Rules
from bpe_lab.trials.small_corpora import SmallCorpus

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
            with time_limit(seconds), warnings.catch_warnings(action="ignore"):
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
    end, found = perf_counter() + SHRINK_SECONDS, fault

    def shows(**changes: Any) -> bool:
        nonlocal found
        if perf_counter() > end:
            return False
        other = find_fault(stage, found.corpus._replace(**changes), SHRINK_SECONDS / 4)
        if other is None or other.kind != fault.kind:
            return False
        found = other
        return True

    def shows_words(words: Collection[bytes]) -> bool:
        return shows(counts={word: n for word, n in found.corpus.counts.items() if word in words})

    def shrink_word(word: bytes) -> None:
        others = dict(found.corpus.counts)
        count = others.pop(word)

        def shows_with(word: bytes, count: int) -> bool:
            return word not in others and shows(counts=others | {word: count})

        fewer = (less for less in sorted({1, count // 2} - {0, count}) if shows_with(word, less))
        count = next(fewer, count)
        fewest(word, lambda letters: shows_with(letters, count))

    before = None
    # Of a slow stage each step would take as long as it did.
    while fault.kind != "slow" and before != found.corpus:
        before = found.corpus
        fewest(before.special_tokens, lambda specials: shows(special_tokens=specials))
        fewest([*before.counts], shows_words)
        for word in [*found.corpus.counts]:
            shrink_word(word)
    return found
