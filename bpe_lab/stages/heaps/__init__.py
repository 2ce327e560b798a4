"""Three max-heaps on a plain list, with the four functions that Python 3.14 gave to `heapq`."""
