# cython: language_level=3
"""The compiled core: counting words in files, and the stages written in C++."""

from array import array
from operator import index

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_GET_SIZE
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport isnan
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.utility cimport pair as cpp_pair
from libcpp.vector cimport vector

from bpe_lab.machine import MOST_THREADS
from bpe_lab.merges import check_vocab


cdef extern from "word_table.hpp" namespace "bpe_lab" nogil:
    cdef cppclass WordSlot:
        uint64_t count
        uint32_t length

    const uint8_t* word_bytes(const WordSlot& slot)
    cdef cppclass CppWordTable "bpe_lab::WordTable":
        CppWordTable() except +
        size_t size()
        size_t capacity()
        const WordSlot& slot(size_t number)
        void add_word(const uint8_t* word, size_t length, uint64_t count) except +
        uint64_t count_of(const uint8_t* word, size_t length) except +


cdef extern from "blocks.hpp" namespace "bpe_lab" nogil:
    cdef cppclass Source:
        pass

    ctypedef Py_ssize_t (*ReadFunction "bpe_lab::CallbackSource::Read")(
        void* context, uint8_t* into, size_t size) noexcept nogil

    cdef cppclass CallbackSource(Source):
        CallbackSource(ReadFunction read, void* context)


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
        vector[unique_ptr[Source]] sources,
        const vector[string]& special_tokens,
        int threads,
        size_t block_bytes,
        cbool replace,
        const Report& report,
    ) except +


cdef extern from "scanner.hpp" namespace "bpe_lab" nogil:
    const char* kRegexVersion
    unsigned class_of(uint32_t code_point)


cdef extern from "stage.hpp" namespace "bpe_lab" nogil:
    const uint32_t kMostIds

    cdef cppclass Checkpoint:
        Checkpoint()
        Checkpoint(cbool (*ask)(void* context) noexcept nogil, void* context)

    cdef cppclass Setup:
        uint32_t first_id
        uint32_t end_id
        int threads
        Checkpoint go_on

    cdef cppclass Choice:
        uint32_t left
        uint32_t right
        int64_t count

    cdef cppclass Stage:
        void count_pairs() except +
        Choice select() except +
        void update(uint32_t left, uint32_t right, uint32_t new_id) except +
        vector[cpp_pair[string, uint64_t]] operations() except +


cdef extern from "runner.hpp" namespace "bpe_lab" nogil:
    cdef cppclass Merges:
        vector[uint32_t] lefts
        vector[uint32_t] rights
        vector[int64_t] counts
        vector[double] seconds
        double select_seconds
        cbool no_pair_left

    Merges run_merges(Stage& stage, uint32_t first_id, uint32_t end_id, double seconds) except +


cdef extern from "make_stage.hpp" namespace "bpe_lab" nogil:
    unique_ptr[Stage] make_stage(
        const string& name, const CppWordTable& words, Setup setup
    ) except +


cdef extern from *:
    """
    #include <utility>
    #ifdef _OPENMP
    static bool bpe_lab_has_openmp() { return true; }
    #else
    static bool bpe_lab_has_openmp() { return false; }
    #endif
    static void bpe_lab_push(std::vector<std::unique_ptr<bpe_lab::Source>>& sources,
                             bpe_lab::Source* source) {
      sources.emplace_back(source);
    }
    """
    cbool bpe_lab_has_openmp()
    void push_source "bpe_lab_push"(vector[unique_ptr[Source]]& sources, Source* source)


# Blocks are read into memory.
cdef uint64_t MOST_BLOCK_BYTES = 1 << 40


cdef uint64_t whole(str name, value, uint64_t least, uint64_t most) except? 0:
    """Return an integer that Python hands over; C's own conversion would drop a fraction or wrap."""
    number = index(value)
    if not least <= number <= most:
        raise ValueError(f"{name} is {number:,}: give {least:,} to {most:,}")
    return number


