"""The stages and counters of the lab. Tests, benchmarks, plots and tables loop over these.

A stage that is not here is named by its class, by "file.py:Class" or by "module:Class".
"""

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from bpe_lab.support.user_modules import load_named, module_place
from bpe_lab.words.patterns import Pattern

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage


class StageEntry(NamedTuple):
    """What the lab knows about a stage without importing it.

    :param id: what users type.
    :param number: its place in the ladder, "3" for a headline stage, "3b" for a variant.
    :param title: a few words.
    :param idea: one line.
    :param cost: time per merge. N word occurrences, U distinct words, L tokens per word, P live
        pairs, A affected words, w matches per affected word, M matches, H heap entries, k risen
        pairs and stale tops, T threads.
    :param notebook: the two digits of the notebook that explains it.
    :param implementation: "module:class".
    :param source: the file to read; of a stage in C++ its header, not the class that wraps it.
    :param requires: modules that must be importable (compiled parts).
    :param variant_of: the headline stage it varies, None for a headline stage.
    :param bytes_per_word: memory for the head of one of its words, in bytes.
    :param bytes_per_token: memory for one token of one of its words, index included, in bytes;
        measured at its peak (tracemalloc, CPython 3.11; for compiled stages resident memory, the
        middle of what rare random words, documentation in English and one word of DNA need).
    :param every_occurrence: it keeps a token list for every word occurrence.
    :param in_ladder: it is in the ladder, its figures and its tables.
    """

    id: str
    number: str
    title: str
    idea: str
    cost: str
    notebook: str
    implementation: str
    source: str
    bytes_per_word: int
    bytes_per_token: int
    requires: tuple[str, ...] = ()
    variant_of: str | None = None
    every_occurrence: bool = False
    in_ladder: bool = True

    def memory_bytes(self, words: int, word_bytes: int) -> int:
        """Return about how many bytes it needs for its words, pairs and index.

        :param words: of them, the distinct ones, or all if it keeps every occurrence.
        :param word_bytes: of these words together.

        >>> STAGES["word_counts"].memory_bytes(1, 3)
        164
        """
        return self.bytes_per_word * words + self.bytes_per_token * word_bytes

    def load(self) -> "type[Stage]":
        """Import the stage.

        >>> STAGES["naive"].load().__name__
        'Naive'
        """
        if missing := self.missing():
            raise ImportError(
                f"stage {self.id!r} needs {', '.join(missing)}, which is not built: "
                "reinstall bpe_lab with a C++ compiler at hand (see `bpe-lab doctor`)"
            )
        module, _, name = self.implementation.partition(":")
        return cast("type[Stage]", getattr(importlib.import_module(module), name))

    def missing(self) -> list[str]:
        """Return the requirements that are not installed."""
        return missing_modules(self.requires)


class CounterEntry(NamedTuple):
    """What the lab knows about a counter without importing it.

    :param id: what users type.
    :param title: a few words.
    :param idea: one line.
    :param implementation: "module:function".
    :param parallel: it uses more than one thread or process.
    :param uses_threads: it uses threads, which the build must have (OpenMP), not processes.
    :param memory_remedy: what needs less memory, besides less text; "": nothing does.
    :param requires: modules that must be importable (compiled parts).
    :param bytes_per_word: memory for a distinct word in a table, in bytes; measured at its peak
        (resident memory of one thread, a synthetic text of the web, CPython 3.11).
    :param reads: compressions that it reads, as `bpe_lab.counting.text_file` names them.
    :param streams: it reads streams, not only files.
    :param documents: "module:function" that counts documents that are not in files; "": it cannot.
    :param cluster: its workers may be on other machines: it takes URLs, and is left out of
        measurements of this machine.
    :param scanner: it finds words with a scanner only; others take any pattern.
    """

    id: str
    title: str
    idea: str
    implementation: str
    parallel: bool
    memory_remedy: str
    bytes_per_word: int
    uses_threads: bool = False
    requires: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    streams: bool = False
    documents: str = ""
    cluster: bool = False
    scanner: bool = False

    def memory_remedies(self, less: str) -> str:
        """Return what needs less memory, including `less` of the input.

        >>> COUNTERS["native"].memory_remedies("less text")
        'less text'
        """
        return f"{self.memory_remedy}, {less}" if self.memory_remedy else less

    def load(self) -> Any:
        """Import the counting function."""
        if self.cluster and (missing := self.missing()):
            raise ImportError(
                f"counter {self.id!r} needs {', '.join(missing)}: pip install 'bpe_lab[dask]'"
            )
        return _load_function(self.implementation)

    def missing(self) -> list[str]:
        """Return the requirements that are not installed."""
        return missing_modules(self.requires)

    def load_documents(self) -> Any:
        """Import the function that counts documents."""
        if not self.documents:
            takers = ", ".join(entry.id for entry in COUNTERS.values() if entry.documents)
            raise ValueError(f"counter {self.id!r} takes files only: use one of {takers}")
        return _load_function(self.documents)


