# cython: language_level=3
"""The compiled stages with something left out, for comparison, or set so that small texts test them."""

from libc.stdint cimport uint8_t, uint64_t

from bpe_lab.native cimport CompiledStage, MakeStage, stage_maker


cdef extern from "experiments/ablations.hpp" namespace "bpe_lab" nogil:
    cdef struct Ablation:
        const char* name
        MakeStage make
        const char* what

    const Ablation[19] kAblations


cdef extern from "experiments/counting_ways.hpp" namespace "bpe_lab" nogil:
    cdef enum class CountingWay:
        pass

    cdef struct CountedBy:
        uint64_t words
        uint64_t distinct_words
        uint64_t fingerprint

    CountedBy count_by_ "bpe_lab::count_by"(CountingWay way, const uint8_t* text, size_t size) except +


COUNTING_WAYS = ("plain", "table", "masks", "queue", "recent")
cdef tuple WAYS = ("pass", "scan", *COUNTING_WAYS)  # in the order of `CountingWay`


def count_by(str way not None, bytes text not None):
    """Count the words of a text by one thread; each way has one idea more than the one before it.

    :param way: one of `COUNTING_WAYS`; or pass (reads the bytes) or scan (finds the words), which show how
        fast any counter could be: see `CountingWay` in counting_ways.hpp.
    :param text: UTF-8, in which "<|endoftext|>" is a special token.
    :return: words, distinct_words and fingerprint, which is that of all words and their counts; of pass, the
        sum of the bytes as integers of 64 bits, block by block; of scan, the bytes of all words.
    :raises ValueError: the text is not UTF-8.

    >>> count_by("plain", b"to be or not to be") == count_by("recent", b"to be or not to be")
    True
    """
    cdef CountingWay chosen = <CountingWay> <int> WAYS.index(way)
    cdef const uint8_t* begin = text
    cdef size_t size = len(text)
    cdef CountedBy counted
    with nogil:
        counted = count_by_(chosen, begin, size)
    return counted


# A class for each, as those of `bpe_lab.native` are.
for _number in range(sizeof(kAblations) // sizeof(Ablation)):
    _name = kAblations[_number].name.decode()
    globals()[_name] = type(_name, (CompiledStage,), {
        "__doc__": kAblations[_number].what.decode(),
        "__module__": __name__,
        "maker": stage_maker(kAblations[_number].make),
        "keywords": {"Core": ("threads", "vocab_size"), "Open": ("threads",)}.get(_name[:4], ()),
    })
