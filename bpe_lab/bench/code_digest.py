"""What a measured process can run, as one digest: values of other code are not compared."""

import functools
import hashlib
import importlib
import pkgutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_lab.bench.process import call
from bpe_lab.bench.stage_program import SOURCE
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.support.user_modules import module_place

if TYPE_CHECKING:  # loaded with this file, suites would be part of what they measure
    from bpe_lab.bench.suite import Case, Suite

PACKAGES = (
    "bpe_lab.bench.measures",
    "bpe_lab.corpora",
    "bpe_lab.counting",
    "bpe_lab.tokenizer",
    "bpe_lab.tokenizer.formats",
    "bpe_lab.stages.heaps",
    "bpe_lab.stages",
)
"""Each whole: measures, texts, counters, encoders, formats, heaps and stages are loaded by name."""


def code_digest(suite: "Suite", cases: "Iterable[Case]", others: "Iterable[Suite]") -> str:
    """Return 12 digits of the SHA-256 of the code that the processes of suites can run.

    The same for all suites of the package; one of the user adds its own modules.

    :param suite: the suite that is measured.
    :param cases: those of it that are measured.
    :param others: all suites of the package.
    """
    needed = [
        *(stage.requires for stage in STAGES.values()),
        *(counter.requires for counter in COUNTERS.values() if not counter.cluster),
        *(other.requires for other in others),
    ]
    # Those that may not be built are in no folder of Python files.
    compiled = {module for modules in needed for module in modules}
    files = files_of(frozenset(compiled | user_modules(suite, cases)))
    # The headers that it includes are those of the compiled modules.
    program = {SOURCE.name: str(SOURCE)} if SOURCE.is_file() else {}
    return digest_of(files | program)


@functools.cache
def files_of(modules: frozenset[str]) -> dict[str, str]:
    """Return the files of `loaded_files`, once looked for in a fresh process.

    Their bytes are read anew for every digest: a file that loads another one than before has other
    bytes itself.

    :param modules: as `loaded_files` takes them.
    """
    found: dict[str, str] = call(
        "bpe_lab.bench.code_digest:loaded_files", {"modules": sorted(modules)}
    )
    return found


def user_modules(suite: "Suite", cases: "Iterable[Case]") -> set[str]:
    """Return the modules that a suite and its cases name and that are not of this package.

    :param suite: the suite.
    :param cases: those of it that are measured.
    """
    places = {suite.place}
    for case in cases:
        places |= {case.measure, module_place(str(case.params.get("stage", "")), "stage")}
    modules = {place.partition(":")[0] for place in places if ":" in place}
    return {module for module in modules if not is_ours(module)}


def is_ours(module: str) -> bool:
    """Tell whether a module is of this package.

    >>> is_ours("bpe_lab.stages.naive"), is_ours("bpe_lab_of_mine")
    (True, False)
    """
    return module.partition(".")[0] == "bpe_lab"


def loaded_files(modules: Iterable[str]) -> dict[str, str]:
    """Load what measuring functions load, and return the files; in a process that has nothing else.

    :param modules: beside `PACKAGES`; what is not built is left out.
    :return: name of a module -> its file, of `modules` and of all that is loaded of bpe_lab.
    """
    names = set(modules)
    for package in map(importlib.import_module, PACKAGES):
        names |= {
            f"{package.__name__}.{one.name}" for one in pkgutil.iter_modules(package.__path__)
        }
    for name in sorted(names):
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    # "__main__" is the program that every measured process runs.
    kept = {name for name in sys.modules if is_ours(name)} | names | {"__main__"}
    files = {name: getattr(sys.modules.get(name), "__file__", None) for name in kept}
    return {name: file for name, file in files.items() if file}


def digest_of(files: Mapping[str, str]) -> str:
    """Return 12 digits of the SHA-256 of the names of modules and the bytes of their files.

    :param files: name of a module -> its file.

    >>> digest_of({})
    'e3b0c44298fc'
    """
    whole = hashlib.sha256()
    for name, file in sorted(files.items()):
        whole.update(name.encode() + hashlib.sha256(Path(file).read_bytes()).digest())
    return whole.hexdigest()[:12]
