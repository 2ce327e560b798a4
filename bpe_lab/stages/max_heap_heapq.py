"""`max_heap` on the max-heap functions of the standard library.

- Adds: `heapq`'s sifts, compiled since Python 3.14; before that, pushes are sifted in Python.
- Still slow: the same as `max_heap_python`; the heap was never most of the time.
"""

from types import ModuleType
from typing import ClassVar

from bpe_lab.stages.heaps import heapq_heap
from bpe_lab.stages.max_heap_python import MaxHeapPython


class MaxHeapHeapq(MaxHeapPython):
    """Training with a lazy max-heap: the standard library's."""

    heap_functions: ClassVar[ModuleType] = heapq_heap