cdef class WordTable:
    """A table of words and their counts, outside of Python's memory.

    Open addressing with 32-byte slots; words of up to 16 bytes lie inside their slot.

    >>> table = WordTable()
    >>> table.add(b"low", 5)
    >>> table.count(b"low"), len(table), list(table)
    (5, 1, [b'low'])
    """
    cdef CppWordTable table
    cdef int64_t text_bytes  # of all occurrences; -1: not added up yet
    cdef int readers  # stages that read it without the GIL

    def __len__(self):
        return self.table.size()

    def count(self, bytes word not None):
        """Return how often a word (bytes) occurs, 0 when it does not."""
        return self.table.count_of(<const uint8_t*> <const char*> word, len(word))

    def add(self, bytes word not None, count):
        """Add `count` occurrences of a word; an empty word or a count of 0 adds nothing.

        :raises TypeError: the count is no integer.
        :raises OverflowError: the count is negative, or all words together would hold more than
            2**63 - 1 bytes: a pair is counted in 64 bits.
        :raises MemoryError: there is no memory for a larger table, which stays as it was.
        :raises RuntimeError: a stage in another thread is reading the table.
        """
        cdef uint64_t occurrences = index(count)
        cdef size_t length = len(word)
        if length == 0 or occurrences == 0:
            return
        if self.readers != 0:
            raise RuntimeError("a stage is reading this table: add to it when the stage is made")
        if self.text_bytes < 0:
            self.text_bytes = self.totals()[2]
        if occurrences > <uint64_t> (INT64_MAX - self.text_bytes) // length:
            raise OverflowError(
                f"{occurrences:,} times {word[:40]!r}: the words would hold more than 2**63 - 1 bytes"
            )
        self.table.add_word(<const uint8_t*> <const char*> word, length, occurrences)
        self.text_bytes += length * occurrences

    def __iter__(self):
        for word, _ in self.items():
            yield word

    def items(self):
        """Yield (word, count).

        :raises RuntimeError: the table has got new words meanwhile.
        """
        cdef size_t i, words = self.table.size()
        for i in range(self.table.capacity()):
            if self.table.size() != words:
                raise RuntimeError("the table got new words while it was gone through")
            if self.table.slot(i).length != 0:
                yield PyBytes_FromStringAndSize(
                    <const char*> word_bytes(self.table.slot(i)), self.table.slot(i).length
                ), self.table.slot(i).count

    def totals(self):
        """Return occurrences, bytes of the distinct words, and bytes of all occurrences."""
        cdef size_t i
        cdef uint64_t occurrences = 0, distinct = 0, everything = 0
        for i in range(self.table.capacity()):
            occurrences += self.table.slot(i).count
            distinct += self.table.slot(i).length
            everything += self.table.slot(i).length * self.table.slot(i).count
        return occurrences, distinct, everything

    def __reduce__(self):
        """Pickle and copy: one array of all bytes instead of an object for each word."""
        lengths, counts, joined = array("I"), array("Q"), bytearray()
        for word, count in self.items():
            lengths.append(len(word))
            counts.append(count)
            joined += word
        return joined_words, (lengths, counts, joined)


def joined_words(lengths, counts, joined):
    """Return a table of words that lie behind each other.

    :param lengths: bytes of each word.
    :param counts: occurrences of each word.
    :param joined: the bytes of all words (bytes or bytearray).
    :raises ValueError: the lengths are not those of the words.

    >>> dict(joined_words([3, 5], [5, 2], b"lowlower").items()) == {b"low": 5, b"lower": 2}
    True
    """
    table = WordTable()
    end = 0
    if any(length < 1 for length in lengths) or sum(lengths) != len(joined):
        raise ValueError(f"{len(lengths):,} lengths do not divide {len(joined):,} bytes into words")
    for length, count in zip(lengths, counts, strict=True):
        end += length
        table.add(bytes(joined[end - length:end]), count)
    return table


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


cdef cbool call_check(void* context) noexcept with gil:
    """Whether long work shall go on; a signal's exception is kept in the stage."""
    try:
        PyErr_CheckSignals()
        return True
    except BaseException as error:
        (<CompiledStage> context).interrupted = error
        return False


