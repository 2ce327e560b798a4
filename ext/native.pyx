# cython: language_level=3
"""The compiled core: counting words in files, and the stages written in C++.

Its parts are in the files that are included at the end; `native.pxd` is what other modules may build on.
"""

from cpython cimport array
from cpython.buffer cimport PyBUF_WRITE, PyObject_CheckBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_CheckSignals
from cpython.list cimport PyList_New, PyList_SET_ITEM
from cpython.memoryview cimport PyMemoryView_FromMemory, PyMemoryView_GET_BUFFER
from cpython.ref cimport Py_INCREF, PyObject
from cpython.sequence cimport PySequence_Fast_ITEMS
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_AsUTF8String
from libc.math cimport isnan
from libc.stdint cimport INT64_MAX, UINT32_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.algorithm cimport count as count_equal
from libcpp.memory cimport shared_ptr, unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

from array import array as new_array
from operator import index, itemgetter
from os import cpu_count

from bpe_lab.support.machine import MAX_THREADS
from bpe_lab.tokenizer.merges import check_vocab


cdef extern from "unicode_classes.hpp" namespace "bpe_lab":
    const char* kRegexVersion
    const int kAssigned


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


cdef uint64_t checked_int(str name, value, uint64_t low, uint64_t high) except? 0:
    """Return an integer that Python hands over; C's own conversion would drop a fraction or wrap."""
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}: give an integer")
    number = index(value)
    if not low <= number <= high:
        raise ValueError(f"{name} is {number:,}: give {low:,} to {high:,}")
    return number


def openmp_version():
    """Return the date of the OpenMP specification that this was compiled with, 201511; without it, 0."""
    return BPE_LAB_OPENMP


def compiler():
    """Return name and version of the C++ compiler: `gcc 12.2.0`."""
    return BPE_LAB_COMPILER.decode()


def regex_version():
    """Return the version of `regex` that the scanner's classes of characters are from."""
    return kRegexVersion.decode()


def assigned_characters():
    """Return how many characters that `regex` knows as assigned, which tells its version of Unicode."""
    return kAssigned


def flags():
    """Return the compiler options: of optimisation, and of the user (CXXFLAGS)."""
    return BPE_LAB_FLAGS.decode()


include "native_words.pxi"
include "native_counter.pxi"
include "native_stages.pxi"
include "native_encoder.pxi"
