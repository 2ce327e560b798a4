# cython: language_level=3, wraparound=False, cdivision=True
"""Makes text of any length, shaped like a language's, from integers: see ``bpe_lab.corpora.made_texts``."""

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.vector cimport vector

cdef enum:
    LONGEST_WORD = 24
    LONGEST_DOCUMENT = 1 << 20
    LETTERS = 27
    CHOICES = 64


# A cell is one frequent rank, or a range of rare ones; one number finds it (Walker's alias method 1974, Vose
# 1991).
cdef struct RankCell:
    uint32_t first  # rank
    uint32_t width  # ranks
    uint32_t threshold  # of 2^32: below it this cell is meant, from it on the alias
    uint32_t alias  # number of a cell

cdef struct Spelled:
    char[LONGEST_WORD] letters
    uint8_t length
    uint8_t name  # always with a capital

# Chances are of 65,536.
cdef struct Shape:
    uint64_t seed
    uint32_t sentence_words  # least number, and as many again at most twice
    uint32_t document_words  # least number; most documents are some times as long
    uint32_t name_chance  # that a rare word is a name
    uint32_t number_chance
    uint32_t comma_chance
    uint32_t quote_chance  # of a sentence
    uint32_t paragraph_chance  # that one ends with a sentence


# SplitMix64 (Steele, Lea and Flood 2014): one addition and a mix per number.
cdef inline uint64_t mix(uint64_t number) noexcept nogil:
    number = (number ^ number >> 30) * <uint64_t> 0xBF58476D1CE4E5B9
    number = (number ^ number >> 27) * <uint64_t> 0x94D049BB133111EB
    return number ^ number >> 31

cdef inline uint64_t bits(uint64_t* state) noexcept nogil:
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    return mix(state[0])

cdef inline uint32_t below(uint64_t* state, uint64_t most) noexcept nogil:
    """A number below `most`, which is less than 2^32."""
    return <uint32_t> ((bits(state) >> 32) * most >> 32)


