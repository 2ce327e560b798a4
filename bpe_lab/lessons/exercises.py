"""Checkers of the exercises: each takes the reader's function and compares it with the package.

An exercise that nobody has answered yet (the function returns None or `...`) is not a mistake. A
mistake is shown with the smallest call that we know it in.
"""

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from types import EllipsisType
from typing import Any

from bpe_lab.lessons.worked_steps import pairs_of
from bpe_lab.merges import Merge, first_vocab
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.inverted_index import InvertedIndex
from bpe_lab.stages.naive import replace_pair
from bpe_lab.stages.word_counts import DistinctWords

Answer = Callable[..., Any]


@dataclass(frozen=True)
class Verdict:
    """What a checker found; a notebook shows it as a line of text.

    :param passed: True or False, None when there is no answer yet.
    :param message: one or two sentences of Markdown.

    >>> Verdict(None, "Not answered yet.")
    Not answered yet.
    """

    passed: bool | None
    message: str

    def _repr_markdown_(self) -> str:
        mark = {None: "✏️", True: "✅", False: "❌"}[self.passed]
        return f"{mark} {self.message}"

    def __repr__(self) -> str:
        return self.message


def is_unanswered(value: Any) -> bool:
    """Tell whether a value is what an empty function returns.

    :param value: returned by the reader's function.

    >>> is_unanswered(...), is_unanswered(0)
    (True, False)
    """
    return value is None or isinstance(value, EllipsisType)


def compare(
    answer: Answer, cases: Sequence[tuple[Any, ...]], expected: Callable[..., Any], hint: str = ""
) -> Verdict:
    """Compare the reader's function with ours on cases.

    :param answer: the reader's function.
    :param cases: arguments, the smallest first.
    :param expected: returns the right value for the same arguments.
    :param hint: what to think about when it is wrong.

    >>> compare(lambda n: n * n, [(0,), (2,), (3,)], lambda n: 2 * n)
    Not yet: `<lambda>(3)` returned `9`; `6` is right.
    """
    name = getattr(answer, "__name__", "your function")
    for number, case in enumerate(cases):
        call = f"{name}({', '.join(map(repr, case))})"
        right = expected(*deepcopy(case))
        try:
            given = answer(*deepcopy(case))
        except Exception as error:  # whatever the reader's function raises is the finding
            return Verdict(
                False,
                f"Not yet: `{call}` raises `{type(error).__name__}: {error}`; it should "
                f"return `{right!r}`.",
            )
        if number == 0 and is_unanswered(given):
            return Verdict(None, f"`{name}` has no answer yet: write it above, then run the cell.")
        if given != right:
            more = f" {hint}" if hint else ""
            return Verdict(
                False, f"Not yet: `{call}` returned `{given!r}`; `{right!r}` is right.{more}"
            )
    return Verdict(True, f"`{name}` is right on all {len(cases)} cases.")


def token_lists(alphabet: Sequence[int] = (97, 98), most: int = 60) -> list[list[int]]:
    """Return short token lists, the smallest first, the same on every machine.

    :param alphabet: ids to draw from.
    :param most: how many lists.

    >>> token_lists(most=3)
    [[97, 97, 97], [], [98]]
    """
    random = Random(0)
    # `aaa` first: it shows both the overlap in counting and the lack of it in replacing.
    lists = [[alphabet[0]] * 3, [], [alphabet[1]], [alphabet[0], alphabet[1]] * 2]
    lists += [random.choices(alphabet, k=random.randint(2, 8)) for _ in range(most - len(lists))]
    return lists[:most]


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


def check_count_pairs(answer: Callable[[list[int]], dict[Pair, int]]) -> Verdict:
    """Check a function that counts the pairs of one token list.

    :param answer: tokens -> {(left id, right id): count}.

    >>> check_count_pairs(lambda tokens: {}).passed
    False
    """
    cases = [(tokens,) for tokens in token_lists()]
    hint = "Every place counts, also one that overlaps the place before it."
    return compare(
        named(lambda tokens: as_dict(answer(tokens)), answer), cases, counted_pairs, hint
    )


def as_dict(value: Any) -> Any:
    """Return a mapping as a plain dict, other values as they are, so that a Counter is welcome.

    :param value: returned by the reader's function.

    >>> as_dict(None), as_dict({1: 2})
    (None, {1: 2})
    """
    return dict(value) if isinstance(value, Mapping) else value


