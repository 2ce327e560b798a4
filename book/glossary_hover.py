"""Sphinx extension: pages say what a term means where they use it.

The notebooks are plain Markdown, which other readers of notebooks show, too; so they do not mark
their terms. Here the first use of a term in each section becomes a link to the glossary. The link
carries the meaning as its `title`, which every browser shows; `static/terms.js` shows it at once.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

GLOSSARY = "glossary"
"""The page of the terms."""

NOT_IN = (nodes.reference, nodes.title, nodes.literal, nodes.literal_block, nodes.raw)
"""Where no term is marked: links, headings, code."""

EVERYDAY = {"word", "token", "pair", "merge", "occurrence", "stage", "tokenizer", "vocabulary"}
"""Terms of nearly every section: they are marked once on a page."""

OTHER_SENSE = re.compile(
    r"\b(?:words?\s+for\s+word|in\s+other\s+words|encoding(?=\s+UTF-8)"
    r"|\d+-bit\s+counters?|counter\s+runs\s+over|slot\s+per|spread\s+the\s+bits"
    r"|our\s+interval|interval\s+is\s+far\s+wider"
    # Of a language.
    r"|its\s+own\s+vocabulary"
    # Of a heap, which is a tree.
    r"|along\s+(?:a|one|the|its)\s+branch(?:es)?|branch(?:es)?\s+of\s+(?:the|a)\s+tree)\b",
    re.IGNORECASE,
)
"""Phrases in which a term means something else: there it is not marked."""

Meanings = dict[str, tuple[str, str]]
"""Term in small letters -> its anchor, its meaning."""


def meanings(glossary: nodes.document) -> Meanings:
    """Return the terms of a page.

    :param glossary: with lists of terms as the directive `glossary` makes them.
    """
    found: Meanings = {}
    for item in glossary.findall(nodes.definition_list_item):
        [said] = item.findall(nodes.definition)
        for term in item.findall(nodes.term):
            found[term.astext().lower()] = (term["ids"][0], said.astext().replace("\n", " "))
    return found


def pattern(terms: Meanings) -> re.Pattern[str]:
    """Return what finds a term or its plural as whole words, the longest first.

    What a version follows is the name of a package, such as `tokenizers 0.23`.
    """
    either = "|".join(map(re.escape, sorted(terms, key=len, reverse=True)))
    return re.compile(rf"(?<![\w-])({either})(e?s)?(?![\w-]| \d)", re.IGNORECASE)


def texts(section: nodes.Element) -> Iterator[nodes.Text]:
    """Yield the texts of paragraphs in which terms are marked."""
    for text in list(section.findall(nodes.Text)):
        above, paragraph = text.parent, False
        while above is not None and not isinstance(above, NOT_IN):
            paragraph = paragraph or isinstance(above, nodes.paragraph)
            above = above.parent
        if above is None and paragraph:
            yield text


def mark(text: nodes.Text, terms: Meanings, page: str, seen: set[str], on_page: set[str]) -> None:
    """Make links of the terms in a text that are not marked yet.

    :param page: address of the glossary.
    :param seen: anchors of terms that are marked in this section; those of this text are added.
    :param on_page: the same of everyday terms, on this page.
    """
    parts: list[nodes.Node] = []
    end = 0
    others = [range(*phrase.span()) for phrase in OTHER_SENSE.finditer(text)]
    for found in pattern(terms).finditer(text):
        if any(found.start() in phrase for phrase in others):
            continue
        term = found[1].lower()
        anchor, meaning = terms[term]
        marked = on_page if term in EVERYDAY else seen
        if anchor not in marked:
            marked.add(anchor)
            parts.append(nodes.Text(text[end : found.start()]))
            to = {"refuri": f"{page}#{anchor}", "reftitle": meaning, "classes": ["term"]}
            parts.append(nodes.reference("", found[0], internal=True, **to))
            end = found.end()
    if parts:
        text.parent.replace(text, [*parts, nodes.Text(text[end:])])


def mark_terms(app: Sphinx, doctree: nodes.document, name: str) -> None:
    """Mark the terms of one page, once in each section of the second level."""
    env = app.builder.env
    if name == GLOSSARY or GLOSSARY not in env.all_docs:
        return
    terms = meanings(env.get_doctree(GLOSSARY))
    page = app.builder.get_relative_uri(name, GLOSSARY)
    seen_in: dict[nodes.Node, set[str]] = {}
    on_page: set[str] = set()
    for text in texts(doctree):
        sections = [above for above in parents(text) if isinstance(above, nodes.section)]
        second = sections[-2] if len(sections) > 1 else sections[-1] if sections else doctree
        mark(text, terms, page, seen_in.setdefault(second, set()), on_page)


def parents(node: nodes.Node) -> Iterator[nodes.Element]:
    """Yield what a node is in, the innermost first."""
    while node.parent is not None:
        node = node.parent
        yield node


def all_with_the_glossary(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> set[str]:
    """Return the pages to make again: all of them when a meaning has changed."""
    return set(env.all_docs) if GLOSSARY in changed else set()


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("env-get-outdated", all_with_the_glossary)
    app.connect("doctree-resolved", mark_terms)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
