# cython: language_level=3
"""What the suites `hashing`, `select` and `negative` measure in C++, and the scanner's classes to look at."""

from libc.stdint cimport int64_t, uint32_t, uint64_t
from libcpp.string cimport string
from libcpp.utility cimport pair as cpp_pair
from libcpp.vector cimport vector

from bpe_lab.counting.word_table import check_counts
from bpe_lab.native cimport kMostIds


cdef extern from "characters.hpp" namespace "bpe_lab" nogil:
    const char* kRegexVersion
    unsigned class_of(uint32_t code_point)


cdef extern from "maps.hpp" namespace "bpe_lab" nogil:
    cdef enum class MapKind:
        kNode, kFlat


cdef extern from "experiments/hash_functions.hpp" namespace "bpe_lab" nogil:
    cdef enum class HashFunction:
        kIdentity, kShiftedXor, kBoostCombine, kFibonacci, kMultiplyMix

    uint64_t hash_pair_ "bpe_lab::hash_pair"(HashFunction hash, uint32_t left, uint32_t right)


cdef extern from "experiments/pair_changes.hpp" namespace "bpe_lab" nogil:
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
        MapKind map, HashFunction hash, const vector[Change]& changes, int loops) except +


cdef extern from "experiments/selection.hpp" namespace "bpe_lab" nogil:
    cdef enum class Way:
        kHeap, kScan, kCopy

    cdef enum class Schedule:
        kNone, kStatic, kDynamic, kGuided

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


cdef dict HASH_FUNCTIONS = {
    "identity": <int> HashFunction.kIdentity,
    "shifted_xor": <int> HashFunction.kShiftedXor,
    "boost_combine": <int> HashFunction.kBoostCombine,
    "fibonacci": <int> HashFunction.kFibonacci,
    "multiply_mix": <int> HashFunction.kMultiplyMix,
}
cdef dict MAPS = {"node": <int> MapKind.kNode, "flat": <int> MapKind.kFlat}
cdef dict WAYS = {"heap": <int> Way.kHeap, "scan": <int> Way.kScan, "copy": <int> Way.kCopy}
cdef dict SCHEDULES = {
    "": <int> Schedule.kNone,
    "static": <int> Schedule.kStatic,
    "dynamic": <int> Schedule.kDynamic,
    "guided": <int> Schedule.kGuided,
}


cdef int named(dict numbers, str what, str name) except -1:
    if name not in numbers:
        raise ValueError(f"no {what} is called {name}")
    return numbers[name]


def class_of_code_point(code_point):
    """Return the scanner's class of a code point: 0 other, 1 letter, 2 number, 3 white space.

    :raises ValueError: it is none, 0 to 0x10FFFF.

    >>> [class_of_code_point(ord(character)) for character in "!a1 "]
    [0, 1, 2, 3]
    """
    if not 0 <= code_point <= 0x10FFFF:
        raise ValueError(f"{code_point} is no code point: give 0 to 0x10FFFF")
    return class_of(code_point)


def regex_version():
    """Return the version of the `regex` package that the scanner's classes were read off."""
    return kRegexVersion.decode()


def hash_pair(str hash not None, uint32_t left, uint32_t right):
    """Return the value (64 bits) that a hash function gives a pair of ids.

    :param hash: identity, shifted_xor, boost_combine, fibonacci or multiply_mix.
    :param left: id.
    :param right: id.
    :raises ValueError: unknown hash function.

    >>> hash_pair("shifted_xor", 1, 2)
    5
    """
    cdef HashFunction function = <HashFunction> named(HASH_FUNCTIONS, "hash function", hash)
    return hash_pair_(function, left, right)


# Pairs are drawn until they differ, of a thousand million that there are.
cdef enum:
    MOST_PAIRS = 100_000_000


