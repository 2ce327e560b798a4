# cython: language_level=3, wraparound=False
"""Stage `cython`: `max_heap` with C types.

- Adds: tokens are C integers in C++ vectors, a pair is one 64-bit integer instead of a tuple, and the
  loops over a word are C loops.
- Still slow: counts, posting lists and heap are Python's: each change of a count makes an object.
"""

import heapq
from collections import Counter

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.vector cimport vector
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.tokenizer.merges import check_vocab, merged_words
from bpe_lab.stages.max_heap import descending_key


cdef inline uint64_t pair_of(uint32_t left, uint32_t right) noexcept:
    return <uint64_t> left << 32 | right


cdef class Cython:
    """Training with a lazy max-heap of pairs, typed. Calls that come out of turn are a ValueError."""
    cdef list vocab, descending, risen, heap  # `risen` is None before the pairs are counted
    cdef tuple chosen  # selected, and not merged yet
    cdef vector[vector[uint32_t]] words
    cdef vector[int64_t] counts
    cdef dict pair_counts, pair_words
    cdef readonly object operations
    recounts, keywords = False, ("merges",)

    def __cinit__(self, counts, list vocab not None, merges=()):
        check_vocab(vocab)
        self.vocab, self.descending = vocab, [descending_key(token) for token in vocab]
        words = counts if isinstance(counts, WordCounts) else WordCounts(counts)
        for word, count in (merged_words(words, merges) if merges else words).items():
            self.words.emplace_back()
            for token in word:  # `push_back(word)` ends the process where there is no memory for a copy
                self.words.back().push_back(token)
            self.counts.push_back(count)
        self.pair_counts, self.pair_words, self.heap, self.operations = {}, {}, [], Counter()

    def count_pairs(self):
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        cdef size_t index, i
        if self.risen is not None:
            raise ValueError("the pairs are counted: make a new stage to count again")
        for index in range(self.words.size()):
            for i in range(1, self.words[index].size()):
                pair = pair_of(self.words[index][i - 1], self.words[index][i])
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + self.counts[index]
                self.pair_words.setdefault(pair, set()).add(index)
            self.operations["pairs_counted"] += self.words[index].size() - 1
        self.risen = list(self.pair_counts)

    cdef tuple entry(self, uint64_t pair):
        return -self.pair_counts[pair], self.descending[pair >> 32], self.descending[pair & 0xFFFFFFFF], pair

    def select(self):
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        cdef int64_t count
        cdef uint64_t pair
        if self.risen is None:
            raise ValueError("select comes after count_pairs")
        for pair in self.risen:
            heapq.heappush(self.heap, self.entry(pair))
        self.operations["heap_pushes"] += len(self.risen)
        self.risen = []
        while self.heap:
            top = self.heap[0]
            pair = top[3]
            count = self.pair_counts.get(pair, 0)
            if count == -<int64_t> top[0]:
                heapq.heappop(self.heap)
                self.operations["heap_pops"] += 1
                self.chosen = (pair >> 32, pair & 0xFFFFFFFF)
                return self.chosen, count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
            self.operations["stale_pops"] += 1

    def update(self, tuple pair not None, uint32_t new_id):
        """Rewrite the words of the pair's posting list, change counts, note the risen pairs."""
        if self.chosen is None or pair != self.chosen or new_id != len(self.descending):
            raise ValueError(f"update got {pair} and {new_id}: it takes what select chose, and the next id")
        cdef uint32_t left = self.chosen[0], right = self.chosen[1]
        cdef uint64_t changed
        cdef int64_t total, change
        cdef dict changes = {}
        self.descending.append(descending_key(self.vocab[new_id]))
        self.chosen = None
        affected = self.pair_words[pair_of(left, right)]
        for index in affected:
            self.merge_word(index, left, right, new_id, changes)
        for changed, change in changes.items():
            total = self.pair_counts.get(changed, 0) + change
            if total:
                self.pair_counts[changed] = total
                if changed >> 32 == new_id or (changed & 0xFFFFFFFF) == new_id:
                    self.risen.append(changed)
            else:
                self.pair_counts.pop(changed, None)
                self.pair_words.pop(changed, None)
        self.operations["words_scanned"] += len(affected)
        self.operations["count_changes"] += len(changes)

    cdef int merge_word(
        self, size_t index, uint32_t left, uint32_t right, uint32_t new_id, dict changes
    ) except -1:
        cdef vector[uint32_t]* tokens = &self.words[index]
        cdef int64_t count = self.counts[index]
        cdef size_t written = 0, i = 0, size = tokens.size(), n_changes = 0
        while i < size:
            if tokens[0][i] != left or i + 1 == size or tokens[0][i + 1] != right:
                tokens[0][written] = tokens[0][i]
                written, i = written + 1, i + 1
                continue
            add(changes, pair_of(left, right), -count)
            n_changes += 1
            if written:
                n_changes += 2
                add(changes, pair_of(tokens[0][written - 1], left), -count)
                add(changes, pair_of(tokens[0][written - 1], new_id), count)
                self.list_word(pair_of(tokens[0][written - 1], new_id), index)
            if i + 2 < size:
                n_changes += 2
                add(changes, pair_of(right, tokens[0][i + 2]), -count)
                add(changes, pair_of(new_id, tokens[0][i + 2]), count)
                self.list_word(pair_of(new_id, tokens[0][i + 2]), index)
            tokens[0][written] = new_id
            written, i = written + 1, i + 2
        if written < size:
            self.operations["words_rewritten"] += 1
            self.operations["count_changes"] += n_changes
        tokens.resize(written)
        return 0

    cdef int list_word(self, uint64_t pair, size_t index) except -1:
        self.pair_words.setdefault(pair, set()).add(index)
        return 0


# [add
cdef int add(dict changes, uint64_t pair, int64_t change) except -1:
    changes[pair] = changes.get(pair, 0) + change
    return 0
# add]