def missing_modules(names: Iterable[str]) -> list[str]:
    """Return the modules that are not installed."""
    return [name for name in names if importlib.util.find_spec(name) is None]


def _load_function(name: str) -> Any:
    """Import a function by "module:function"."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)


LIST_BYTES = 56
"""The head of a Python list."""

_STAGES = [
    StageEntry(
        id="naive",
        number="1",
        title="the definition",
        idea="every occurrence of every word is its own token list; recount all, rewrite all",
        cost="O(N L)",
        notebook="01",
        implementation="bpe_lab.stages.naive:Naive",
        source="bpe_lab/stages/naive.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=36,
        every_occurrence=True,
    ),
    StageEntry(
        id="word_counts",
        number="2",
        title="distinct words",
        idea="keep each distinct word once with its count; recount all pairs",
        cost="O(U L + P)",
        notebook="02",
        implementation="bpe_lab.stages.word_counts:DistinctWords",
        source="bpe_lab/stages/word_counts.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=36,
    ),
    StageEntry(
        id="word_filter",
        number="2b",
        title="skip words without the symbols",
        idea="rewrite only words that hold both symbols of the pair",
        cost="O(U L + P)",
        notebook="02",
        implementation="bpe_lab.stages.word_filter:WordFilter",
        source="bpe_lab/stages/word_filter.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=36,
        variant_of="word_counts",
    ),
    StageEntry(
        id="pair_table",
        number="3a",
        title="a table that survives",
        idea="pair counts survive between merges; affected words found by scanning every word",
        cost="O(U L + A L + P)",
        notebook="03",
        implementation="bpe_lab.stages.pair_table:PairTable",
        source="bpe_lab/stages/pair_table.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=16,
        variant_of="inverted_index",
    ),
    StageEntry(
        id="inverted_index",
        number="3",
        title="pair -> words",
        idea="posting lists; each affected word is subtracted whole and added back whole",
        cost="O(A L + P)",
        notebook="03",
        implementation="bpe_lab.stages.inverted_index:InvertedIndex",
        source="bpe_lab/stages/inverted_index.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=110,
    ),
    StageEntry(
        id="fine_grained",
        number="3b",
        title="only the neighbours",
        idea="only the pairs that touch a match change",
        cost="O(A w + P)",
        notebook="03",
        implementation="bpe_lab.stages.fine_grained:FineGrained",
        source="bpe_lab/stages/fine_grained.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=110,
        variant_of="inverted_index",
    ),
    StageEntry(
        id="max_heap",
        number="4",
        title="no scan",
        idea="lazy max-heap: a stale top is refreshed and put back; only risen pairs are pushed",
        cost="O(A w + k log H)",
        notebook="04",
        implementation="bpe_lab.stages.max_heap:MaxHeap",
        source="bpe_lab/stages/max_heap.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=120,
    ),
    StageEntry(
        id="max_heap_python",
        number="4b",
        title="heap by hand",
        idea="the same stage on a max-heap written in Python",
        cost="O(A w + k log H)",
        notebook="04",
        implementation="bpe_lab.stages.max_heap_python:MaxHeapPython",
        source="bpe_lab/stages/max_heap_python.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=120,
        variant_of="max_heap",
        in_ladder=False,
    ),
    StageEntry(
        id="max_heap_heapq",
        number="4b",
        title="heap of the standard library",
        idea="the same stage on the max-heap functions of the standard library's heapq",
        cost="O(A w + k log H)",
        notebook="04",
        implementation="bpe_lab.stages.max_heap_heapq:MaxHeapHeapq",
        source="bpe_lab/stages/max_heap_heapq.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=120,
        variant_of="max_heap",
        in_ladder=False,
    ),
    StageEntry(
        id="max_heap_cython",
        number="4b",
        title="heap in Cython",
        idea="the same stage on a compiled max-heap",
        cost="O(A w + k log H)",
        notebook="04",
        implementation="bpe_lab.stages.max_heap_cython:MaxHeapCython",
        source="bpe_lab/stages/max_heap_cython.py",
        bytes_per_word=LIST_BYTES,
        bytes_per_token=120,
        requires=("bpe_lab.stages.heaps.cython_heap",),
        variant_of="max_heap",
        in_ladder=False,
    ),
    StageEntry(
        id="cython",
        number="5a",
        title="typed in Cython",
        idea="the same stage with C integers; dicts, sets and heap are still Python objects",
        cost="O(A w + k log H)",
        notebook="05",
        implementation="bpe_lab.stages.cython_stage:Cython",
        source="ext/cython_stage.pyx",
        bytes_per_word=24,
        bytes_per_token=160,
        requires=("bpe_lab.stages.cython_stage",),
        variant_of="core",
    ),
    StageEntry(
        id="cpp_map",
        number="5b",
        title="C++ and its map",
        idea="C++ containers: vectors, std::unordered_map, a lazy heap",
        cost="O(A w + k log H)",
        notebook="05",
        implementation="bpe_lab.native:CppMap",
        source="ext/words_stage.hpp",
        bytes_per_word=24,
        bytes_per_token=26,
        requires=("bpe_lab.native",),
        variant_of="core",
    ),
    StageEntry(
        id="cpp_flat",
        number="5b",
        title="a flat table",
        idea="the same with open addressing: a look-up touches one cache line",
        cost="O(A w + k log H)",
        notebook="05",
        implementation="bpe_lab.native:CppFlat",
        source="ext/words_stage.hpp",
        bytes_per_word=24,
        bytes_per_token=40,
        requires=("bpe_lab.native",),
        variant_of="core",
    ),
    StageEntry(
        id="cpp_scan",
        number="5c",
        title="scan, compiled",
        idea="no heap: scan all pair counts for the maximum",
        cost="O(A w + P)",
        notebook="06",
        implementation="bpe_lab.native:CppScan",
        source="ext/words_stage.hpp",
        bytes_per_word=24,
        bytes_per_token=20,
        requires=("bpe_lab.native",),
        variant_of="core",
    ),
    StageEntry(
        id="openmp_scan",
        number="5c",
        title="scan on all cores",
        idea="the same with OpenMP: dynamic schedule, one slot per thread",
        cost="O(A w + P / T)",
        notebook="06",
        implementation="bpe_lab.native:OpenmpScan",
        source="ext/words_stage.hpp",
        bytes_per_word=24,
        bytes_per_token=20,
        requires=("bpe_lab.native",),
        variant_of="core",
    ),
    StageEntry(
        id="cpp_positions",
        number="5d",
        title="pair -> positions",
        idea="positions instead of words, dead cells instead of moved tokens, a lazy heap",
        cost="O(M + k log H)",
        notebook="06",
        implementation="bpe_lab.native:CppPositions",
        source="ext/positions_stage.hpp",
        bytes_per_word=8,
        bytes_per_token=44,
        requires=("bpe_lab.native",),
        variant_of="core",
    ),
    StageEntry(
        id="core",
        number="5",
        title="the core",
        idea="flat array, sorted postings, sums per neighbour, a floor, rare pairs in no table",
        cost="O(M + k log H)",
        notebook="06",
        implementation="bpe_lab.native:Core",
        source="ext/core.hpp",
        bytes_per_word=8,
        bytes_per_token=12,
        requires=("bpe_lab.native",),
    ),
]

_COUNTERS = [
    CounterEntry(
        id="regex",
        title="one process",
        idea="the pattern by the regex package, one block at a time",
        implementation="bpe_lab.counting.regex_counter:count_files",
        documents="bpe_lab.counting.regex_counter:count_documents",
        parallel=False,
        memory_remedy="the counter 'native', whose table is smaller",
        bytes_per_word=290,
    ),
    CounterEntry(
        id="regex_parallel",
        title="many processes",
        idea="the same in spawned processes, each on byte ranges that end between words",
        implementation="bpe_lab.counting.regex_parallel_counter:count_files",
        parallel=True,
        memory_remedy="the counter 'native', whose table is smaller",
        bytes_per_word=290,
    ),
    CounterEntry(
        id="native",
        title="scanner in C++",
        idea="no regex: a scanner, an open-addressing table, threads; reads .gz and .zst too",
        implementation="bpe_lab.counting.native_counter:count_files",
        documents="bpe_lab.counting.native_counter:count_documents",
        parallel=True,
        memory_remedy="",
        bytes_per_word=105,
        streams=True,
        uses_threads=True,
        scanner=True,
        requires=("bpe_lab.native",),
        reads=("gzip", "zstd"),
    ),
    CounterEntry(
        id="dask",
        title="over a cluster",
        idea="the scanner in dask's workers; lost ranges are counted again; reads URLs",
        implementation="bpe_lab.counting.dask_counter:count_files",
        parallel=True,
        memory_remedy="workers with more memory (one may hold most words), or fewer on a machine",
        bytes_per_word=105,
        requires=("bpe_lab.native", "distributed"),
        reads=("gzip", "zstd"),
        cluster=True,
    ),
]

STAGES: Mapping[str, StageEntry] = MappingProxyType({entry.id: entry for entry in _STAGES})
"""Stage id -> entry, in the order of the ladder."""

COUNTERS: Mapping[str, CounterEntry] = MappingProxyType({entry.id: entry for entry in _COUNTERS})
"""Counter id -> entry."""

DEFAULT_STAGE = "core"
DEFAULT_COUNTER = "native"

Entry = TypeVar("Entry")


def find_stage(stage: str) -> StageEntry:
    """Return the entry of a stage."""
    file = stage if isinstance(stage, str) and stage.endswith(".py") else "mystage.py"
    return _find(STAGES, stage, "stage", f"; or name a class of your own, as in {file}:MyStage")


MEMBERS = ("recounts", "count_pairs", "select", "update")
"""Members that every stage class has; see `bpe_lab.stages.interface`."""

KEYWORDS = {"merges", "min_count", "threads", "vocab_size"}
"""What a stage may take besides the words and the vocabulary."""


def load_stage(stage: "str | type[Stage]") -> "tuple[str, type[Stage]]":
    """Return the name and the class of a stage, registered or not.

    :param stage: id of a stage; or a class; or "folder/file.py:Class"; or "module:Class", where
        Python finds the module.
    :return: the id, or "module:Class" if it was not named by an id.
    :raises ValueError: unknown stage, no such file or module, no such class in it.
    :raises TypeError: the class is not a stage; says what it lacks.
    :raises ImportError: the stage was not built, or its module fails when it is imported.

    >>> load_stage("naive")[1].__name__
    'Naive'
    >>> load_stage("bpe_lab.stages.naive:Naive") == load_stage(load_stage("naive")[1])
    True
    """
    if isinstance(stage, type):
        return _checked_stage(stage, f"{stage.__module__}:{stage.__qualname__}")
    if isinstance(stage, str) and stage not in STAGES and ":" in stage:
        found = load_named(stage, "stage", "mystage.py:MyStage")
        return _checked_stage(found, module_place(stage, "stage"))
    return stage, find_stage(stage).load()


def _checked_stage(found: object, name: str) -> "tuple[str, type[Stage]]":
    """Check that a class can be driven as a stage, and return its name and itself."""
    if not isinstance(found, type):
        raise TypeError(
            f"{name} is not a stage: it is not a class, but of type {type(found).__name__}"
        )
    if lacks := [member for member in MEMBERS if not hasattr(found, member)]:
        raise TypeError(
            f"{name} is not a stage: it lacks {', '.join(lacks)} (bpe_lab.stages.interface)"
        )
    keywords = getattr(found, "keywords", ())
    if not isinstance(keywords, tuple) or not set(keywords) <= KEYWORDS:
        raise TypeError(
            f"{name} has the keywords {keywords!r}: give a tuple of {', '.join(sorted(KEYWORDS))}"
        )
    return name, cast("type[Stage]", found)


def find_counter(counter: str) -> CounterEntry:
    """Return the entry of a counter."""
    return _find(COUNTERS, counter, "counter")


def counter_for(
    pattern: Pattern, counter: str | None = None, *, documents: bool = False
) -> CounterEntry:
    """Return the requested counter, if it can find the words of a pattern.

    :param counter: None: `native` where the pattern has a scanner, else `regex_parallel`, for
        documents `regex`.
    :param documents: it has to count documents.
    """
    able = "regex" if documents else "regex_parallel"
    if counter is None:
        return COUNTERS[DEFAULT_COUNTER if pattern.scanner else able]
    entry = find_counter(counter)
    if entry.scanner and not pattern.scanner:
        raise ValueError(
            f"counter {counter!r} has no scanner for the pattern {pattern.name!r}: use {able!r}"
        )
    return entry


def _find(entries: Mapping[str, Entry], name: str, kind: str, more: str = "") -> Entry:
    try:
        return entries[name]
    except (KeyError, TypeError):
        known = ", ".join(entries)
        raise ValueError(f"unknown {kind} {name!r}: known are {known}{more}") from None
