"""What is wrong with a stage: found on a small corpus, made smaller, and said in a sentence."""

import warnings
from collections.abc import Callable, Collection, Mapping
from functools import partial
from itertools import zip_longest
from time import perf_counter, process_time
from typing import Any, Literal, NamedTuple

from bpe_lab.stages.interface import Stage
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts
from bpe_lab.trials.sentences import Counted, describe_merge
from bpe_lab.trials.shrinking import fewest
from bpe_lab.trials.small_corpora import SmallCorpus
from bpe_lab.trials.time_limit import OutOfTime, TimeLimit

REFERENCE = "word_counts"
"""The definition, with a list per distinct word."""

LIMIT_SECONDS = 2.0
"""For one small corpus, on which the reference takes a few milliseconds."""

TRIES = 3
"""Of a corpus for which the limit is over, and most of it without work of this process."""

SHRINK_SECONDS = 2.0


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
    for _ in range(TRIES):
        begun = process_time()
        fault = _find_fault(stage, corpus, seconds)
        if fault is None or fault.kind != "slow" or process_time() > begun + seconds / 2:
            break  # else the machine did something else meanwhile
    return fault


def _find_fault(stage: type[Stage], corpus: SmallCorpus, seconds: float) -> Fault | None:
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
        said = describe_merge(
            name, expected, differs.rank, differs.merge, _table_before(corpus, differs.rank)
        )
        return Fault("wrong", said, corpus)
    except OutOfTime as error:
        description = (
            f"{name} was still at work after {seconds:g} seconds{error_place(error)}: "
            "is there a loop without an end?"
        )
        return Fault("slow", description, corpus)
    except (Exception, SystemExit, GeneratorExit) as error:
        return Fault("raises", describe_error(name, error), corpus)
    return None


def _table_before(corpus: SmallCorpus, rank: int) -> Mapping[Merge, int]:
    """Return how often each pair stands before a merge."""
    tables: list[dict[Merge, int]] = []

    def note_table(step: MergeStep) -> None:
        stage: Any = step.stage  # it recounts: its table is that of before the merge
        vocab = stage.vocab
        tables.append({(vocab[a], vocab[b]): n for (a, b), n in stage.pair_counts.items()})

    _merges(REFERENCE, corpus, note_table)
    return tables[rank] if rank < len(tables) else {}


def smallest(stage: type[Stage], fault: Fault, seconds: float = SHRINK_SECONDS) -> Fault:
    """Return a fault of the same kind on fewer and shorter words.

    Words are left out, then their counts made small, then bytes are left out, as long as the stage
    fails in the same way.
    """
    end = perf_counter() + seconds
    found = fault

    def shows(corpus: SmallCorpus) -> bool:
        nonlocal found
        if perf_counter() > end:
            return False
        other = find_fault(stage, corpus, seconds / 4)
        if other is None or other.kind != fault.kind:
            return False
        found = other
        return True

    before = None
    # Of a slow stage each step would take as long as it did.
    while fault.kind != "slow" and before != found.corpus:
        before = found.corpus
        if before.special_tokens:
            fewest(before.special_tokens, partial(_shows_specials, shows, before))
        fewest([*before.counts], lambda words: shows(_of_words(found.corpus, words)))
        for word in [*found.corpus.counts]:
            others = _of_words(found.corpus, {*found.corpus.counts} - {word})
            count = found.corpus.counts[word]
            for fewer in sorted({1, count // 2} - {0, count}):
                if shows(others._replace(counts=others.counts | {word: fewer})):
                    count = fewer
                    break
            fewest(word, partial(_shows_with, shows, others, count))
    return found


def _of_words(corpus: SmallCorpus, words: Collection[bytes]) -> SmallCorpus:
    """Return a corpus with some of its words."""
    counts = {word: count for word, count in corpus.counts.items() if word in words}
    return corpus._replace(counts=counts)


def _shows_specials(
    shows: Callable[[SmallCorpus], bool], corpus: SmallCorpus, special_tokens: tuple[str, ...]
) -> bool:
    return shows(corpus._replace(special_tokens=special_tokens))


def _shows_with(
    shows: Callable[[SmallCorpus], bool], others: SmallCorpus, count: int, word: bytes
) -> bool:
    """Whether a corpus with one word more, which it has not yet, shows a fault."""
    return word not in others.counts and shows(
        others._replace(counts=others.counts | {word: count})
    )
