"""Promise: a `.pyi` has the public names and the signatures of its compiled module."""

import importlib
import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

CHECKOUT = Path(__file__).parents[1]

MODULES = {
    "bpe_lab.native": "native*",
    "bpe_lab.text_maker": "text_maker.pyx",
    "bpe_lab.stages.heaps.cython_heap": "cython_heap.pyx",
    "bpe_lab.experiments.ablations": "experiments/ablations.pyx",
    "bpe_lab.experiments.cython_maps": "experiments/cython_maps.pyx",
    "bpe_lab.experiments.pieces": "experiments/pieces.pyx",
}
"""Compiled module -> its sources in `ext/`."""

INSIDE = {"Progress", "PythonSource", "WordItems", "Worker"}
"""Classes that are no part of the interface."""


def taken_by(function: Callable[..., Any]) -> list[tuple[str, str, object]]:
    """Return name, kind and default of each parameter but `self` and `cls`."""
    taken = inspect.signature(function).parameters.values()
    own = (one for one in taken if one.name not in ("self", "cls"))
    return [(one.name, one.kind.name, one.default) for one in own]


def executed(code: str, module: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": module}
    exec(f"from __future__ import annotations\n{code}", names)
    return names


def constructors(sources: str) -> dict[str, Callable[..., Any]]:
    """Return class -> a function that takes what its `__cinit__` does, as the source says."""
    definition = r"^cdef class (\w+)(?:(?!^\S).)*?^    def __cinit__\((.*?)\):$"
    made = {}
    for name, taken in re.findall(definition, sources, re.DOTALL | re.MULTILINE):
        untyped = re.sub(r"\b\w+ (?=\w)", "", taken.replace(" not None", ""))
        made[name] = executed(f"def f({untyped}): ...", "")["f"]
    return made


def agree(stub: Callable[..., Any], function: Callable[..., Any]) -> bool:
    """Whether two take the same; in a stub, the default `...` stands for any."""
    one, other = taken_by(stub), taken_by(function)
    return [taken[:2] for taken in one] == [taken[:2] for taken in other] and all(
        value == there or (value is ... and there is not inspect.Parameter.empty)
        for (_, _, value), (_, _, there) in zip(one, other, strict=True)
    )


def own(names: dict[str, Any], module: str) -> dict[str, Any]:
    ours = {name: one for name, one in names.items() if getattr(one, "__module__", "") == module}
    return {name: value for name, value in ours.items() if name[0] != "_"}


def public(kind: type) -> set[str]:
    return {member for member in vars(kind) if member[0] != "_"}


@pytest.mark.parametrize("name", MODULES)
def test_a_stub_has_the_names_and_signatures_of_its_module(name: str) -> None:
    module = importlib.import_module(name)
    stub = executed(CHECKOUT.joinpath(*name.split(".")).with_suffix(".pyi").read_text(), name)
    assert {*own(vars(module), name)} - INSIDE == {*own(stub, name)}
    assert {*stub.get("__annotations__", ())} <= {*dir(module)}
    sources = sorted(CHECKOUT.glob(f"ext/{MODULES[name]}"))
    built = constructors("".join(path.read_text() for path in sources))
    for title, told in own(stub, name).items():
        value = getattr(module, title)
        if not isinstance(told, type):
            assert agree(told, value), title
            continue
        members = {*public(told), *told.__annotations__}
        assert members == public(value) or told.__base__ is not object, title
        if title in built:
            assert agree(told, built[title]), title
        for member in members:
            if inspect.isfunction(method := getattr(told, member, None)):
                assert agree(method, getattr(value, member)), (title, member)
