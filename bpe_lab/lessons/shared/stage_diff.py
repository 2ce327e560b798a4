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
    before, after = (_both_forms(stage_source(stage)) for stage in (old, new))
    matched = SequenceMatcher(a=before[0], b=after[0], autojunk=False)
    text, html = [" -> ".join(files)], list[str]()
    for group in matched.get_grouped_opcodes(context):
        if html:  # the lines between two far places
            text.append("  ...")
            html.append(_part(" ", ["⋮"]))
        for tag, a, a_end, b, b_end in group:
            sides = [(" " if tag == "equal" else "-", before, a, a_end)]
            sides += [("+", after, b, b_end)] * (tag != "equal")
            parts = []
            for sign, (lines, coloured), first, end in sides:
                text += [f"{sign} {line}" for line in lines[first:end]]
                parts.append(_part(sign, coloured[first:end]))
            html.append(_beside(parts) if len(parts) == 2 and all(parts) else "".join(parts))
    named = [f"<b>{sign}</b> {escape(file)}" for sign, file in zip("-+", files, strict=True)]
    return Page(
        f"<details><summary>The difference between <code>{old}</code> and <code>{new}</code>"
        f'</summary><p style="{CAPTION}">{"<br>".join(named)}</p>'
        f'<pre style="{PRE}"><span style="{WIDE}">{"".join(html)}</span></pre></details>',
        "\n".join(text),
    )


def stage_source(stage: str) -> str:
    """Return the file of a stage as text, without docstrings: what changes is the code."""
    module = inspect.getmodule(find_stage(stage).load())
    assert module is not None
    return without_docstrings(inspect.getsource(module))


def _both_forms(source: str) -> tuple[list[str], list[str]]:
    """Return the lines of a source as text and as HTML."""
    return source.splitlines(), highlighted(source).split("\n")


def _part(sign: str, lines: Sequence[str]) -> str:
    """Return lines of a difference that belong together as HTML."""
    style = f"display:block;background:{GROUND[sign]}"
    return "".join(f'<span style="{style}"><b>{sign}</b> {line}\n</span>' for line in lines)


def _beside(parts: Sequence[str]) -> str:
    """Return two parts of a difference, the one beside the other if the page is wide enough."""
    columns = "".join(f'<span style="{COLUMN}">{part}</span>' for part in parts)
    return f'<span style="display:flex;flex-wrap:wrap;column-gap:8px">{columns}</span>'
