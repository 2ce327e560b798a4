# The table of words and their counts, for Python. Included by native.pyx.

from array import array
from operator import index

from cpython.bytes cimport PyBytes_FromStringAndSize
from libc.stdint cimport INT64_MAX, int64_t, uint8_t, uint32_t, uint64_t


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
