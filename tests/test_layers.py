"""Promise: the drawing of the rooms shows every import between them, and no circle goes unseen.

That the package keeps its layers is no test: `make check` asks import-linter.
"""

import doctest
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("grimp", reason="grimp is in the extra `check`")

FILES = {
    "__init__.py": "",
    "api.py": "from typing import TYPE_CHECKING\nfrom bpe_lab import training\n"
    "if TYPE_CHECKING:\n    from bpe_lab import bench\n",
    "training.py": "def train():\n    from bpe_lab.stages import naive\n",
    "bench/__init__.py": "",
    "bench/commands.py": "import bpe_lab.api\nfrom bpe_lab.bench import runner\n",
    "bench/runner.py": "",
    "stages/__init__.py": "",
    "stages/naive.py": "",
}

DRAWN = """\
bpe_lab            files   lines  imports
bench                  3       2  api
api                    1       4  training
training               1       2  stages
stages                 2       0
all                    8       8

bpe_lab.bench      files   lines  imports
commands               1       2  runner
runner                 1       0
all                    3       2

"""


def layers(repository: Path, tree: Path, **changed: str) -> subprocess.CompletedProcess[str]:
    """Make a small package, with some files changed, and print its rooms."""
    for name, content in {**FILES, **changed}.items():
        path = tree / "bpe_lab" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return subprocess.run(
        [sys.executable, repository / "tools" / "layers.py", tree], capture_output=True, text=True
    )


def test_rooms_stand_above_what_they_import(repository: Path, tmp_path: Path) -> None:
    done = layers(repository, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(DRAWN)
    assert "circle" not in done.stdout


@pytest.mark.parametrize(
    ("file", "content", "circle"),
    [
        ("stages/naive.py", "import bpe_lab.bench.runner\n", "api, bench, stages, training"),
        ("bench/runner.py", "def run():\n    from bpe_lab.bench import commands\n",
         "commands, runner"),
        ("stages/__init__.py", "from bpe_lab.stages import naive\n", None),
    ],
    ids=["rooms", "inside bench", "none"],
)  # fmt: skip
def test_a_circle_of_rooms_is_named(
    file: str, content: str, circle: str | None, repository: Path, tmp_path: Path
) -> None:
    done = layers(repository, tmp_path, **{file: content})
    said = [line for line in done.stdout.splitlines() if line.startswith("a circle: ")]
    assert done.returncode == (circle is not None)
    assert said[:1] == ([] if circle is None else [f"a circle: {circle}"])


def test_a_circle_of_a_folder_and_a_file_in_it_is_one(repository: Path, tmp_path: Path) -> None:
    # No room is in it, and siblings alone would not show it.
    changed = {
        "stages/__init__.py": "NAME = 'naive'\nfrom bpe_lab.stages import naive\n",
        "stages/naive.py": "from bpe_lab.stages import NAME\n",
    }
    done = layers(repository, tmp_path, **changed)
    assert done.returncode == 1
    assert done.stdout.endswith("a circle: bpe_lab.stages, bpe_lab.stages.naive\n")


def test_a_folder_that_is_no_checkout_is_said(repository: Path, tmp_path: Path) -> None:
    program = [sys.executable, repository / "tools" / "layers.py", tmp_path]
    done = subprocess.run(program, capture_output=True, text=True)
    assert done.returncode == 2
    assert f"{tmp_path} has no bpe_lab: name a checkout" in done.stderr


def test_the_examples_run_as_printed(repository: Path) -> None:
    spec = importlib.util.spec_from_file_location("layers", repository / "tools" / "layers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert doctest.testmod(module).attempted >= 3
    assert doctest.testmod(module).failed == 0
