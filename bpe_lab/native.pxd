# What other compiled modules may build on: the stages written in C++.

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport pair
from libcpp.vector cimport vector


cdef extern from "stage.hpp" namespace "bpe_lab" nogil:
    const uint32_t kMaxIds

    cdef cppclass WordRef:
        pass

    cdef cppclass Checkpoint:
        Checkpoint()
        Checkpoint(cbool (*ask)(void* context) noexcept nogil, void* context)

    cdef cppclass Merge:
        uint32_t left
        uint32_t right
        uint32_t new_id

    cdef cppclass Setup:
        uint32_t first_id
        uint32_t end_id
        int threads
        Checkpoint checkpoint
        int64_t min_count
        uint32_t max_token_bytes
        vector[Merge] merges

    cdef cppclass Choice:
        uint32_t left
        uint32_t right
        int64_t count

    cdef cppclass Stage:
        void count_pairs() except +
        Choice select() except +
        void update(uint32_t left, uint32_t right, uint32_t new_id) except +
        vector[pair[string, uint64_t]] operations() except +
        uint32_t max_ids()

    ctypedef unique_ptr[Stage] (*MakeStage)(const vector[WordRef]& words, const Setup& setup)


cdef extern from "patterns.hpp" namespace "bpe_lab" nogil:
    cdef enum class PatternId:
        pass

    PatternId pattern_of(const string& id) except +


cdef enum StageState:
    LAID_OUT  # the words; no pair is counted
    READY
    AT_WORK
    LOST


cdef class StageMaker:
    cdef MakeStage make


cdef StageMaker stage_maker(MakeStage make)


cdef class CompiledStage:
    cdef unique_ptr[Stage] stage
    cdef object interrupted
    cdef StageState state
    cdef Choice chosen
    cdef uint32_t next_id
    cdef int64_t min_count

    cdef vector[Merge] checked_merges(self, vocab, merges) except *
    cdef check_ids(self, uint32_t end)
    cdef raise_interrupt(self)
    cdef Stage* begin(self, StageState expected) except NULL
    cdef fail(self)
