# The table of words and their counts, for Python. Included by native.pyx.

from operator import index, itemgetter

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp cimport bool as cbool


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
        return map(itemgetter(0), self.items())

    def items(self):
        """Return an iterator over (word, count).

        :raises RuntimeError: the table has got new words meanwhile.
        """
        items = WordItems()
        items.words = self
        items.size = self.table.size()
        return items

    def totals(self):
        """Return occurrences, bytes of the distinct words, and bytes of all occurrences."""
        cdef size_t i
        cdef uint64_t occurrences = 0, distinct = 0, everything = 0
        for i in range(self.table.capacity()):
            occurrences += self.table.slot(i).count
            distinct += self.table.slot(i).length
            everything += self.table.slot(i).length * self.table.slot(i).count
        return occurrences, distinct, everything

    def to_bytes(self):
        """Return the words and counts as bytes, 12 and those of the word for each.

        The number of words, their lengths (32 bits each), their counts (64 bits each), the words, as
        this machine writes integers.

        >>> table = WordTable()
        >>> table.add(b"low", 5)
        >>> len(table.to_bytes()), list(table_from_bytes(table.to_bytes()).items())
        (23, [(b'low', 5)])
        """
        cdef size_t i
        cdef uint32_t length
        cdef uint64_t count, words = self.table.size(), distinct = self.totals()[1]
        cdef bytes made = PyBytes_FromStringAndSize(NULL, 8 + 12 * words + distinct)
        cdef uint8_t* lengths = <uint8_t*> <char*> made + 8
        cdef uint8_t* counts = lengths + 4 * words
        cdef uint8_t* joined = counts + 8 * words
        memcpy(<char*> made, &words, 8)
        for i in range(self.table.capacity()):
            length = self.table.slot(i).length
            if length != 0:
                memcpy(lengths, &length, 4)
                count = self.table.slot(i).count
                memcpy(counts, &count, 8)
                memcpy(joined, word_bytes(self.table.slot(i)), length)
                lengths += 4
                counts += 8
                joined += length
        return made

    def add_bytes(self, bytes made not None):
        """Add the words and counts of what `to_bytes` made.

        :raises ValueError: it was not made by that, or not all of it is here.
        :raises OverflowError: all words together would hold more than 2**63 - 1 bytes.
        :raises MemoryError: there is no memory for a larger table: it has some of the words.
        :raises RuntimeError: a stage in another thread is reading the table.
        """
        cdef const uint8_t* at = <const uint8_t*> <const char*> made
        cdef const uint8_t *lengths, *counts, *joined
        cdef uint64_t size = len(made), words = 0, i, count = 0, joined_bytes = 0
        cdef uint64_t most, more = 0
        cdef uint32_t length = 0
        cdef cbool good = size >= 8
        if good:
            memcpy(&words, at, 8)
            good = words <= (size - 8) // 13
        if self.readers != 0:
            raise RuntimeError("a stage is reading this table: add to it when the stage is made")
        if self.text_bytes < 0:
            self.text_bytes = self.totals()[2]
        most = INT64_MAX - self.text_bytes
        lengths = at + 8
        counts = lengths + 4 * words
        joined = counts + 8 * words
        # All of it is looked at before a word is added.
        for i in range(words if good else 0):
            memcpy(&length, lengths + 4 * i, 4)
            memcpy(&count, counts + 8 * i, 8)
            good = good and length != 0 and count != 0
            joined_bytes += length
            if good and count > (most - more) // length:
                raise OverflowError("the words would hold more than 2**63 - 1 bytes")
            more += length * count
        if not good or joined_bytes != size - 8 - 12 * words:
            raise ValueError(f"{size:,} bytes are no table of words: take what `to_bytes` returned")
        self.text_bytes = -1  # until all are there
        for i in range(words):
            memcpy(&length, lengths + 4 * i, 4)
            memcpy(&count, counts + 8 * i, 8)
            self.table.add_word(joined, length, count)
            joined += length
        self.text_bytes = INT64_MAX - most + more

    def __reduce__(self):
        """Pickle and copy: one piece of bytes instead of an object for each word."""
        return table_from_bytes, (self.to_bytes(),)


cdef class WordItems:
    """What goes through a table. No generator: one that is closed where no memory is left says so."""
    cdef WordTable words
    cdef size_t size, place

    def __iter__(self):
        return self

    def __next__(self):
        cdef const WordSlot* slot
        if self.words.table.size() != self.size:
            raise RuntimeError("the table got new words while it was gone through")
        while self.place < self.words.table.capacity():
            slot = &self.words.table.slot(self.place)
            self.place += 1
            if slot.length != 0:
                return PyBytes_FromStringAndSize(<const char*> word_bytes(slot[0]), slot.length), slot.count
        raise StopIteration


def table_from_bytes(bytes made not None):
    """Return a table of what `WordTable.to_bytes` made.

    :raises ValueError: it was not made by that.
    """
    table = WordTable()
    table.add_bytes(made)
    return table


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
