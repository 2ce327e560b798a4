"""Exercises of notebook 00: bytes, the choice of a pair, special tokens, and encoding."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random

from bpe_lab import train_from_counts
from bpe_lab.lessons.exercises.checking import (
    Verdict,
    compare,
    is_unanswered,
    name_of,
    not_answered,
    raised,
)
from bpe_lab.lessons.texts import inventory
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.special_tokens import special_pattern


def check_first_tokens(answer: Callable[[str], list[int]]) -> Verdict:
    """Check a function that returns the ids of a text before any merge.

    :param answer: text -> ids.

    >>> check_first_tokens(lambda text: [ord(character) for character in text]).passed
    False
    """
    cases = [("low",), ("",), ("né",), ("日本",), ("🙂 a\r\n",)]
    hint = "How many bytes does that character take in UTF-8?"
    return compare(answer, cases, lambda text: list(text.encode()), hint)


def check_best_pair(answer: Callable[[dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that chooses the pair to merge.

    :param answer: {(left bytes, right bytes): count} -> (left bytes, right bytes).

    >>> check_best_pair(lambda counts: max(counts, key=counts.get)).passed
    False
    """
    random = Random(1)
    cases: list[tuple[dict[Merge, int]]] = [
        ({(b"o", b"w"): 7},),
        ({(b"l", b"o"): 7, (b"e", b"r"): 2},),
        ({(b"e", b"s"): 9, (b"s", b"t"): 9},),
        ({(b"a", b"c"): 1, (b"aa", b"b"): 1},),
        ({(b"a", b"b"): 2, (b"a", b"ba"): 2},),
        ({(b"\x7f", b"a"): 3, (b"\xc3", b"a"): 3},),
    ]
    tokens = [b"a", b"b", b"ab", b"ba", b"c3", b"\xc3"]
    for _ in range(40):
        pairs = [(random.choice(tokens), random.choice(tokens)) for _ in range(4)]
        cases.append(({pair: random.randint(1, 2) for pair in pairs},))
    hint = "The highest count first; among equals the greatest (left, right)."
    return compare(
        answer, cases, lambda counts: max((count, pair) for pair, count in counts.items())[1], hint
    )


def split_too_often(text: str, special_tokens: Sequence[str]) -> list[str]:
    """Cut a text at its special tokens, and wrongly where there are none, or one begins another.

    >>> split_too_often("low<end>er", ["<end>"])
    ['low', 'er']
    """
    return re.split("|".join(map(re.escape, special_tokens)), text)


def check_split(answer: Callable[[str, list[str]], list[str]]) -> Verdict:
    """Check a function that cuts a text at its special tokens.

    :param answer: (text, special tokens) -> what stands between them; empty pieces do not matter.

    >>> check_split(split_too_often)
    Not yet: `split_too_often('low', [])` returned `['l', 'o', 'w']`; `['low']` is right. Where \
several special tokens match, the longest counts; where there are none, nothing is cut.
    """

    def expected(text: str, special_tokens: list[str]) -> list[str]:
        pattern = special_pattern(special_tokens)
        return [piece for piece in (pattern.split(text) if pattern else [text]) if piece]

    random = Random(3)
    cases = [
        ("low<end>er", ["<end>"]),
        ("low", []),
        ("low<a><b>er", ["<a>", "<a><b>"]),
        ("low<a><b>er", ["<a><b>", "<a>"]),
        ("low.er|est", [".", "|"]),
        ("", ["<a>"]),
    ]
    for _ in range(40):
        text = "".join(random.choices(["low", "<a>", "<b>", "er"], k=random.randint(1, 8)))
        specials = random.sample(["<a>", "<b>", "<a><b>", "<b><a>"], k=random.randint(0, 3))
        cases.append((text, specials))
    hint = (
        "Where several special tokens match, the longest counts; where there are none, nothing is "
        "cut."
    )
    return compare(answer, cases, expected, hint, read=lambda pieces: [p for p in pieces if p])


class _WatchedRanks(Mapping[Merge, int]):
    """The rank of each merge; counts how often one is looked at."""

    def __init__(self, merges: Sequence[Merge]) -> None:
        self.ranks = {merge: rank for rank, merge in enumerate(merges)}
        self.looks = 0

    def __getitem__(self, merge: Merge) -> int:
        self.looks += 1
        return self.ranks[merge]

    def __iter__(self) -> Iterator[Merge]:
        for merge in self.ranks:
            self.looks += 1
            yield merge

    def __len__(self) -> int:
        return len(self.ranks)


def encode_by_walking(word: bytes, ranks: Mapping[Merge, int]) -> list[bytes]:
    """Return the tokens of a word: each merge in turn, wherever it applies.

    >>> encode_by_walking(b"stew", {(b"s", b"t"): 0})
    [b'st', b'e', b'w']
    """
    tokens = [word[i : i + 1] for i in range(len(word))]
    for left, right in ranks:
        position = 0
        while position < len(tokens) - 1:
            if (tokens[position], tokens[position + 1]) == (left, right):
                tokens[position : position + 2] = [left + right]
            position += 1
    return tokens


def check_encode(answer: Callable[[bytes, Mapping[Merge, int]], list[bytes]]) -> Verdict:
    """Check a function that encodes a word, and count how often it looks at a rank.

    :param answer: (word, {(left bytes, right bytes): rank, from 0}) -> tokens; a word of n bytes
        may cost n * n looks.

    >>> check_encode(encode_by_walking)
    Not yet: `encode_by_walking(b' u', ranks)` is right, but it looks at 300 ranks; for 2 bytes 4 \
are enough. Ask for those pairs only that stand in the word.
    """
    merges = train_from_counts(inventory(200), 256 + 300, [], stage="max_heap").merges
    looks = walked = 0
    words = sorted(inventory(200), key=lambda word: (len(word), word))[::8]
    for word in [*words, b" 10", b"aaaa"]:
        ranks = _WatchedRanks(merges)
        case = (word, merges[:2])
        try:
            given = answer(word, ranks)
        except Exception as error:
            return raised(answer, case, error)
        if is_unanswered(given):
            return not_answered(answer)
        call = f"{name_of(answer)}({word!r}, ranks)"
        right = encode_by_walking(word, dict(ranks.ranks))
        if given != right:
            return Verdict(
                False,
                f"Not yet: `{call}` returned `{given!r}`; `{right!r}` is right. The merge with the "
                "least rank goes first.",
            )
        if ranks.looks > len(word) ** 2:
            return Verdict(
                False,
                f"Not yet: `{call}` is right, but it looks at {ranks.looks:,} ranks; for "
                f"{len(word)} bytes {len(word) ** 2} are enough. Ask for those pairs only that "
                "stand in the word.",
            )
        looks += ranks.looks
        walked += len(ranks)
    return Verdict(
        True,
        f"`{name_of(answer)}` is right on {len(words) + 2} words, and looks at {looks:,} ranks "
        f"where the walk looks at {walked:,}: {walked / looks:.0f} times fewer.",
    )
