"""Promise: the three heaps do the same, and a bad item cannot break the interpreter."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any, ClassVar

import pytest

from bpe_lab.stages.heaps import cython_heap, heapq_heap, python_heap

HEAPS = [python_heap, heapq_heap, cython_heap]
FUNCTIONS = ["heapify_max", "heappop_max", "heappush_max", "heapreplace_max"]


@pytest.fixture(params=HEAPS, ids=lambda heap: heap.__name__.rpartition(".")[2])
def heaps(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


def random_items(seed: int) -> list[Any]:
    """Return integers with many duplicates, or tuples as the stages have them."""
    rng = random.Random(seed)
    size = rng.randrange(60)
    if seed % 2:
        return [rng.randrange(1 + size // 2) for _ in range(size)]
    keys = [bytes(rng.choices(b"\x00a\xff", k=2)) for _ in range(size)]
    return [(rng.randrange(3), key, b"b", rng.randrange(9), 0) for key in keys]


def is_max_heap(heap: list[Any]) -> bool:
    return all(not heap[(child - 1) // 2] < heap[child] for child in range(1, len(heap)))


def test_items_come_out_in_descending_order(heaps: ModuleType) -> None:
    for seed in range(40):
        items = random_items(seed)
        heap = items.copy()
        heaps.heapify_max(heap)
        assert is_max_heap(heap), seed
        assert [heaps.heappop_max(heap) for _ in items] == sorted(items, reverse=True), seed


def test_pushes_pops_and_replacements_may_be_mixed(heaps: ModuleType) -> None:
    rng = random.Random(1)
    heap: list[int] = []
    expected: list[int] = []  # sorted, the greatest last
    for _ in range(8_000):
        item = rng.randrange(50)
        action = rng.choice(["push", "push", "pop", "pop", "replace"])
        if action == "push":
            heaps.heappush_max(heap, item)
            expected.append(item)
        elif expected and action == "pop":
            assert heaps.heappop_max(heap) == expected.pop()
        elif expected:
            assert heaps.heapreplace_max(heap, item) == expected.pop()
            expected.append(item)
        expected.sort()
        assert is_max_heap(heap)
        assert sorted(heap) == expected


def test_an_empty_heap_has_nothing_to_pop_or_replace(heaps: ModuleType) -> None:
    heap: list[int] = []
    with pytest.raises(IndexError):
        heaps.heappop_max(heap)
    with pytest.raises(IndexError):
        heaps.heapreplace_max(heap, 1)
    assert heap == []  # the item was not put in on the way


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_heap_is_a_list(heaps: ModuleType, function: str) -> None:
    arguments = [1] if function in ("heappush_max", "heapreplace_max") else []
    for not_a_list in ((3, 1, 2), 5):
        with pytest.raises((TypeError, AttributeError)):
            getattr(heaps, function)(not_a_list, *arguments)


class Surprising:
    """An item whose n-th comparison from now on does something else first."""

    patience = -1
    surprise: ClassVar[Callable[[], object]]

    def __init__(self, value: int) -> None:
        self.value = value

    def __lt__(self, other: "Surprising") -> bool:
        if Surprising.patience == 0:
            Surprising.surprise()
        Surprising.patience -= 1
        return self.value < other.value


@contextmanager
def surprise_after(patience: int, surprise: Callable[[], object]) -> Iterator[None]:
    Surprising.patience, Surprising.surprise = patience, surprise
    try:
        yield
    finally:
        Surprising.patience = -1


def heap_and_item(function: str) -> tuple[list[Any], list[Any]]:
    """Return a heap for a function that is compared often, and the item that it takes, if any."""
    monotone = [Surprising(1_000 - value) for value in range(1_000)]
    new = Surprising(10_000 if function == "heappush_max" else -1)
    takes_item = function in ("heappush_max", "heapreplace_max")
    return monotone[::-1] if function == "heapify_max" else monotone, [new][:takes_item]


def refuse() -> None:
    raise ArithmeticError("this one is not compared")


@pytest.mark.parametrize("patience", [0, 1, 2])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_an_error_of_a_comparison_is_seen(heaps: ModuleType, function: str, patience: int) -> None:
    heap, item = heap_and_item(function)
    allowed = {id(one) for one in heap + item}
    with pytest.raises(ArithmeticError, match="not compared"), surprise_after(patience, refuse):
        getattr(heaps, function)(heap, *item)
    # Half a sift may have been done, but nothing that was freed, or never there, is in the list.
    assert len(heap) in (999, 1_000, 1_001)
    assert {id(one) for one in heap} <= allowed
    heaps.heapify_max(heap)
    assert is_max_heap(heap)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_comparison_that_empties_the_heap_is_an_error(heaps: ModuleType, function: str) -> None:
    # Compiled without bounds checks, a sift that goes on would read memory behind the list.
    for patience in range(4):
        heap, item = heap_and_item(function)
        with pytest.raises((IndexError, RuntimeError)), surprise_after(patience, heap.clear):
            getattr(heaps, function)(heap, *item)
