# cython: language_level=3
"""What the suites `hashing`, `select`, `negative` and `limit` measure in C++, and the scanner, for tests."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.string cimport string
from libcpp.utility cimport pair as cpp_pair
from libcpp.vector cimport vector

from bpe_lab.counting.word_table import check_counts
from bpe_lab.native cimport PatternId, pattern_of


cdef extern from "characters.hpp" namespace "bpe_lab" nogil:
    unsigned class_of "bpe_lab::kind_of<false>"(uint32_t code_point)
    unsigned cased_class_of "bpe_lab::kind_of<true>"(uint32_t code_point)


cdef extern from "tests/marked_words.hpp" namespace "bpe_lab" nogil:
    string marked_words_ "bpe_lab::marked_words"(const string& texts, PatternId id, cbool by_masks) except +
    vector[size_t] cuts_of_ "bpe_lab::cuts_of"(const string& text, PatternId id)


cdef extern from "maps.hpp" namespace "bpe_lab" nogil:
    cdef enum class MapKind:
        pass


cdef extern from "experiments/hashing.hpp" namespace "bpe_lab" nogil:
    cdef enum class HashFunction:
        pass

    uint64_t hash_pair_ "bpe_lab::hash_pair"(HashFunction hash, uint32_t left, uint32_t right)

    cdef struct Change:
        uint64_t pair
        int64_t change

    cdef struct Replayed:
        double seconds
        uint64_t probes
        uint64_t hash_values
        uint64_t largest
        vector[Change] counts

    vector[Change] training_changes(
        const vector[string]& words,
        const vector[uint64_t]& counts,
        uint32_t first_id,
        uint32_t end_id,
    ) except +
    Replayed replay_ "bpe_lab::replay"(
        MapKind map, HashFunction hash, const vector[Change]& changes) except +


cdef extern from "experiments/selection.hpp" namespace "bpe_lab" nogil:
    cdef enum class Way:
        pass

    cdef enum class Schedule:
        pass

    cdef cppclass Entry "bpe_lab::PairHeap::Entry":
        int64_t count
        uint64_t pair

    cdef cppclass Selected:
        double seconds
        double first_seconds
        vector[Entry] chosen
        vector[cpp_pair[string, uint64_t]] operations

    Selected select_pairs_ "bpe_lab::select_pairs"(
        Way way, MapKind map, size_t n_pairs, int selections, int threads, Schedule schedule
    ) except +


cdef extern from "experiments/limits.hpp" namespace "bpe_lab" nogil:
    cdef struct Touched:
        double seconds
        uint64_t checksum

    Touched touch_places_ "bpe_lab::touch_places"(
        cbool dependent, cbool ascending, cbool fetched, size_t cells, size_t places, unsigned work) except +


# The names of each enum, in its order.
cdef tuple HASH_FUNCTIONS = ("identity", "shifted_xor", "boost_combine", "fibonacci", "multiply_mix")
cdef tuple MAPS = ("node", "flat")
cdef tuple WAYS = ("heap", "scan", "copy")
cdef tuple SCHEDULES = ("", "static", "dynamic", "guided")


def class_of_code_point(uint32_t code_point, bint cased=False):
    """Return the scanner's class of a code point: 0 other, 1 letter, 2 number, 3 white space.

    :param cased: with 4 added where the upper part of a word may have it, 8 where the lower one.

    >>> [class_of_code_point(ord(character)) for character in "!a1 "]
    [0, 1, 2, 3]
    """
    return cased_class_of(code_point) if cased else class_of(code_point)


def marked_words(bytes texts not None, str pattern not None, bint by_masks=True):
    r"""Return texts, a NUL behind each, with the byte 1 behind each word; without `by_masks` word by word.

    >>> marked_words(b"I'll\0 go\n\0", "llama3")
    b"I\x01'll\x01\x00 go\x01\n\x01\x00"
    """
    return bytes(marked_words_(texts, pattern_of(pattern.encode()), by_masks))


def cuts_of(bytes text not None, str pattern not None):
    """Return where blocks of a text may end, as offsets in bytes, special tokens aside.

    >>> cuts_of(b"one. two", "llama3")
    [3, 4]
    """
    return list(cuts_of_(text, pattern_of(pattern.encode())))


def hash_pair(str hash not None, uint32_t left, uint32_t right):
    """Return the value (64 bits) that a hash function, by its name, gives a pair of ids.

    >>> hash_pair("shifted_xor", 1, 2)
    5
    """
    return hash_pair_(<HashFunction> <int> HASH_FUNCTIONS.index(hash), left, right)


cdef class Changes:
    """The changes of the pair counts in a training by stage `cpp_flat`, in their order.

    One for each pair of a word at first, then one for each pair that a match takes away or makes.

    >>> len(Changes({b"aaa": 5}, 256, 256))
    2
    """
    cdef vector[Change] changes

    # Not __init__, which can be called again while they are gone through.
    def __cinit__(self, counts, uint32_t first_id, uint32_t end_id):
        checked = check_counts(counts)
        self.changes = training_changes(list(checked), list(checked.values()), first_id, end_id)

    def __len__(self):
        return self.changes.size()

    def __iter__(self):
        cdef Change one
        for one in self.changes:
            yield one.pair, one.change

    def replay(self, str map not None, str hash not None):
        """Make all changes in an empty map, node (`std::unordered_map`) or flat.

        :return: seconds, probes (entries compared by all look-ups), hash_values (distinct ones), largest
            (most pairs at a time), and counts: (pair, count) at the end, ascending.
        """
        cdef MapKind kind = <MapKind> <int> MAPS.index(map)
        cdef HashFunction function = <HashFunction> <int> HASH_FUNCTIONS.index(hash)
        cdef Replayed replayed
        with nogil:
            replayed = replay_(kind, function, self.changes)
        return {
            "seconds": replayed.seconds,
            "probes": replayed.probes,
            "hash_values": replayed.hash_values,
            "largest": replayed.largest,
            "counts": [(one.pair, one.change) for one in replayed.counts],
        }


def select_pairs(
    str how not None, str map not None, size_t n_pairs, int selections, int threads, str schedule not None
):
    """Choose the greatest of many pairs again and again; a few dozen counts change in between.

    :param how: heap, scan, or copy (into a vector, which is scanned).
    :param map: as for `Changes.replay`.
    :param selections: how many are timed, after two that start threads and build the heap.
    :param schedule: of OpenMP: static, dynamic, guided; "" without OpenMP.
    :return: seconds, first_seconds (of the two before), chosen: (pair, count) of all, and operations.

    >>> selected = select_pairs("heap", "flat", 1000, 3, 1, "")
    >>> selected["chosen"] == select_pairs("scan", "node", 1000, 3, 1, "")["chosen"]
    True
    """
    cdef Way way = <Way> <int> WAYS.index(how)
    cdef MapKind kind = <MapKind> <int> MAPS.index(map)
    cdef Schedule dealt = <Schedule> <int> SCHEDULES.index(schedule)
    cdef Selected selected
    with nogil:
        selected = select_pairs_(way, kind, n_pairs, selections, threads, dealt)
    return {
        "seconds": selected.seconds,
        "first_seconds": selected.first_seconds,
        "chosen": [(entry.pair, entry.count) for entry in selected.chosen],
        "operations": {entry.first.decode(): entry.second for entry in selected.operations},
    }


def touch_places(
    size_t array_bytes, size_t places, bint dependent, bint ascending, bint fetched=False, unsigned work=0
):
    """Read and write cells of 16 bits at places of an array.

    :param dependent: a place is known when the cell of the one before has come; else all are, from a list.
    :param ascending: the places, as in the list of a pair; else the same ones, shuffled.
    :param fetched: independent places are prefetched, as in the pass of a merge.
    :param work: steps of work behind each place, each a few instructions that need no memory.
    :return: seconds, and checksum (of the array in the end).

    >>> one, other = (touch_places(5000, 999, way, not way)["checksum"] for way in (True, False))
    >>> one == other
    True
    """
    if array_bytes < 2:
        raise ValueError(f"{array_bytes} bytes: give at least a cell, 2 bytes")
    cdef Touched touched
    with nogil:
        touched = touch_places_(dependent, ascending, fetched, array_bytes // 2, places, work)
    return touched
