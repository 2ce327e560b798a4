# distutils: language = c++
# cython: language_level=3
include "heap_stage.pxi"  # the words, the heap, `select` and `merge_word` of the stage `cython`


cdef class MyStage(HeapStage):
    cdef dict pair_counts, pair_words, changes  # a pair is one integer, made by `pair_of`

    def __cinit__(self, counts, vocab):
        self.pair_counts, self.pair_words, self.changes = {}, {}, {}

    cdef int64_t count_of(self, uint64_t pair) except -1:
        return self.pair_counts.get(pair, 0)

    cdef int change_count(self, uint64_t pair, int64_t change) except -1:
        self.changes[pair] = self.changes.get(pair, 0) + change
        return 0

    cdef int list_word(self, uint64_t pair, uint32_t index) except -1:
        self.pair_words.setdefault(pair, set()).add(index)
        return 0

    def update(self, tuple pair, uint32_t new_id):
        cdef uint32_t left = pair[0], right = pair[1], index
        affected = self.pair_words[pair_of(left, right)]
        for index in affected:
            self.merge_word(index, left, right, new_id)
        self.words_scanned += len(affected)
        self.count_changes += len(self.changes)
        self.apply_changes()

    cdef int apply_changes(self) except -1:
        cdef int64_t change, count
        for pair, change in self.changes.items():
            count = self.pair_counts.get(pair, 0) + change
            if count:
                self.pair_counts[pair] = count
                if change > 0:
                    self.risen.append(pair)
            else:
                self.pair_counts.pop(pair, None)
                self.pair_words.pop(pair, None)
        self.changes = {}
        return 0
