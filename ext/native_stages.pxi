# The stages in C++, for Python. Included by native.pyx.

cdef extern from "stage.hpp" namespace "bpe_lab" nogil:
    cdef cppclass Merges:
        vector[uint32_t] lefts
        vector[uint32_t] rights
        vector[int64_t] counts
        vector[double] seconds
        double select_seconds
        cbool no_pair_left

    Merges run_merges(
        Stage& stage, uint32_t first_id, uint32_t end_id, double seconds, int64_t min_count
    ) except +
    MakeStage stage_named(const string& name) except +
    unique_ptr[Stage] make_stage(MakeStage make, const WordCounts& words, Setup setup) except +


cdef cbool call_check(void* context) noexcept with gil:
    """Whether long work shall go on; a signal's exception is kept in the stage."""
    try:
        PyErr_CheckSignals()
        return True
    except BaseException as error:
        (<CompiledStage> context).interrupted = error
        return False


cdef array.array array_of(str typecode, const void* values, uint64_t length):
    result = new_array(typecode)
    if length:  # without any there may be no address
        array.extend_buffer(result, <char*> values, length)
    return result


def add_merges(list vocab not None, list merges not None, lefts, rights):
    """Add merges of ids, one after the other: bytes to `vocab`, pairs of bytes to `merges`."""
    cdef array.array left_ids = new_array("I", lefts), right_ids = new_array("I", rights)
    cdef bytes left, right
    if len(left_ids) != len(right_ids):
        raise ValueError(f"there are {len(left_ids)} left ids and {len(right_ids)} right ones")
    for place in range(len(left_ids)):
        left, right = vocab[left_ids.data.as_uints[place]], vocab[right_ids.data.as_uints[place]]
        merges.append((left, right))
        vocab.append(left + right)


def add_times(seconds, double begun, times):
    """Add to an array of seconds those that are counted from a moment on."""
    cdef array.array added = new_array("d", times)
    for place in range(len(added)):
        added.data.as_doubles[place] += begun
    seconds.extend(added)


cdef class StageMaker:
    """The C++ function that makes the stage of a class: its attribute `maker`."""


cdef StageMaker stage_maker(MakeStage make):
    cdef StageMaker maker = StageMaker()
    maker.make = make
    return maker


