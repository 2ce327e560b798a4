"""Show what changes from one stage to another: the difference is the lesson."""

import inspect
from collections.abc import Sequence
from difflib import SequenceMatcher
from html import escape

from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.source import CAPTION, PRE, file_of, highlighted, without_docstrings
from bpe_lab.registry import find_stage

GROUND = {"+": "#dcebfa", "-": "#fbe3cf", " ": "#f8f8f8"}
"""Blue and orange, which the colour-blind tell apart; `+` and `-` say it again."""

WIDE = "display:inline-block;min-width:100%"
"""As wide as the longest line, so that all of them scroll together and keep their colour."""

COLUMN = "flex:1 1 760px"
"""One of two columns, wide enough for a line of this project."""

Change = tuple[str, int, int, int, int]
"""What happened, the first line and the line behind the last in the old file, and in the new."""


def show_diff(old: str, new: str, *, context: int = 2) -> Page:
    """Show what changes from one stage to another, folded: its lines stand in a cell as well.

    Where there is room for two columns, what is taken away stands beside what is put in its place.
    Without styles it is the text that `diff` writes: each line of the page is one of the text.

    :param old: id of a stage.
    :param new: id of a stage.
    :param context: unchanged lines around a change.

    >>> print(show_diff("word_counts", "word_filter").text.splitlines()[0])
    bpe_lab/stages/word_counts.py -> bpe_lab/stages/word_filter.py
    """
    files = [file_of(find_stage(stage).load()) for stage in (old, new)]
    text, html, removed = [" -> ".join(files)], [], ""
    for sign, lines, coloured in _changed_blocks(stage_source(old), stage_source(new), context):
        text += [f"{sign} {line}" for line in lines]
        style = f"display:block;background:{GROUND[sign]}"
        part = "".join(f'<span style="{style}"><b>{sign}</b> {line}\n</span>' for line in coloured)
        if sign == "-":
            removed = part
            continue
        html.append(_beside(removed, part) if removed and sign == "+" else removed + part)
        removed = ""
    html.append(removed)
    sides = [f"<b>{sign}</b> {escape(file)}" for sign, file in zip("-+", files, strict=True)]
    return Page(
        f"<details><summary>The difference between <code>{old}</code> and <code>{new}</code>"
        f'</summary><p style="{CAPTION}">{"<br>".join(sides)}</p>'
        f'<pre style="{PRE}"><span style="{WIDE}">{"".join(html)}</span></pre></details>',
        "\n".join(text),
    )


Block = tuple[str, Sequence[str], Sequence[str]]
"""`+`, `-` or a space, lines of a difference that belong together, and the same as HTML."""


def _changed_blocks(old: str, new: str, context: int) -> list[Block]:
    """Return what differs between two sources, with a block of dots between far places."""
    before, after = old.splitlines(), new.splitlines()
    before_html, after_html = (highlighted(source).split("\n") for source in (old, new))
    blocks: list[Block] = []
    matched = SequenceMatcher(a=before, b=after, autojunk=False)
    for group in matched.get_grouped_opcodes(context):
        if blocks:
            blocks.append((" ", ["..."], ["⋮"]))
        for tag, a, a_end, b, b_end in _without_blank_edges(group, before):
            sign = " " if tag == "equal" else "-"
            blocks.append((sign, before[a:a_end], before_html[a:a_end]))
            if tag != "equal":
                blocks.append(("+", after[b:b_end], after_html[b:b_end]))
    return [block for block in blocks if block[1]]


def stage_source(stage: str) -> str:
    """Return the file of a stage as text, without docstrings: what changes is the code."""
    module = inspect.getmodule(find_stage(stage).load())
    assert module is not None
    return without_docstrings(inspect.getsource(module))


def _without_blank_edges(group: Sequence[Change], before: Sequence[str]) -> list[Change]:
    """Return a group of changes without the blank lines of the old file at its edges."""
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


def _beside(removed: str, added: str) -> str:
    """Return two parts of a difference, the one beside the other if the page is wide enough."""
    columns = "".join(f'<span style="{COLUMN}">{part}</span>' for part in (removed, added))
    return f'<span style="display:flex;flex-wrap:wrap;column-gap:8px">{columns}</span>'