cdef class Changes:
    """The changes of the pair counts in a training, in their order.

    Those of stage `cpp_flat`: one per pair of each word at first, then one per pair that a match
    takes away or makes.

    :param words: distinct words (bytes).
    :param counts: how often each occurs.
    :param first_id: id of the first merge, 256 or more.
    :param end_id: id at which to stop, 2**32 - 2 at most.
    :raises ValueError: an id is out of its bounds, the numbers of words and counts differ, or a pair
        could be counted more than 2**63 - 1 times.

    >>> len(Changes([b"aaa"], [5], 256, 256))
    2
    """
    cdef vector[Change] changes

    # Not __init__, which can be called again while they are gone through.
    def __cinit__(self, list words not None, list counts not None, uint32_t first_id, uint32_t end_id):
        if not 256 <= first_id <= end_id <= kMostIds:
            raise ValueError(f"ids from {first_id:,} to {end_id:,}: give 256 to {kMostIds:,}, ascending")
        if len(set(words)) < len(words):
            raise ValueError("a word appears twice: give it once, with the sum of its counts")
        checked = check_counts(dict(zip(words, counts, strict=True)))
        self.changes = training_changes(
            list(checked), list(checked.values()), first_id, end_id)

    def __len__(self):
        return self.changes.size()

    def __iter__(self):
        cdef Change one
        for one in self.changes:
            yield one.pair, one.change

    def replay(self, str map not None, str hash not None, int loops):
        """Make all changes in an empty map.

        :param map: node (`std::unordered_map`) or flat.
        :param hash: as for `hash_pair`.
        :param loops: how often it is done with the clock running, 1 or more.
        :return: seconds (mean of one replay), probes (entries compared by all look-ups),
            hash_values (distinct ones), largest (most pairs at a time), and counts: (pair, count)
            at the end, ascending.
        :raises ValueError: unknown map or hash function, or no loops.
        """
        if loops < 1:
            raise ValueError(f"loops is {loops}: give 1 or more")
        cdef MapKind kind = <MapKind> named(MAPS, "map", map)
        cdef HashFunction function = <HashFunction> named(HASH_FUNCTIONS, "hash function", hash)
        cdef Replayed made
        with nogil:
            made = replay_(kind, function, self.changes, loops)
        return {
            "seconds": made.seconds,
            "probes": made.probes,
            "hash_values": made.hash_values,
            "largest": made.largest,
            "counts": [(one.pair, one.change) for one in made.counts],
        }


def select_pairs(
    str how not None, str map not None, size_t n_pairs, int selections, int threads, str schedule not None
):
    """Choose the greatest of many pairs again and again; a few dozen counts change in between.

    :param how: heap, scan, or copy (into a vector, which is scanned).
    :param map: node (`std::unordered_map`) or flat.
    :param n_pairs: number of pairs, 1 to 100 million.
    :param selections: how many are timed, after two that start threads and build the heap.
    :param threads: of a scan with OpenMP, 1 or more, as many as the system starts.
    :param schedule: of OpenMP: static, dynamic, guided; "" without OpenMP.
    :return: seconds (of the timed ones), first_seconds (of the two before them), chosen: (pair,
        count) of all, and operations.
    :raises ValueError: unknown way, map or schedule, or a number out of its bounds.
    :raises RuntimeError: the system does not start as many threads.

    >>> made = select_pairs("heap", "flat", 1000, 3, 1, "")
    >>> made["chosen"] == select_pairs("scan", "node", 1000, 3, 1, "")["chosen"]
    True
    """
    cdef Way way = <Way> named(WAYS, "way to select", how)
    cdef MapKind kind = <MapKind> named(MAPS, "map", map)
    cdef Schedule dealt = <Schedule> named(SCHEDULES, "schedule", schedule)
    if n_pairs < 1 or selections < 1 or threads < 1:
        raise ValueError("n_pairs, selections and threads must be 1 or more")
    if n_pairs > MOST_PAIRS:
        raise ValueError(f"n_pairs is {n_pairs:,}: give {MOST_PAIRS:,} at most")
    cdef Selected made
    with nogil:
        made = select_pairs_(way, kind, n_pairs, selections, threads, dealt)
    return {
        "seconds": made.seconds,
        "first_seconds": made.first_seconds,
        "chosen": [(entry.pair, entry.count) for entry in made.chosen],
        "operations": {entry.first.decode(): entry.second for entry in made.operations},
    }
