# cython: language_level=3
"""The compiled stages with something left out, for comparison, or set so that small texts test them."""

from libc.stdint cimport uint8_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from bpe_lab.native cimport CompiledStage, Setup, Stage, WordRef, made_by


cdef extern from "experiments/ablations.hpp" namespace "bpe_lab" nogil:
    unique_ptr[Stage] make_openmp_scan_always(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_wide(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_parts(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_long_ids(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_walks(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_no_fetch(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_unsorted_positions(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_looked_up_weights(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_no_sums(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_no_floor(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_all_in_table(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_one_heap(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_no_look_ahead(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_none(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_ends(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_fetch(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_weights(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_sums(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_with_floor(const vector[WordRef]& words, const Setup& setup)


cdef extern from "experiments/counting_ways.hpp" namespace "bpe_lab" nogil:
    cdef enum class CountingWay:
        kPlain, kTable, kMasks, kQueue, kRecent

    cdef struct CountedBy:
        uint64_t words
        uint64_t distinct_words
        uint64_t fingerprint

    CountedBy count_by_ "bpe_lab::count_by"(CountingWay way, const uint8_t* text, size_t size) except +


COUNTING_WAYS = {
    "plain": <int> CountingWay.kPlain,
    "table": <int> CountingWay.kTable,
    "masks": <int> CountingWay.kMasks,
    "queue": <int> CountingWay.kQueue,
    "recent": <int> CountingWay.kRecent,
}


def count_by(str way not None, bytes text not None):
    """Count the words of a text by one thread; each way has one idea more than the one before it.

    :param way: plain (run by run, into the map of the standard library), table (into our own), masks (the
        runs of 64 bytes at once), queue (words wait for their slots), recent (and the frequent ones in a
        small table before it: the counter `native`).
    :param text: UTF-8, in which "<|endoftext|>" is a special token.
    :return: words, distinct_words and fingerprint, which is that of all words and their counts.
    :raises ValueError: unknown way, or the text is not UTF-8.

    >>> count_by("plain", b"to be or not to be") == count_by("recent", b"to be or not to be")
    True
    """
    if way not in COUNTING_WAYS:
        raise ValueError(f"no way to count is called {way}: known are {', '.join(COUNTING_WAYS)}")
    cdef CountingWay chosen = <CountingWay> <int> COUNTING_WAYS[way]
    cdef const uint8_t* begin = text
    cdef size_t size = len(text)
    cdef CountedBy made
    with nogil:
        made = count_by_(chosen, begin, size)
    return made


class OpenmpScanAlways(CompiledStage):
    """`OpenmpScan` whose threads share every scan, however short, for comparison and for tests."""
    maker = made_by(make_openmp_scan_always)
    keywords = ("threads",)


class CoreWide(CompiledStage):
    """`Core` with positions of 64 bits, for tests."""
    maker = made_by(make_core_wide)
    keywords = ("threads", "vocab_size")


class CoreParts(CompiledStage):
    """`Core` for tests of small texts: every list is cut into as many parts as there are threads, and pairs
    of three positions are in the table already."""
    maker = made_by(make_core_parts)
    keywords = ("threads", "vocab_size")


class CoreLongIds(CompiledStage):
    """`Core` with cells of 32 bits where 16 are enough: what all others here are compared with."""
    maker = made_by(make_core_long_ids)
    keywords = ("threads", "vocab_size")


class CoreWalks(CompiledStage):
    """`CoreLongIds` whose tokens have their id in their first cell only, so that neighbours are walked to."""
    maker = made_by(make_core_walks)
    keywords = ("threads", "vocab_size")


class CoreNoFetch(CompiledStage):
    """`CoreLongIds` whose merges ask for no cell before they touch it."""
    maker = made_by(make_core_no_fetch)
    keywords = ("threads", "vocab_size")


class CoreUnsortedPositions(CompiledStage):
    """`CoreLookedUpWeights` with the words in any order in the lists of positions."""
    maker = made_by(make_core_unsorted_positions)
    keywords = ("threads", "vocab_size")


class CoreLookedUpWeights(CompiledStage):
    """`CoreLongIds` that looks up the word of a position and the count of the word."""
    maker = made_by(make_core_looked_up_weights)
    keywords = ("threads", "vocab_size")


class CoreNoSums(CompiledStage):
    """`CoreLongIds` that lowers a pair for each match, not once for all matches with a neighbour."""
    maker = made_by(make_core_no_sums)
    keywords = ("threads", "vocab_size")


class CoreNoFloor(CompiledStage):
    """`CoreLongIds` without a frequency floor."""
    maker = made_by(make_core_no_floor)
    keywords = ("threads", "vocab_size")


class CoreAllInTable(CompiledStage):
    """`CoreLongIds` that keeps the counts of all pairs in its table."""
    maker = made_by(make_core_all_in_table)
    keywords = ("threads", "vocab_size")


class CoreOneHeap(CompiledStage):
    """`CoreLongIds` with one heap for all pairs."""
    maker = made_by(make_core_one_heap)
    keywords = ("threads", "vocab_size")


class CoreNoLookAhead(CompiledStage):
    """`CoreLongIds` whose queue asks for nothing in advance."""
    maker = made_by(make_core_no_look_ahead)
    keywords = ("threads", "vocab_size")


class CoreWithNone(CompiledStage):
    """`CoreLongIds` without all of these but the order of positions."""
    maker = made_by(make_core_with_none)
    keywords = ("threads", "vocab_size")


class CoreWithEnds(CompiledStage):
    """`CoreWithNone` and ids at both ends of a token."""
    maker = made_by(make_core_with_ends)
    keywords = ("threads", "vocab_size")


class CoreWithFetch(CompiledStage):
    """`CoreWithEnds` and cells that are asked for in advance."""
    maker = made_by(make_core_with_fetch)
    keywords = ("threads", "vocab_size")


class CoreWithWeights(CompiledStage):
    """`CoreWithFetch` and weights by position."""
    maker = made_by(make_core_with_weights)
    keywords = ("threads", "vocab_size")


class CoreWithSums(CompiledStage):
    """`CoreWithWeights` and dense sums by neighbour."""
    maker = made_by(make_core_with_sums)
    keywords = ("threads", "vocab_size")


class CoreWithFloor(CompiledStage):
    """`CoreWithSums` and a frequency floor; then comes `CoreOneHeap`, which has no table for rare pairs."""
    maker = made_by(make_core_with_floor)
    keywords = ("threads", "vocab_size")