cdef class CompiledStage:
    """A stage written in C++, behind the methods that every stage has: `bpe_lab.stages.interface`.

    :param counts: a `WordTable`, or any mapping of word (bytes) to count.
    :param vocab_size: the frequency floor of `core` follows from it, and where it is below 65,535 the size of
        its cells. More can be asked for later: up to 65,534 in that case. None: not known.
    :raises ValueError: a number is out of its bounds, the vocabulary does not begin with the bytes, or the
        merges do not make what it holds.
    :raises OverflowError: a count is negative, or the words hold more than 2**63 - 1 bytes.
    """
    recounts = False  # all pairs before every merge
    keywords = ("merges", "min_count", "max_token_bytes")  # what it makes use of
    openmp = False  # its threads are OpenMP's: a build without it has one
    maker = None  # of class StageMaker

    # Not __init__: there is no stage without its words.
    def __cinit__(
        self, counts, vocab, *, threads=1, vocab_size=None, min_count=1, max_token_bytes=None, merges=()
    ):
        cdef WordTable words = word_table(counts)
        cdef StageMaker maker = self.maker
        cdef Setup setup
        if maker is None or maker.make == NULL:
            raise TypeError(f"{type(self).__name__} says no C++ stage: take one of its subclasses")
        check_vocab(vocab)
        setup.first_id = self.next_id = checked_int("the length of vocab", len(vocab), 256, kMaxIds)
        setup.end_id = 0
        if vocab_size is not None:
            setup.end_id = checked_int("vocab_size", vocab_size, setup.first_id, kMaxIds)
        setup.threads = checked_int("threads", threads, 1, MAX_THREADS)
        setup.min_count = self.min_count = checked_int("min_count", min_count, 1, INT64_MAX)
        if max_token_bytes is not None:
            setup.max_token_bytes = checked_int("max_token_bytes", max_token_bytes, 1, UINT32_MAX)
        setup.merges = self.checked_merges(vocab, merges)
        setup.checkpoint = Checkpoint(call_check, <void*> self)
        words.readers += 1
        try:
            with nogil:
                self.stage = make_stage(maker.make, words.table, setup)
        except RuntimeError:
            self.raise_interrupt()
            raise
        finally:
            words.readers -= 1

    cdef vector[Merge] checked_merges(self, vocab, merges) except *:
        cdef vector[Merge] checked
        cdef Merge merge
        known, pairs = set(range(256)), set()
        if merges and "merges" not in self.keywords:
            raise ValueError(f"{type(self).__name__} begins with bytes: it takes no merges")
        for left, right, new_id in merges:
            if (
                left not in known or right not in known or new_id in known or (left, right) in pairs
                or not 256 <= new_id < len(vocab) or vocab[new_id] != vocab[left] + vocab[right]
            ):
                raise ValueError(f"({left}, {right}, {new_id}) is no merge of this vocabulary")
            known.add(new_id)
            pairs.add((left, right))
            merge.left, merge.right, merge.new_id = left, right, new_id
            checked.push_back(merge)
        return checked

    cdef check_ids(self, uint32_t end):
        cdef uint32_t max_ids = self.stage.get().max_ids()
        if end > max_ids:
            raise ValueError(
                f"this stage was made for {max_ids:,} ids at most: make it with vocab_size={end}"
            )

    cdef raise_interrupt(self):
        error, self.interrupted = self.interrupted, None
        if error is not None:
            raise error from None

    cdef Stage* begin(self, StageState expected) except NULL:
        if self.state == AT_WORK:
            raise RuntimeError("this stage is at work in another thread: wait for it")
        if self.state == LOST:
            raise RuntimeError("this stage was interrupted, or had no memory: make a new one")
        if self.state != expected:
            raise ValueError("count_pairs comes first, and once: make a new stage to count again")
        self.state = AT_WORK
        return self.stage.get()

    # What is begun and not ended leaves the stage in the middle of something.
    cdef fail(self):
        self.state = LOST
        self.chosen.count = 0
        self.raise_interrupt()

    def count_pairs(self):
        """Build the table of pair counts, and the index; the GIL is released."""
        cdef Stage* stage = self.begin(LAID_OUT)
        try:
            with nogil:
                stage.count_pairs()
        except BaseException:
            self.fail()
            raise
        self.state = READY

    def select(self):
        """Return ((left id, right id), count) of the pair to merge, None when no pair is left."""
        cdef Choice choice = self.chosen
        cdef Stage* stage
        if choice.count == 0:
            stage = self.begin(READY)
            try:
                choice = stage.select()
            except BaseException:
                self.fail()
                raise
            if choice.count < self.min_count:
                choice.count = 0
            self.chosen = choice
            self.state = READY
        return ((choice.left, choice.right), choice.count) if choice.count else None

    def update(self, tuple pair not None, new_id):
        """Replace every occurrence of the pair that `select` returned by `new_id`, the next id."""
        cdef Choice choice = self.chosen
        if choice.count == 0 or pair != (choice.left, choice.right):
            raise ValueError(f"update got {pair}: it takes the pair that select returned last")
        if new_id != self.next_id:
            raise ValueError(f"update got the id {new_id}: the next one is {self.next_id}")
        self.check_ids(self.next_id + 1)
        cdef Stage* stage = self.begin(READY)
        try:
            stage.update(choice.left, choice.right, self.next_id)
        except BaseException:
            self.fail()
            raise
        self.chosen.count = 0
        self.next_id += 1
        self.state = READY

    def run(self, first_id, end_id, double seconds):
        """Make merges for the ids from `first_id` until `end_id`, or until `seconds` are over.

        The GIL is released. One merge is made in any case, unless no pair is left.

        :param first_id: id of the next merge.
        :param end_id: id at which to stop, 2**32 - 2 at most.
        :param seconds: time limit.
        :raises ValueError: `first_id` is not the next id, `end_id` is more than the stage was made
            for, `seconds` is no number, a pair was selected and not merged, or no pairs were counted.
        :return: left ids, right ids, counts, seconds since the call began for each merge, as arrays;
            seconds of all selections; whether no pair is left.
        """
        cdef Merges merges
        cdef uint32_t begin, end = checked_int("end_id", end_id, 0, kMaxIds)
        if self.chosen.count != 0:
            raise ValueError("run came between select and update: give the pair to update first")
        if isnan(seconds):
            raise ValueError("seconds is nan: give a number")
        if first_id != self.next_id:
            raise ValueError(f"run got the id {first_id}: the next one is {self.next_id}")
        begin = self.next_id
        self.check_ids(end)
        cdef Stage* stage = self.begin(READY)
        try:
            with nogil:
                merges = run_merges(stage[0], begin, end, seconds, self.min_count)
        except BaseException:
            self.fail()
            raise
        self.next_id += <uint32_t> merges.lefts.size()
        self.state = READY
        return (
            array_of("I", merges.lefts.data(), merges.lefts.size()),
            array_of("I", merges.rights.data(), merges.rights.size()),
            array_of("q", merges.counts.data(), merges.counts.size()),
            array_of("d", merges.seconds.data(), merges.seconds.size()),
            merges.select_seconds, merges.no_pair_left,
        )

    @property
    def operations(self):
        """Operation counts so far."""
        if self.state == AT_WORK:
            raise RuntimeError("this stage is at work in another thread: wait for it")
        return {entry.first.decode(): entry.second for entry in self.stage.get().operations()}


class CppMap(CompiledStage):
    """Stage 4 in C++ with `std::unordered_map`."""
    maker = stage_maker(stage_named(b"cpp_map"))


class CppFlat(CompiledStage):
    """Stage 4 in C++ with a flat open-addressing table."""
    maker = stage_maker(stage_named(b"cpp_flat"))


class CppScan(CompiledStage):
    """C++ without a heap: all pair counts are looked through for each merge."""
    maker = stage_maker(stage_named(b"cpp_scan"))


class OpenmpScan(CompiledStage):
    """The same search by several threads."""
    maker = stage_maker(stage_named(b"openmp_scan"))
    keywords = ("threads", *CompiledStage.keywords)
    openmp = True


class CppPositions(CompiledStage):
    """C++ with the positions of each pair, dead cells and a lazy heap."""
    maker = stage_maker(stage_named(b"cpp_positions"))
    keywords = ("threads", *CompiledStage.keywords)
    openmp = True


class Core(CompiledStage):
    """The fastest stage: ten ideas about memory, told in notebook 08."""
    maker = stage_maker(stage_named(b"core"))
    keywords = ("threads", "vocab_size", *CompiledStage.keywords)
