"""A max-heap on a plain list, written by hand.

The four functions have the names and the meaning that Python 3.14 gave the standard library's
`heapq`. Source of the algorithm: J. W. J. Williams, "Algorithm 232: Heapsort" (1964).
"""

from typing import Any


def move_up(heap: list[Any], position: int) -> None:
    """Move the item at `position` towards the root until its parent is not smaller."""
    item = heap[position]
    while position > 0:
        parent = (position - 1) // 2
        if not heap[parent] < item:
            break
        heap[position] = heap[parent]
        position = parent
    heap[position] = item


def move_down(heap: list[Any], position: int) -> None:
    """Move the item at `position` towards the leaves until no child is greater."""
    item = heap[position]
    while 2 * position + 1 < len(heap):
        child = 2 * position + 1
        if child + 1 < len(heap) and heap[child] < heap[child + 1]:
            child += 1
        if not item < heap[child]:
            break
        heap[position] = heap[child]
        position = child
    heap[position] = item


def heapify_max(heap: list[Any]) -> None:
    """Turn a list into a max-heap, in place and in linear time.

    :param heap: the list; its items are comparable with ``<``.

    >>> heap = [3, 1, 4, 1, 5]
    >>> heapify_max(heap)
    >>> heap[0]
    5
    """
    for position in range(len(heap) // 2 - 1, -1, -1):
        move_down(heap, position)


def heappush_max(heap: list[Any], item: Any) -> None:
    """Add an item to a max-heap.

    :param heap: a list that is a max-heap.
    :param item: comparable with the others.

    >>> heap = [4, 3]
    >>> heappush_max(heap, 9)
    >>> heap[0]
    9
    """
    heap.append(item)
    move_up(heap, len(heap) - 1)


def heappop_max(heap: list[Any]) -> Any:
    """Remove and return the greatest item of a max-heap.

    :param heap: a list that is a max-heap.
    :raises IndexError: the heap is empty.

    >>> heap = [4, 3, 1]
    >>> heappop_max(heap), heap[0]
    (4, 3)
    """
    last = heap.pop()
    if not heap:
        return last
    top = heap[0]
    heap[0] = last
    move_down(heap, 0)
    return top


def heapreplace_max(heap: list[Any], item: Any) -> Any:
    """Put `item` in the place of the greatest item of a max-heap and return that one.

    One sift instead of the two of a pop and a push.

    :param heap: a list that is a max-heap.
    :param item: comparable with the others.
    :raises IndexError: the heap is empty.

    >>> heap = [4, 3, 1]
    >>> heapreplace_max(heap, 2), heap[0]
    (4, 3)
    """
    top = heap[0]
    heap[0] = item
    move_down(heap, 0)
    return top
