"""What a Cython stage of your own begins with: words in C, the heap of the stage `cython`.

A `.pyx` includes this file, so that both are compiled together: the calls between them are C calls.
"""

import heapq

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.unordered_map cimport unordered_map
from libcpp.vector cimport vector

from bpe_lab.stages.max_heap import descending_key


cdef inline uint64_t pair_of(uint32_t left, uint32_t right) noexcept:
    """Return a pair as one integer: the left id in the upper half, the right one in the lower."""
    return <uint64_t> left << 32 | right


cdef class HeapStage:
    """Training with a lazy max-heap; how counts and posting lists are kept is left to a subclass.

    It writes `count_of`, `change_count`, `list_word`, `apply_changes` and `update`.
    """
    cdef list vocab, descending, heap, risen
    cdef vector[vector[uint32_t]] words
    cdef vector[int64_t] counts
    cdef int64_t pairs_counted, words_scanned, words_rewritten, count_changes
    cdef int64_t heap_pushes, heap_pops, stale_pops
    recounts = False

    def __init__(self, counts, vocab):
        self.vocab, self.descending, self.heap, self.risen = vocab, [], [], []
        for word, count in counts.items():
            self.words.push_back(list(word))
            self.counts.push_back(count)

    @property
    def operations(self):
        """How often it did its expensive steps, as the stage `cython` counts them."""
        return {
            "pairs_counted": self.pairs_counted,
            "words_scanned": self.words_scanned,
            "words_rewritten": self.words_rewritten,
            "count_changes": self.count_changes,
            "heap_pushes": self.heap_pushes,
            "heap_pops": self.heap_pops,
            "stale_pops": self.stale_pops,
        }

    cdef int64_t count_of(self, uint64_t pair) except -1:
        """Return how often a pair occurs, 0 where it is not known."""
        raise NotImplementedError("count_of")

    cdef int change_count(self, uint64_t pair, int64_t change) except -1:
        """Note that the count of a pair changes, once more or for the first time."""
        raise NotImplementedError("change_count")

    cdef int list_word(self, uint64_t pair, uint32_t index) except -1:
        """Put a word into the posting list of a pair, once."""
        raise NotImplementedError("list_word")

    cdef int apply_changes(self) except -1:
        """Change the counts, put the pairs that rose into `risen`, forget those that are gone."""
        raise NotImplementedError("apply_changes")

    def count_pairs(self):
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        cdef size_t index, i
        cdef uint64_t pair
        for index in range(self.words.size()):
            i = 0
            for i in range(1, self.words[index].size()):
                pair = pair_of(self.words[index][i - 1], self.words[index][i])
                self.change_count(pair, self.counts[index])
                self.list_word(pair, index)
            self.pairs_counted += i
        self.apply_changes()

    cdef tuple entry(self, uint64_t pair):
        """Build the heap entry of a pair from its count."""
        left, right = self.descending[pair >> 32], self.descending[pair & 0xFFFFFFFF]
        return -self.count_of(pair), left, right, pair

    def select(self):
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        cdef int64_t count
        cdef uint64_t pair
        for token in self.vocab[len(self.descending):]:
            self.descending.append(descending_key(token))
        for pair in self.risen:
            heapq.heappush(self.heap, self.entry(pair))
        self.heap_pushes += len(self.risen)
        self.risen = []
        while self.heap:
            top = self.heap[0]
            pair = top[3]
            count = self.count_of(pair)
            if count == -<int64_t> top[0]:
                heapq.heappop(self.heap)
                self.heap_pops += 1
                return (pair >> 32, pair & 0xFFFFFFFF), count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
            self.stale_pops += 1

    cdef int merge_word(
        self, uint32_t index, uint32_t left, uint32_t right, uint32_t new_id
    ) except -1:
        """Replace a pair in one word, from left to right, and note what changes around it."""
        cdef vector[uint32_t]* tokens = &self.words[index]
        cdef int64_t count = self.counts[index]
        cdef size_t written = 0, i = 0, size = tokens.size(), n_changes = 0
        while i < size:
            if tokens[0][i] != left or i + 1 == size or tokens[0][i + 1] != right:
                tokens[0][written] = tokens[0][i]
                written, i = written + 1, i + 1
                continue
            self.change_count(pair_of(left, right), -count)
            n_changes += 1
            if written:
                n_changes += 2
                self.change_count(pair_of(tokens[0][written - 1], left), -count)
                self.change_count(pair_of(tokens[0][written - 1], new_id), count)
                self.list_word(pair_of(tokens[0][written - 1], new_id), index)
            if i + 2 < size:
                n_changes += 2
                self.change_count(pair_of(right, tokens[0][i + 2]), -count)
                self.change_count(pair_of(new_id, tokens[0][i + 2]), count)
                self.list_word(pair_of(new_id, tokens[0][i + 2]), index)
            tokens[0][written] = new_id
            written, i = written + 1, i + 2
        if written < size:
            self.words_rewritten += 1
            self.count_changes += n_changes
        tokens.resize(written)
        return 0
