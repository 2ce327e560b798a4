"""Step through a training: the words as tokens and the pair table before each merge."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count as numbers
from itertools import pairwise
from typing import Any, cast

from bpe_lab.lessons.shared.page import Page
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts

Words = dict[tuple[bytes, ...], int]
"""A word as its tokens -> how often it occurs."""

CELL = (
    "padding:6px 14px 6px 6px;vertical-align:top;text-align:left;white-space:nowrap;"
    "border-top:1px solid #999"
)
CHIP = (
    "display:inline-block;border:1px solid #999;border-radius:3px;padding:0 4px;margin:1px;"
    "font-family:monospace;font-size:13px;color:#111"
)
PLAIN, FRESH, CHOSEN = "background:#f4f4f4", "background:#cfe3f7", "background:#fbe3cf"
LEGEND = (
    '<p style="margin:4px 0 0 0;opacity:0.75;font-size:12px">'
    "<b>Bold</b> and orange: the pair that is merged next. "
    "<ins>Underlined</ins> and blue: the token that the merge before has made.</p>"
)
"""What the colours say is said by letters, too: a site may take the colours away."""


def _words_of(stage: Any) -> Iterable[tuple[Sequence[int], int]]:
    """Return the words that a stage holds at this moment, and how often each occurs."""
    return zip(stage.words, getattr(stage, "counts", [1] * len(stage.words)), strict=True)


def pair_counts(words: Iterable[tuple[Sequence[Any], int]]) -> dict[Any, int]:
    """Return the count of each pair, by the definition.

    >>> pair_counts([(b"aaa", 2)])
    {(97, 97): 4}
    """
    counts: dict[Any, int] = {}
    for tokens, count in words:
        for pair in pairwise(tokens):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def recount(stage: Any) -> dict[Pair, int]:
    """Count the pairs of a stage's words again, by the definition.

    :param stage: any stage of the package that keeps its words in `words`.

    >>> from bpe_lab.stages.naive import Naive
    >>> recount(Naive({b"aaa": 2}, []))
    {(97, 97): 4}
    """
    return pair_counts(_words_of(stage))


@dataclass(frozen=True)
class Moment:
    """What there is before one merge, and the merge."""

    words: Words
    merge: Merge | None

    @property
    def pairs(self) -> dict[Merge, int]:
        """The count of each pair, the pair to merge first."""
        counts = pair_counts(self.words.items())
        return dict(sorted(counts.items(), key=lambda item: (item[1], item[0]), reverse=True))


SHOWN_PAIRS = 5


class Steps(tuple[Moment, ...]):
    """The moments of a training; a notebook shows them as a table."""

    __slots__ = ()

    @property
    def merges(self) -> list[Merge]:
        """The merges in order."""
        return [moment.merge for moment in self if moment.merge is not None]

    def _repr_html_(self) -> str:
        made = [b"", *map(b"".join, self.merges)]
        head = _row_html(("merge", "words as tokens", "most frequent pairs", "choice"), "th")
        body = "".join(_row_html(cells, "td") for cells in map(_cells, numbers(1), self, made))
        table = (
            '<table cellpadding="6" style="border-collapse:collapse">'
            f"<thead>{head}</thead><tbody>{body}</tbody></table>"
        )
        return f'<div style="overflow-x:auto">{table}</div>{LEGEND}'

    def __repr__(self) -> str:
        return "\n".join(map(_row_text, range(1, len(self) + 1), self))


def _row_html(cells: Iterable[str], tag: str) -> str:
    """Return a row of a table, whose style is said by an attribute, too, which sites leave."""
    held = "".join(f'<{tag} style="{CELL}">{cell}</{tag}>' for cell in cells)
    return f'<tr valign="top">{held}</tr>'


def _chips(tokens: Sequence[bytes], merge: Merge | None = None, made: bytes | None = None) -> str:
    """Return tokens as HTML: where a pair is merged, from left to right, and what was made."""
    chosen: set[int] = set()
    for place, pair in enumerate(pairwise(tokens)):
        if pair == merge and place not in chosen:
            chosen |= {place, place + 1}
    chips = []
    for place, token in enumerate(tokens):
        ground = CHOSEN if place in chosen else FRESH if token == made else PLAIN
        # Inside the box: a line under what is around a box is not drawn in it.
        marked = f"<ins>{escape(spell(token))}</ins>" if token == made else escape(spell(token))
        marked = f"<b>{marked}</b>" if place in chosen else marked
        chips.append(f'<code style="{CHIP};{ground}">{marked}</code>')
    return " ".join(chips)


def _cells(number: int, moment: Moment, made: bytes) -> list[str]:
    """Return the cells of one row of the table of steps as HTML."""
    merge, pairs = moment.merge, moment.pairs
    words = [f"{_chips(word, merge, made)} × {count}" for word, count in moment.words.items()]
    listed = [
        f"{_chips(pair, merge)} {f'<b>{count}</b> ◀' if pair == merge else count}"
        for pair, count in [*pairs.items()][:SHOWN_PAIRS]
    ]
    if len(pairs) > SHOWN_PAIRS:
        listed.append(f"<i>and {len(pairs) - SHOWN_PAIRS} more</i>")
    choice = ""
    if merge:
        joined = b"".join(merge)
        choice = f"{_chips(merge, merge)} → {_chips([joined], made=joined)}"
    return [
        str(number) if merge else "end",
        "<br>".join(words),
        "<br>".join(listed) or "none",
        choice,
    ]


def _row_text(number: int, moment: Moment) -> str:
    """Return one row of the table of steps as text."""
    words = ", ".join(
        f"{' '.join(map(spell, tokens))} x{count}" for tokens, count in moment.words.items()
    )
    shown = list(moment.pairs.items())[:SHOWN_PAIRS]
    pairs = ", ".join(f"{spell_pair(pair)} {count}" for pair, count in shown)
    choice = f"merge {spell_pair(moment.merge)}" if moment.merge is not None else "end"
    return f"{number}. {words} | {pairs or 'no pair'} | {choice}"


def show_tokens(tokens: Iterable[bytes]) -> Page:
    """Show tokens in a row, each in a box.

    :param tokens: in the order of the text.

    >>> show_tokens([b"low", b"er"])
    low|er
    """
    tokens = list(tokens)
    boxes = f'<div style="line-height:2">{_chips(tokens)}</div>'
    return Page(boxes, "|".join(map(spell, tokens)))


def rises(counts: Mapping[bytes, int], n_merges: int) -> list[tuple[int, set[Pair]]]:
    """Return for each merge the new id and the pairs whose count rose, by full recounts.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to watch.

    >>> rises({b"low": 5}, 1)
    [(256, {(108, 256)})]
    """
    before = pair_counts(counts.items())
    risen: list[tuple[int, set[Pair]]] = []

    def compare(step: MergeStep) -> None:
        nonlocal before
        after = recount(step.stage)
        risen.append((step.new_id, {pair for pair in after if after[pair] > before.get(pair, 0)}))
        before = after

    train_from_counts(counts, 256 + n_merges, [], stage="inverted_index", on_merge=compare)
    return risen


def steps(counts: Mapping[bytes, int], n_merges: int, stage: str = "naive") -> Steps:
    """Train on a few words and keep what there is before each merge.

    :param counts: word -> number of occurrences; a handful.
    :param n_merges: how many merges to make.
    :param stage: id of a stage.
    :return: one moment per merge and one after the last.

    >>> steps({b"low": 5, b"lower": 2}, 1)
    1. l o w x5, l o w e r x2 | (o, w) 7, (l, o) 7, (w, e) 2, (e, r) 2 | merge (o, w)
    2. l ow x5, l ow e r x2 | (l, ow) 7, (ow, e) 2, (e, r) 2 | end
    """
    words: list[Words] = [
        {tuple(bytes([byte]) for byte in word): count for word, count in counts.items()}
    ]
    merges: list[Merge | None] = []

    def keep(step: MergeStep) -> None:
        merges.append(step.merge)
        vocab, held = cast(Any, step.stage).vocab, Counter[tuple[bytes, ...]]()
        for ids, count in _words_of(step.stage):
            held[tuple(vocab[number] for number in ids)] += count
        words.append(held)

    train_from_counts(counts, 256 + n_merges, [], stage=stage, on_merge=keep)
    return Steps(map(Moment, words, [*merges, None]))
