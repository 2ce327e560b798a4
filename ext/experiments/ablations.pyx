# cython: language_level=3
"""The compiled stages with something left out, for comparison, or set so that small texts test them."""

from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from bpe_lab.native cimport CompiledStage, Setup, Stage, WordRef, made_by


cdef extern from "experiments/ablations.hpp" namespace "bpe_lab" nogil:
    unique_ptr[Stage] make_openmp_scan_always(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_wide(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_long_ids(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_parts(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_no_floor(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_all_in_table(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_looked_up_weights(const vector[WordRef]& words, const Setup& setup)
    unique_ptr[Stage] make_core_unsorted_positions(const vector[WordRef]& words, const Setup& setup)


class OpenmpScanAlways(CompiledStage):
    """`OpenmpScan` whose threads share every scan, however short, for comparison and for tests."""
    maker = made_by(make_openmp_scan_always)
    keywords = ("threads",)


class CoreWide(CompiledStage):
    """`Core` with positions of 64 bits, for tests."""
    maker = made_by(make_core_wide)
    keywords = ("threads", "vocab_size")


class CoreLongIds(CompiledStage):
    """`Core` with cells of 32 bits where 16 are enough, for comparison."""
    maker = made_by(make_core_long_ids)
    keywords = ("threads", "vocab_size")


class CoreParts(CompiledStage):
    """`Core` for tests of small texts: every list is cut into as many parts as there are threads, and pairs
    of three positions are in the table already."""
    maker = made_by(make_core_parts)
    keywords = ("threads", "vocab_size")


class CoreNoFloor(CompiledStage):
    """`Core` without a frequency floor, for comparison."""
    maker = made_by(make_core_no_floor)
    keywords = ("threads", "vocab_size")


class CoreAllInTable(CompiledStage):
    """`Core` that keeps the counts of all pairs in its table, for comparison."""
    maker = made_by(make_core_all_in_table)
    keywords = ("threads", "vocab_size")


class CoreLookedUpWeights(CompiledStage):
    """`Core` that looks up the word of a position and the count of the word, for comparison."""
    maker = made_by(make_core_looked_up_weights)
    keywords = ("threads", "vocab_size")


class CoreUnsortedPositions(CompiledStage):
    """`CoreLookedUpWeights` with the words in any order in the lists of positions, for comparison."""
    maker = made_by(make_core_unsorted_positions)
    keywords = ("threads", "vocab_size")