cdef class TextMaker:
    """Documents by their number; each is the same whenever it is made.

    Nothing is checked: `made_texts` makes all of these from its own data.

    :param frequent: the words of the first ranks (bytes, lower case, a to z).
    :param chain: what may follow two letters (27 * 27 * 64 bytes): 64 choices, each letter as often as in
        words of the language; 0 is the end.
    :param cells: (first rank, width, threshold, alias) of each cell of ranks.
    :param kept_ranks: how many words are spelled in advance.
    :param shape: the fields of ``Shape``.
    """
    cdef bytes chain
    cdef const uint8_t* choices  # of the chain
    cdef vector[RankCell] cells
    cdef vector[Spelled] kept
    cdef Shape shape

    def __cinit__(self, frequent, bytes chain not None, cells, uint32_t kept_ranks, dict shape not None):
        cdef RankCell cell
        cdef Spelled spelled
        cdef bytes letters
        self.chain, self.shape = chain, shape
        self.choices = chain
        for cell.first, cell.width, cell.threshold, cell.alias in cells:
            self.cells.push_back(cell)
        self.kept.reserve(kept_ranks)
        for word in frequent:
            letters = word[:LONGEST_WORD].ljust(LONGEST_WORD, b"\0")
            memcpy(spelled.letters, <const char*> letters, LONGEST_WORD)
            spelled.length, spelled.name = min(len(word), LONGEST_WORD), False
            self.kept.push_back(spelled)
        while self.kept.size() < kept_ranks:
            self.kept.push_back(self.spell(self.kept.size()))

    def fill(self, bytearray buffer not None, uint64_t number):
        """Write whole documents into a buffer, as many as find room whatever their length.

        :param buffer: of at least ``LARGEST`` bytes.
        :param number: of the first document.
        :return: how many bytes were written, and the number of the next document.
        """
        cdef Py_buffer room  # a typed memoryview would be two thirds of this module
        cdef uint8_t* end
        cdef size_t size = len(buffer)
        if size < LONGEST_DOCUMENT:
            raise ValueError(f"the buffer has {size:,} bytes, a document up to {LONGEST_DOCUMENT:,}")
        PyObject_GetBuffer(buffer, &room, PyBUF_WRITABLE)
        end = <uint8_t*>room.buf
        with nogil:
            while size - (end - <uint8_t*>room.buf) >= LONGEST_DOCUMENT:
                end = self.document(number, end)
                number += 1
        PyBuffer_Release(&room)
        return end - <uint8_t*>room.buf, number

    # What follows writes to `end`, and returns where it ended.

    cdef uint8_t* document(self, uint64_t number, uint8_t* end) noexcept nogil:
        cdef uint64_t draw = mix(self.shape.seed) ^ mix(number + 1)
        cdef const char* boundary = b"\n<|endoftext|>\n"
        cdef uint32_t words, length
        cdef bint begins = True
        # Three in four are between one and four times the least length, a few much longer.
        words = below(&draw, 4)
        words = self.shape.document_words << (below(&draw, 5) if words == 0 else below(&draw, 3))
        words += below(&draw, words)
        while words > 0:
            length = min(words, self.shape.sentence_words + below(&draw, 2 * self.shape.sentence_words))
            end = self.sentence(&draw, length, begins, end)
            words -= length
            begins = words > 0 and below(&draw, 65536) < self.shape.paragraph_chance
            if begins:
                end[0] = end[1] = c"\n"
                end += 2
        memcpy(end, boundary, 15)
        return end + 15

    cdef uint8_t* sentence(self, uint64_t* draw, uint32_t length, bint begins, uint8_t* end) noexcept nogil:
        cdef bint quoted = below(draw, 65536) < self.shape.quote_chance
        cdef uint32_t at, last
        cdef uint64_t chances
        for at in range(length):
            if at > 0 or not begins:
                end[0] = c" "
                end += 1
            if at == 0 and quoted:
                end[0] = c'"'
                end += 1
            chances = bits(draw)
            if at > 0 and (chances & 0xFFFF) < self.shape.number_chance:
                end = number_to(draw, end)
            else:
                end = self.word(draw, at == 0, end)
            if at + 1 < length and (chances >> 16 & 0xFFFF) < self.shape.comma_chance:
                end[0] = c","
                end += 1
        last = below(draw, 16)
        end[0] = <uint8_t> (c"?" if last == 0 else c"!" if last == 1 else c".")
        end += 1
        if quoted:
            end[0] = c'"'
            end += 1
        return end

    cdef uint8_t* word(self, uint64_t* draw, bint first, uint8_t* end) noexcept nogil:
        cdef uint64_t drawn = bits(draw)
        cdef RankCell cell = self.cells[(drawn >> 32) * self.cells.size() >> 32]
        cdef uint32_t rank
        cdef Spelled made
        if <uint32_t> drawn >= cell.threshold:
            cell = self.cells[cell.alias]
        rank = cell.first if cell.width == 1 else cell.first + below(draw, cell.width)
        made = self.kept[rank] if rank < self.kept.size() else self.spell(rank)
        memcpy(end, made.letters, LONGEST_WORD)
        if first or made.name:
            end[0] -= 32  # small letters are 32 above capitals
        return end + made.length

    cdef Spelled spell(self, uint32_t rank) noexcept nogil:
        """The word of a rank, always the same: letters follow each other as in the language."""
        cdef uint64_t draw = mix(self.shape.seed + 1) + rank
        cdef Spelled made
        cdef size_t before = 0, last = 0, least = 3 if rank < 4096 else 4 if rank < 1 << 18 else 5
        cdef uint8_t letter
        made.length = 0
        made.name = below(&draw, 65536) < self.shape.name_chance
        while made.length < LONGEST_WORD:
            letter = self.choices[(before * LETTERS + last) * CHOICES + below(&draw, CHOICES)]
            if letter != 0:
                made.letters[made.length] = c"a" + letter - 1
                made.length += 1
            elif made.length >= least:
                break
            # Too short: another word begins behind it.
            before, last = last if letter != 0 else 0, letter
        return made


cdef uint8_t* number_to(uint64_t* draw, uint8_t* end) noexcept nogil:
    """A year, or as many digits as come."""
    cdef uint32_t value
    cdef uint8_t[10] digits
    cdef size_t length = 0
    if below(draw, 3) == 0:
        value = 1900 + below(draw, 125)
    else:
        value = below(draw, <uint64_t> 1 << below(draw, 15))
    while value > 0 or length == 0:
        digits[length] = c"0" + value % 10
        value //= 10
        length += 1
    while length > 0:
        length -= 1
        end[0] = digits[length]
        end += 1
    return end


LARGEST = LONGEST_DOCUMENT
"""Bytes that a document has at most."""
