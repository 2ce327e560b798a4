"""Call-outs: what a reader of Python asks at the lines of `ext/` that the notebooks show."""

from collections.abc import Mapping

from bpe_lab.lessons.prose import Page
from bpe_lab.lessons.source import show

CALL_OUTS: dict[str, dict[str, str]] = {
    "maps.hpp:FoldedFibonacci": {
        "product ^ product >> 32": "The table takes the lowest bits. Ids differ in theirs, so the "
        "multiplication spreads them upwards, and this folds the upper half down again.",
    },
    "maps.hpp:FlatTable.slot_of": {
        "Hash()(pair) & mask": "`mask` is the number of slots, a power of two, less one: `&` gives "
        "the remainder without a division.",
        "kNoPair) at =": "Taken by another pair: the next slot, which is mostly in the same line "
        "of memory. The loop ends, for half of the slots are free.",
    },
    "heap.hpp:PairHeap.take": {
        "count_of(first.pair)": "What the pair counts now; the entry says what it counted when it "
        "was pushed.",
        "replace_top": "It fell: it goes down to where it belongs, and the next top is looked at.",
    },
    "words_stage.hpp:ScanStage.select": {
        "Best mine": "Each thread has a best pair of its own: no two write to one place.",
        "schedule(dynamic, 4096) nowait": "A thread takes 4,096 slots, then the next 4,096 that "
        "nobody has, and does not wait for the others at the end.",
        "better(one.count, one.pair, all)": "The rule for ties decides, not the order in which "
        "the threads end.",
    },
    "positions_stage.hpp:PositionsStage.update": {
        "std::move": "The list is taken over, not copied: the pair is merged, and needs it no "
        "more.",
        "q == p ||": "Stale: another merge has taken one of the two tokens.",
        "word_of_[p]": "Two more places in memory for each match: the word, then its count.",
        "cells_[q] = kDead": "Nothing moves. Who looks for a neighbour walks across such cells.",
    },
    "scanner.hpp:word_starts": {
        "begins(here.letter": "A run begins where a bit is set and the one before is not; for 64 "
        "bytes at once. The bit before the first comes from the 64 bytes before.",
        "here.blank << 1": "A run that has a blank before it begins one byte earlier: its own "
        "start is taken away, and that of the white space stays.",
        "here.space >> 1": "The last of several white-space characters stands apart.",
    },
    "word_table.hpp:word_key": {
        "kFilled.of[length].low": "16 bytes are read, whatever the length, and a mask from a table "
        "sets all bits behind the word: no question that the processor could guess wrong.",
        "reinterpret_cast<std::uintptr_t>(p), h": "A long word is not in its key: its address is, "
        "and a hash of all of it.",
    },
    "word_queue.hpp:WordQueue.push": {
        "table_.prefetch(key.hash)": "The line of the slot is asked for, and nobody waits.",
        "drain()": "64 words are there. The first lines have come meanwhile.",
    },
    "flat_words.hpp:FlatWordsOf.step_at": {
        "return from;": "Nearly always: the next position is on the same step.",
        "stride *= 2": "Else a gallop: 1, 2, 4, ... steps forward, until it is too far.",
        "(high - low) / 2": "Then back by halves. A step that is far away takes a few looks.",
    },
    "neighbour_sums.hpp:NeighbourSums.add": {
        "events_.push_back": "The position waits until the sum is complete: only then it is known "
        "whether the new pair reaches the floor.",
    },
    "neighbour_sums.hpp:NeighbourSums.number_of": {
        "std::uint32_t& number": "An array by neighbour, never cleared: what it says may be left "
        "over from an earlier merge.",
        "sums_[number].neighbour != neighbour": "It holds only if the sum says so, too; "
        "else the neighbour is new.",
    },
    "neighbour_sums.hpp:NeighbourSums.write_positions": {
        "Position*& out": "A reference to the address in the sum: `out++` moves it there.",
    },
    "merge_pass.hpp:MergePass.run": {
        "fetch(at[kAhead])": "Asks for the lines of the position 64 places ahead.",
        "cells[p] != left ||": "Two looks tell whether the pair still stands here. If not, the "
        "position is stale.",
        "cells[middle - 1] = Words::kDead": "The inner ends of the two tokens die first.",
        "cells[after - 1] =": "Then the new id is written into the first and the last cell. A "
        "token of two bytes has only these.",
        "words.weight(p, step)": "How often the word occurs: `step` moves forward with the "
        "positions.",
        "before = cells[p - 1]": "The last cell of the left neighbour has its id: no walk.",
        "if (before == new_id)": "`abab`: the left neighbour is the match just made. It had added "
        "`(ab, a)`, which is taken back; the pair `(ab, ab)` is noted.",
        "lefts.add": "No table is touched here: only the sum of this neighbour.",
    },
    "core.hpp:Core.update": {
        "lists_.take(chosen_)": "The list of the pair leaves the table, or comes with the "
        "candidate: its memory is handed over, nothing is copied.",
        "options_.least_part": "One part for each 131,072 positions, as far as there are threads.",
        "    pass_.run(words_": "First the pass: it changes cells and adds up.",
        "    pass_.write_positions()": "Last the lists: by now each sum knows where they go.",
    },
    "core.hpp:Core.rebuild": {
        "floor_ = floor": "The guess was too high: no pair was left above it.",
        "found[pair_of(left, right)].add(weight)": "A first walk over all cells counts.",
        "->write(position)": "A second one writes the lists of those at or above the floor.",
    },
    "pair_lists.hpp:PairLists.count_positions": {
        "cells[p] != left ||": "Stale: it is left out.",
        "candidate.positions[kept++] = p": "Live ones move up in the same memory: the next count "
        "has fewer to look at.",
        "words_.step_near(p)": "These positions come from anywhere, so the step is looked up by "
        "block of 256 cells.",
    },
    "pair_queue.hpp:PairQueue.push": {
        "candidate.count >= open_from_": "Only what may come up soon goes to the heap.",
        "waiting_[range_of(candidate.count)].push_back": "All others are appended to the list of "
        "their range: no order, no comparison.",
    },
    "pair_queue.hpp:PairQueue.take": {
        "look_ahead(run_, next_)": "It is known who comes next: their positions and cells are "
        "asked for.",
        "counter_.recount(first)": "The count was right: this is the pair. Else it goes back to "
        "where its count belongs.",
    },
    "pair_queue.hpp:PairQueue.open_next": {
        "run_.swap(waiting_[open_])": "The list and the empty run change places: no candidate is "
        "copied.",
        "std::sort": "Sorted once; only these few need to be in order.",
    },
    "parallel_pass.hpp:cut": {
        "<= new_length": "Two matches so near share cells: both go to the same part.",
    },
    "parallel_pass.hpp:ParallelPass.run": {
        "size * part / parts": "Parts of equal size.",
        "begins_.push_back(cut(": "Each begins where a cut is allowed, there or a little later.",
        "begin + begins_[part + 1]": "Each thread makes the same pass over its part, with sums of "
        "its own.",
        "add_up(other.pass.lefts": "They are added up in the order of the parts, so the result "
        "does not depend on who ends first.",
    },
}
"""Piece of `ext/` -> a part of a line -> what is said about it."""


def noted(*pieces: str) -> Page:
    """Show pieces of `ext/` with numbered marks at the lines that need a word, and the words below.

    :param pieces: as `show` takes them; those without call-outs are shown as they are.
    :raises LookupError: a line with a call-out is not in the source any more.

    >>> "①" in noted("parallel_pass.hpp:cut").text or "not here" in noted("pair.hpp").text
    True
    """
    return show(*pieces, notes=[_call_outs_of(piece) for piece in pieces])


def _call_outs_of(piece: str) -> Mapping[str, str]:
    """Return the call-outs of a piece of `ext/`."""
    return CALL_OUTS.get(piece, {})
