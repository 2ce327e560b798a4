"""Sphinx extension: a number stays on the line of its unit, and code after a magic has colours.

A cell that begins with `%%` is code in the language of its magic, or in Python.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from glossary_hover import parents
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Name, Token
from sphinx.application import Sphinx

BEFORE_UNIT = re.compile(
    r"(?<=\d) (?=(?:ns|µs|ms|s|min|minutes?|seconds?|hours?|[KMGT]?B|bytes|times|merges|ids"
    r"|threads|CPUs|words|pairs)\b|%)"
)
"""The blank between a number and what it counts."""

NO_BREAK = "\N{NO-BREAK SPACE}"

LANGUAGES = {"bash", "cython", "html", "javascript", "sh"}
"""Magics whose cells are in the language of their name; all others are Python."""


class CellLexer(Lexer):  # type: ignore[misc]
    """IPython's lexer, which leaves all that follows the magic of a cell without colours."""

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Token, str]]:
        """Yield place, kind and text of each token."""
        [(magic, name)] = re.findall(r"^(?:(%%(\w+).*\n?)|)", text)
        if magic:
            yield 0, Name.Decorator, magic
        language = get_lexer_by_name(name if name in LANGUAGES else "ipython3")
        for place, kind, part in language.get_tokens_unprocessed(text[len(magic) :]):
            yield len(magic) + place, kind, part


def keep_together(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Put no-break spaces before the units of a page."""
    for text in list(doctree.findall(nodes.Text)):
        if not any(isinstance(above, nodes.FixedTextElement) for above in parents(text)):
            text.parent.replace(text, nodes.Text(BEFORE_UNIT.sub(NO_BREAK, text)))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.add_lexer("ipython3", CellLexer)
    # After the terms are marked.
    app.connect("doctree-resolved", keep_together, priority=900)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
