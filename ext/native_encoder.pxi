# The encoder, for Python. Included by native.pyx.

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    object PyUnicode_Substring(object text, Py_ssize_t begin, Py_ssize_t end)


cdef extern from "arrays.hpp" namespace "bpe_lab" nogil:
    void ask_for_pages(void* memory, size_t bytes)

cdef extern from "text_encoder.hpp" namespace "bpe_lab" nogil:
    ctypedef uint64_t Pair
    Pair pair_of(uint32_t left, uint32_t right)
    cdef cppclass Vocabulary:
        Vocabulary(
            const vector[Pair]& merges,
            vector[uint32_t] ids,
            const vector[string]& words,
            const vector[uint32_t]& word_ids,
        ) except +

    cdef cppclass CppSpecialIds "bpe_lab::SpecialIds":
        CppSpecialIds(
            const vector[string]& tokens, const vector[uint32_t]& ids, const vector[string]& refused
        ) except +

    cdef cppclass Refused:
        string token
        uint64_t offset

    cdef cppclass WordEncoder:
        void merge(const uint8_t* word, size_t length, vector[uint32_t]& ids) except +
        uint64_t looked_up()

    cdef struct Document:
        const uint8_t* bytes
        size_t size

    cdef cppclass TextEncoder:
        TextEncoder(shared_ptr[const Vocabulary] vocabulary, PatternId pattern) except +
        cbool feed_block(
            const Document& text, size_t& at, cbool last, const CppSpecialIds& specials
        ) except +
        void feed_words(const uint8_t* bytes, const vector[size_t]& lengths) except +
        const uint32_t* ids()
        size_t count()
        const Refused& refused()
        WordEncoder& words()
        void reset()

    const size_t kBlockBytes "bpe_lab::TextEncoder::kBlockBytes"

    size_t encode_documents(
        const vector[TextEncoder*]& encoders,
        const vector[Document]& documents,
        const CppSpecialIds& specials,
        vector[vector[uint32_t]]& ids,
    ) except +


cdef extern from "decoder.hpp" namespace "bpe_lab" nogil:
    cdef struct IdArray:
        const void* data
        size_t count
        int width

    cdef cppclass CppDecoder "bpe_lab::Decoder":
        CppDecoder(const vector[uint32_t]& ids, const vector[string]& tokens) except +
        size_t measure(const IdArray& ids, size_t& bytes)
        void write(const IdArray& ids, char* out, size_t size) except +


# Texts of a batch are handed over in parts, so that Ctrl-C is heard.
cdef size_t BATCH_BYTES = 1 << 24

# Of a batch, for each thread: another takes 0.05 ms to start and join. By one and two threads 64 KB take 0.25
# and 0.28 ms, 128 KB 0.52 and 0.48 (stories, medians of 40, AMD EPYC).
cdef size_t MIN_THREAD_BYTES = 1 << 16

# Of a text that is not ASCII, to have as UTF-8 at a time: a copy of all of it would wait for its pages. To
# encode 12 MB in many languages to an array, the first text of a process, takes 4,333 page faults with the
# copy, and 1,139 by parts.
cdef Py_ssize_t PART_CHARACTERS = 1 << 16

# Workers that are kept for the next texts, with their caches.
cdef Py_ssize_t MAX_IDLE = cpu_count() or 1