def counted_pairs(tokens: list[int]) -> dict[Pair, int]:
    """Return the pair counts of one token list, as stage 2 counts them.

    :param tokens: ids.

    >>> counted_pairs([97, 97, 97])
    {(97, 97): 2}
    """
    stage = DistinctWords({b"": 1}, first_vocab([]))
    stage.words = [tokens]
    stage.count_pairs()
    return stage.pair_counts


def check_replace_pair(answer: Callable[[list[int], Pair, int], list[int]]) -> Verdict:
    """Check a function that replaces a pair in one token list.

    :param answer: (tokens, (left id, right id), new id) -> tokens.

    >>> check_replace_pair(replace_pair).passed
    True
    """
    cases = [(tokens, pair, 256) for pair in ((97, 97), (97, 98)) for tokens in token_lists()]
    hint = "From left to right; a token that was used is gone."
    return compare(answer, cases, replace_pair, hint)


def check_first_pass(answer: Callable[[dict[bytes, int]], int]) -> Verdict:
    """Check a function that foretells how many pairs `naive` counts before its first merge.

    :param answer: {word: number of occurrences} -> number of pairs.

    >>> check_first_pass(len).passed
    False
    """
    hint = "A word of n bytes has n - 1 pairs, and `naive` meets each occurrence."
    return compare(
        answer,
        [(counts,) for counts in small_corpora()],
        lambda counts: sum((len(word) - 1) * count for word, count in counts.items()),
        hint,
    )


def small_corpora() -> list[dict[bytes, int]]:
    """Return small word counts, the smallest first, the same on every machine.

    >>> small_corpora()[0]
    {b'low': 5}
    """
    random = Random(2)
    corpora: list[dict[bytes, int]] = [
        {b"low": 5},
        {b"a": 7},
        {b"aaa": 3, b"ab": 2},
        {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6},
    ]
    for _ in range(20):
        words = [bytes(random.choices(b"abc", k=random.randint(1, 6))) for _ in range(4)]
        corpora.append({word: random.randint(1, 9) for word in words})
    return corpora


def check_weighted_pairs(answer: Callable[[dict[bytes, int]], dict[Merge, int]]) -> Verdict:
    """Check a function that counts byte pairs from word counts, each word looked at once.

    :param answer: {word: number of occurrences} -> {(left byte, right byte): count}.

    >>> check_weighted_pairs(lambda counts: {}).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> dict[Merge, int]:
        return pairs_of(
            {
                tuple(word[place : place + 1] for place in range(len(word))): count
                for word, count in counts.items()
            }
        )

    hint = "`word[i:i+1]` is one byte as bytes; each place weighs as much as its word."
    cases = [(counts,) for counts in small_corpora()]
    return compare(named(lambda counts: as_dict(answer(counts)), answer), cases, expected, hint)


def check_work_saved(answer: Callable[[dict[bytes, int]], float]) -> Verdict:
    """Check a function that says how many times fewer tokens the distinct words hold.

    :param answer: {word: number of occurrences} -> tokens of all occurrences / tokens of distinct
        words.

    >>> check_work_saved(lambda counts: 1.0).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> float:
        tokens = sum(len(word) * count for word, count in counts.items())
        return round(tokens / sum(map(len, counts)), 6)

    def rounded(counts: dict[bytes, int]) -> Any:
        given = answer(counts)
        return given if is_unanswered(given) else round(given, 6)

    return compare(named(rounded, answer), [(counts,) for counts in small_corpora()], expected)


def named(wrapper: Answer, answer: Answer) -> Answer:
    """Return a wrapper under the name of the reader's function.

    :param wrapper: what is called.
    :param answer: the reader's function.

    >>> named(lambda: 1, len).__name__
    'len'
    """
    wrapper.__name__ = getattr(answer, "__name__", "your function")
    return wrapper


def check_word_filter(answer: Callable[[list[int], Pair], bool]) -> Verdict:
    """Check a filter that tells which words may be skipped, and say how well it filters.

    :param answer: (tokens, (left id, right id)) -> False only when the word lacks the pair.

    >>> check_word_filter(lambda tokens, pair: False).passed
    False
    >>> check_word_filter(lambda tokens, pair: True).message.split(", ")[1]
    'and rewrites 108 of 108 words that lack the pair.'
    """
    name = getattr(answer, "__name__", "your filter")
    needless = lacking = 0
    pair = (97, 98)
    for tokens in token_lists((97, 98, 99), 160):
        holds = pair in pairwise(tokens)
        try:
            kept = answer(list(tokens), pair)
        except Exception as error:  # whatever the reader's function raises is the finding
            return Verdict(False, f"Not yet: `{name}({tokens}, {pair})` raises `{error!r}`.")
        if is_unanswered(kept):
            return Verdict(None, f"`{name}` has no answer yet: write it above, then run the cell.")
        if holds and not kept:
            return Verdict(
                False, f"Not yet: `{name}({tokens}, {pair})` skips a word with the pair."
            )
        lacking += not holds
        needless += bool(kept) and not holds
    return Verdict(
        True,
        f"`{name}` never skips a word it must not skip, and rewrites {needless} of {lacking} words "
        "that lack the pair.",
    )