cdef class PythonSource:
    """What Python reads for the C++ side."""
    cdef object source, error
    # It reads into memory of Python's: it may keep what it was given, or say that it has read more.
    cdef bytearray buffer


cdef Py_ssize_t call_readinto(void* context, uint8_t* into, size_t size) noexcept with gil:
    cdef PythonSource python = <PythonSource> context
    cdef Py_ssize_t most, got
    try:
        if python.buffer is None:
            python.buffer = bytearray(1 << 18)
        most = min(size, <size_t> PyByteArray_GET_SIZE(python.buffer))
        got = index(python.source.readinto(memoryview(python.buffer)[:most]))
        if not 0 <= got <= min(most, PyByteArray_GET_SIZE(python.buffer)):
            raise ValueError(f"readinto says that it has read {got:,} bytes where {most:,} find room")
        memcpy(into, PyByteArray_AS_STRING(python.buffer), got)
        return got
    except BaseException as error:
        python.error = error
        return -1


cdef list checked_specials(special_tokens):
    """Return special tokens as a list; the scanner knows where a word ends only around good ones."""
    cdef list checked = list(special_tokens)
    cdef bytes token
    if b"" in checked:
        raise ValueError("a special token is empty: remove it, it would split everywhere")
    if len(set(checked)) < len(checked):
        raise ValueError("a special token appears twice: give it once")
    for token in checked:
        try:
            token.decode()
        except UnicodeDecodeError:
            raise ValueError(f"special token {token!r} is not UTF-8: remove it") from None
    return checked


def count_files(sources, special_tokens, *, threads, block_bytes, bint replace, report):
    """Count the words of files.

    :param sources: for each file an object with `readinto`, which returns 0 at the end.
    :param special_tokens: UTF-8 (bytes), none of them empty or twice the same.
    :param threads: number of threads, 1 to 1,024.
    :param block_bytes: bytes to read at a time, 1 to 2**40.
    :param replace: put U+FFFD in the place of what is not UTF-8.
    :param report: called without arguments a few times a second, and at the end.
    :raises ValueError: one of these is not so.
    :raises RuntimeError: the system does not start as many threads.
    :return: the table, and None or (file number, byte offset, byte) of the first invalid byte.
    """
    cdef vector[unique_ptr[Source]] opened
    cdef vector[string] specials = checked_specials(special_tokens)
    cdef int n_threads = whole("threads", threads, 1, MOST_THREADS)
    cdef size_t n_bytes = whole("block_bytes", block_bytes, 1, MOST_BLOCK_BYTES)
    cdef Progress progress = Progress()
    cdef PythonSource python
    cdef Report callback
    cdef Counted counted
    cdef list kept = [], failed = []
    progress.report = report
    callback.call = call_report
    callback.context = <void*> progress
    for source in sources:
        python = PythonSource()
        python.source = source
        kept.append(python)
        push_source(opened, new CallbackSource(call_readinto, <void*> python))
    try:
        with nogil:
            counted = count_files_(move(opened), specials, n_threads, n_bytes, replace, callback)
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


cdef enum StageState:
    LAID_OUT  # the words; no pair is counted
    READY
    AT_WORK
    LOST


