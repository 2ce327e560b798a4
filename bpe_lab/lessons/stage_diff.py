"""Show what changes from one stage to another: the difference is the lesson."""

import inspect
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from html import escape
from types import MappingProxyType

from bpe_lab.lessons.displays import Page
from bpe_lab.lessons.source import CAPTION, PRE, file_of, highlighted
from bpe_lab.registry import find_stage

ADDED, REMOVED, KEPT = "#dcebfa", "#fbe3cf", "#f8f8f8"
"""Blue and orange, which the colour-blind tell apart; `+` and `-` say it again."""

SIGNS = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
"""Numbers of the notes on a difference."""

NOTE = "margin:4px 0 0 0"

Change = tuple[str, int, int, int, int]
"""What happened, the first line and the line behind the last in the old file, and in the new."""


def show_diff(
    old: str, new: str, *, context: int = 2, notes: Mapping[str, str] = MappingProxyType({})
) -> Page:
    """Show what changes from one stage to another.

    :param old: id of a stage.
    :param new: id of a stage.
    :param context: unchanged lines around a change.
    :param notes: a piece of one shown line -> what to know of that line. The line gets a number;
        the notes stand below, in the order given, twenty at most.
    :raises ValueError: the piece is in no shown line, or in several.

    >>> print(show_diff("word_counts", "word_filter").text.splitlines()[0])
    bpe_lab/stages/word_counts.py -> bpe_lab/stages/word_filter.py
    >>> print(show_diff("naive", "word_counts", notes={"counts.values()": "As many as words."}))
    ... # doctest: +ELLIPSIS
    bpe_lab/stages/naive.py -> bpe_lab/stages/word_counts.py
    ...
    +         self.counts = list(counts.values())  ①
    ...
    ① As many as words.
    """
    title = " -> ".join(file_of(find_stage(stage).load()) for stage in (old, new))
    sources = [stage_source(old), stage_source(new)]
    before, after = (source.splitlines() for source in sources)
    before_html, after_html = (highlighted(source).split("\n") for source in sources)
    html: list[str] = []
    text: list[str] = []
    for group in matched(before, after).get_grouped_opcodes(context):
        if html:
            html.append(painted(" ", "⋮", KEPT))
            text.append("  ...")
        for tag, a, a_end, b, b_end in without_blank_edges(group, before):
            if tag == "equal":
                html += [painted(" ", line, KEPT) for line in before_html[a:a_end]]
                text += [f"  {line}" for line in before[a:a_end]]
                continue
            html += [painted("-", line, REMOVED) for line in before_html[a:a_end]]
            text += [f"- {line}" for line in before[a:a_end]]
            html += [painted("+", line, ADDED) for line in after_html[b:b_end]]
            text += [f"+ {line}" for line in after[b:b_end]]
    for number, place in enumerate(called_out(text, notes)):
        html[place] = html[place].removesuffix("</span>") + f"  <b>{SIGNS[number]}</b></span>"
        text[place] += f"  {SIGNS[number]}"
    said = [f"{sign} {note}" for sign, note in zip(SIGNS, notes.values(), strict=False)]
    below = "".join(f'<p style="{NOTE}"><b>{line[0]}</b>{escape(line[1:])}</p>' for line in said)
    caption = f'<p style="{CAPTION}">{escape(title).replace("-&gt;", "→")}</p>'
    return Page(
        f'<div>{caption}<pre style="{PRE}">{"".join(html)}</pre>{below}</div>',
        "\n".join([title, *text, *said]),
    )


def called_out(lines: Sequence[str], pieces: Iterable[str]) -> list[int]:
    """Return the places of lines that are named by a piece of them.

    :param lines: all that are shown.
    :param pieces: each in one of the lines.
    :raises ValueError: one is in no line, or in several.

    >>> called_out(["- a = 1", "+ a = 2"], ["2"])
    [1]
    """
    places = []
    for piece in pieces:
        found = [place for place, line in enumerate(lines) if piece in line]
        if len(found) != 1:
            raise ValueError(f"{piece!r} is in {len(found)} of the shown lines, not in one")
        places += found
    return places


def stage_source(stage: str) -> str:
    """Return the file of a stage as text.

    :param stage: its id.

    >>> "class Naive" in stage_source("naive")
    True
    """
    module = inspect.getmodule(find_stage(stage).load())
    assert module is not None
    return inspect.getsource(module)


def matched(before: Sequence[str], after: Sequence[str]) -> SequenceMatcher[str]:
    """Return the comparison of two files by lines.

    :param before: lines of the old one.
    :param after: lines of the new one.

    >>> matched(["a", "b"], ["a", "c"]).get_matching_blocks()[0].size
    1
    """
    return SequenceMatcher(a=before, b=after, autojunk=False)


def without_blank_edges(group: Sequence[Change], before: Sequence[str]) -> list[Change]:
    """Return a group of changes without the blank lines of the old file at its edges.

    :param group: of `SequenceMatcher.get_grouped_opcodes`.
    :param before: lines of the old file.

    >>> without_blank_edges([("equal", 0, 2, 0, 2), ("delete", 2, 3, 2, 2)], ["", "a", "b"])
    [('equal', 1, 2, 1, 2), ('delete', 2, 3, 2, 2)]
    """
    trimmed = list(group)
    tag, a, a_end, b, b_end = trimmed[0]
    while tag == "equal" and a < a_end and not before[a]:
        a, b = a + 1, b + 1
    trimmed[0] = (tag, a, a_end, b, b_end)
    tag, a, a_end, b, b_end = trimmed[-1]
    while tag == "equal" and a < a_end and not before[a_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
    trimmed[-1] = (tag, a, a_end, b, b_end)
    return trimmed


def painted(sign: str, line: str, background: str) -> str:
    """Return one line of a difference as HTML.

    :param sign: "+", "-" or a space.
    :param line: HTML.
    :param background: colour.

    >>> painted("+", "x", "#fff")
    '<span style="display:block;background:#fff"><b>+</b> x</span>'
    """
    return f'<span style="display:block;background:{background}"><b>{sign}</b> {line}</span>'


def difference_size(old: str, new: str) -> tuple[int, int]:
    """Return how many lines one stage removes from another and how many it adds.

    :param old: id of a stage.
    :param new: id of a stage.

    >>> removed, added = difference_size("naive", "word_counts")
    >>> 0 < removed < 30 and 0 < added < 30
    True
    """
    before, after = (stage_source(stage).splitlines() for stage in (old, new))
    same = sum(block.size for block in matched(before, after).get_matching_blocks())
    return len(before) - same, len(after) - same
