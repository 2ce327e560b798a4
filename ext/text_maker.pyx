# cython: language_level=3, wraparound=False
"""Makes text of any length that is shaped like a language's: see ``bpe_lab.corpora.made_texts``."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.vector cimport vector


cdef extern from "text_maker.hpp" namespace "bpe_lab" nogil:
    cdef cppclass RankCell:
        uint32_t first, width, threshold, alias

    cdef cppclass TextShape:
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
    size_t N_LETTERS "bpe_lab::kLetters"
    size_t N_CHOICES "bpe_lab::kChoices"


cdef class TextMaker:
    """Documents by their number; each is the same whenever it is made.

    :param frequent: the words of the first ranks (bytes, lower case).
    :param chain: what may follow two letters, 64 choices each (27 * 27 * 64 bytes).
    :param cells: (first rank, width, threshold, alias) of each cell of ranks.
    :param kept_ranks: how many words are spelled in advance.
    :param shape: the fields of ``TextShape``.
    """

    cdef unique_ptr[CppTextMaker] maker

    def __init__(self, frequent, bytes chain not None, cells, uint32_t kept_ranks, shape):
        cdef vector[RankCell] made
        cdef RankCell cell
        cdef TextShape words
        if len(chain) != N_LETTERS * N_LETTERS * N_CHOICES:
            raise ValueError(f"the chain has {len(chain):,} bytes")
        if max(chain) >= N_LETTERS:
            raise ValueError("the chain has what is no letter")
        # Else a word that is too short would go on without an end.
        if not any(chain[:N_CHOICES]):
            raise ValueError("the chain lets every word end before its first letter")
        if kept_ranks > 1 << 24:
            raise ValueError(f"kept_ranks is {kept_ranks:,}: give {1 << 24:,} or less")
        if any(not word.isalpha() or not word.islower() or not word.isascii() for word in frequent):
            raise ValueError("a frequent word is not of the letters a to z")
        for cell.first, cell.width, cell.threshold, cell.alias in cells:
            if cell.alias >= len(cells) or not cell.width:
                raise ValueError("a cell of ranks is empty, or its alias is none")
            made.push_back(cell)
        if made.empty():
            raise ValueError("there are no ranks to draw from")
        words.seed = shape["seed"]
        words.sentence_words = shape["sentence_words"]
        words.document_words = shape["document_words"]
        words.name_chance = shape["name_chance"]
        words.number_chance = shape["number_chance"]
        words.comma_chance = shape["comma_chance"]
        words.quote_chance = shape["quote_chance"]
        words.paragraph_chance = shape["paragraph_chance"]
        # A document has at most 32 times its least number of words, each with what stands around it.
        if not 0 < words.sentence_words <= 1000 or not 0 < words.document_words <= 1000:
            raise ValueError("sentences and documents have 1 to 1,000 words at least")
        self.maker.reset(new CppTextMaker(list(frequent), chain, made, kept_ranks, words))

    def fill(self, bytearray buffer not None, uint64_t number):
        """Write whole documents into a buffer, as many as find room whatever their length.

        :param buffer: of at least ``LARGEST`` bytes.
        :param number: of the first document.
        :return: how many bytes were written, and the number of the next document.
        """
        cdef uint8_t[::1] room = buffer
        cdef size_t used = 0, size = len(buffer)
        if self.maker.get() == NULL:
            raise ValueError("it was not initialized: call TextMaker(...)")
        if size < LONGEST_DOCUMENT:
            raise ValueError(f"the buffer has {size:,} bytes, a document up to {LONGEST_DOCUMENT:,}")
        with nogil:
            while size - used >= LONGEST_DOCUMENT:
                used += self.maker.get().document(number, &room[used])
                number += 1
        return used, number


LARGEST = LONGEST_DOCUMENT
"""Bytes that a document has at most."""