def check_posting_lists(answer: Callable[[list[list[int]]], dict[Pair, set[int]]]) -> Verdict:
    """Check a function that builds the posting lists of words.

    :param answer: token lists -> {(left id, right id): places of the words that hold it}.

    >>> check_posting_lists(lambda words: {}).passed
    False
    """

    def expected(words: list[list[int]]) -> dict[Pair, set[int]]:
        stage = InvertedIndex(dict.fromkeys([b""], 1), first_vocab([]))
        stage.words, stage.counts = words, [1] * len(words)
        stage.count_pairs()
        return stage.pair_words

    def plain(words: list[list[int]]) -> Any:
        given = answer(words)
        if not isinstance(given, Mapping):
            return given
        return {pair: set(places) for pair, places in given.items() if places}

    lists = token_lists()
    cases = [([lists[0]],), ([lists[3], lists[0]],)]
    cases += [(lists[start : start + 4],) for start in range(1, 40, 4)]
    return compare(named(plain, answer), cases, expected, "A word stands once in a posting list.")


def check_changed_pairs(answer: Callable[[list[int], Pair, int], dict[Pair, int]]) -> Verdict:
    """Check a function that says how a merge changes the pair counts of one word.

    :param answer: (tokens, (left id, right id), new id) -> {pair: change}; zeros may stay.

    >>> check_changed_pairs(lambda tokens, pair, new_id: {}).passed
    False
    """

    def expected(tokens: list[int], pair: Pair, new_id: int) -> dict[Pair, int]:
        stage = FineGrained({b"": 1}, first_vocab([]))
        stage.words = [tokens]
        changes: dict[Pair, int] = {}
        stage.merge_word(0, pair, new_id, changes)
        return without_zeros(changes)

    def plain(tokens: list[int], pair: Pair, new_id: int) -> Any:
        given = answer(tokens, pair, new_id)
        return without_zeros(given) if isinstance(given, Mapping) else given

    lists = [[108, 97, 98, 114], *token_lists((97, 98, 99))]
    cases = [(tokens, (97, 98), 256) for tokens in lists]
    cases += [(tokens, (97, 97), 256) for tokens in token_lists()]
    hint = "Look at `abab`: the neighbour on the left may be a token that this merge has just made."
    return compare(named(plain, answer), cases, expected, hint)


def without_zeros(changes: Mapping[Pair, int]) -> dict[Pair, int]:
    """Return the changes that change something.

    :param changes: pair -> change.

    >>> without_zeros({(97, 98): -1, (98, 97): 0})
    {(97, 98): -1}
    """
    return {pair: change for pair, change in changes.items() if change}


def check_heap_key(answer: Callable[[int, bytes, bytes], Any]) -> Verdict:
    """Check a key under which the smallest entry is the pair to merge, as a min-heap needs it.

    :param answer: (count, left bytes, right bytes) -> anything that can be compared.

    >>> check_heap_key(lambda count, left, right: (-count, left, right)).passed
    False
    """
    name = getattr(answer, "__name__", "your key")
    tokens = [b"a", b"b", b"ab", b"a\x00", b"\xff", b"\xffa"]
    entries = [(count, left, right) for count in (1, 2) for left in tokens for right in tokens]
    for one in entries:
        for other in entries:
            if one <= other:
                continue
            try:
                keys = answer(*one), answer(*other)
                if is_unanswered(keys[0]):
                    return Verdict(
                        None, f"`{name}` has no answer yet: write it above, then run the cell."
                    )
                right = keys[0] < keys[1]
            except Exception as error:  # whatever the reader's function raises is the finding
                return Verdict(False, f"Not yet: `{name}{one}` raises `{error!r}`.")
            if not right:
                return Verdict(
                    False,
                    f"Not yet: `{one}` is merged before `{other}`, so its key must be the smaller "
                    f"one; you gave `{keys[0]!r}` and `{keys[1]!r}`.",
                )
    return Verdict(True, f"`{name}` puts all {len(entries)} entries into the right order.")


Entries = list[tuple[int, bytes, bytes]]


