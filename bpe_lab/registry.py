"""The stages and counters of the lab. Tests, benchmarks, plots and tables loop over these.

A stage that is not here is named by its class, by "file.py", "file.py:Class" or "module:Class".
"""

import importlib
import importlib.util
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from bpe_lab.stages.interface import Stage
from bpe_lab.stages.user_stage import check_stage_class, is_user_stage, load_user_stage
from bpe_lab.support.errors import find_entry
from bpe_lab.words.patterns import Pattern


class StageEntry(NamedTuple):
    """What the lab knows about a stage without importing it.

    :param id: what users type.
    :param number: its place in the ladder, "3" for a headline stage, "3b" for a variant of it.
    :param notebook: the two digits of the notebook that explains it.
    :param cost: time per merge. N word occurrences, U distinct words, L tokens per word, P live
        pairs, A affected words, w matches per affected word, M matches, H heap entries, k pairs
        whose count rose and stale tops of the heap, T threads.
    :param idea: one line.
    :param implementation: "module:class".
    :param source: the file to read; for a stage in C++ its header, not the class that wraps it.
    :param every_occurrence: it keeps a token list for every word occurrence.
    :param in_ladder: it is in the ladder, its figures and its tables.
    """

    id: str
    number: str
    notebook: str
    cost: str
    idea: str
    implementation: str
    source: str
    every_occurrence: bool = False
    in_ladder: bool = True

    @property
    def variant_of(self) -> str | None:
        """The headline stage it varies, None for a headline stage.

        >>> STAGES["fine_grained"].variant_of
        'inverted_index'
        """
        headline = next(entry.id for entry in STAGES.values() if entry.number == self.number[0])
        return None if headline == self.id else headline

    def load(self) -> type[Stage]:
        """Import the stage.

        >>> STAGES["naive"].load().__name__
        'Naive'
        """
        return cast("type[Stage]", _load(self.implementation))


class CounterEntry(NamedTuple):
    """What the lab knows about a counter without importing it.

    :param id: what users type.
    :param idea: one line.
    :param implementation: "module:function".
    :param parallel: it uses more than one thread or process.
    :param uses_threads: it uses threads, which the build must have (OpenMP), not processes.
    :param requires: modules that must be installed.
    :param reads: compressions that it reads, as `bpe_lab.counting.source` names them.
    :param streams: it reads streams, not only files.
    :param documents: "module:function" that counts documents that are not in files; "": it cannot.
    :param cluster: its workers may be on other machines: it takes URLs, and is left out of
        measurements of this machine.
    :param scanner: it needs a pattern that has a scanner; other counters take any pattern.
    """

    id: str
    idea: str
    implementation: str
    parallel: bool = True
    uses_threads: bool = False
    requires: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    streams: bool = False
    documents: str = ""
    cluster: bool = False
    scanner: bool = False

    def missing(self) -> list[str]:
        """Return the requirements that are not installed."""
        return [name for name in self.requires if importlib.util.find_spec(name) is None]

    def load(self) -> Any:
        """Import the counting function."""
        if self.requires and (missing := self.missing()):
            raise ImportError(
                f"counter {self.id!r} needs {', '.join(missing)}: pip install 'bpe_lab[dask]'"
            )
        return _load(self.implementation)

    def load_documents(self) -> Any:
        """Import the function that counts documents."""
        if not self.documents:
            able = ", ".join(entry.id for entry in COUNTERS.values() if entry.documents)
            raise ValueError(f"counter {self.id!r} takes files only: use one of {able}")
        return _load(self.documents)


def _load(place: str) -> Any:
    module, _, name = place.partition(":")
    if module == "bpe_lab.native":
        from bpe_lab import native  # so that threads of OpenMP sleep while they wait

        return getattr(native, name)
    return getattr(importlib.import_module(module), name)


