# cython: language_level=3, wraparound=False
"""Between the stages `cython` and `cpp_map`: C++ maps, but heap and bookkeeping are still Python's.

`CythonMaps` has `std::unordered_map` in place of dict, and hash sets as posting lists; `CythonVectors` has vectors as
posting lists, and nothing else is different. Both make the merges of `max_heap`, with its operation counts.
"""

import heapq
from collections import Counter

from cython.operator cimport dereference
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.unordered_set cimport unordered_set
from libcpp.utility cimport pair as cpp_pair
from libcpp.vector cimport vector

from bpe_lab.stages.max_heap import descending_key


cdef inline uint64_t pair_of(uint32_t left, uint32_t right) noexcept:
    return <uint64_t> left << 32 | right


cdef class CythonMaps:
    """Stage `cython` with C++ maps: counts, changes, and posting lists, which are hash sets."""
    cdef list vocab, descending, risen, heap
    cdef vector[vector[uint32_t]] words
    cdef vector[int64_t] counts
    cdef unordered_map[uint64_t, int64_t] pair_counts, changes
    cdef unordered_map[uint64_t, unordered_set[uint32_t]] pair_words
    cdef readonly object operations
    recounts = False

    def __cinit__(self, counts, list vocab not None):
        self.vocab, self.descending = vocab, [descending_key(token) for token in vocab]
        for word, count in counts.items():
            self.words.push_back(word)
            self.counts.push_back(count)
        self.risen, self.heap, self.operations = [], [], Counter()

    cdef void list_word(self, uint64_t pair, uint32_t index):
        self.pair_words[pair].insert(index)

    cdef void take_words(self, uint64_t pair, vector[uint32_t]& words):
        """Move the words of a pair, which nobody will ask for again."""
        words.assign(self.pair_words[pair].begin(), self.pair_words[pair].end())
        self.forget(pair)

    cdef void forget(self, uint64_t pair):
        self.pair_words.erase(pair)

    def count_pairs(self):
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        cdef uint32_t index
        cdef size_t i
        cdef cpp_pair[uint64_t, int64_t] entry
        for index in range(<uint32_t> self.words.size()):
            for i in range(1, self.words[index].size()):
                pair = pair_of(self.words[index][i - 1], self.words[index][i])
                self.pair_counts[pair] += self.counts[index]
                self.list_word(pair, index)
            self.operations["pairs_counted"] += max(<int64_t> self.words[index].size() - 1, 0)
        self.risen = [entry.first for entry in self.pair_counts]

    cdef tuple entry(self, uint64_t pair):
        return -self.pair_counts[pair], self.descending[pair >> 32], self.descending[pair & 0xFFFFFFFF], pair

    def select(self):
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        cdef int64_t count
        cdef uint64_t pair
        for pair in self.risen:
            heapq.heappush(self.heap, self.entry(pair))
        self.operations["heap_pushes"] += len(self.risen)
        self.risen = []
        while self.heap:
            top = self.heap[0]
            pair = top[3]
            count = dereference(self.pair_counts.find(pair)).second if self.pair_counts.count(pair) else 0
            if count == -<int64_t> top[0]:
                heapq.heappop(self.heap)
                self.operations["heap_pops"] += 1
                return (pair >> 32, pair & 0xFFFFFFFF), count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
            self.operations["stale_pops"] += 1

    def update(self, tuple pair not None, uint32_t new_id):
        """Rewrite the words of the pair's posting list, change counts, note the risen pairs."""
        cdef uint32_t left = pair[0], right = pair[1], index
        cdef cpp_pair[uint64_t, int64_t] change
        cdef vector[uint32_t] affected
        self.descending.append(descending_key(self.vocab[new_id]))
        self.changes.clear()
        self.take_words(pair_of(left, right), affected)
        for index in affected:
            self.merge_word(index, left, right, new_id)
        for change in self.changes:
            self.pair_counts[change.first] += change.second
            if self.pair_counts[change.first] == 0:
                self.pair_counts.erase(change.first)
                self.forget(change.first)
            elif change.first >> 32 == new_id or (change.first & 0xFFFFFFFF) == new_id:
                self.risen.append(change.first)
        self.operations["words_scanned"] += affected.size()
        self.operations["count_changes"] += self.changes.size()

    cdef int merge_word(self, uint32_t index, uint32_t left, uint32_t right, uint32_t new_id) except -1:
        cdef vector[uint32_t]* tokens = &self.words[index]
        cdef int64_t count = self.counts[index]
        cdef size_t written = 0, i = 0, size = tokens.size(), n_changes = 0
        while i < size:
            if tokens[0][i] != left or i + 1 == size or tokens[0][i + 1] != right:
                tokens[0][written] = tokens[0][i]
                written, i = written + 1, i + 1
                continue
            self.changes[pair_of(left, right)] -= count
            n_changes += 1
            if written:
                n_changes += 2
                self.changes[pair_of(tokens[0][written - 1], left)] -= count
                self.changes[pair_of(tokens[0][written - 1], new_id)] += count
                self.list_word(pair_of(tokens[0][written - 1], new_id), index)
            if i + 2 < size:
                n_changes += 2
                self.changes[pair_of(right, tokens[0][i + 2])] -= count
                self.changes[pair_of(new_id, tokens[0][i + 2])] += count
                self.list_word(pair_of(new_id, tokens[0][i + 2]), index)
            tokens[0][written] = new_id
            written, i = written + 1, i + 2
        if written < size:
            self.operations["words_rewritten"] += 1
            self.operations["count_changes"] += n_changes
        tokens.resize(written)
        return 0


cdef class CythonVectors(CythonMaps):
    """`CythonMaps` with vectors as posting lists: a word that is listed again comes right behind itself."""
    cdef unordered_map[uint64_t, vector[uint32_t]] pair_lists

    cdef void list_word(self, uint64_t pair, uint32_t index):
        cdef vector[uint32_t]* words = &self.pair_lists[pair]
        if words.empty() or words.back() != index:
            words.push_back(index)

    cdef void take_words(self, uint64_t pair, vector[uint32_t]& words):
        words.swap(self.pair_lists[pair])

    cdef void forget(self, uint64_t pair):
        self.pair_lists.erase(pair)
