"""The exercises of notebook 01: the work of the first pass, and equal words."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from bpe_lab.lessons.shared.checking import Verdict, name_of, small_corpora, try_cases, try_each
from bpe_lab.lessons.shared.recounts import pair_counts
from bpe_lab.stages.interface import Pair


def check_first_pass(answer: Callable[[dict[bytes, int]], int]) -> Verdict:
    """Check a function that foretells how many pairs `naive` counts before its first merge.

    :param answer: {word: number of occurrences} -> number of pairs.

    >>> check_first_pass(len).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> int:
        return sum((len(word) - 1) * count for word, count in counts.items())

    hint = "How many pairs has a word of n bytes, and how often does `naive` meet the word?"
    return try_cases(answer, [(counts,) for counts in small_corpora()], expected, hint)


class _WatchedTokens(tuple[int, ...]):
    """A token list that counts, for all of its kind, how many tokens and comparisons are made."""

    reads: ClassVar[int] = 0
    compared: ClassVar[int] = 0
    __hash__ = tuple.__hash__

    def __eq__(self, other: object) -> bool:
        _WatchedTokens.compared += 1
        return super().__eq__(other)

    def __iter__(self) -> Iterator[int]:
        for token in super().__iter__():
            _WatchedTokens.reads += 1
            yield token

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        _WatchedTokens.reads += len(found) if isinstance(place, slice) else 1
        return found


def count_each(words: Iterable[Sequence[int]]) -> dict[Pair, int]:
    """Return the pair counts of token lists as `naive` finds them: each list is read."""
    return pair_counts((tokens, 1) for tokens in words)


def check_count_all(answer: Callable[[Sequence[tuple[int, ...]]], dict[Pair, int]]) -> Verdict:
    """Check a function that counts the pairs of token lists, and count the tokens that it reads.

    :param answer: token lists as tuples, many of them equal -> {(left id, right id): count}; each
        token of the different lists may be read twice.

    >>> check_count_all(count_each)
    Not yet: `count_each` is right on the words `{b'low': 5}`, but it reads 15 tokens; 6 are \
enough. Which lists are equal?
    """
    corpora = small_corpora()
    read = all_tokens = 0

    def ask(counts: dict[bytes, int]) -> Any:
        # Equal ones do not stand side by side.
        turns = range(max(counts.values(), default=0))
        words = [_WatchedTokens(word) for n in turns for word, count in counts.items() if n < count]
        _WatchedTokens.reads = _WatchedTokens.compared = 0
        return answer(words)

    def mistake(given: Any, counts: dict[bytes, int]) -> str:
        nonlocal read, all_tokens
        plain = [tuple(word) for word, count in counts.items() for _ in range(count)]
        reads, enough = _WatchedTokens.reads, 2 * sum(map(len, counts))
        read, all_tokens = read + reads, all_tokens + sum(map(len, plain))
        name, where, right = name_of(answer), f"the words `{counts!r}`", count_each(plain)
        given = dict(given) if isinstance(given, Mapping) else given  # a Counter is welcome
        if given != right:
            return f"on {where} `{name}` returned `{given!r}`; `{right!r}` is right."
        if (compared := _WatchedTokens.compared) > 4 * len(plain):
            many = f"it compares {compared} times where there are {len(plain)} lists: is each"
            return f"`{name}` is right on {where}, but {many} compared with all the others?"
        few = f"it reads {reads} tokens; {enough} are enough. Which lists are equal?"
        return f"`{name}` is right on {where}, but {few}" if reads > enough else ""

    return try_each(
        answer,
        [(counts,) for counts in corpora],
        mistake,
        lambda: (
            f"`{name_of(answer)}` is right on {len(corpora)} small texts, and reads {read:,} "
            f"tokens where `naive` reads {all_tokens:,}."
        ),
        ask=ask,
        call=lambda counts: f"on the words `{counts!r}` `{name_of(answer)}`",
    )
