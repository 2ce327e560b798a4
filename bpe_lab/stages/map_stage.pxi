"""The solution of the arena of notebook 05, to go on from: containers of C++ beside the heap."""

include "heap_stage.pxi"


cdef class MapStage(HeapStage):
    cdef unordered_map[uint64_t, int64_t] pair_counts, changes
    cdef unordered_map[uint64_t, vector[uint32_t]] pair_words

    cdef int64_t count_of(self, uint64_t pair) except -1:
        return self.pair_counts[pair] if self.pair_counts.count(pair) else 0

    cdef int change_count(self, uint64_t pair, int64_t change) except -1:
        self.changes[pair] += change
        return 0

    cdef int list_word(self, uint64_t pair, uint32_t index) except -1:
        cdef vector[uint32_t]* words = &self.pair_words[pair]
        if words.empty() or words.back() != index:
            words.push_back(index)
        return 0

    def update(self, tuple pair, uint32_t new_id):
        cdef uint32_t left = pair[0], right = pair[1]
        cdef size_t i
        cdef vector[uint32_t] affected
        affected.swap(self.pair_words[pair_of(left, right)])
        for i in range(affected.size()):
            self.merge_word(affected[i], left, right, new_id)
        self.words_scanned += affected.size()
        self.count_changes += self.changes.size()
        self.apply_changes()

    cdef int apply_changes(self) except -1:
        cdef int64_t count
        for change in self.changes:
            count = self.count_of(change.first) + change.second
            if count:
                self.pair_counts[change.first] = count
                if change.second > 0:
                    self.risen.append(change.first)
            else:
                self.pair_counts.erase(change.first)
                self.pair_words.erase(change.first)
        self.changes.clear()
        return 0
