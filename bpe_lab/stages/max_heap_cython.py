"""`max_heap` on a compiled max-heap.

- Adds: the hand-written heap translated to C by Cython (`ext/cython_heap.pyx`).
- Still slow: the same as `max_heap_python`; the heap was never most of the time.
"""

from types import ModuleType
from typing import ClassVar

from bpe_lab.stages.heaps import cython_heap
from bpe_lab.stages.max_heap_python import MaxHeapPython


class MaxHeapCython(MaxHeapPython):
    """Training with a lazy max-heap: a compiled one."""

    heap_functions: ClassVar[ModuleType] = cython_heap
