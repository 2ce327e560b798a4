# The table of words and their counts, for Python. Included by native.pyx.

cdef extern from "word_counts.hpp" namespace "bpe_lab" nogil:
    cdef cppclass WordSlot:
        uint64_t count
        uint32_t length

    const uint8_t* word_bytes(const WordSlot& slot)
    cdef cppclass WordCounts:
        WordCounts()
        size_t size()
        const WordSlot* next(const WordSlot* slot)
        void add_word(const uint8_t* word, size_t length, uint64_t count) except +
        uint64_t count_of(const uint8_t* word, size_t length) except +


cdef class WordTable:
    """A table of words and their counts, outside of Python's memory.

    Open addressing with 32-byte slots, in parts by the hash; words of up to 16 bytes lie inside their slot.

    >>> table = WordTable()
    >>> table.add(b"low", 5)
    >>> table.count(b"low"), len(table), list(table)
    (5, 1, [b'low'])
    """
    cdef WordCounts table
    cdef int64_t text_bytes  # of all occurrences; -1: not added up yet
    cdef int readers  # stages that read it without the GIL

    def __len__(self):
        return self.table.size()

    def count(self, bytes word not None):
        """Return how often a word (bytes) occurs, 0 when it does not."""
        return self.table.count_of(<const uint8_t*> <const char*> word, len(word))

    def add(self, bytes word not None, count):
        """Add `count` occurrences of a word; an empty word or a count of 0 adds nothing.

        :raises OverflowError: the count is negative, or all words together would hold more than
            2**63 - 1 bytes: a pair is counted in 64 bits.
        :raises RuntimeError: a stage in another thread is reading the table.
        """
        cdef uint64_t occurrences = index(count)
        cdef size_t length = len(word)
        if length != 0 and occurrences != 0:
            self.add_word(<const uint8_t*> <const char*> word, length, occurrences)

    cdef add_word(self, const uint8_t* word, size_t length, uint64_t count):
        if self.readers != 0:
            raise RuntimeError("a stage is reading this table: add to it when the stage is made")
        if self.text_bytes < 0:
            self.text_bytes = self.totals()[2]
        if count > <uint64_t> (INT64_MAX - self.text_bytes) // length:
            raise OverflowError(
                f"{count:,} times {word[:min(length, <size_t> 40)]!r}: "
                "the words would hold more than 2**63 - 1 bytes"
            )
        self.table.add_word(word, length, count)
        self.text_bytes += length * count

    def __iter__(self):
        return map(itemgetter(0), self.items())

    def items(self):
        """Return an iterator over (word, count); it raises RuntimeError when the table has got new words."""
        return WordItems(self)

    def totals(self):
        """Return occurrences, bytes of the distinct words, bytes of all occurrences, and NULs among these."""
        cdef uint64_t occurrences = 0, distinct = 0, everything = 0, nuls = 0
        cdef const uint8_t* word
        cdef const WordSlot* slot = self.table.next(NULL)
        while slot != NULL:
            occurrences += slot.count
            distinct += slot.length
            everything += slot.length * slot.count
            word = word_bytes(slot[0])
            nuls += count_equal(word, word + slot.length, <uint8_t> 0) * slot.count
            slot = self.table.next(slot)
        return occurrences, distinct, everything, nuls

    def to_bytes(self):
        """Return the words and counts as bytes, 12 and those of the word for each.

        Of each word its length (32 bits), its count (64 bits) and the word, as this machine writes integers.

        >>> table = WordTable()
        >>> table.add(b"low", 5)
        >>> len(table.to_bytes()), list(table_from_bytes(table.to_bytes()).items())
        (15, [(b'low', 5)])
        """
        cdef const WordSlot* slot = self.table.next(NULL)
        cdef bytes packed = PyBytes_FromStringAndSize(NULL, 12 * self.table.size() + self.totals()[1])
        cdef uint8_t* at = <uint8_t*> <char*> packed
        while slot != NULL:
            memcpy(at, &slot.length, 4)
            memcpy(at + 4, &slot.count, 8)
            memcpy(at + 12, word_bytes(slot[0]), slot.length)
            at += 12 + slot.length
            slot = self.table.next(slot)
        return packed

    def add_bytes(self, bytes packed not None):
        """Add the words and counts of what `to_bytes` made.

        :raises ValueError: it was not made by that; the words before what is wrong are added.
        :raises OverflowError, RuntimeError: see `add`; the words before are added.
        """
        cdef const uint8_t* at = <const uint8_t*> <const char*> packed
        cdef const uint8_t* end = at + len(packed)
        cdef uint32_t length = 0
        cdef uint64_t count = 0
        while at < end:
            if end - at > 12:
                memcpy(&length, at, 4)
                memcpy(&count, at + 4, 8)
            if end - at <= 12 or length == 0 or count == 0 or length > end - at - 12:
                raise ValueError(
                    f"{len(packed):,} bytes are not a table of words: take what `to_bytes` returned")
            self.add_word(at + 12, length, count)
            at += 12 + length

    def __reduce__(self):
        """Pickle and copy: one piece of bytes instead of an object for each word."""
        return table_from_bytes, (self.to_bytes(),)


cdef class WordItems:
    """No generator: one that is closed where no memory is left would say so on standard error."""
    cdef WordTable words
    cdef size_t size
    cdef const WordSlot* last
    cdef bint over

    def __cinit__(self, WordTable words not None):
        self.words, self.size = words, words.table.size()

    def __iter__(self):
        return self

    def __next__(self):
        cdef const WordSlot* slot
        if self.words.table.size() != self.size:
            raise RuntimeError("the table got new words while it was gone through")
        slot = self.words.table.next(self.last) if not self.over else NULL
        if slot == NULL:
            self.over = True
            raise StopIteration
        self.last = slot
        return PyBytes_FromStringAndSize(<const char*> word_bytes(slot[0]), slot.length), slot.count


def table_from_bytes(bytes packed not None):
    """Return a table of what `WordTable.to_bytes` made; anything else is a ValueError."""
    table = WordTable()
    table.add_bytes(packed)
    return table


def word_table(counts):
    """Return a table of word counts as a `WordTable`, the same one when it is one.

    >>> len(word_table({b"low": 5, b"lower": 2}))
    2
    """
    table = getattr(counts, "table", counts)
    if isinstance(table, WordTable):
        return table
    if not hasattr(counts, "items"):
        raise TypeError(f"counts is {type(counts).__name__}: give a mapping of bytes to integers")
    table = WordTable()
    for word, count in counts.items():
        table.add(word, count)
    return table