cdef class SpecialIds:
    """Special tokens with their ids, as the encoder wants them.

    :param ids: token (str) -> id; checked.
    :param refused: tokens that no text may have.
    :param named: they were named one by one, whether the tokenizer has them or not.

    >>> SpecialIds({"<s>": 256}, ["<t>"]).ids
    {'<s>': 256}
    """
    cdef unique_ptr[CppSpecialIds] specials
    cdef readonly dict ids
    cdef readonly list refused
    cdef readonly bint named

    def __cinit__(self, dict ids not None, refused=(), bint named=False):
        self.ids = ids
        self.refused = list(refused)
        self.named = named
        if "" in ids or "" in self.refused:
            raise ValueError("a special token is empty: remove it, it would stand everywhere")
        cdef vector[string] tokens = [str.encode(token) for token in ids]
        cdef vector[uint32_t] numbers = [checked_int("an id", number, 0, kMaxIds) for number in ids.values()]
        cdef vector[string] unwanted = [str.encode(token) for token in self.refused]
        self.specials.reset(new CppSpecialIds(tokens, numbers, unwanted))

    def refusal(self, token, offset):
        """Return what says that a text has a token that is refused, and what to do."""
        if self.named:
            return ValueError(
                f"the text has {token!r} at byte {offset}, which disallowed_special names: leave it out there"
            )
        return ValueError(
            f"the text has the special token {token!r} at byte {offset}: give "
            f"allowed_special={{{token!r}}} to make it one id, disallowed_special=() for text"
        )


cdef class Worker:
    """What one thread needs."""
    cdef unique_ptr[TextEncoder] encoder


