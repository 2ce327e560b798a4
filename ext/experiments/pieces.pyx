# cython: language_level=3
"""What the suites `hashing`, `select`, `negative` and `limit` measure in C++, and the scanner's classes."""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr
from libcpp.string cimport string
from libcpp.utility cimport pair as cpp_pair
from libcpp.vector cimport vector

from bpe_lab.counting.word_table import check_counts
from bpe_lab.native cimport kMostIds


cdef extern from "characters.hpp" namespace "bpe_lab" nogil:
    const char* kRegexVersion
    unsigned class_of(uint32_t code_point)
    unsigned cased_class_of(uint32_t code_point)


cdef extern from "patterns.hpp" namespace "bpe_lab" nogil:
    cdef enum class PatternId:
        pass

    PatternId pattern_of(const string& id) except +


cdef extern from "experiments/marked_words.hpp" namespace "bpe_lab" nogil:
    string marked_words_ "bpe_lab::marked_words"(const string& texts, PatternId id, cbool by_masks) except +
    vector[size_t] cuts_of_ "bpe_lab::cuts_of"(const string& text, PatternId id)


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


cdef extern from "experiments/limits.hpp" namespace "bpe_lab" nogil:
    cdef enum class Walk:
        kPass, kScan, kKeys, kSlots, kCount

    cdef struct Walked:
        double seconds
        uint64_t bytes
        uint64_t words
        uint64_t word_bytes
        uint64_t checksum

    cdef cppclass TextToWalk:
        Walked walk(Walk way, size_t slots, cbool anywhere, int loops) except +

    unique_ptr[TextToWalk] make_text "std::make_unique<bpe_lab::TextToWalk>"(
        const uint8_t* bytes, size_t size, const vector[string]& special_tokens, size_t block_bytes
    ) except +

    cdef enum class LookUp:
        kWaits, kOverlaps, kQueued

    cdef struct Looked:
        double seconds
        uint64_t words
        uint64_t found
        uint64_t checksum

    Looked look_words_up_ "bpe_lab::look_words_up"(LookUp way, size_t slots, uint64_t look_ups) except +

    cdef enum class Touch:
        kWaits, kOverlaps, kAscends, kFetched

    cdef struct Touched:
        double seconds
        uint64_t places
        uint64_t checksum

    Touched touch_places_ "bpe_lab::touch_places"(Touch way, size_t cells, size_t gap, size_t places) except +

    cdef cppclass PairedWords:
        PairedWords(size_t cells) except +
        uint64_t count(size_t number)
        vector[uint8_t] bytes

    const size_t kBytesOfWord "bpe_lab::PairedWords::kBytes"

    cdef struct Passed:
        double seconds
        uint64_t positions
        uint64_t stale
        uint64_t checksum

    Passed merge_in_passes_ "bpe_lab::merge_in_passes"(size_t cells, uint64_t positions) except +


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
cdef dict WALKS = {
    "pass": <int> Walk.kPass,
    "scan": <int> Walk.kScan,
    "keys": <int> Walk.kKeys,
    "slots": <int> Walk.kSlots,
    "count": <int> Walk.kCount,
}
cdef dict LOOK_UPS = {
    "waits": <int> LookUp.kWaits,
    "overlaps": <int> LookUp.kOverlaps,
    "queued": <int> LookUp.kQueued,
}
cdef dict TOUCHES = {
    "waits": <int> Touch.kWaits,
    "overlaps": <int> Touch.kOverlaps,
    "ascends": <int> Touch.kAscends,
    "fetched": <int> Touch.kFetched,
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


def cased_class_of_code_point(code_point):
    """Return the same with 4 added where the upper part of a word may have it, 8 where the lower one.

    :raises ValueError: it is none, 0 to 0x10FFFF.

    >>> [cased_class_of_code_point(ord(character)) for character in "!Aa\u5b57\u0301"]
    [0, 5, 9, 13, 12]
    """
    if not 0 <= code_point <= 0x10FFFF:
        raise ValueError(f"{code_point} is no code point: give 0 to 0x10FFFF")
    return cased_class_of(code_point)


def regex_version():
    """Return the version of the `regex` package that the scanner's classes were read off."""
    return kRegexVersion.decode()


def marked_words(bytes texts not None, str pattern not None, bint by_masks=True):
    r"""Return texts with their words apart, as the scanner cuts them.

    :param texts: UTF-8, a NUL behind each text.
    :param pattern: id of a named pattern.
    :param by_masks: as the counter does it; otherwise word by word.
    :raises ValueError: a text is not UTF-8, or there is no such pattern.
    :return: the same, with the byte 1 behind each word.

    >>> marked_words(b"I'll\0 go\n\0", "llama3")
    b"I\x01'll\x01\x00 go\x01\n\x01\x00"
    """
    return bytes(marked_words_(texts, pattern_of(pattern.encode()), by_masks))


def cuts_of(bytes text not None, str pattern not None):
    """Return where blocks of a text may end, as offsets in bytes, special tokens aside.

    :raises ValueError: there is no such pattern.

    >>> cuts_of(b"one. two", "llama3")
    [3, 4]
    """
    return list(cuts_of_(text, pattern_of(pattern.encode())))


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


# Of a table or an array that is measured.
cdef uint64_t MOST_BYTES = 1 << 32
cdef int SLOT_BYTES = 32, CELL_BYTES = 2


cdef size_t units(str what, size, int unit_bytes, int least) except 0:
    """Return how many slots or cells have room in so many bytes."""
    if not least * unit_bytes <= size <= MOST_BYTES:
        raise ValueError(f"{what} is {size:,}: give {least * unit_bytes} to {MOST_BYTES:,} bytes")
    return size // unit_bytes


cdef size_t slots_of(size, int least) except 0:
    """Return the slots of a table of so many bytes."""
    cdef size_t slots = units("table_bytes", size, SLOT_BYTES, least)
    if size & (size - 1):
        raise ValueError(f"table_bytes is {size:,}: give a power of two")
    return slots


cdef uint64_t whole_number(str what, number) except 0:
    if not 1 <= number < 1 << 40:
        raise ValueError(f"{what} is {number:,}: give 1 or more, and less than 2**40")
    return number


cdef class WalkedText:
    """A text in memory, gone through in ways of which each does more than those before it.

    :param text: UTF-8.
    :param special_tokens: UTF-8 (bytes), at which the text is cut.
    :param block_bytes: size of its blocks, as the counter `native` takes it: 1 to 2**40.
    :raises ValueError: a special token is empty, or the size of a block is out of its bounds.

    >>> text = WalkedText(b"a low<|endoftext|> lower low", [b"<|endoftext|>"])
    >>> text.walk("scan")["words"], text.walk("count")["words"]
    (4, 4)
    """
    cdef unique_ptr[TextToWalk] text

    def __cinit__(self, bytes text not None, list special_tokens not None, block_bytes=1 << 20):
        if b"" in special_tokens:
            raise ValueError("a special token is empty: give at least one byte")
        if not 1 <= block_bytes <= 1 << 40:
            raise ValueError(f"block_bytes is {block_bytes:,}: give 1 to {1 << 40:,}")
        self.text = make_text(<const uint8_t*> <const char*> text, len(text), special_tokens, block_bytes)

    def walk(self, str way not None, table_bytes=SLOT_BYTES, bint anywhere=False, int loops=1):
        """Go through the text.

        :param way: pass (read all bytes), scan (find the words), keys (and hash them), slots (and
            add to a slot for each, which is not compared), or count (as the counter `native` does).
        :param table_bytes: of slots: size of the table, a power of two.
        :param anywhere: of slots: each occurrence of a word has a slot of its own.
        :param loops: how often, 1 or more.
        :return: seconds (mean of one walk), bytes, words, word_bytes (of all words) and checksum: of
            pass, of the bytes; of keys, slots and count, of the hashes of all words.
        :raises ValueError: unknown way, a size out of its bounds, or the text is not UTF-8.
        """
        cdef Walk how = <Walk> named(WALKS, "way to walk", way)
        cdef size_t slots = slots_of(table_bytes, 1)
        cdef Walked made
        if loops < 1:
            raise ValueError(f"loops is {loops}: give 1 or more")
        with nogil:
            made = self.text.get().walk(how, slots, anywhere, loops)
        return made


def look_words_up(str way not None, table_bytes, look_ups):
    """Look up words of 8 to 15 bytes, in any order, in a table that has all of them and is half full.

    :param way: waits (the next word is known when the slot of the last one has come), overlaps (the
        next words are known) or queued (and their slots are fetched in advance, as the counter does).
    :param table_bytes: size of the table, a power of two, 64 or more.
    :param look_ups: how many, below 2**40.
    :return: seconds, words (in the table), found and checksum (of the words that were looked up).
    :raises ValueError: unknown way, or a number out of its bounds.

    >>> made = look_words_up("waits", 1 << 14, 1000)
    >>> made["words"], made["found"], made["checksum"] == look_words_up("queued", 1 << 14, 1000)["checksum"]
    (256, 1000, True)
    """
    cdef LookUp how = <LookUp> named(LOOK_UPS, "way to look up", way)
    cdef size_t slots = slots_of(table_bytes, 2)
    cdef uint64_t n_look_ups = whole_number("look_ups", look_ups)
    cdef Looked made
    with nogil:
        made = look_words_up_(how, slots, n_look_ups)
    return made


def touch_places(str way not None, array_bytes, gap, places):
    """Read and write cells of 16 bits at places of an array.

    :param way: waits (in any order, and the next place is known when the cell of the last one has
        come), overlaps (in any order), ascends (as the list of a pair), or fetched (and asked for in
        advance, as the pass of a merge does).
    :param array_bytes: size of the array.
    :param gap: cells from a place to the next one, in the mean, when they ascend.
    :param places: how many, below 2**40.
    :return: seconds, places and checksum (of the array in the end).
    :raises ValueError: unknown way, or a number out of its bounds.

    >>> touch_places("waits", 5000, 7, 999)["checksum"] == touch_places("fetched", 5000, 7, 999)["checksum"]
    True
    """
    cdef Touch how = <Touch> named(TOUCHES, "way to touch", way)
    cdef size_t cells = units("array_bytes", array_bytes, CELL_BYTES, 1)
    cdef size_t n_gap = whole_number("gap", gap), n_places = whole_number("places", places)
    cdef Touched made
    with nogil:
        made = touch_places_(how, cells, n_gap, n_places)
    return made


def paired_words(array_bytes):
    """Return the words that `merge_in_passes` merges in, and their counts, the most frequent first.

    :param array_bytes: size of the array in which they find room.
    :raises ValueError: it is out of its bounds.

    >>> [(len(word), count) for word, count in paired_words(70)]
    [(16, 3), (16, 2)]
    """
    cdef unique_ptr[PairedWords] made
    made.reset(new PairedWords(units("array_bytes", array_bytes, CELL_BYTES, 1)))
    cdef bytes joined = bytes(made.get().bytes)
    words = [joined[at : at + kBytesOfWord] for at in range(0, len(joined), kBytesOfWord)]
    return [(word, made.get().count(number)) for number, word in enumerate(words)]


def merge_in_passes(array_bytes, positions):
    """Merge pairs in made words, by the pass over positions that stage `core` makes for a merge.

    Merge number i is that of the bytes 2 * i and 2 * i + 1, and 128 are possible: then the words are
    laid out anew, which is not timed.

    :param array_bytes: size of the array with the words, 36 or more.
    :param positions: the least number of them to merge at, below 2**40.
    :return: seconds, positions, stale (positions where the pair does not stand any more) and
        checksum (of the arrays in the end).
    :raises ValueError: a number is out of its bounds.

    >>> merge_in_passes(1 << 14, 1000)["stale"]
    0
    """
    cdef size_t cells = units("array_bytes", array_bytes, CELL_BYTES, kBytesOfWord + 2)
    cdef uint64_t n_positions = whole_number("positions", positions)
    cdef Passed made
    with nogil:
        made = merge_in_passes_(cells, n_positions)
    return made
