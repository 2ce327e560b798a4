"""A table of words that a reader has changed: whether it still counts right."""

from random import Random
from typing import Any

from bpe_lab import native
from bpe_lab.lessons.exercises.checking import Verdict, try_each
from bpe_lab.lessons.twins.word_table import WordTable
from bpe_lab.tokenizer.inspection.spelling import spell

Entries = list[tuple[bytes, int]]


def _table_cases() -> list[Entries]:
    """Return words with counts to add, the smallest first."""
    cases: list[Entries] = [
        [(b"low", 5), (b"low", 2)],
        [(b"low", 5), (b"lower", 2)],
        [(b" farh", 1), (b" lbkm", 1)],  # the same 32 bits of hash
        [(b"a", 1), (b"a\xff", 1)],  # the same when they are filled up to 16 bytes
        [(b" incomprehensibly", 1), (b" incomprehensible", 1)],
    ]
    random = Random(4)
    for n_words in (50, 4_000):  # 4,000 make it grow
        words = [bytes(random.choices(b"abcde", k=random.randint(1, 12))) for _ in range(n_words)]
        cases.append([(word, random.randint(1, 9)) for word in words])
    return cases


def check_table(table: type[WordTable]) -> Verdict:
    """Count words with a table, right below the cell in which it is written.

    :param table: the class, with the methods of `WordTable`.

    >>> check_table(WordTable).passed
    True
    """
    cases = _table_cases()

    def filled(one: Any, entries: Entries) -> Entries:
        for word, count in entries:
            one.add(word, count)
        return sorted(one.items())

    def mistake(rows: Entries, entries: Entries) -> str:
        expected = filled(native.WordTable(), entries)
        if rows == expected:
            return ""
        extra = min(set(rows) ^ set(expected))
        has = "it has" if extra in rows else "it lacks"
        wrong = f"`{table.__name__}` counts wrong: {added(entries)}."
        return f"{wrong} Then {has} `{spell(extra[0])}` with {extra[1]}."

    return try_each(
        table,
        [(entries,) for entries in cases],
        mistake,
        lambda: (
            f"`{table.__name__}` counts as the compiled table does: {len(cases)} lists of words, "
            "of which the longest makes it grow."
        ),
        ask=lambda entries: filled(table(), entries),
        call=lambda entries: f"{added(entries)}: `{table.__name__}`",
    )


def added(entries: Entries) -> str:
    """Say what was added.

    >>> added([(b"low", 5)]), added([(b"low", 5)] * 9)
    ('added `low` 5', 'added 9 words')
    """
    if len(entries) > 4:
        return f"added {len(entries):,} words"
    return "added " + ", ".join(f"`{spell(word)}` {count}" for word, count in entries)
