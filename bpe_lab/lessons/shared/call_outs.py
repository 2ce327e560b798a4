"""Call-outs: what a reader of Python asks at the lines of `ext/` that the notebooks show."""

from bpe_lab.lessons.shared.page import Page
from bpe_lab.lessons.shared.source import Shown, show, with_code

CALL_OUTS: dict[str, dict[str, str]] = {
    "words_stage.hpp:WordsStage.merge_word": {
        "tokens[written++] = tokens[i]": "`written++` gives the old value, then adds 1.",
        "changes_.add(pair_of(left, right)": "Two plain numbers instead of a tuple and an integer "
        "object.",
        "tokens.resize(written)": "What stands behind the last token written is cut off.",
    },
    "words_stage.hpp:ScanStage.select": {
        "Best mine": "Each thread has a best pair of its own, so no two write to one variable.",
        "schedule(dynamic, 4096) nowait": "A thread takes 4,096 slots, then the next 4,096 that "
        "no thread has taken, until none are left.",
        "keep_greater(vocab_, one, all)": "The rule for ties decides, not the order in which "
        "the threads finish.",
    },
    "positions_stage.hpp:PositionsStage.update": {
        "std::move(pairs_.find(": "Takes the list out of the table, and copies nothing.",
        "? next(p) : p": "Python's `next(p)`, only where the left token is still there.",
    },
    "experiments/limits.hpp:touch": {
        "__builtin_prefetch(": "Asks for the cache line of a place 64 ahead, and does not wait.",
        "carried = cells[place] >> 1": "A cell is 0 or 1, so this is always 0. The processor "
        "cannot know that before the cell has come, and the next place is a sum with it.",
        "asm volatile": "No instruction: it stops the compiler from computing the sum at once.",
    },
    "merge_pass.hpp:MergePass.run": {
        "const auto fetch": "A small function, as Python's `lambda`; `[&]`: it sees the names "
        "around it.",
        "__builtin_prefetch(&cells[p - 1], 1)": "Asks for the cache line of a cell, to write to "
        "it, and does not wait.",
        "fetch(*at);": "The first 64 positions: nobody has asked for them yet.",
        "fetch(at[kAhead])": "While one position is merged, the one 64 further on is on its way. "
        "The list names it, so nothing has to be guessed.",
        "cells[p] != left": "From here on each line has its twin in the Python code.",
        "words.weight(p, step)": "The call moves `step` forward: it is a reference, as with `&`.",
    },
}
"""Piece of `ext/` -> a part of a line -> what is said about it."""

LEFT_OUT = (
    "slots_scanned_ +=",
    "require_threads(",
    "#ifdef",
    "const WithoutSignals",
    "without.all_started",
    "#else",
    "look(at, best[0])",
    "#endif",
)
"""Parts of lines that count, check or are for a compiler without OpenMP."""


def noted(*pieces: Shown | str, folded: str = "") -> Page:
    """Show pieces of `ext/` with numbered marks at the lines that need a word, and the words below.

    :param pieces: as `show` takes them, without docstrings; those without call-outs as they are.
    :param folded: behind these words, for those who click on them; "": open.
    :raises LookupError: a line with a call-out is not in the source any more.

    >>> piece = "words_stage.hpp:WordsStage.merge_word"
    >>> "①" in noted(piece).text or "not here" in noted("stage.hpp").text
    True
    """
    notes = [CALL_OUTS.get(piece, {}) if isinstance(piece, str) else {} for piece in pieces]
    page = show(*pieces, documentation=False, notes=notes, left_out=LEFT_OUT)
    if not folded:
        return page
    inside = f"<details><summary>{with_code(folded)}</summary>{page.html}</details>"
    return Page(inside, f"{folded}\n\n{page.text}")
