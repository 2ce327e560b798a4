# cython: language_level=3, wraparound=False
# Bounds are checked: a comparison runs Python code, and that code could shorten the list.
"""A max-heap on a plain list: the hand-written heap of ``bpe_lab.stages.heaps.python_heap``, compiled.

- Adds: C integers for the positions, no boxed arithmetic, no attribute look-ups.
- Still slow: every comparison is a Python comparison of two tuples.

The four functions have the names and the meaning that Python 3.14 gave the standard library's
``heapq``. Source of the algorithm: J. W. J. Williams, "Algorithm 232: Heapsort" (1964).
"""

from cpython.object cimport Py_LT, PyObject_RichCompareBool


cdef int move_up(list heap, Py_ssize_t position) except -1:
    """Move the item at `position` towards the root until its parent is not smaller."""
    cdef Py_ssize_t parent
    cdef object item = heap[position]
    while position > 0:
        parent = (position - 1) >> 1
        if not PyObject_RichCompareBool(heap[parent], item, Py_LT):
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = item
    return 0


cdef int move_down(list heap, Py_ssize_t position) except -1:
    """Move the item at `position` towards the leaves until no child is greater."""
    cdef Py_ssize_t child, size = len(heap)
    cdef object item = heap[position]
    while 2 * position + 1 < size:
        child = 2 * position + 1
        if child + 1 < size and PyObject_RichCompareBool(heap[child], heap[child + 1], Py_LT):
            child += 1
        if not PyObject_RichCompareBool(item, heap[child], Py_LT):
            break
        heap[position] = heap[child]
        position = child
    heap[position] = item
    return 0


def heapify_max(list heap not None):
    """Turn a list into a max-heap, in place and in linear time."""
    cdef Py_ssize_t position
    for position in range(len(heap) // 2 - 1, -1, -1):
        move_down(heap, position)


def heappush_max(list heap not None, item):
    """Add an item to a max-heap."""
    heap.append(item)
    move_up(heap, len(heap) - 1)


def heappop_max(list heap not None):
    """Remove and return the greatest item of a max-heap."""
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    heap[0] = last
    move_down(heap, 0)
    return top


def heapreplace_max(list heap not None, item):
    """Put `item` in the place of the greatest item of a max-heap and return that one."""
    if not heap:
        raise IndexError("the heap is empty")
    top = heap[0]
    heap[0] = item
    move_down(heap, 0)
    return top
