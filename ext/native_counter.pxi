# The counter `native`, for Python. Included by native.pyx.

cdef extern from "blocks.hpp" namespace "bpe_lab" nogil:
    cdef struct Source:
        Py_ssize_t (*read)(void* context, uint8_t* into, size_t size) noexcept nogil
        void* context


cdef extern from "counter.hpp" namespace "bpe_lab" nogil:
    cdef cppclass InvalidText:
        cbool found
        size_t file
        uint64_t offset
        uint8_t byte

    cdef cppclass Counted:
        WordCounts words
        InvalidText invalid

    cdef cppclass ProgressCallback:
        cbool (*call)(void* context) noexcept nogil
        void* context

    Counted count_files_ "bpe_lab::count_files"(
        vector[Source] sources,
        const vector[string]& special_tokens,
        int threads,
        size_t block_bytes,
        cbool replace,
        const ProgressCallback& report,
        PatternId pattern,
    ) except +


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


# A piece of what is read in Python's memory: a source may have hundreds of megabytes to give.
cdef Py_ssize_t MAX_READ = 1 << 18


cdef class PythonSource:
    """What Python reads for the C++ side."""
    cdef object source, error
    cdef bint straight  # it reads straight into the block, of which it keeps no view


cdef Py_ssize_t read_straight(source, char* into, Py_ssize_t size) except -1:
    view = PyMemoryView_FromMemory(into, size, PyBUF_WRITE)
    try:
        return checked_int("what readinto says", source.readinto(view), 0, size)
    finally:
        view.release()  # the traceback of an error would keep it, when the block is gone


cdef Py_ssize_t call_read(void* context, uint8_t* into, size_t size) noexcept with gil:
    cdef PythonSource python = <PythonSource> context
    cdef bytes data
    if python.error is not None:
        return -1  # another thread has its turn before it heard of that; what was interrupted is read no more
    try:
        if python.straight:
            return read_straight(python.source, <char*> into, size)
        data = python.source.read(min(<Py_ssize_t> size, MAX_READ))
        memcpy(into, <const char*> data, checked_int("what read gives", len(data), 0, size))
        return len(data)
    except BaseException as error:
        python.error = error
        return -1


def count_files(
    sources, special_tokens, *, threads, block_bytes, bint replace, report, str pattern not None="gpt2"
):
    """Count the words of files; the GIL is released.

    :param sources: for each file an object with `read`, which returns nothing at the end; or one whose
        attribute `straight` is true, with `readinto`: it is given memory that is gone after the call.
    :param special_tokens: UTF-8 (bytes); checked.
    :param report: called without arguments a few times a second, and at the end.
    :return: the table, and None or (file number, byte offset, byte) of the first invalid byte.
    """
    cdef vector[Source] opened
    cdef vector[string] specials = list(special_tokens)
    cdef int n_threads = checked_int("threads", threads, 1, MAX_THREADS)
    cdef size_t n_bytes = checked_int("block_bytes", block_bytes, 1, 1 << 40)
    cdef PatternId pattern_id = pattern_of(pattern.encode())
    cdef Progress progress = Progress()
    cdef PythonSource python
    cdef ProgressCallback callback
    cdef Counted counted
    cdef list kept = [], failed = []
    progress.report = report
    callback.call = call_report
    callback.context = <void*> progress
    for source in sources:
        python = PythonSource()
        python.source = source
        python.straight = getattr(source, "straight", False)
        kept.append(python)
        opened.push_back(Source(call_read, <void*> python))
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
