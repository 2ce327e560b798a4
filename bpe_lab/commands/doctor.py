"""`bpe-lab doctor`: what was installed, and how was its compiled part built?"""

import argparse
import platform

import psutil

import bpe_lab
from bpe_lab import native
from bpe_lab.results.numbers import size_in_words
from bpe_lab.support.machine import OPENMP_REMEDY, available_cpus
from bpe_lab.words.pretokenize import other_unicode


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """There are none."""


def run(args: argparse.Namespace) -> int:
    openmp = native.openmp_version()
    print(f"bpe_lab {bpe_lab.__version__}, Python {platform.python_version()}")
    free = size_in_words(psutil.virtual_memory().available)
    print(f"machine: {available_cpus()} processors, {free} free")
    print(f"compiled part: by {native.compiler()}")
    off = f"off: counting and scanning use one thread; {OPENMP_REMEDY}"
    print(f"OpenMP: {f'on ({openmp})' if openmp else off}")
    alike = f"as in regex {native.regex_version()}; that of the installed regex is the same"
    print(f"Unicode of the scanner: {other_unicode() or alike}")
    return 0
