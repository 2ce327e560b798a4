# The counter `native`, for Python. Included by native.pyx.

from operator import index

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.buffer cimport PyBUF_WRITE
from cpython.exc cimport PyErr_CheckSignals
from cpython.memoryview cimport PyMemoryView_FromMemory
from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector


cdef extern from "blocks.hpp" namespace "bpe_lab" nogil:
    cdef struct Source:
        Py_ssize_t (*read)(void* context, uint8_t* into, size_t size) noexcept nogil
        void* context


cdef extern from "patterns.hpp" namespace "bpe_lab" nogil:
    cdef enum class PatternId:
        pass

    PatternId pattern_of(const string& id) except +


cdef extern from "counter.hpp" namespace "bpe_lab" nogil:
    cdef cppclass InvalidText:
        cbool found
        size_t file
        uint64_t offset
        uint8_t byte

    cdef cppclass Counted:
        CppWordTable words
        InvalidText invalid

    cdef cppclass Report:
        cbool (*call)(void* context) noexcept nogil
        void* context

    Counted count_files_ "bpe_lab::count_files"(
        vector[Source] sources,
        const vector[string]& special_tokens,
        int threads,
        size_t block_bytes,
        cbool replace,
        const Report& report,
        PatternId pattern,
    ) except +


# Blocks are read into memory.
cdef uint64_t MOST_BLOCK_BYTES = 1 << 40


cdef class Progress:
    """What the C++ side calls while the GIL is released."""
    cdef object report, error


cdef cbool call_report(void* context) noexcept with gil:
    cdef Progress progress = <Progress> context
    try:
        PyErr_CheckSignals()
        progress.report()
        return True
    except BaseException as error:
        progress.error = error
        return False


cdef class PythonSource:
    """What Python reads for the C++ side."""
    cdef object source, error
    # Whether it reads straight into the block. All others read into memory of Python's, and may keep it.
    cdef bint straight
    cdef bytearray buffer
    # Of sources that have ended: there may be a million small files.
    cdef list spare


cdef Py_ssize_t read_straight(source, char* into, Py_ssize_t size) except -1:
    view = PyMemoryView_FromMemory(into, size, PyBUF_WRITE)
    try:
        return read_bytes(source.readinto(view), size)
    finally:
        view.release()  # the traceback of an error would keep it, when the block is gone


cdef Py_ssize_t read_bytes(said, Py_ssize_t most) except -1:
    cdef Py_ssize_t got = index(said)
    if not 0 <= got <= most:
        raise ValueError(f"readinto says that it has read {got:,} bytes where {most:,} find room")
    return got


cdef Py_ssize_t call_readinto(void* context, uint8_t* into, size_t size) noexcept with gil:
    cdef PythonSource python = <PythonSource> context
    cdef Py_ssize_t most, got
    if python.error is not None:
        return -1  # another thread has its turn before it heard of that; what was interrupted is read no more
    try:
        if python.straight:
            return read_straight(python.source, <char*> into, size)
        if python.buffer is None:
            python.buffer = python.spare.pop() if python.spare else bytearray(1 << 18)
        most = min(size, <size_t> PyByteArray_GET_SIZE(python.buffer))
        got = read_bytes(python.source.readinto(memoryview(python.buffer)[:most]), most)
        # It may have made the buffer smaller.
        read_bytes(got, PyByteArray_GET_SIZE(python.buffer))
        memcpy(into, PyByteArray_AS_STRING(python.buffer), got)
        if not got:
            python.spare.append(python.buffer)
            python.buffer = None
        return got
    except BaseException as error:
        python.error = error
        return -1


def count_files(
    sources, special_tokens, *, threads, block_bytes, bint replace, report, str pattern not None="gpt2"
):
    """Count the words of files.

    :param sources: for each file an object with `readinto`, which returns 0 at the end; with an attribute
        `straight` that is true if it may be given memory that is gone after the call.
    :param special_tokens: UTF-8 (bytes); checked.
    :param threads: number of threads, 1 to 1,024.
    :param block_bytes: bytes to read at a time, 1 to 2**40.
    :param replace: put U+FFFD in the place of what is not UTF-8.
    :param report: called without arguments a few times a second, and at the end.
    :param pattern: id of a named pattern.
    :raises ValueError: a number is out of its bounds, or there is no such pattern.
    :raises RuntimeError: the system does not start as many threads.
    :return: the table, and None or (file number, byte offset, byte) of the first invalid byte.
    """
    cdef vector[Source] opened
    cdef vector[string] specials = list(special_tokens)
    cdef int n_threads = whole("threads", threads, 1, MOST_THREADS)
    cdef size_t n_bytes = whole("block_bytes", block_bytes, 1, MOST_BLOCK_BYTES)
    cdef PatternId pattern_id = pattern_of(pattern.encode())
    cdef Progress progress = Progress()
    cdef PythonSource python
    cdef Report callback
    cdef Counted counted
    cdef list kept = [], failed = [], spare = []
    progress.report = report
    callback.call = call_report
    callback.context = <void*> progress
    for source in sources:
        python = PythonSource()
        python.spare = spare
        python.source = source
        python.straight = getattr(source, "straight", False)
        kept.append(python)
        opened.push_back(Source(call_readinto, <void*> python))
    try:
        with nogil:
            counted = count_files_(move(opened), specials, n_threads, n_bytes, replace, callback, pattern_id)
    except RuntimeError:
        failed = [python.error for python in kept if python.error is not None]
        if not failed:
            raise
    # Not inside of `except`: they have causes of their own.
    for error in failed:
        raise error
    if progress.error is not None:
        raise progress.error
    report()
    result = WordTable()
    result.table = move(counted.words)
    result.text_bytes = -1
    if counted.invalid.found:
        return result, (counted.invalid.file, counted.invalid.offset, counted.invalid.byte)
    return result, None