def check_lazy_top(answer: Callable[[Entries, dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that takes the next pair from a heap whose entries may be stale.

    :param answer: (entries (count, left, right), greatest first; {(left, right): true count}) ->
        (left, right).

    >>> check_lazy_top(lambda entries, true_counts: entries[0][1:]).passed
    False
    """
    random = Random(3)
    tokens = [b"a", b"b", b"ab", b"ba"]
    cases: list[tuple[Entries, dict[Merge, int]]] = [
        ([(7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"e", b"s"): 2, (b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (1, b"l", b"o")], {(b"e", b"s"): 2, (b"l", b"o"): 1}),
    ]
    for _ in range(40):
        pairs = sorted({(random.choice(tokens), random.choice(tokens)) for _ in range(5)})
        true = {pair: random.randint(1, 4) for pair in pairs}
        entries = [(count + random.choice((0, 0, 3)), *pair) for pair, count in true.items()]
        cases.append((sorted(entries, reverse=True), true))

    def expected(entries: Entries, true_counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in true_counts.items())[1]

    hint = "An entry can promise too much, never too little."
    return compare(answer, cases, expected, hint)


def check_pair_as_integer(answer: Callable[[int, int], int]) -> Verdict:
    """Check a function that packs a pair of ids into one integer of 64 bits.

    :param answer: (left id, right id) -> integer, the left id in the upper 32 bits.

    >>> check_pair_as_integer(lambda left, right: left << 32 | right).passed
    True
    """
    random = Random(9)
    cases = [(0, 1), (1, 0), (115, 116), (70_000, 3), (3, 70_000), (2**32 - 1, 2**32 - 1)]
    cases += [(random.getrandbits(32), random.getrandbits(17)) for _ in range(20)]
    hint = "Two different pairs must never give the same integer, for ids of up to 32 bits."
    return compare(answer, cases, lambda left, right: left << 32 | right, hint)


def check_parallel_pays(answer: Callable[[int, float, float, int], bool]) -> Verdict:
    """Check a function that tells whether a parallel scan is faster than a plain one.

    :param answer: (slots, seconds per slot, seconds to start the threads, threads) -> bool.

    >>> check_parallel_pays(lambda slots, per_slot, start, threads: threads > 1).passed
    False
    """
    cases = [
        (1_000_000, 1e-9, 1e-6, 2),
        (1_000, 1e-9, 1e-6, 2),
        (1_000_000, 1e-9, 0.0, 1),
        (50_000, 1e-9, 5e-6, 8),
        (5_000, 1e-9, 5e-6, 8),
        (4_096, 2e-9, 2e-6, 64),
    ]
    hint = "Threads divide the work, not the start."
    return compare(
        answer,
        cases,
        lambda slots, per_slot, start, threads: (
            start + slots * per_slot / threads < slots * per_slot
        ),
        hint,
    )


def check_letter_mask(answer: Callable[[bytes], int]) -> Verdict:
    """Check a function that marks the ASCII letters of a line by bits.

    :param answer: bytes -> integer; bit i is set when byte i is a letter.

    >>> check_letter_mask(lambda line: 0).passed
    False
    """
    cases = [(b"ab1",), (b"",), (b"1a",), (b" Low, 3 Z[@`{",), (b"I'll go.  Now: 3 left!",)]
    hint = "Byte 0 is the lowest bit, the one of value 1."
    return compare(
        answer,
        cases,
        lambda line: sum(1 << at for at, byte in enumerate(line) if bytes([byte]).isalpha()),
        hint,
    )


def may_cut(text: str, place: int) -> bool:
    """Tell whether an ASCII text without special tokens may be cut, whatever follows or precedes.

    :param text: of ASCII characters.
    :param place: 1 to len(text) - 1.

    >>> [may_cut("a  b1", place) for place in range(1, 5)]
    [True, False, False, True]
    """
    left, right = text[place - 1], text[place]
    if left.isalpha() or left.isdigit():
        return not (right.isalpha() if left.isalpha() else right.isdigit())
    return not left.isspace() and right.isspace()


def check_may_cut(answer: Callable[[str, int], bool]) -> Verdict:
    """Check a function that tells where a text may be cut into blocks.

    :param answer: (ASCII text, place) -> whether a block may end before `text[place]`.

    >>> check_may_cut(lambda text, place: text[place] == " ").passed
    False
    """
    texts = ["a b", "a  b", "don't", "it's 42.", "x1y2", "!? ?!", "a\r\n b"]
    cases = [(text, place) for text in texts for place in range(1, len(text))]
    hint = "Which word could reach over that place?"
    return compare(answer, cases, may_cut, hint)


def check_neighbours(
    answer: Callable[[list[int], dict[int, int], int], tuple[int | None, int | None]],
) -> Verdict:
    """Check a function that finds the neighbours of a token in the flat array.

    :param answer: (cells, id -> length in bytes, place) -> (left id, right id), None at a border.

    >>> check_neighbours(lambda cells, length, place: (cells[place - 1], cells[place + 1])).passed
    False
    """
    border, dead = -1, -2
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 4}
    cells = [border, 97, 257, dead, 257, 256, 256, border, 258, dead, dead, 258, 98, border]
    cases = [(cells, length, place) for place in (1, 2, 5, 8, 12)]

    def right(cells: list[int], length: dict[int, int], place: int) -> tuple[int | None, ...]:
        found = cells[place - 1], cells[place + length[cells[place]]]
        return tuple(None if number == border else number for number in found)

    hint = "-1 is a separator, -2 a dead cell; a token stands in its first and in its last cell."
    return compare(answer, cases, right, hint)


def check_weight_at(answer: Callable[[list[tuple[int, int]], int], int]) -> Verdict:
    """Check a function that finds the weight of a position.

    :param answer: ([(end, weight), ...] with ascending ends, position) -> the weight of the first
        step that ends behind the position.

    >>> check_weight_at(lambda steps, position: steps[0][1]).passed
    False
    """
    steps = [(5, 900), (6, 40), (30, 7), (31, 2), (90, 1)]
    cases = [(steps, position) for position in (0, 4, 5, 6, 29, 30, 31, 89)]
    hint = "A step ends before its `end`."
    return compare(
        answer,
        cases,
        lambda steps, position: next(weight for end, weight in steps if position < end),
        hint,
    )


def check_exponent(answer: Callable[[list[float], list[float]], float]) -> Verdict:
    """Check a function that fits the exponent of a growth.

    :param answer: (sizes, seconds) -> the slope of the straight line through the points on log
        axes, by least squares.

    >>> check_exponent(lambda sizes, seconds: seconds[-1] / sizes[-1]).passed
    False
    """
    cases = [
        ([1.0, 2.0, 4.0], [3.0, 6.0, 12.0]),
        ([1.0, 2.0, 4.0], [3.0, 12.0, 48.0]),
        ([1.0, 10.0, 100.0, 1000.0], [5.0, 5.0, 5.0, 5.0]),
        ([0.5, 1.0, 2.0, 4.0], [0.11, 0.19, 0.42, 0.77]),
        ([1.0, 3.0, 4.0], [2.0, 9.0, 7.0]),
    ]

    def expected(sizes: list[float], seconds: list[float]) -> float:
        x, y = ([math.log(value) for value in values] for values in (sizes, seconds))
        return round(statistics.linear_regression(x, y).slope, 6) + 0.0

    def rounded(sizes: list[float], seconds: list[float]) -> Any:
        given = answer(sizes, seconds)
        return given if is_unanswered(given) else round(float(given), 6) + 0.0

    hint = "All points count, not only the first and the last."
    return compare(named(rounded, answer), cases, expected, hint)


def check_may_compare(answer: Callable[[dict[str, Any], dict[str, Any]], bool]) -> Verdict:
    """Check a function that tells whether the ratio of two times means anything.

    :param answer: (record, record) -> bool; each has stage, machine, text, merges_sha256, seconds
        and stopped_by.

    >>> check_may_compare(lambda one, other: one["machine"] == other["machine"]).passed
    False
    """
    one: dict[str, Any] = {
        "stage": "max_heap",
        "machine": "laptop",
        "text": "stories",
        "merges_sha256": "0a480245bbd2",
        "seconds": 0.12,
        "stopped_by": "vocab_size",
    }
    others: list[dict[str, Any]] = [
        {"stage": "core", "seconds": 0.01},
        {"stage": "core", "seconds": 0.01, "machine": "server"},
        {"stage": "core", "seconds": 0.01, "text": "novel", "merges_sha256": "77c1ef02d6aa"},
        {"stage": "naive", "merges_sha256": "e3b0c44298fc", "stopped_by": "time_budget"},
        {"stage": "core", "merges_sha256": "0a480245bbd3"},
        {"stage": "core", "text": "novel"},
        {"stage": "max_heap", "seconds": 0.13},
    ]
    same = ("machine", "text", "merges_sha256")
    return compare(
        answer,
        [(one, one | other) for other in others],
        lambda one, other: all(one[name] == other[name] for name in same),
        "The same work, on the same machine: what in a record tells you that it was the same work?",
    )
