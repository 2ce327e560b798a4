"""What every stage counts on fixed corpora: `python tests/operation_counts.py` freezes it.

Run it after a change that is meant to change the work of a stage; it prints what has changed. The
changed lines of `operation_counts.json` then belong to the commit, for its reviewer to see.
"""

import json
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import bpe_lab
from bpe_lab import corpora
from bpe_lab.support.files import write_file

FROZEN = Path(__file__).with_suffix(".json")

Counts = dict[str, dict[str, dict[str, int]]]
"""Corpus -> stage -> operation -> count."""

END = "<|endoftext|>"
LANGUAGES, STORIES = "languages, 100 merges", "stories, 400 merges"
LONG_WORDS = "long words, 300 merges"
CORPORA = (LANGUAGES, STORIES, LONG_WORDS)


@cache
def corpora_words() -> dict[str, tuple[Mapping[bytes, int], int]]:
    """Return the words, sorted, and the number of merges of each corpus.

    The order in which a counter gives them is that of its hash table, and some counts depend on it.
    Of the long words there are fewer than merges and one is far more frequent than the others: the
    core begins with a floor that is too high and has to build its index again.
    """
    languages = sorted(bpe_lab.count_words(corpora.path("languages"), [END]).items())
    stories = sorted(bpe_lab.count_words(corpora.excerpt("stories", 150_000), [END]).items())
    letters = b"".join(word.strip() for word, _ in stories)
    long_words = {letters[start : start + 1_000]: 1 for start in range(0, 20_000, 1_000)}
    return {
        LANGUAGES: (dict(languages), 100),
        STORIES: (dict(stories), 400),
        LONG_WORDS: ({**long_words, b"zz": 10**9}, 300),
    }


def measured(
    stages: Iterable[str] = tuple(bpe_lab.STAGES),
    threads: int | None = 1,
    names: Iterable[str] = CORPORA,
) -> Counts:
    """Return the operation counts of stages; those that look at all words only of `LANGUAGES`."""
    counts: Counts = {corpus: {} for corpus in names}
    for stage in stages:
        for corpus in counts:
            words, n_merges = corpora_words()[corpus]
            scans = bpe_lab.STAGES[stage].load().recounts or stage == "pair_table"
            if corpus == LANGUAGES or not scans:
                size, options = 257 + n_merges, {"stage": stage, "threads": threads}
                training = bpe_lab.train_from_counts(words, size, [END], **options)
                assert len(training.merges) == n_merges
                assert training.merges == bpe_lab.train_from_counts(words, size, [END]).merges
                counts[corpus][stage] = dict(sorted(training.operations.items()))
    return counts


def frozen() -> Counts:
    return json.loads(FROZEN.read_text(encoding="utf-8"))


def differences(was: Counts, now: Counts) -> list[str]:
    """Return one line per operation whose count has changed: stage, operation, was, is.

    >>> differences({"low": {"core": {"rebuilds": 2}}}, {"low": {"core": {"rebuilds": 3}}})
    ['core: rebuilds (low) was 2, is 3']
    """
    lines = []
    for corpus in was | now:
        old, new = was.get(corpus, {}), now.get(corpus, {})
        for stage in old | new:
            before, after = old.get(stage, {}), new.get(stage, {})
            for operation in before | after:
                first, second = before.get(operation), after.get(operation)
                if first != second:
                    lines.append(f"{stage}: {operation} ({corpus}) was {first}, is {second}")
    return lines


def main() -> int:
    """Write the counts of all stages, and print what has changed."""
    now = measured()
    lines = differences(frozen() if FROZEN.exists() else {}, now)
    write_file(FROZEN, (json.dumps(now, indent=1) + "\n").encode())
    print("\n".join(lines) or "nothing has changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