cdef class CompiledStage:
    """A stage written in C++, behind the methods that every stage has.

    :param counts: a `WordTable`, or any mapping of word (bytes) to count.
    :param vocab: id -> bytes, as far as it goes before the first merge.
    :param threads: for the stages that take some, 1 to 1,024.
    :param vocab_size: number of ids that will be reached, the frequency floor of `core` follows
        from it; more can be asked for later. None: not known.
    :raises ValueError: a number is out of its bounds, or the vocabulary does not begin with the bytes.
    :raises OverflowError: a count is negative, or the words hold more than 2**63 - 1 bytes.
    :raises KeyboardInterrupt: Ctrl-C was pressed; it is looked for while the words are laid out.
    :raises MemoryError: there is no memory for the words.
    """
    cdef unique_ptr[Stage] stage
    cdef object interrupted
    cdef StageState state
    cdef Choice chosen
    cdef uint32_t next_id
    keywords = ("threads", "vocab_size")

    # Not __init__: there is no stage without its words.
    def __cinit__(self, counts, vocab, *, threads=1, vocab_size=None):
        cdef WordTable words = word_table(counts)
        cdef string name = self.name.encode()
        cdef Setup setup
        check_vocab(vocab)
        setup.first_id = self.next_id = whole("the length of vocab", len(vocab), 256, kMostIds)
        setup.end_id = 0
        if vocab_size is not None:
            setup.end_id = whole("vocab_size", vocab_size, setup.first_id, kMostIds)
        setup.threads = whole("threads", threads, 1, MOST_THREADS)
        setup.go_on = Checkpoint(call_check, <void*> self)
        words.readers += 1
        try:
            with nogil:
                self.stage = make_stage(name, words.table, setup)
        except RuntimeError:
            self.raise_interrupt()
            raise
        finally:
            words.readers -= 1

    cdef raise_interrupt(self):
        error, self.interrupted = self.interrupted, None
        if error is not None:
            raise error from None

    cdef Stage* begin(self, StageState expected) except NULL:
        if self.state == AT_WORK:
            raise RuntimeError("this stage is at work in another thread: wait for it")
        if self.state == LOST:
            raise RuntimeError("this stage was interrupted, or had no memory: make a new one")
        if self.state != expected:
            raise ValueError("count_pairs comes first, and once: make a new stage to count again")
        self.state = AT_WORK
        return self.stage.get()

    # What is begun and not ended leaves the stage in the middle of something.
    cdef fail(self):
        self.state = LOST
        self.chosen.count = 0
        self.raise_interrupt()

    def count_pairs(self):
        """Build the table of pair counts, and the index; the GIL is released.

        :raises ValueError: it was called before.
        :raises KeyboardInterrupt: Ctrl-C was pressed; the stage is of no use any more.
        :raises MemoryError: there is no memory for them; no more is it then.
        """
        cdef Stage* stage = self.begin(LAID_OUT)
        try:
            with nogil:
                stage.count_pairs()
        except BaseException:
            self.fail()
            raise
        self.state = READY

    def select(self):
        """Return ((left id, right id), count) of the pair to merge, None when no pair is left.

        Until that pair is merged, it is the same one again.

        :raises ValueError: no pairs were counted.
        """
        cdef Choice choice = self.chosen
        cdef Stage* stage
        if choice.count == 0:
            stage = self.begin(READY)
            try:
                choice = stage.select()
            except BaseException:
                self.fail()
                raise
            self.chosen = choice
            self.state = READY
        return ((choice.left, choice.right), choice.count) if choice.count else None

    def update(self, tuple pair not None, new_id):
        """Replace every occurrence of a pair by `new_id`.

        :param pair: (left id, right id), as `select` returned it.
        :param new_id: one more than the id of the merge before.
        :raises ValueError: it is another pair, or another id.
        """
        cdef Choice choice = self.chosen
        if choice.count == 0 or pair != (choice.left, choice.right):
            raise ValueError(f"update got {pair}: it takes the pair that select returned last")
        if new_id != self.next_id:
            raise ValueError(f"update got the id {new_id}: the next one is {self.next_id}")
        cdef Stage* stage = self.begin(READY)
        try:
            stage.update(choice.left, choice.right, self.next_id)
        except BaseException:
            self.fail()
            raise
        self.chosen.count = 0
        self.next_id += 1
        self.state = READY

    def run(self, first_id, end_id, double seconds):
        """Make merges for the ids from `first_id` until `end_id`, or until `seconds` are over.

        The GIL is released. One merge is made in any case, unless no pair is left.

        :param first_id: id of the next merge.
        :param end_id: id at which to stop, 2**32 - 2 at most.
        :param seconds: time limit.
        :raises ValueError: `first_id` is not the next id, or `seconds` is no number, or a pair was
            selected and not merged, or no pairs were counted.
        :return: left ids, right ids, counts, seconds since the call began for each merge; seconds
            of all selections; whether no pair is left.
        """
        cdef Merges merges
        if self.chosen.count != 0:
            raise ValueError("run came between select and update: give the pair to update first")
        if isnan(seconds):
            raise ValueError("seconds is nan: give a number")
        if first_id != self.next_id:
            raise ValueError(f"run got the id {first_id}: the next one is {self.next_id}")
        cdef uint32_t begin = self.next_id, end = whole("end_id", end_id, 0, kMostIds)
        cdef Stage* stage = self.begin(READY)
        try:
            with nogil:
                merges = run_merges(stage[0], begin, end, seconds)
        except BaseException:
            self.fail()
            raise
        self.next_id += <uint32_t> merges.lefts.size()
        self.state = READY
        return (
            merges.lefts, merges.rights, merges.counts, merges.seconds,
            merges.select_seconds, merges.no_pair_left,
        )

    @property
    def operations(self):
        """Operation counts so far.

        :raises RuntimeError: the stage is at work in another thread.
        """
        if self.state == AT_WORK:
            raise RuntimeError("this stage is at work in another thread: wait for it")
        return {entry.first.decode(): entry.second for entry in self.stage.get().operations()}


