"""The merge player: a training to step through by hand, in HTML and JavaScript."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE
from bpe_lab.lessons.max_heap import heap_entries
from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.recounts import pair_counts
from bpe_lab.registry import STAGES
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import first_vocab
from bpe_lab.training.merge_loop import PhaseClock
from bpe_lab.training.work import CountedStage

TEMPLATE = Path(__file__).with_name("merge_player.html")
"""The player itself; `player` puts in what it shows."""

PLAYED_STAGES = ("naive", "inverted_index", "max_heap")
MOST_BYTES = 1_000
"""Of all words; each moment of `naive` holds all of them."""
MOST_MERGES = 30

Rows = dict[str, Any]
"""What a stage holds, by pane: as it is, or as rows for JSON."""

Touched = dict[Any, str]
"""A pair, or the index of a word -> "read", "changed", or a word for the change."""


def player(
    counts: Mapping[bytes, int] = WORKED_EXAMPLE,
    n_merges: int = 20,
    stage: str = PLAYED_STAGES[0],
    *,
    stages: Sequence[str] = PLAYED_STAGES,
) -> Page:
    """Return the merge player: a slider over merges, and what some stages touch for them.

    It stands in a frame of its own, so that no style of the page reaches it and several fit on one
    page.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges the slider goes over, at most 30; fewer where no pair is left.
    :param stage: id of the stage that is chosen at first, one of `stages`.
    :param stages: of `PLAYED_STAGES`, those that can be chosen: the reader may not know all yet.
    :raises ValueError: there is nothing to merge, or too much to be seen; the player does not know
        the stage.

    >>> player({b"low": 5, b"lower": 2}, 1)
    Run this cell (Shift+Enter) to step through it.
    l o w x5; l o w e r x2
    """
    for one in (*stages, stage):
        if one not in PLAYED_STAGES:
            raise ValueError(f"the player does not know {one!r}, but {', '.join(PLAYED_STAGES)}")
    if stage not in stages:
        raise ValueError(
            f"{stage!r} is chosen at first, so it must be in stages: {', '.join(stages)}"
        )
    if not 1 <= n_merges <= MOST_MERGES:
        raise ValueError(f"n_merges is {n_merges}; the player shows 1 to {MOST_MERGES}")
    if sum(len(word) * count for word, count in counts.items()) > MOST_BYTES:
        raise ValueError(f"the player shows {MOST_BYTES:,} bytes at most; give it fewer words")
    played = {one: _played(one, counts, n_merges) for one in stages}
    merges, vocab, _ = played[stage]
    if not merges:
        raise ValueError("no word of two or more bytes: there is nothing to merge")
    used = {*b"".join(counts), *range(256, len(vocab))}
    data = {
        "stage": stage,
        "merges": merges,
        "tokens": {number: spell(vocab[number]) for number in sorted(used)},
        "stages": {
            one: {"idea": STAGES[one].idea, "moments": moments}
            for one, (_, _, moments) in played.items()
        },
    }
    # `</script>` in a word must not end the script that holds it.
    held = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    page = TEMPLATE.read_text(encoding="utf-8").replace("START", held, 1)
    first, told = _first_frame(counts), "Run this cell (Shift+Enter) to step through it."
    # What is in the frame gives it a height: where scripts do not run, nothing of it is seen.
    html = (
        f"<div><div data-without-scripts>{first}<p>{told}</p></div>"
        '<iframe title="Merge player: a slider over the merges, and what each stage touches" '
        f'srcdoc="{escape(page)}" height="0" style="width:100%;border:0"></iframe></div>'
    )
    words = "; ".join(_chips(word, " ") + f" x{count}" for word, count in counts.items())
    return Page(html, f"{told}\n{words}")


CHIP = (
    "display:inline-block;border:1px solid #c65200;border-radius:3px;padding:0 4px;margin:1px;"
    "background:#fbe3cf;color:#1c1c1c;font-family:monospace"
)
"""As the player has a token that is touched."""
LIST = "display:inline-block;margin:2px 10px 2px 0"


def _first_frame(counts: Mapping[bytes, int]) -> str:
    """Return a picture of the first merge: every list is touched, and these pairs are counted."""
    found = pair_counts(counts.items())
    pairs = sorted(found, key=lambda pair: (found[pair], pair), reverse=True)[:5]
    spelled = [(spell_pair((bytes([a]), bytes([b]))), found[a, b]) for a, b in pairs]
    lists = [_chips(word, f'</span><span style="{CHIP}">') for word in Counter(counts).elements()]
    rows = "".join(f'<div style="{LIST}"><span style="{CHIP}">{one}</span></div>' for one in lists)
    most = ", ".join(f"{escape(pair)} {count}" for pair, count in spelled)
    return f"<div>{rows}</div><p>The first merge: {most} … <b>{escape(spelled[0][0])}</b></p>"


def _chips(word: bytes, between: str) -> str:
    return between.join(escape(spell(bytes([byte]))) for byte in word)


def _played(
    stage: str, counts: Mapping[bytes, int], n_merges: int
) -> tuple[list[Any], list[bytes], list[Rows]]:
    """Return the merges of a stage, the vocabulary, and its moments: before each and the last."""
    vocab = first_vocab([])
    inside: Any = STAGES[stage].load()(counts, vocab)
    driven = CountedStage(inside, PhaseClock())
    if not inside.recounts:
        driven.count_pairs()
    moments: list[Rows] = []
    merges: list[Any] = []
    done: Counter[str] = Counter()
    while True:
        if inside.recounts:
            driven.count_pairs()
        before = _held_by(inside)
        risen = list(getattr(inside, "risen", []))
        moments.append(_as_rows(before, vocab))
        chosen = driven.select() if len(merges) < n_merges else None
        if chosen is None:
            return merges, vocab, moments
        pair, count = chosen
        merges.append((*pair, len(vocab), count))
        vocab.append(vocab[pair[0]] + vocab[pair[1]])
        driven.update(pair, len(vocab) - 1)
        touched = _touched(before, _held_by(inside), pair, stage)
        if stage == "max_heap":
            entries = _touched_entries(before, inside, pair, risen)
            looked_up = (met for met, how in entries.items() if how != "pushed")
            touched["pair_counts"] = dict.fromkeys(looked_up, "read") | touched["pair_counts"]
            touched["heap"] = entries
        words = list(touched.pop("words").items())
        panes = {pane: _pair_rows(marks) for pane, marks in touched.items()}
        moments[-1]["touched"] = {"words": words, **panes}
        moments[-1]["operations"] = dict(driven.operations - done)
        done = Counter(driven.operations)


def _held_by(inside: Any) -> Rows:
    """Return a copy of what a stage holds; of a heap as the next `select` finds it."""
    held: dict[str, Any] = {
        "words": [list(ids) for ids in inside.words],
        "pair_counts": dict(inside.pair_counts),
    }
    if hasattr(inside, "counts"):
        held["counts"] = inside.counts
        held["lists"] = {pair: sorted(listed) for pair, listed in inside.pair_words.items()}
    if hasattr(inside, "heap"):
        held["heap"] = heap_entries(inside)
    return held


def _as_rows(held: Rows, vocab: list[bytes]) -> Rows:
    """Return what a stage holds for JSON, which has no pairs as keys: first the pair to merge."""
    rows, pair_counts = dict(held), held["pair_counts"]
    ordered = sorted(
        pair_counts, key=lambda one: (pair_counts[one], vocab[one[0]], vocab[one[1]]), reverse=True
    )
    for pane in ("pair_counts", "lists"):
        if pane in held:
            rows[pane] = _pair_rows({pair: held[pane][pair] for pair in ordered})
    if "heap" in held:
        rows["heap"] = _pair_rows({pair: count for count, pair in held["heap"]})
    return rows


def _pair_rows(by_pair: Mapping[Pair, Any]) -> list[tuple[int, int, Any]]:
    return [(*pair, value) for pair, value in by_pair.items()]


def _touched(before: Rows, after: Rows, pair: Pair, stage: str) -> dict[str, Touched]:
    """Return what a merge looks at and what it changes, by pane."""
    if stage == "naive":  # which counts all pairs and rewrites all words
        return {
            "words": dict.fromkeys(range(len(before["words"])), "changed"),
            "pair_counts": dict.fromkeys(before["pair_counts"], "changed"),
        }
    listed = before["lists"][pair]
    rewritten = [index for index in listed if before["words"][index] != after["words"][index]]
    words = dict.fromkeys(listed, "read") | dict.fromkeys(rewritten, "changed")
    if stage == "inverted_index":  # words are subtracted whole, and added back whole
        moved: Iterable[Pair] = {
            moved
            for index in listed
            for held in (before, after)
            for moved in pairwise(held["words"][index])
        }
        lists = moved
        read: Touched = dict.fromkeys(before["pair_counts"], "read")
    else:
        moved, lists = (
            {
                one
                for one in {**before[pane], **after[pane]}
                if before[pane].get(one) != after[pane].get(one)
            }
            for pane in ("pair_counts", "lists")
        )
        read = {}
    return {
        "words": words,
        "pair_counts": read | dict.fromkeys(moved, "changed"),
        "lists": {pair: "read"} | dict.fromkeys(lists, "changed"),
    }


def _touched_entries(before: Rows, inside: Any, pair: Pair, risen: list[Pair]) -> Touched:
    """Return what `select` of `max_heap` did to entries of its heap."""
    kept = {(entry[3], entry[4]): -entry[0] for entry in inside.heap}
    touched = dict.fromkeys(risen, "pushed")
    for count, held in before["heap"]:
        if held not in kept:
            touched[held] = "taken" if held == pair else "gone"
        elif kept[held] != count:
            touched[held] = "back"
    return touched
