"""Whether what a reader names is a trainer or a stage, without running it."""

import re
import sys
from pathlib import Path

from bpe_lab.trials.trainer_program import NAMES

LAB = re.compile(r"^\s*(?:from|import) bpe_lab\.(?:stages|lessons)\b", re.MULTILINE)
METHODS = re.compile(r"^\s+def (count_pairs|select|update)\(", re.MULTILINE)  # of a stage
BASED = re.compile(r"^class \w+\(\w", re.MULTILINE)  # on another one, perhaps a stage
TRAINERS = re.compile(rf"\b(?:{'|'.join(NAMES)})\b")


def parted(place: str) -> tuple[str, str]:
    """Return the file or module of a place, and the name in it, "" for none.

    >>> parted("mine.py"), parted("mine.py:learn"), parted("mine.bpe:Trainer")
    (('mine.py', ''), ('mine.py', 'learn'), ('mine.bpe', 'Trainer'))
    """
    named, _, name = place.rpartition(":")
    return (named, name) if named and not place.endswith(".py") else (place, "")


def is_trainer(place: str) -> bool:
    """Tell whether a place names a trainer: what is no stage counts as one, if it can be read.

    A stage is a class of a file that imports stages of the lab, or has two methods of a stage, or
    one in a class that is based on another.

    :param place: "file.py", "file.py:name" or "module:name".

    >>> is_trainer("bpe_lab.stages.template:MyStage"), is_trainer("mine.module:train_bpe")
    (False, True)
    """
    named, name = parted(place)
    is_file = named.endswith(".py")
    try:
        source = (Path(named) if is_file else _file_of(named)).read_text(encoding="utf-8")
    except (OSError, ValueError):
        # A file is refused in the same words as a stage.
        return not is_file and not name.rpartition(".")[2][:1].isupper()
    methods = {*METHODS.findall(source)}
    is_stage = bool(LAB.search(source) or len(methods) > 1 or (methods and BASED.search(source)))
    if name:
        is_class = re.search(rf"^class {re.escape(name)}\b", source, re.MULTILINE)
        return not (is_stage and is_class)
    return not is_stage or bool(TRAINERS.search(source))


def _file_of(module: str) -> Path:
    """Return the file of a module, which is not imported; one that does not exist if none does."""
    files = (
        Path(folder, module.replace(".", "/") + end)
        for folder in (".", "src", *sys.path)
        for end in (".py", "/__init__.py")
    )
    return next((file for file in files if file.is_file()), Path(f"{module}.py"))