# id, number, notebook, cost of a merge
#     idea
#     class, and the file to read
_STAGES = (
    StageEntry("naive", "1", "01", "O(N L)",
        "every occurrence of every word is its own token list; recount all, rewrite all",
        "bpe_lab.stages.naive:Naive", "bpe_lab/stages/naive.py", every_occurrence=True),
    StageEntry("word_counts", "2", "02", "O(U L + P)",
        "keep each distinct word once with its count; recount all pairs",
        "bpe_lab.stages.word_counts:DistinctWords", "bpe_lab/stages/word_counts.py"),
    StageEntry("word_filter", "2b", "02", "O(U L + P)",
        "rewrite only words that hold both symbols of the pair",
        "bpe_lab.stages.word_filter:WordFilter", "bpe_lab/stages/word_filter.py"),
    StageEntry("pair_table", "3a", "03", "O(U L + A L + P)",
        "pair counts survive between merges; affected words found by scanning every word",
        "bpe_lab.stages.pair_table:PairTable", "bpe_lab/stages/pair_table.py"),
    StageEntry("inverted_index", "3", "03", "O(A L + P)",
        "posting lists; each affected word is subtracted whole and added back whole",
        "bpe_lab.stages.inverted_index:InvertedIndex", "bpe_lab/stages/inverted_index.py"),
    StageEntry("fine_grained", "3b", "03", "O(A w + P)",
        "only the pairs that touch a match change",
        "bpe_lab.stages.fine_grained:FineGrained", "bpe_lab/stages/fine_grained.py"),
    StageEntry("max_heap", "4", "04", "O(A w + k log H)",
        "lazy max-heap: a stale top is refreshed and put back; only risen pairs are pushed",
        "bpe_lab.stages.max_heap:MaxHeap", "bpe_lab/stages/max_heap.py"),
    StageEntry("max_heap_python", "4b", "04", "O(A w + k log H)",
        "the same stage on a max-heap written in Python",
        "bpe_lab.stages.max_heap_python:MaxHeapPython", "bpe_lab/stages/max_heap_python.py",
        in_ladder=False),
    StageEntry("max_heap_heapq", "4b", "04", "O(A w + k log H)",
        "the same stage on the max-heap functions of the standard library's heapq",
        "bpe_lab.stages.max_heap_heapq:MaxHeapHeapq", "bpe_lab/stages/max_heap_heapq.py",
        in_ladder=False),
    StageEntry("max_heap_cython", "4b", "04", "O(A w + k log H)",
        "the same stage on a compiled max-heap",
        "bpe_lab.stages.max_heap_cython:MaxHeapCython", "bpe_lab/stages/max_heap_cython.py",
        in_ladder=False),
    StageEntry("cython", "5a", "05", "O(A w + k log H)",
        "the same stage with C integers; dicts, sets and heap are still Python objects",
        "bpe_lab.stages.cython_stage:Cython", "ext/cython_stage.pyx"),
    StageEntry("cpp_map", "5b", "05", "O(A w + k log H)",
        "C++ containers: vectors, std::unordered_map, a lazy heap",
        "bpe_lab.native:CppMap", "ext/words_stage.hpp"),
    StageEntry("cpp_flat", "5b", "05", "O(A w + k log H)",
        "the same with open addressing: a look-up usually touches one cache line",
        "bpe_lab.native:CppFlat", "ext/words_stage.hpp"),
    StageEntry("cpp_scan", "5c", "07", "O(A w + P)",
        "no heap: scan all pair counts for the maximum",
        "bpe_lab.native:CppScan", "ext/words_stage.hpp"),
    StageEntry("openmp_scan", "5c", "07", "O(A w + P / T)",
        "the same with OpenMP: dynamic schedule, one slot per thread",
        "bpe_lab.native:OpenmpScan", "ext/words_stage.hpp"),
    StageEntry("cpp_positions", "5d", "08", "O(M + k log H)",
        "positions instead of words, dead cells instead of moved tokens, a lazy heap",
        "bpe_lab.native:CppPositions", "ext/positions_stage.hpp"),
    StageEntry("core", "5", "08", "O(M + k log H)",
        "flat array, sorted postings, sums per neighbour, a floor, rare pairs in no table",
        "bpe_lab.native:Core", "ext/core.hpp"),
)  # fmt: skip

_COUNTERS = (
    CounterEntry("regex", "the pattern by the regex package, one block at a time",
        "bpe_lab.counting.regex_counter:count_files",
        documents="bpe_lab.counting.regex_counter:count_documents", parallel=False),
    CounterEntry("regex_parallel",
        "the same in spawned processes, each on byte ranges that end between words",
        "bpe_lab.counting.regex_parallel_counter:count_files"),
    CounterEntry("native",
        "no regex: a scanner, an open-addressing table, threads; reads .gz and .zst too",
        "bpe_lab.counting.native_counter:count_files",
        documents="bpe_lab.counting.native_counter:count_documents", uses_threads=True,
        reads=("gzip", "zstd"), streams=True, scanner=True),
    CounterEntry("dask",
        "the scanner in dask's workers; lost ranges are counted again; reads URLs",
        "bpe_lab.counting.dask_counter:count_files",
        requires=("distributed",), reads=("gzip", "zstd"), cluster=True),
)  # fmt: skip

STAGES: Mapping[str, StageEntry] = MappingProxyType({entry.id: entry for entry in _STAGES})
"""Stage id -> entry, in the order of the ladder."""

COUNTERS: Mapping[str, CounterEntry] = MappingProxyType({entry.id: entry for entry in _COUNTERS})
"""Counter id -> entry."""

DEFAULT_STAGE = "core"
DEFAULT_COUNTER = "native"


def find_stage(stage: str) -> StageEntry:
    """Return the entry of a stage."""
    own = "; or name a file with one of your own, such as mystage.py"
    return find_entry("stage", stage, STAGES, own)


def load_stage(stage: str | type[Stage]) -> tuple[str, type[Stage]]:
    """Return the name and the class of a stage, registered or not.

    :param stage: id of a stage; or a class; or "folder/file.py:Class", without the class if the
        file has one stage; or "module:Class", where Python finds the module.
    :return: the id, or the place of the class, "module:Class" if that was given itself.
    :raises ValueError: unknown stage, no such file or module, no such class in it.
    :raises TypeError: the class is not a stage; says what it lacks.
    :raises ImportError: the module fails when it is imported.

    >>> load_stage("naive")[1].__name__
    'Naive'
    >>> load_stage("bpe_lab.stages.naive:Naive") == load_stage(load_stage("naive")[1])
    True
    """
    if isinstance(stage, type):
        name = f"{stage.__module__}:{stage.__qualname__}"
        return name, check_stage_class(stage, name)
    if stage not in STAGES and is_user_stage(stage):
        return load_user_stage(stage)
    return stage, _load((STAGES.get(stage) or find_stage(stage)).implementation)


def find_counter(counter: str) -> CounterEntry:
    """Return the entry of a counter."""
    return find_entry("counter", counter, COUNTERS)


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
