# cython: language_level=3, wraparound=False
"""Makes text of any length that is shaped like a language's: see ``bpe_lab.corpora.made_texts``."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "text_maker.hpp" namespace "bpe_lab" nogil:
    cdef cppclass RankCell:
        uint32_t first, width, threshold, alias

    cdef struct TextShape:
        uint64_t seed
        uint32_t sentence_words, document_words, name_chance, number_chance, comma_chance
        uint32_t quote_chance, paragraph_chance

    cdef cppclass CppTextMaker "bpe_lab::TextMaker":
        CppTextMaker(
            const vector[string]& frequent,
            vector[uint8_t] chain,
            vector[RankCell] cells,
            uint32_t kept_ranks,
            TextShape shape,
        ) except +
        size_t document(uint64_t number, uint8_t* text)

    size_t LONGEST_DOCUMENT "bpe_lab::TextMaker::kLongestDocument"


cdef class TextMaker:
    """Documents by their number; each is the same whenever it is made.

    Nothing is checked: `made_texts` makes all of these from its own data.

    :param frequent: the words of the first ranks (bytes, lower case, a to z).
    :param chain: what may follow two letters, 64 choices each (27 * 27 * 64 bytes).
    :param cells: (first rank, width, threshold, alias) of each cell of ranks.
    :param kept_ranks: how many words are spelled in advance.
    :param shape: the fields of ``TextShape``.
    """

    cdef unique_ptr[CppTextMaker] maker

    def __cinit__(self, frequent, bytes chain not None, cells, uint32_t kept_ranks, dict shape not None):
        cdef vector[RankCell] made
        cdef RankCell cell
        for cell.first, cell.width, cell.threshold, cell.alias in cells:
            made.push_back(cell)
        self.maker.reset(new CppTextMaker(list(frequent), chain, made, kept_ranks, shape))

    def fill(self, bytearray buffer not None, uint64_t number):
        """Write whole documents into a buffer, as many as find room whatever their length.

        :param buffer: of at least ``LARGEST`` bytes.
        :param number: of the first document.
        :return: how many bytes were written, and the number of the next document.
        """
        cdef uint8_t[::1] room = buffer
        cdef size_t used = 0, size = len(buffer)
        if size < LONGEST_DOCUMENT:
            raise ValueError(f"the buffer has {size:,} bytes, a document up to {LONGEST_DOCUMENT:,}")
        with nogil:
            while size - used >= LONGEST_DOCUMENT:
                used += self.maker.get().document(number, &room[used])
                number += 1
        return used, number


LARGEST = LONGEST_DOCUMENT
"""Bytes that a document has at most."""
