"""Is the installation whole? What the compiled part was built with, and what is missing."""

import importlib.util
import os
import platform
import shutil
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from packaging.requirements import Requirement

from bpe_lab.registry import STAGES
from bpe_lab.support.machine import available_cpus, available_memory


@dataclass(frozen=True)
class Check:
    """One line of `bpe-lab doctor`.

    :param name: what was looked at.
    :param ok: whether it is as it should be.
    :param detail: the version found, or the remedy.
    :param needed: training does not work without it.
    """

    name: str
    ok: bool
    detail: str
    needed: bool


def doctor() -> list[Check]:
    """Look at everything that bpe_lab uses.

    >>> all(check.ok for check in doctor() if check.needed)
    True
    """
    return [check_python(), *check_packages(), *check_build(), *check_stages(), check_machine()]


def check_python() -> Check:
    """Look at the interpreter."""
    return Check(
        "Python",
        sys.version_info >= (3, 11),
        f"{platform.python_version()} ({platform.python_implementation()}); 3.11+ is needed",
        needed=True,
    )


def check_packages() -> list[Check]:
    """Look at the packages that the project requires, and at its extras, one line each."""
    needed: list[Requirement] = []
    extras: dict[str, list[Requirement]] = {}
    for line in requires("bpe_lab") or []:
        requirement = Requirement(line)
        extra = str(requirement.marker).rpartition("extra ==")[2].strip(" \"'")
        if requirement.marker is None:
            needed.append(requirement)
        elif requirement.marker.evaluate({"extra": extra}):
            extras.setdefault(extra, []).append(requirement)
    checks = []
    for requirement in needed:
        wrong = what_is_wrong(requirement)
        remedy = f"{wrong}: pip install --upgrade '{requirement}'"
        found = remedy if wrong else version(requirement.name)
        checks.append(Check(requirement.name, not wrong, found, needed=True))
    for extra, requirements in extras.items():
        wrongs = {entry: wrong for entry in requirements if (wrong := what_is_wrong(entry))}
        # By their names: bpe_lab itself is on no index that would know its extras.
        packages = " ".join(f"'{entry.name}{entry.specifier}'" for entry in wrongs)
        by_wrong: dict[str, list[str]] = {}
        for entry, wrong in wrongs.items():
            by_wrong.setdefault(wrong, []).append(entry.name)
        said = "; ".join(f"{', '.join(names)} {wrong}" for wrong, names in by_wrong.items())
        remedy = f"{said}; pip install --upgrade {packages}"
        there = ", ".join(entry.name for entry in requirements)
        checks.append(
            Check(f"extra {extra}", not wrongs, remedy if wrongs else there, needed=False)
        )
    return checks


def what_is_wrong(requirement: Requirement) -> str:
    """Say what is wrong with an installed package, "" when nothing is.

    >>> what_is_wrong(Requirement("no-such-package"))
    'not installed'
    """
    try:
        found = version(requirement.name)
    except PackageNotFoundError:
        return "not installed"
    if not requirement.specifier.contains(found, prereleases=True):
        return f"is {found}, {requirement.specifier} is needed"
    return ""


def check_build() -> list[Check]:
    """Look at the compiled part and at the compiler that would rebuild it."""
    checks = []
    if importlib.util.find_spec("bpe_lab.build_info") is None:
        remedy = "not built: reinstall with a C++ compiler at hand"
        checks.append(Check("compiled part", False, remedy, needed=False))
    else:
        from bpe_lab import build_info

        date = build_info.openmp_version()
        checks.append(Check("compiled part", True, f"by {build_info.compiler()}", needed=False))
        on = f"on (specification {date}, {build_info.max_threads()} threads)"
        off = "off: everything works on one thread; reinstall with a compiler that has OpenMP"
        checks.append(Check("OpenMP", bool(date), on if date else off, needed=False))
    name = os.environ.get("CXX") or "c++"
    found = shutil.which(name.split()[0])
    detail = (
        "found" if found else "not found: needed only to change ext/ (Debian: apt-get install g++)"
    )
    checks.append(Check(f"C++ compiler ({name})", bool(found), detail, needed=False))
    simulator = shutil.which("valgrind")
    detail = "found" if simulator else "not found: needed only for the suite processor"
    checks.append(Check("valgrind", bool(simulator), detail, needed=False))
    return checks


def check_stages() -> list[Check]:
    """Look at the stages that need something built."""
    return [
        Check(f"stage {entry.id}", not entry.missing(), entry.title, needed=False)
        for entry in STAGES.values()
        if entry.requires
    ]


def check_machine() -> Check:
    """Look at the processors and the memory."""
    gigabytes = available_memory() / 1e9
    return Check(
        "machine",
        True,
        f"{available_cpus()} processors, {gigabytes:.1f} GB free, {platform.system()}",
        needed=False,
    )
