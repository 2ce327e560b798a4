"""`bpe-lab doctor`: what was installed, and how was its compiled part built?"""

import argparse
import platform
from importlib.metadata import version

import bpe_lab
from bpe_lab import native
from bpe_lab.support.machine import available_cpus, available_memory
from bpe_lab.support.sizes import size_in_words


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace) -> int:
    openmp, built, installed = native.openmp_version(), native.regex_version(), version("regex")
    print(f"bpe_lab {bpe_lab.__version__}, Python {platform.python_version()}")
    print(f"machine: {available_cpus()} processors, {size_in_words(available_memory())} free")
    print(f"compiled part: by {native.compiler()}")
    off = "off: counting and scanning use one thread; reinstall with a compiler that has OpenMP"
    print(f"OpenMP: {f'on ({openmp})' if openmp else off}")
    print(f"Unicode of the scanner: as in regex {built}; installed is {installed}")
    return 0
