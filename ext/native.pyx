# cython: language_level=3
"""The compiled core: counting words in files, and the stages written in C++.

Its parts are in the files that are included at the end; `native.pxd` is what other modules may build on.
"""

from operator import index

from libc.stdint cimport uint64_t

from bpe_lab.support.machine import MOST_THREADS


cdef extern from *:
    """
    #ifdef _OPENMP
      #define BPE_LAB_OPENMP _OPENMP
    #else
      #define BPE_LAB_OPENMP 0
    #endif

    #if defined(__clang__)
      #define BPE_LAB_COMPILER "clang " __clang_version__
    #else
      #define BPE_LAB_COMPILER "gcc " __VERSION__
    #endif
    """
    const long BPE_LAB_OPENMP
    const char* BPE_LAB_COMPILER
    const char* BPE_LAB_FLAGS  # of meson.build


cdef uint64_t whole(str name, value, uint64_t least, uint64_t most) except? 0:
    """Return an integer that Python hands over; C's own conversion would drop a fraction or wrap."""
    number = index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {number:,}: give {least:,} to {most:,}")
    return number


def openmp_version():
    """Return the date of the OpenMP specification that this was compiled with (201511); 0: one thread does it all."""
    return BPE_LAB_OPENMP


def compiler():
    """Return name and version of the C++ compiler: `gcc 12.2.0`."""
    return BPE_LAB_COMPILER.decode()


def flags():
    """Return the compiler options: of optimisation, and of the user (CXXFLAGS)."""
    return BPE_LAB_FLAGS.decode()


include "native_words.pxi"
include "native_counter.pxi"
include "native_stages.pxi"
include "native_encoder.pxi"
