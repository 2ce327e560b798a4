"""Promise: a command loads what it needs, so that a small text is not mostly imports.

Which modules are loaded is the same on every machine; how long that takes is not.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab.support import progress
from bpe_lab.support.progress import Bar

# Each takes more than 10 ms of a training of 100 ms, or is an extra.
HEAVY = {
    "dataclasses",  # inspect, ast, dis
    "importlib.metadata",
    "matplotlib",
    "numpy",
    "pandas",
    "psutil",
    "tqdm",
}
if sys.version_info >= (3, 14):
    HEAVY -= {"dataclasses"}  # argparse itself loads them, for the colours of its help


def loaded_by(program: str, *words: str | Path) -> set[str]:
    """Return the modules that a program loads, in a process of its own."""
    # What this environment loads for every Python is none of our business.
    begin = "import sys, json; before = set(sys.modules)\n"
    end = "\nprint(json.dumps(sorted(set(sys.modules) - before)))"
    command = [sys.executable, "-c", begin + program + end, *words]
    return set(json.loads(subprocess.check_output(command).splitlines()[-1]))


def test_the_package_loads_next_to_nothing() -> None:
    ours = {name for name in loaded_by("import bpe_lab") if name.startswith("bpe_lab")}
    assert ours == {"bpe_lab"}


def test_the_command_line_loads_no_command_and_a_check_no_table() -> None:
    loaded = loaded_by("import bpe_lab.commands.cli")
    commands = {name for name in loaded if name.startswith("bpe_lab.commands.")}
    assert commands == {"bpe_lab.commands.cli"}
    check = loaded_by("import bpe_lab.trials.stage")
    assert not (loaded | check - {"dataclasses"}) & HEAVY


def test_a_training_loads_what_it_needs(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("low lower widest newest\n" * 20)
    words = ["train", corpus, "--vocab-size", "260", "--out", tmp_path / "out"]
    loaded = loaded_by("from bpe_lab.__main__ import main; main()", *words)
    assert "bpe_lab.native" in loaded
    assert loaded & HEAVY == set()
    unneeded = ("bpe_lab.bench", "bpe_lab.lessons", "bpe_lab.plots")
    assert {name for name in loaded if name.startswith(unneeded)} == set()


def test_every_name_of_the_package_comes_when_it_is_asked_for() -> None:
    assert set(bpe_lab.__all__) <= set(dir(bpe_lab))
    assert all(hasattr(bpe_lab, name) for name in bpe_lab.__all__)
    assert not hasattr(bpe_lab, "no_such_name")


def test_a_bar_appears_at_once_or_with_a_step(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with Bar(True, "count", 10, "B", scale=True, at_once=True):
        assert "count:   0%" in capsys.readouterr().err
    monkeypatch.setattr(progress, "SHOW_PROGRESS_AFTER", 0.01)
    with Bar(True, "merge", 4, "B", scale=True) as bar:
        bar.update()
        assert "merge" not in capsys.readouterr().err
        time.sleep(0.02)
        bar.update()
        assert "merge:  50%" in capsys.readouterr().err
