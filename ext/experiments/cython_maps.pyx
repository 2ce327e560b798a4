# cython: language_level=3, wraparound=False
"""Between the stages `cython` and `cpp_map`: C++ maps for counts, but the heap is still Python's.

`CythonVectors` has vectors as posting lists, `CythonMaps` hash sets, and nothing else is different.
Both make the merges of `max_heap`, with its operation counts.
"""

from libcpp.unordered_set cimport unordered_set

include "map_stage.pxi"


cdef class CythonVectors(MapStage):
    """A word that is listed again comes right behind itself, so the end of the list tells."""
    cdef int list_word(self, uint64_t pair, uint32_t index) except -1:
        cdef vector[uint32_t]* words = &self.pair_words[pair]
        if words.empty() or words.back() != index:
            words.push_back(index)
        return 0


cdef class CythonMaps(MapStage):
    cdef unordered_map[uint64_t, unordered_set[uint32_t]] word_sets

    cdef int list_word(self, uint64_t pair, uint32_t index) except -1:
        self.word_sets[pair].insert(index)
        return 0

    def update(self, tuple pair, uint32_t new_id):
        cdef uint32_t left = pair[0], right = pair[1], index
        cdef unordered_set[uint32_t] affected
        affected.swap(self.word_sets[pair_of(left, right)])
        for index in affected:
            self.merge_word(index, left, right, new_id)
        self.words_scanned += affected.size()
        self.count_changes += self.changes.size()
        for change in self.changes:
            if self.count_of(change.first) + change.second == 0:
                self.word_sets.erase(change.first)
        self.apply_changes()
