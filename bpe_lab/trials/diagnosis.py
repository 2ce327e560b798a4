"""Which known mistakes explain what a trainer makes of texts."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import permutations
from time import perf_counter

from bpe_lab.trials.kinds import KINDS, PlainOffsets, Rules, with_all
from bpe_lab.trials.outcome import Outcome
from bpe_lab.trials.texts import ALPHABET, Text

Kinds = tuple[type[Rules], ...]

PAIR_SECONDS = 3.0  # for pairs of mistakes, where no single one is enough
LARGE = 10_000  # bytes of a text that is looked at only for mistakes that explain the others


@lru_cache(maxsize=50_000)
def made_by(kinds: Kinds, content: bytes, vocab_size: int, specials: tuple[str, ...]) -> Outcome:
    """Return what a trainer with some known mistakes makes of a file."""
    return with_all(kinds)(content, vocab_size, specials).outcome()


def expected(kinds: Kinds, text: Text) -> Outcome:
    """Return what a trainer with known mistakes makes of a text; with none, what is right."""
    return made_by(kinds, text.content, text.vocab_size, text.special_tokens)


def _related(kind: type[Rules], other: type[Rules]) -> bool:
    return issubclass(kind, other) or issubclass(other, kind)


class _Case:
    """What a trainer made of texts, beside what trainers with known mistakes make of them."""

    def __init__(self, outcomes: Mapping[Text, Outcome], ties: Kinds) -> None:
        self.outcomes, self.ties = outcomes, ties
        judged = (text for text in outcomes if not text.is_open)
        self.texts = sorted(judged, key=lambda text: len(text.content))

    def explained(self, kinds: Kinds, text: Text) -> bool:
        return expected((*kinds, *self.ties), text).explains(self.outcomes[text])

    def explain_all(self, kinds: Kinds, texts: Iterable[Text]) -> bool:
        return all(self.explained(kinds, text) for text in texts)

    def left_by(self, kinds: Kinds) -> list[Text]:
        return [text for text in self.texts if not self.explained(kinds, text)]

    def better(self, found: Kinds, left: list[Text]) -> dict[Kinds, list[Text]]:
        """Return mistakes with one more, and what they leave, where that is less."""
        after = {
            kinds: self.still_left(kinds, left)
            for kind in self.others(found)
            for kinds in dict.fromkeys([(kind, *found), (*found, kind)])
        }
        return {kinds: rest for kinds, rest in after.items() if rest is not None}

    def others(self, found: Kinds) -> list[type[Rules]]:
        there = (*found, *self.ties)
        return [
            kind
            for kind in KINDS
            if kind.what != "open" and not any(_related(kind, other) for other in there)
            if kind is not PlainOffsets or self.is_cut(found)
        ]

    def is_cut(self, found: Kinds) -> bool:
        """Whether cuts explain a large text that is wrong, and three lines of it as well."""
        wrong = [text for text in self.left_by(found) if len(text.content) > LARGE]
        small = [text for text in self.texts if text == ALPHABET]
        both = bool(wrong and small)
        return both and self.explain_all((PlainOffsets, *found), [*wrong, *small])

    def still_left(self, kinds: Kinds, left: list[Text]) -> list[Text] | None:
        """Return which of some texts mistakes leave; None: all of them, or another one, too."""
        large = [text for text in left if len(text.content) > LARGE]
        rest = [text for text in left if text not in large and not self.explained(kinds, text)]
        others = (text for text in self.texts if text not in left)
        if len(rest) == len(left) or not self.explain_all(kinds, others):
            return None
        rest += [text for text in large if not self.explained(kinds, text)]
        return rest if len(rest) < len(left) else None

    def with_two_more(self, found: Kinds, left: list[Text]) -> Kinds | None:
        """Return mistakes with two more that together explain all texts."""
        end = perf_counter() + PAIR_SECONDS
        for pair in permutations(self.others(found), 2):
            if perf_counter() > end:
                break
            kinds = (*pair, *found)
            if not _related(*pair) and self.explain_all(kinds, [*left, *self.texts]):
                return kinds
        return None


def diagnose(outcomes: Mapping[Text, Outcome], ties: Kinds = ()) -> tuple[Kinds, list[Text]]:
    """Return the fewest known mistakes that explain most outcomes, and the texts that they do not.

    One mistake that explains all texts, or two; else they are found one by one: each is the one
    that explains most of what is left, and takes back nothing.

    :param outcomes: what a trainer made of each text; those that the course leaves open are not
        looked at.
    :param ties: the tie rule that was asked for.
    """
    case = _Case(outcomes, ties)
    found: Kinds = ()
    left = case.left_by(found)
    while left:
        better = case.better(found, left)
        # Where one by one goes on, two at once are looked for only at first.
        two_at_once = all(better.values()) and not (found and better)
        if two_at_once and (both := case.with_two_more(found, left)):
            better = {both: []}
        if not better:
            break
        found = min(better, key=lambda kinds: len(better[kinds]))
        left = better[found]
    for kind in found:  # one that was found first may not be needed after the others
        others = tuple(other for other in found if other is not kind)
        if case.left_by(others) == left:
            found = others
    return found, left
