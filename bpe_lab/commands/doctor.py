"""`bpe-lab doctor`: is the installation complete, and how was its compiled part built?"""

import argparse
import importlib.util
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.version import Version

from bpe_lab.support.machine import available_cpus, available_memory


class Check(NamedTuple):
    """One line of `bpe-lab doctor`: what was checked, and the version found, or the remedy."""

    name: str
    ok: bool
    detail: str
    needed: bool = False


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab doctor`: it has none."""


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab doctor`: exit 1 if something that training needs is missing."""
    checks = [_check_python(), *_check_packages(), *_check_build(), _check_machine()]
    for check in checks:
        mark = "OK" if check.ok else "FAIL" if check.needed else "--"
        print(f"[{mark}] {check.name}: {check.detail}")
    if any(not check.ok and not check.needed for check in checks):
        print("Lines with [--]: missing, but not needed for training.")
    return int(any(not check.ok and check.needed for check in checks))


def _check_python() -> Check:
    found = f"{platform.python_version()} ({platform.python_implementation()}); 3.11+ is needed"
    return Check("Python", sys.version_info >= (3, 11), found, needed=True)


def _check_packages() -> Iterator[Check]:
    """Check the packages that the project requires, and its extras, one line each."""
    extras: dict[str, list[Requirement]] = {}
    for requirement in map(Requirement, requires("bpe_lab") or []):
        extra = str(requirement.marker).rpartition("extra ==")[2].strip(" \"'")
        if requirement.marker is None:
            wrong = _what_is_wrong(requirement)
            remedy = f"{wrong}: pip install --upgrade '{requirement}'"
            found = remedy if wrong else version(requirement.name)
            yield Check(requirement.name, not wrong, found, needed=True)
        elif requirement.marker.evaluate({"extra": extra}):
            extras.setdefault(extra, []).append(requirement)
    for extra, requirements in extras.items():
        wrongs = [one.name for one in requirements if _what_is_wrong(one)]
        # Keep the line short: pip itself says which version is too old for what.
        more = f" and {len(wrongs) - 2} more" if len(wrongs) > 2 else ""
        remedy = f"lacks {', '.join(wrongs[:2])}{more}: pip install 'bpe_lab[{extra}]'"
        there = f"{len(requirements)} package{'s' * (len(requirements) > 1)}"
        yield Check(f"extra {extra}", not wrongs, remedy if wrongs else there)


def _what_is_wrong(requirement: Requirement) -> str:
    """Say what is wrong with an installed package, "" if nothing is.

    >>> _what_is_wrong(Requirement("no-such-package"))
    'not installed'
    """
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return "not installed"
    if not requirement.specifier.contains(found, prereleases=True):
        return f"is {found}, {requirement.specifier} is needed"
    return ""


def _check_build() -> Iterator[Check]:
    """Check the compiled part and the tools that rebuild or simulate it."""
    if importlib.util.find_spec("bpe_lab.native") is None:
        remedy = "not built: reinstall with a C++ compiler at hand"
        yield Check("compiled part", False, remedy)
    else:
        from bpe_lab import native

        yield Check("compiled part", True, f"by {native.compiler()}")
        made, now = native.regex_version(), version("regex")
        fresh = Version(made) == Version(now)
        of = f"as in regex {made}"
        stale = f"{of}, and {now} is installed: reinstall bpe_lab if the two differ in Unicode"
        yield Check("scanner's Unicode", fresh, of if fresh else stale)
        date = native.openmp_version()
        on = f"on (specification {date})"
        off = "off: everything works on one thread; reinstall with a compiler that has OpenMP"
        yield Check("OpenMP", bool(date), on if date else off)
    compiler = os.environ.get("CXX") or "c++"
    for name, program, use in (
        (f"C++ compiler ({compiler})", compiler, "to change ext/ (Debian: apt-get install g++)"),
        ("valgrind", "valgrind", "for the suite processor"),
    ):
        found = shutil.which(program.split()[0]) is not None
        yield Check(name, found, "found" if found else f"not found: needed only {use}")


def _check_machine() -> Check:
    free = available_memory() / 1e9
    found = f"{available_cpus()} processors, {free:.1f} GB free, {platform.system()}"
    return Check("machine", True, found)
