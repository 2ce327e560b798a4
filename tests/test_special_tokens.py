"""Promise: ten thousand special tokens give what the definition gives, at the cost of one.

The cost is held without a clock: strings and numbers here count how often they are compared, and a
pattern is looked at for how many alternatives stand side by side.
"""

import functools
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reference

import bpe_lab
from bpe_lab.tokenizer.merges import first_vocab
from bpe_lab.words import special_tokens
from bpe_lab.words.pretokenize import split_at_special_tokens
from bpe_lab.words.special_tokens import check_special_tokens, special_pattern

MANY = 10_000
RNG = random.Random(1)
SETS = {
    "numbered": [f"<|token {number}|>" for number in range(MANY)],
    "of many first characters": [chr(0x4E00 + number) + "x" for number in range(MANY)],
    "each the beginning of the next": ["<" * length for length in range(1, 300)],
    "random, all with one first character": sorted(
        {"<" + "".join(RNG.choices("<>|ab", k=1 + size % 12)) for size in range(MANY)}
    ),
}


def counting(kind: type) -> Any:
    """Return a type of strings or numbers that counts how often they are compared."""

    class Counting(kind):  # type: ignore[misc]
        comparisons = 0

        def __eq__(self, other: object) -> bool:
            Counting.comparisons += 1
            return bool(kind.__eq__(self, other))

        __hash__ = kind.__hash__

    return Counting


def test_to_check_special_tokens_compares_each_a_few_times() -> None:
    text = counting(str)
    tokens = [text(token) for token in SETS["numbered"]]
    assert check_special_tokens(tokens) == tuple(tokens)
    assert text.comparisons < 10 * MANY
    with pytest.raises(ValueError, match="'<s>' appears twice"):
        check_special_tokens(["<s>", *SETS["numbered"], "<s>"])


def test_to_make_a_tokenizer_compares_each_id_a_few_times() -> None:
    tokens, number = SETS["numbered"][:1_000], counting(int)
    vocab = {number(place): token for place, token in enumerate(first_vocab(tokens))}
    number.comparisons = 0
    tokenizer = bpe_lab.Tokenizer(vocab, [], tokens)
    assert number.comparisons < 10 * len(vocab)
    assert tokenizer.encode(tokens[7] + "a", allowed_special="all") == [256 + 7, ord("a")]


def groups(pattern: str) -> tuple[int, int]:
    """Return the most alternatives of a group, and how deep groups stand in each other."""
    alternatives, most, deepest = [1], 1, 0
    for sign in re.findall(r"\\.|\[(?:\\.|[^]\\])*\]|.", pattern, re.DOTALL):
        if sign == "(":
            alternatives.append(1)
        elif sign == ")":
            alternatives.pop()
        elif sign == "|":
            alternatives[-1] += 1
        most, deepest = max(most, alternatives[-1]), max(deepest, len(alternatives) - 1)
    return most, deepest


def test_a_place_of_the_text_is_compared_with_few_of_them() -> None:
    for name, specials in SETS.items():
        most, deepest = groups(special_tokens.longest_of(sorted(specials)))
        if name != "each the beginning of the next":
            assert most <= special_tokens.MAX_BRANCHES + 1, name
        # Halving ten thousand takes fourteen groups at most, wherever they are.
        assert deepest <= special_tokens.MAX_DEPTH + 1 + 14, name
    assert groups("|".join(map(re.escape, SETS["numbered"]))) == (MANY, 0)


def random_tokens(rng: random.Random) -> list[str]:
    letters = rng.choice(["<>", "<|a", "[]^-\\", "aé字🙂", ".*+?()|#& \n"])
    n_tokens, longest = rng.choice([(1, 9), (9, 4), (60, 6), (9, 200)])
    return list({"".join(rng.choices(letters, k=rng.randint(1, longest))) for _ in range(n_tokens)})


def test_random_special_tokens_are_found_as_the_definition_says() -> None:
    for seed in range(60):
        rng = random.Random(seed)
        tokens = random_tokens(rng)
        text = "".join(rng.choices([*tokens, *"".join(tokens), "x"], k=40))
        expected = reference.split_at_special_tokens(text, tokens)
        assert split_at_special_tokens(text, tokens) == expected, (seed, text, tokens)


THOUSANDS = {name: tokens[::4] for name, tokens in SETS.items()}


@functools.cache
def text_and_words(name: str) -> tuple[str, dict[bytes, int]]:
    specials = THOUSANDS[name]
    text = "".join(RNG.choices([*RNG.sample(specials, 50), "<", "<|token 1", "一", " a"], k=80))
    return text, dict(reference.count_words(text.encode(), specials))


@pytest.mark.parametrize("name", THOUSANDS)
def test_all_counters_cut_at_them(name: str, counter: str, write_text: Callable[..., Path]) -> None:
    specials, (text, expected) = THOUSANDS[name], text_and_words(name)
    pattern = special_pattern(specials)
    assert pattern is not None and all(map(pattern.fullmatch, specials))
    words = bpe_lab.count_words(write_text(text), specials, counter=counter, block_bytes=64)
    assert dict(words) == expected