cdef class Encoder:
    """Words and texts -> ids. Any number of threads may use one.

    :param merges: (left, right), as places in `ids`: 0 to 255 the bytes, 256 + rank what a merge makes.
    :param ids: what is written for the bytes, and for what each merge makes.
    :param pattern: id of a named pattern, which cuts texts into words.
    :param words: word (bytes, not empty) -> id, of those that are never merged; none: merges alone decide.
    :raises ValueError: a merge joins what no earlier one makes; there is not an id for each byte and merge.

    >>> encoder = Encoder([(108, 111), (256, 119)], [*range(256), 300, 301])
    >>> encoder.encode("low slow", SpecialIds({}))
    [301, 32, 115, 301]
    """
    cdef shared_ptr[const Vocabulary] vocabulary
    cdef PatternId pattern
    cdef readonly list idle  # workers: the GIL guards it
    cdef size_t n_numbers
    cdef list numbers  # id -> int, from the first list on: then a list of ids needs no new objects

    def __cinit__(self, merges, ids, str pattern not None="gpt2", words=()):
        cdef vector[Pair] pairs
        cdef vector[string] known = list(words)
        cdef vector[uint32_t] known_ids = [words[word] for word in words]
        self.pattern = pattern_of(pattern.encode())
        for left, right in merges:
            pairs.push_back(pair_of(left, right))
        self.vocabulary.reset(new Vocabulary(pairs, ids, known, known_ids))
        self.idle = []
        # Ids that are far apart would make it far longer than the vocabulary.
        self.n_numbers = min(max(ids) + 1, 4 * len(ids))

    cdef Worker worker(self):
        if self.idle:
            return self.idle.pop()
        worker = Worker()
        worker.encoder.reset(new TextEncoder(self.vocabulary, self.pattern))
        return worker

    cdef give_back(self, Worker worker):
        worker.encoder.get().reset()
        if len(self.idle) < MAX_IDLE:
            self.idle.append(worker)

    cdef list ids_list(self, const uint32_t* ids, size_t count):
        cdef list result = PyList_New(count)
        ask_for_pages(PySequence_Fast_ITEMS(result), count * sizeof(PyObject*))
        if self.numbers is None:
            self.numbers = list(range(self.n_numbers))
        cdef list numbers = self.numbers
        cdef size_t i, n_numbers = self.n_numbers
        cdef object number
        for i in range(count):
            number = numbers[<size_t> ids[i]] if ids[i] < n_numbers else ids[i]
            Py_INCREF(number)  # the list takes it over
            PyList_SET_ITEM(result, i, number)
        return result

    cdef uint64_t feed(
        self, Worker worker, Document text, cbool last, SpecialIds specials, array.array into,
        uint64_t count=0, double before=0, double parts=1,
    ) except? 0:
        """Encode a text, or without `last` a part of one, and return how many ids there are.

        They go into an array, behind the `count` of earlier parts; without one, those of the last block are
        in the encoder. A worker is given back when the text is at fault: a stranger's text must not cost
        its cache.

        :param before, parts: how many texts as long as this one its part are before it, and in all of it:
            for the size of the array.
        """
        cdef TextEncoder* encoder = worker.encoder.get()
        cdef const CppSpecialIds* choice = specials.specials.get()
        cdef uint64_t begin
        cdef size_t at = 0
        cdef cbool good
        try:
            while True:
                with nogil:
                    good = encoder.feed_block(text, at, last, choice[0])
                if not good:
                    if not encoder.refused().token.empty():
                        raise specials.refusal(encoder.refused().token.decode(), encoder.refused().offset)
                    text.bytes[:text.size].decode()  # raises, and says where, but not of a part that is good
                    raise ValueError("the text is not UTF-8: decode it first")
                begin, count = count, count + encoder.count()
                if into is not None:
                    if count > <uint64_t> len(into):
                        # Room for the rest, as if it were like all that came, and half as much more: growing
                        # copies, and what is not used has no pages. Like this part would be too much: it may
                        # end a word that fills those before it, whose ids come only now.
                        of_all = 1.5 * count * parts / (before + <double> at / text.size)
                        array.resize(into, <uint64_t> of_all)
                        ask_for_pages(into.data.as_voidptr, len(into) * sizeof(uint32_t))
                    memcpy(into.data.as_uints + begin, encoder.ids(), encoder.count() * sizeof(uint32_t))
                if at == text.size:
                    break
                PyErr_CheckSignals()
        except ValueError as error:
            self.give_back(worker)
            raise remedied(error)
        if into is not None and last:
            array.resize(into, count)
        return count

    cdef uint64_t feed_text(self, text, SpecialIds specials, array.array into) except? 0:
        """Encode a text, a long one that is not ASCII by parts, and return how many ids it has."""
        cdef cbool long = is_long(text)
        cdef object held = None if long else utf8_of(text)
        cdef Worker worker = self.worker()
        cdef Py_ssize_t begin = 0, end, size = PyUnicode_GET_LENGTH(text) if long else 0
        cdef uint64_t count = 0
        cdef double part
        if not long:
            count = self.feed(worker, document_of(held), True, specials, into)
        while begin < size:
            end = min(begin + PART_CHARACTERS, size)
            try:
                held = utf8_of(PyUnicode_Substring(text, begin, end))
            except UnicodeEncodeError as error:
                self.give_back(worker)
                error.object, error.start, error.end = text, error.start + begin, error.end + begin
                raise
            part = end - begin
            count = self.feed(
                worker, document_of(held), end == size, specials, into, count, begin / part, size / part
            )
            begin = end
        self.give_back(worker)
        return count

    cdef list feed_to_list(self, Worker worker, text, cbool last, SpecialIds specials):
        cdef Document document = document_of(text)
        cdef array.array ids = None if document.size <= kBlockBytes else new_array("I")
        cdef uint64_t count = self.feed(worker, document, last, specials, ids)
        return self.ids_list(worker.encoder.get().ids() if ids is None else ids.data.as_uints, count)

    def encode(self, text, SpecialIds specials not None):
        """Return the ids of a text (str, or UTF-8 as bytes) as a list."""
        cdef array.array many = self.encode_to_array(text, specials) if is_long(text) else None
        if many is not None:
            return self.ids_list(many.data.as_uints, len(many))
        cdef object held = utf8_of(text)
        cdef Worker worker = self.worker()
        ids = self.feed_to_list(worker, held, True, specials)
        self.give_back(worker)
        return ids

    def encode_to_array(self, text, SpecialIds specials not None):
        """Return the ids of a text as an array of 32-bit integers."""
        ids = new_array("I")
        self.feed_text(text, specials, ids)
        return ids

    def count(self, text, SpecialIds specials not None):
        """Return how many ids a text has."""
        return self.feed_text(text, specials, None)

    def encode_words(self, words):
        """Return the ids of words (str) that somebody else has found."""
        cdef list encoded = [str.encode(word) for word in words]
        cdef vector[size_t] lengths = [len(word) for word in encoded]
        cdef bytes joined = b"".join(encoded)
        cdef const uint8_t* first = <const uint8_t*> PyBytes_AS_STRING(joined)
        cdef Worker worker = self.worker()
        cdef TextEncoder* encoder = worker.encoder.get()
        with nogil:
            encoder.feed_words(first, lengths)
        ids = self.ids_list(encoder.ids(), encoder.count())
        self.give_back(worker)
        return ids

    def merge_word(self, bytes word not None):
        """Return the ids of any bytes as one word, by merges alone, and how many pairs were looked up."""
        cdef Worker worker = self.worker()
        cdef WordEncoder* words = &worker.encoder.get().words()
        cdef const uint8_t* first = <const uint8_t*> PyBytes_AS_STRING(word)
        cdef size_t length = len(word)
        cdef uint64_t before = words.looked_up()
        cdef vector[uint32_t] ids
        with nogil:
            words.merge(first, length, ids)
        looked_up = words.looked_up() - before
        self.give_back(worker)
        return self.ids_list(ids.data(), ids.size()), looked_up

    def encode_batch(self, texts, SpecialIds specials not None, threads, bint arrays=False):
        """Return the ids of each text of a list, as a list or as an array of 32-bit integers."""
        cdef list workers
        cdef vector[TextEncoder*] encoders
        cdef vector[Document] documents
        cdef vector[vector[uint32_t]] ids
        cdef list encoded = [], held = []
        cdef size_t n_bytes, n_workers, bad, i, n_threads = checked_int("threads", threads, 1, MAX_THREADS)
        left = iter(texts)
        while True:
            documents.clear()
            n_bytes = 0
            for text in left:
                held.append(utf8_of(text))
                documents.push_back(document_of(held[-1]))
                n_bytes += documents.back().size
                if n_bytes >= BATCH_BYTES:
                    break
            if documents.empty():
                break
            # None is held while the next texts come: somebody else's code makes them.
            n_workers = min(n_threads, documents.size(), n_bytes // MIN_THREAD_BYTES or 1)
            workers = [self.worker() for _ in range(n_workers)]
            encoders.clear()
            for worker in workers:
                encoders.push_back((<Worker> worker).encoder.get())
            with nogil:
                bad = encode_documents(encoders, documents, specials.specials.get()[0], ids)
            for worker in workers:
                self.give_back(worker)
            if bad < documents.size():
                self.feed(self.worker(), documents[bad], True, specials, None)  # raises
            for i in range(ids.size()):
                if arrays:
                    encoded.append(array_of("I", ids[i].data(), ids[i].size()))
                else:
                    encoded.append(self.ids_list(ids[i].data(), ids[i].size()))
            held.clear()
            PyErr_CheckSignals()
        return encoded


cdef class Stream:
    """One text that comes in parts.

    >>> stream = Stream(Encoder([(108, 111)], range(257)), SpecialIds({}))
    >>> stream.feed("lo lo slo"), stream.feed("w"), stream.feed("", last=True)
    ([256, 32, 256], [], [32, 115, 256, 119])
    """
    cdef Encoder encoder
    cdef SpecialIds specials
    cdef Worker worker

    def __cinit__(self, Encoder encoder not None, SpecialIds specials not None):
        self.encoder = encoder
        self.specials = specials
        self.worker = encoder.worker()

    def __del__(self):
        if self.worker is not None:
            self.encoder.give_back(self.worker)  # the text was not read to its end

    def feed(self, text, cbool last=False):
        """Return the ids of what can be encoded now; with `last`, of all that is left.

        :raises ValueError: the text is not UTF-8, or has a special token that is refused.
        :raises RuntimeError: it has ended, also by an error, or is at work in another thread.
        """
        cdef object held = utf8_of(text)
        cdef Worker worker = self.worker
        if worker is None:
            raise RuntimeError("this text has ended, or is at work in another thread: make a new stream")
        self.worker = None
        ids = self.encoder.feed_to_list(worker, held, last, self.specials)
        if last:
            self.encoder.give_back(worker)
        else:
            self.worker = worker
        return ids


def text_of(text):
    """Return a text (str, or UTF-8 as bytes) as str, of no subclass, that can be UTF-8."""
    held = utf8_of(text)
    try:
        return held if isinstance(held, str) else bytes.decode(held)
    except UnicodeDecodeError as error:
        raise remedied(error)


cdef object remedied(error):
    """Return an error about a text that, if it is about its characters, says what to do."""
    if isinstance(error, UnicodeError):
        error.reason += '; fix the text, or give errors="replace"'
    return error


cdef cbool is_long(text):
    """Tell whether a text is a string that becomes UTF-8 by parts."""
    if not isinstance(text, str) or PyUnicode_IS_COMPACT_ASCII(text):
        return False
    return PyUnicode_GET_LENGTH(text) > PART_CHARACTERS


cdef object utf8_of(text):
    """Return what holds the UTF-8 of a text: ASCII is its own."""
    if isinstance(text, bytes) or isinstance(text, str) and PyUnicode_IS_COMPACT_ASCII(text):
        return text
    if isinstance(text, str):
        try:
            return PyUnicode_AsUTF8String(text)
        except UnicodeEncodeError as error:
            raise remedied(error)
    raise TypeError(f"the text is {type(text).__name__}: give a str, or UTF-8 as bytes")


cdef Document document_of(held) except *:
    cdef Document document
    cdef Py_ssize_t size
    if isinstance(held, str):
        document.bytes = <const uint8_t*> PyUnicode_AsUTF8AndSize(held, &size)
        document.size = size
    else:
        document.bytes = <const uint8_t*> PyBytes_AS_STRING(held)
        document.size = PyBytes_GET_SIZE(held)
    return document


cdef class Decoder:
    """Ids -> the bytes of their tokens, one behind the other. Any number of threads may use one.

    :param vocab: id -> bytes.

    >>> Decoder({97: b"a", 300: b"low"}).decode([300, 97])
    b'lowa'
    """
    cdef unique_ptr[CppDecoder] tokens

    def __cinit__(self, dict vocab not None):
        cdef vector[uint32_t] ids = list(vocab)
        cdef vector[string] tokens = list(vocab.values())
        self.tokens.reset(new CppDecoder(ids, tokens))

    cdef array_of_ids(self, ids):
        if isinstance(ids, (list, tuple)):
            try:
                return new_array("I", ids)  # takes a fourth of the time
            except OverflowError:
                pass  # the id is named
        return new_array("q", iter(ids))  # 1.0 equals an integer, but is not one

    def decode(self, ids):
        """Return the bytes of ids: those of an array of integers are read where they are.

        :raises KeyError: an id that is not in the vocabulary.
        """
        cdef IdArray numbers
        cdef size_t known, size = 0
        view = memoryview(ids) if PyObject_CheckBuffer(ids) else None
        if view is None or view.ndim != 1 or view.format not in tuple("bBhHiIlLqQ"):
            view = memoryview(self.array_of_ids(ids))
        numbers.count = len(view)
        numbers.width = -view.itemsize if view.format.islower() else view.itemsize
        held = view if view.c_contiguous else memoryview(view.tobytes())
        numbers.data = PyMemoryView_GET_BUFFER(held).buf
        with nogil:
            known = self.tokens.get().measure(numbers, size)
        if known < numbers.count:
            raise KeyError(view[known])
        cdef bytes decoded = PyBytes_FromStringAndSize(NULL, size)
        ask_for_pages(PyBytes_AS_STRING(decoded), size)
        cdef char* out = PyBytes_AS_STRING(decoded)
        with nogil:
            self.tokens.get().write(numbers, out, size)
        return decoded
