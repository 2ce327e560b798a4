# distutils: language = c++
# cython: language_level=3
include "map_stage.pxi"  # the solution of notebook 05: `pair_counts` and `changes` are maps


cdef class Scanning(MapStage):
    def select(self):
        cdef uint64_t best = 0
        cdef int64_t most = 0
        for entry in self.pair_counts:
            if entry.second > most or (
                entry.second == most and self.key_of(entry.first) > self.key_of(best)
            ):
                best, most = entry.first, entry.second
        return ((best >> 32, best & 0xFFFFFFFF), most) if most else None

    cdef tuple key_of(self, uint64_t pair):
        return self.vocab[pair >> 32], self.vocab[pair & 0xFFFFFFFF]
