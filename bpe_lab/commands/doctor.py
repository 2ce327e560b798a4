"""`bpe-lab doctor`: is the installation complete, and how was its compiled part built?"""

import argparse
import os
import platform
import re
import shutil
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from bpe_lab import native
from bpe_lab.support.machine import available_cpus, available_memory
from bpe_lab.support.sizes import size_in_words


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab doctor`: it has none."""


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab doctor`: exit 1 if something that training needs is missing."""
    free = size_in_words(available_memory())
    print(f"Python {platform.python_version()} on {platform.system()}")
    print(f"machine: {available_cpus()} processors, {free} of memory free")
    print(f"compiled part: by {native.compiler()}")
    off = "off: everything works on one thread; reinstall with a compiler that has OpenMP"
    print(f"OpenMP: {f'on ({openmp})' if (openmp := native.openmp_version()) else off}")
    built, installed = native.regex_version(), version("regex")
    print(f"Unicode of the scanner: as in regex {built}; installed is {installed}")
    if built != installed:
        print("    reinstall bpe_lab if the two differ in Unicode")
    for program in (os.environ.get("CXX") or "c++", "valgrind"):
        state = "found" if shutil.which(program.split()[0]) else "not found; not needed to train"
        print(f"{program}: {state}")
    missing = _missing_packages()
    for extra, names in missing.items():
        package = f"'bpe_lab[{extra}]'" if extra else "bpe_lab"
        lacks = f"lacks {', '.join(names)}: pip install {package}" if names else "complete"
        print(f"{f'extra {extra}' if extra else 'needed packages'}: {lacks}")
    return int(bool(missing[""]))


def _missing_packages() -> dict[str, list[str]]:
    """Return the packages that are not installed, by the extra that lists them; "": required."""
    missing: dict[str, list[str]] = {"": []}
    for requirement in requires("bpe_lab") or []:
        [(name, before, extra)] = re.findall(
            r"^([\w.-]+)(?:.*python_version < .3\.(\d+))?(?:.*extra == .([\w-]+))?", requirement
        )
        names = missing.setdefault(extra, [])
        try:
            version(name)
        except PackageNotFoundError:
            if not before or sys.version_info[1] < int(before):
                names.append(name)
    return missing
