"""C++ for readers of Python: what stands in the lines that the notebooks show, term by term."""

from dataclasses import dataclass
from html import escape

from bpe_lab.lessons.compiled_source import compiled_source
from bpe_lab.lessons.prose import Page
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
        "core.hpp:Core.update",
        "const Merge merge{left, right, new_id};",
        "Each name has a type, which is written before it. `const`: it gets no other value. "
        "Braces fill the object.",
        "merge = Merge(left, right, new_id)",
    ),
    Term(
        "integer of a fixed size",
        "pair.hpp:pair_of",
        "return Pair{left} << 32 | right;",
        "`std::uint32_t` has 32 bits and no sign, `std::int64_t` 64 bits with one, "
        "`std::size_t` is for sizes and places. None of them grows: what is too large loses bits.",
        "(left << 32 | right) & (2**64 - 1)",
    ),
    Term(
        "auto",
        "core.hpp:Core.update",
        "const auto positions = lists_.take(chosen_);",
        "The compiler finds the type out. It is as fixed as one that is written.",
        "positions = self.lists.take(self.chosen)",
    ),
    Term(
        "several names at once",
        "merge_pass.hpp:MergePass.run",
        "const auto [left, right, new_id] = merge;",
        "Takes an object apart.",
        "left, right, new_id = merge",
    ),
    Term(
        "template",
        "pair_lists.hpp:PairLists",
        "template <class Position, class Words>",
        "What follows is a pattern, with types left open. Each use with other types, such as "
        "positions of 32 or 64 bits, is compiled for itself: no call has to find out what it has.",
        "class PairLists(Generic[Position, Words]):",
    ),
    Term(
        "reference",
        "neighbour_sums.hpp:NeighbourSums.number_of",
        "std::uint32_t& number = number_of_[neighbour];",
        "Plain values are copied. `&` makes another name for the same place instead: what is "
        "assigned to `number` is in the array.",
        "number_of[neighbour] = ...  # no name for the place",
    ),
    Term(
        "const reference",
        "pair_queue.hpp:PairQueue.push",
        "void push(const Candidate& candidate) {",
        "The function reads the caller's object, without a copy, and leaves it as it is. "
        "`void`: it returns nothing.",
        "def push(self, candidate: Candidate) -> None:",
    ),
    Term(
        "pointer",
        "neighbour_sums.hpp:NeighbourSums.write_positions",
        "if (out != nullptr) *out++ = event.position;",
        "`out` is an address; `*out` is what is there. `++` moves it to the next place after it "
        "was used. `nullptr` points to nothing.",
        "if out is not None: out.append(event.position)",
    ),
    Term(
        "span of memory",
        "merge_pass.hpp:MergePass.run",
        "for (const Position* at = begin; at < end; ++at) {",
        "A list is often two addresses: of its first value and of the place behind its last. "
        "Nothing checks that an address lies between them.",
        "for p in positions:",
    ),
    Term(
        "move",
        "positions_stage.hpp:PositionsStage.update",
        "std::move(pairs_.find(pair_of(left, right))->positions);",
        "The new vector takes the memory of the old one over, which is empty then: no value is "
        "copied. `->` is the dot behind an address.",
        "positions = self.pairs[left, right].positions  # never a copy",
    ),
    Term(
        "lambda",
        "merge_pass.hpp:MergePass.run",
        "const auto fetch = [&](std::size_t p) {",
        "A function without a name. The brackets say what it sees of the names around it: "
        "`[&]` all of them, as references.",
        "def fetch(p: int) -> None:",
    ),
    Term(
        "prefetch",
        "merge_pass.hpp:MergePass.run",
        "__builtin_prefetch(&cells[p - 1], 1);",
        "Asks memory for the line of an address (here `&` is \"address of\") and waits for "
        "nothing. The result is the same without it. `1`: it will be written to.",
        "# there is none",
    ),
    Term(
        "constexpr",
        "merge_pass.hpp:MergePass.run",
        "if constexpr (!Words::kFetches) return;",
        "The compiler knows the answer and leaves the other way out: nothing is asked when it "
        "runs. `kName` is a constant, and `::` says whose.",
        "FETCHES: Final = True",
    ),
    Term(
        "cast",
        "merge_pass.hpp:MergePass.run",
        "cells[p] = static_cast<typename Words::Id>(new_id);",
        "The same value as another type, here a smaller integer.",
        "cells[p] = new_id",
    ),
)  # fmt: skip


def reading_cpp(*names: str) -> Page:
    """Show a table of what readers of Python meet in C++, each with a line of `ext/`.

    :param names: of the terms to show; all when none is given.
    :raises LookupError: there is no such term, or its line is in the source no more.

    >>> print(reading_cpp("cast").text.splitlines()[0])
    cast
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
