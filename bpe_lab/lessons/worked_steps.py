"""Step through a training: the words as tokens and the pair table before each merge."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any

from bpe_lab.lessons.page import Page
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, first_vocab
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


def _words_of(stage: Any, vocab: Mapping[int, bytes] | list[bytes]) -> Words:
    """Return the words that a stage holds at this moment, equal ones added up."""
    words: Words = {}
    counts = getattr(stage, "counts", [1] * len(stage.words))
    for ids, count in zip(stage.words, counts, strict=True):
        tokens = tuple(vocab[number] for number in ids)
        words[tokens] = words.get(tokens, 0) + count
    return words


def _pairs_of(words: Words) -> dict[Merge, int]:
    """Return the count of each pair, the pair to merge first."""
    counts: dict[Merge, int] = {}
    for tokens, count in words.items():
        for pair in pairwise(tokens):
            counts[pair] = counts.get(pair, 0) + count
    return dict(sorted(counts.items(), key=lambda item: (item[1], item[0]), reverse=True))


def recount(stage: Any) -> dict[Pair, int]:
    """Count the pairs of a stage's words again, by the definition.

    :param stage: any stage of the package that keeps its words in `words`.

    >>> from bpe_lab.stages.naive import Naive
    >>> recount(Naive({b"aaa": 2}, []))
    {(97, 97): 4}
    """
    table: dict[Pair, int] = {}
    counts = getattr(stage, "counts", [1] * len(stage.words))
    for ids, count in zip(stage.words, counts, strict=True):
        for pair in pairwise(ids):
            table[pair] = table.get(pair, 0) + count
    return table


@dataclass(frozen=True)
class Moment:
    """What there is before one merge, and the merge."""

    words: Words
    merge: Merge | None

    @property
    def pairs(self) -> dict[Merge, int]:
        """The count of each pair, the pair to merge first."""
        return _pairs_of(self.words)


class Steps(tuple[Moment, ...]):
    """The moments of a training; a notebook shows them as a table."""

    __slots__ = ()

    @property
    def merges(self) -> list[Merge]:
        """The merges in order."""
        return [moment.merge for moment in self if moment.merge is not None]

    def _repr_html_(self) -> str:
        rows = []
        previous = b""
        for number, moment in enumerate(self, start=1):
            rows.append(_row_html(number, moment, previous))
            previous = b"".join(moment.merge) if moment.merge is not None else b""
        head = "".join(
            f'<th style="{CELL}">{title}</th>'
            for title in ("merge", "words as tokens", "most frequent pairs", "choice")
        )
        body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody>"
        table = f'<table cellpadding="6" style="border-collapse:collapse">{body}</table>'
        return f'<div style="overflow-x:auto">{table}</div>{LEGEND}'

    def __repr__(self) -> str:
        return "\n".join(_row_text(number, moment) for number, moment in enumerate(self, start=1))


SHOWN_PAIRS = 5


def _shown_pairs(moment: Moment) -> Iterator[tuple[Merge, int]]:
    """Yield the most frequent pairs of a moment."""
    yield from list(moment.pairs.items())[:SHOWN_PAIRS]


def _chip(token: bytes, *, chosen: bool = False, fresh: bool = False) -> str:
    """Return a token as HTML."""
    style = CHOSEN if chosen else FRESH if fresh else PLAIN
    spelled = escape(spell(token))
    # Inside the box: a line under what is around a box is not drawn in it.
    marked = f"<ins>{spelled}</ins>" if fresh else spelled
    return f'<code style="{CHIP};{style}">{f"<b>{marked}</b>" if chosen else marked}</code>'


def _places_of(pair: Merge | None, tokens: tuple[bytes, ...]) -> set[int]:
    """Return the places of the tokens that a merge takes, from left to right."""
    places: set[int] = set()
    for place, neighbours in enumerate(pairwise(tokens)):
        if neighbours == pair and place not in places:
            places |= {place, place + 1}
    return places


def _word_html(tokens: tuple[bytes, ...], pair: Merge | None, made: bytes) -> str:
    """Return a word as HTML, with the places where the next pair is merged."""
    taken = _places_of(pair, tokens)
    chips = (
        _chip(token, chosen=place in taken, fresh=token == made)
        for place, token in enumerate(tokens)
    )
    return " ".join(chips)


def _row_html(number: int, moment: Moment, previous: bytes) -> str:
    """Return one row of the table of steps as HTML."""
    words = "<br>".join(
        f"{_word_html(tokens, moment.merge, previous)} × {count}"
        for tokens, count in moment.words.items()
    )
    pairs = "<br>".join(
        f"{_chip(left, chosen=chosen)} {_chip(right, chosen=chosen)} "
        + (f"<b>{count}</b> ◀" if chosen else str(count))
        for (left, right), count in _shown_pairs(moment)
        for chosen in [(left, right) == moment.merge]
    )
    rest = len(moment.pairs) - SHOWN_PAIRS
    if rest > 0:
        pairs += f"<br><i>and {rest} more</i>"
    if moment.merge is None:
        cells = ["end", words, pairs or "none", ""]
    else:
        left, right = moment.merge
        parts = f"{_chip(left, chosen=True)} {_chip(right, chosen=True)}"
        cells = [str(number), words, pairs, f"{parts} → {_chip(left + right, fresh=True)}"]
    # What a style says is said by an attribute, too, which sites leave in their place.
    return (
        '<tr valign="top">' + "".join(f'<td style="{CELL}">{cell}</td>' for cell in cells) + "</tr>"
    )


def _row_text(number: int, moment: Moment) -> str:
    """Return one row of the table of steps as text."""
    words = ", ".join(
        f"{' '.join(map(spell, tokens))} x{count}" for tokens, count in moment.words.items()
    )
    pairs = ", ".join(f"{spell_pair(pair)} {count}" for pair, count in _shown_pairs(moment))
    choice = f"merge {spell_pair(moment.merge)}" if moment.merge is not None else "end"
    return f"{number}. {words} | {pairs or 'no pair'} | {choice}"


def show_tokens(tokens: Iterable[bytes]) -> Page:
    """Show tokens in a row, each in a box.

    :param tokens: in the order of the text.

    >>> show_tokens([b"low", b"er"])
    low|er
    """
    tokens = list(tokens)
    boxes = " ".join(map(_chip, tokens))
    return Page(f'<div style="line-height:2">{boxes}</div>', "|".join(map(spell, tokens)))


def rises(counts: Mapping[bytes, int], n_merges: int) -> list[tuple[int, set[Pair]]]:
    """Return for each merge the new id and the pairs whose count rose, by full recounts.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to watch.

    >>> rises({b"low": 5}, 1)
    [(256, {(108, 256)})]
    """
    before: dict[Pair, int] = {}
    risen: list[tuple[int, set[Pair]]] = []

    def compare(step: MergeStep) -> None:
        after = recount(step.stage)
        risen.append((step.new_id, {pair for pair in after if after[pair] > before.get(pair, 0)}))
        before.clear()
        before.update(after)

    for word, count in counts.items():
        for pair in pairwise(word):
            before[pair] = before.get(pair, 0) + count
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
    vocab = first_vocab([])
    words: list[Words] = [
        {tuple(vocab[byte] for byte in word): count for word, count in counts.items()}
    ]
    merges: list[Merge] = []

    def keep(step: MergeStep) -> None:
        stage_now: Any = step.stage
        merges.append(step.merge)
        words.append(_words_of(stage_now, stage_now.vocab))

    train_from_counts(counts, 256 + n_merges, [], stage=stage, on_merge=keep)
    return Steps(
        Moment(before, merge) for before, merge in zip(words, [*merges, None], strict=True)
    )
