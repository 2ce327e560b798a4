# cython: language_level=3
"""The compiled core: counting words in files, and the stages written in C++.

Its parts are in the files that are included at the end; `native.pxd` is what other modules may build on.
"""

from operator import index

from libc.stdint cimport uint64_t
from libcpp cimport bool as cbool

from bpe_lab.support.machine import MOST_THREADS


cdef extern from *:
    """
    #ifdef _OPENMP
    static bool bpe_lab_has_openmp() { return true; }
    #else
    static bool bpe_lab_has_openmp() { return false; }
    #endif
    """
    cbool bpe_lab_has_openmp()


cdef uint64_t whole(str name, value, uint64_t least, uint64_t most) except? 0:
    """Return an integer that Python hands over; C's own conversion would drop a fraction or wrap."""
    number = index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {number:,}: give {least:,} to {most:,}")
    return number


def openmp():
    """Return whether this was compiled with OpenMP; without it, one thread does all the work.

    >>> openmp() in (True, False)
    True
    """
    return bpe_lab_has_openmp()


include "native_words.pxi"
include "native_counter.pxi"
include "native_stages.pxi"
include "native_encoder.pxi"