def word_table(counts):
    """Return a table of word counts as a `WordTable`, the same one when it is one.

    >>> len(word_table({b"low": 5, b"lower": 2}))
    2
    """
    table = getattr(counts, "table", counts)
    if isinstance(table, WordTable):
        return table
    made = WordTable()
    for word, count in counts.items():
        made.add(word, count)
    return made


class CppMap(CompiledStage):
    """Stage 4 in C++ with `std::unordered_map`."""
    name = "cpp_map"
    recounts = False


class CppFlat(CompiledStage):
    """Stage 4 in C++ with a flat open-addressing table."""
    name = "cpp_flat"
    recounts = False


class CppScan(CompiledStage):
    """C++ without a heap: all pair counts are looked through for each merge."""
    name = "cpp_scan"
    recounts = False


class OpenmpScan(CompiledStage):
    """The same search by several threads."""
    name = "openmp_scan"
    recounts = False


class OpenmpScanAlways(CompiledStage):
    """`OpenmpScan` whose threads share every scan, however short, for comparison and for tests."""
    name = "openmp_scan_always"
    recounts = False


class CppPositions(CompiledStage):
    """C++ with the positions of each pair, dead cells and a lazy heap."""
    name = "cpp_positions"
    recounts = False


class Core(CompiledStage):
    """The fastest stage: seven ideas about memory, told in notebook 07."""
    name = "core"
    recounts = False


class CoreWide(CompiledStage):
    """`Core` with positions of 64 bits, for tests."""
    name = "core_wide"
    recounts = False


class CoreParts(CompiledStage):
    """`Core` for tests of small texts: every list is cut into as many parts as there are threads, and pairs
    of three places are in the table already."""
    name = "core_parts"
    recounts = False


class CoreNoFloor(CompiledStage):
    """`Core` without a frequency floor, for comparison."""
    name = "core_no_floor"
    recounts = False


class CoreAllInTable(CompiledStage):
    """`Core` that keeps the counts of all pairs in its table, for comparison."""
    name = "core_all_in_table"
    recounts = False


class CoreLookedUpWeights(CompiledStage):
    """`Core` that looks up the word of a position and the count of the word, for comparison."""
    name = "core_looked_up_weights"
    recounts = False


class CoreUnsortedPlaces(CompiledStage):
    """`CoreLookedUpWeights` with the words in any order in the lists of places, for comparison."""
    name = "core_unsorted_places"
    recounts = False


def class_of_code_point(code_point):
    """Return the scanner's class of a code point: 0 other, 1 letter, 2 number, 3 white space.

    >>> [class_of_code_point(ord(character)) for character in "!a1 "]
    [0, 1, 2, 3]
    """
    return class_of(whole("code_point", code_point, 0, 0x10FFFF))


def regex_version():
    """Return the version of the `regex` package that the scanner's classes were read off."""
    return kRegexVersion.decode()


def openmp():
    """Return whether this was compiled with OpenMP; without it, one thread does all the work.

    >>> openmp() in (True, False)
    True
    """
    return bpe_lab_has_openmp()
