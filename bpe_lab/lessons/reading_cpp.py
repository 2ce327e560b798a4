"""C++ for readers of Python: what stands in the lines that the notebooks show, term by term."""

from dataclasses import dataclass
from html import escape

from bpe_lab.lessons.compiled_source import compiled_source
from bpe_lab.lessons.page import Page
from bpe_lab.lessons.source import with_code

CELL = "padding:5px 12px 5px 4px;vertical-align:top;text-align:left;border-top:1px solid #999"


@dataclass(frozen=True)
class Term:
    """A term of C++, a line that has it, and what Python has in its place.

    :param name: what people call it.
    :param piece: of `ext/`, as `show` takes it.
    :param line: the line, without what stands around it; it must be in the piece.
    :param meaning: one or two sentences; code between backticks.
    :param python: the same in Python, or what comes next to it.
    """

    name: str
    piece: str
    line: str
    meaning: str
    python: str


TERMS = (
    Term(
        "type before the name",
        "words_stage.hpp:WordsStage.merge_word",
        "const std::int64_t count = counts_[index];",
        "Each name has a type, which is written before it. `const`: it gets no other value.",
        "count = self.counts[index]",
    ),
    Term(
        "integer of a fixed size",
        "stage.hpp:pair_of",
        "return Pair{left} << 32 | right;",
        "`std::uint32_t` has 32 bits and no sign, `std::int64_t` 64 bits with one, "
        "`std::size_t` is for sizes and places. A value that is too large loses bits. "
        "Here two ids become one integer, `Pair`.",
        "(left << 32 | right) & (2**64 - 1)",
    ),
    Term(
        "for each",
        "words_stage.hpp:WordsStage.update",
        "for (const std::uint32_t index : affected)",
        "The colon is Python's `in`. The longer form, `for (start; condition; step)`, is a `while` "
        "loop in one line.",
        "for index in affected:",
    ),
    Term(
        "reference",
        "words_stage.hpp:WordsStage.merge_word",
        "Tokens& tokens = words_[index];",
        "Plain values are copied. `&` makes another name for the same place instead: what is "
        "assigned to `tokens[i]` is in the word.",
        "tokens = self.words[index]",
    ),
    Term(
        "pointer",
        "words_stage.hpp:HeapStage.select",
        "const std::int64_t* const count = this->pair_counts_.find(pair);",
        "An address: `*count` is the value that is there, and `nullptr` is the address of nothing. "
        "`->` is the dot behind an address, and `this` is Python's `self`.",
        "count = self.pair_counts.get(pair)",
    ),
    Term(
        "lambda",
        "words_stage.hpp:HeapStage.select",
        "[this](Pair pair) {",
        "A function without a name. The brackets say what it sees of the names around it: `[this]` "
        "the object, `[&]` everything.",
        "lambda pair: ...",
    ),
)  # fmt: skip


def reading_cpp(*names: str) -> Page:
    """Show a table of what readers of Python meet in C++, each with a line of `ext/`.

    :param names: of the terms to show; all when none is given.
    :raises LookupError: there is no such term, or its line is in the source no more.

    >>> print(reading_cpp("pointer").text.splitlines()[0])
    pointer
    """
    known = {term.name: term for term in TERMS}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise LookupError(f"no term {unknown[0]!r}: take some of {', '.join(known)}")
    heads = "".join(
        f'<th style="{CELL}">{head}</th>' for head in ("term", "C++, and what it says", "Python")
    )
    rows, text = [], []
    for term in [known[name] for name in names] or TERMS:
        place = place_of(term)
        said = (
            f"<code>{escape(term.line, quote=False)}</code><br>{with_code(term.meaning)} "
            f"<i>({escape(place)})</i>"
        )
        cells = (f"<b>{term.name}</b>", said, f"<code>{escape(term.python, quote=False)}</code>")
        rows.append("<tr>" + "".join(f'<td style="{CELL}">{c}</td>' for c in cells) + "</tr>")
        text.append(
            f"{term.name}\n    C++     {term.line}\n    Python  {term.python}\n"
            f"    {term.meaning} ({place})"
        )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    return Page(table, "\n".join(text))


def place_of(term: Term) -> str:
    """Return the file and the line where the line of a term stands."""
    place, source = compiled_source(term.piece)
    if not source:  # no checkout: the file is all that can be said
        return f"ext/{term.piece.split(':')[0]}"
    file, first = place.split(", line ")
    lines = source.split("\n")
    found = [number for number, line in enumerate(lines) if term.line in line]
    if not found:
        raise LookupError(f"{term.line!r} is not in {term.piece} any more")
    return f"{file}, line {int(first) + found[0]}"
