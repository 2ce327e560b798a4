"""Promise: a stage of a user's own is taken wherever an id is, and its faults are one line."""

import importlib
import json
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

import bpe_lab
from bpe_lab import native
from bpe_lab.stages import template
from bpe_lab.stages.naive import Naive
from bpe_lab.training.api import check_worked_example
from bpe_lab.training.merge_loop import PHASES

RunCommand = Callable[..., subprocess.CompletedProcess[str]]

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}


@pytest.fixture
def folder(tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a user: a text and `mystage.py`, beside which no other one is found."""
    found = [place for place in sys.path if place and Path(place) != repository]
    monkeypatch.setattr(sys, "path", found)
    (tmp_path / "corpus.txt").write_text("low lower widest newest low low newest\n" * 20)
    shutil.copy(template.__file__, tmp_path / "mystage.py")
    return tmp_path


def change(file: Path, right: str, wrong: str) -> None:
    source = file.read_text(encoding="utf-8")
    assert source.count(right) == 1
    file.write_text(source.replace(right, wrong), encoding="utf-8")


@pytest.fixture
def mystage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The module of the user, imported."""
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    monkeypatch.delitem(sys.modules, "mystage", raising=False)
    return importlib.import_module("mystage")


@pytest.fixture
def train(folder: Path, run_command: RunCommand) -> RunCommand:
    """Run `bpe-lab train` on the text of the user."""
    return partial(run_command, "train", "corpus.txt", "--vocab-size", "270", "--out", "out")


@pytest.mark.parametrize("file", ["mystage.py", "mine/my-stage.py"])
def test_the_command_trains_with_the_stage_of_the_template(
    file: str, folder: Path, train: RunCommand
) -> None:
    (folder / "mine").mkdir()
    (folder / "mystage.py").rename(folder / file)
    named = "mystage:MyStage" if file == "mystage.py" else file
    # A file of the folder takes the place of no other module.
    for name in ("bpe_lab", "json", "tqdm", "regex"):
        (folder / f"{name}.py").write_text("raise RuntimeError('the wrong one')")
    done = train("--stage", named, "--counter", "regex", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    expected = bpe_lab.train(folder / "corpus.txt", 270, stage="naive")
    assert facts["stage"] == (named if ":" in named else f"{named}:MyStage")
    assert facts["merges_sha256"] == expected.merges_sha256
    saved = bpe_lab.Tokenizer.load(folder / "out")
    assert saved.encode("low") == expected.tokenizer().encode("low")


@pytest.mark.parametrize(
    "named", ["a class", "mystage:MyStage", "mystage.py", "mystage.py:MyStage"]
)
def test_the_api_takes_it(
    named: str, folder: Path, mystage: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    stage = mystage.MyStage if named == "a class" else named
    steps: list[bpe_lab.MergeStep] = []
    for training in (
        bpe_lab.train(folder / "corpus.txt", 270, stage=stage, on_merge=steps.append),
        bpe_lab.train_from_counts(COUNTS, 268, stage=stage),
    ):
        assert training.stage == ("mystage.py:MyStage" if ".py" in named else "mystage:MyStage")
        assert tuple(training.phases) == PHASES
    assert training.merges == bpe_lab.train_from_counts(COUNTS, 268, stage="naive").merges
    # What it says of itself finds the class again.
    assert bpe_lab.train_from_counts(COUNTS, 268, stage=training.stage).merges == training.merges


class Noted(Naive):
    """Notes what it was given, and that it was closed."""

    made: ClassVar[list["Noted"]]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments)
        self.options, self.closed = options, 0
        self.made.append(self)

    def close(self) -> None:
        self.closed += 1


@pytest.mark.parametrize("openmp", [True, False])  # its threads may be processes
@pytest.mark.parametrize("keywords", [None, ("threads",), ("vocab_size", "threads")])
def test_it_is_given_what_its_class_names(
    keywords: tuple[str, ...] | None, openmp: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 201511 * openmp)
    named = {} if keywords is None else {"keywords": keywords}
    stage = type("Given", (Noted,), {"made": [], **named})
    bpe_lab.train_from_counts(COUNTS, 260, stage=stage, threads=3)
    given = {"threads": 3, "vocab_size": 260}
    assert [one.options for one in stage.made] == [{name: given[name] for name in keywords or ()}]


def stop(*_: Any) -> Any:
    raise KeyboardInterrupt


def no_room(self: Naive) -> None:
    raise MemoryError


@pytest.mark.parametrize(
    ("end", "reason", "members", "options"),
    [
        (None, None, {}, {}),
        (KeyboardInterrupt, None, {}, {"on_merge": stop}),
        (MemoryError, None, {"count_pairs": no_room}, {}),
        (TypeError, None, {"operations": property(lambda _: None, lambda *_: None)}, {}),
    ],
)
def test_it_is_closed_once_however_the_training_ends(
    end: type[BaseException] | None, reason: Any, members: dict[str, Any], options: dict[str, Any]
) -> None:
    stage = type("Closed", (Noted,), {"made": [], **members})
    with pytest.raises(end, match=reason) if end else nullcontext():
        bpe_lab.train_from_counts(COUNTS, 260, stage=stage, **options)
    assert [one.closed for one in stage.made] == [1]


FILES = {
    "dividing": "import mystage\n1 / 0",
    "unfinished": "def f(:",
    "wants": "import no_such_package",
    "program": "import sys\nsys.exit('usage: program FILE')",
    "lacking": "class Half:\n    recounts = False\n    def update(self): ...\nHALF = Half()",
    "options": "from mystage import MyStage\nclass Odd(MyStage):\n    keywords = 'threads'",
    "two": "from mystage import MyStage\nclass A(MyStage): ...\nclass B(A): ...\nclass _C(B): ...",
    "json": "class MyStage: ...",
    "my.stage": "class MyStage: ...",
}
FAULTS = {
    "mystagee:MyStage": "no module 'mystagee' is found: begin in its folder",
    "mine/mystage.py:MyStage": "stage 'mine/mystage.py': there is no such file",
    "gone.pyx": "stage 'gone.pyx': there is no such file",
    "two.py": "stage 'two.py': the file has A and B: name one, as two.py:MyStage",
    # The name of another module, or of none, is no fault of a file.
    "json.py": "stage 'json.py': the file has no stage: begin with that of",
    "my.stage.py:MyStage": "my.stage.py:MyStage is not a stage: it lacks recounts",
    "dividing.py": "'dividing.py' fails when it is imported: ZeroDivisionError: division by zero",
    ":MyStage": "stage '' fails when it is imported: ValueError: Empty module name",
    "mystage:YourStage": "stage 'mystage:YourStage': 'mystage' has no 'YourStage'",
    "unfinished:MyStage": "'unfinished' fails when it is imported: SyntaxError: ",
    "wants:MyStage": "ed: ModuleNotFoundError: No module named 'no_such_package'",
    "program:MyStage": "'program' fails when it is imported: SystemExit: usage: program FILE",
    "lacking:Half": "lacking:Half is not a stage: it lacks count_pairs, select",
    "options:Odd": "keywords 'threads': give a tuple of max_token_bytes, merges, ",
    "lacking.py": "'lacking.py': the file has no stage: begin with that of",
    "mystage": "unknown stage 'mystage': choose one of naive",
}


@pytest.mark.parametrize("stage", FAULTS)
def test_what_is_wrong_is_said_in_one_line(
    stage: str, folder: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    for name, source in FILES.items():
        (folder / f"{name}.py").write_text(source)
    for name in {"mystage", *FILES} - {"json"}:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    words = ("train", "corpus.txt", "--vocab-size", "270", "--stage", stage, "--out", "out")
    assert FAULTS[stage] in refused(*words)
    assert not (folder / "out").exists()


def test_wrong_merges_are_found_by_the_worked_example_and_the_command_writes_nothing(
    folder: Path, train: RunCommand
) -> None:
    wrong = type("Wrong", (Naive,), {"select": lambda self: None})
    with pytest.raises(RuntimeError, match="merge 0"):
        check_worked_example(wrong)
    # Whoever calls the API gets what the class makes.
    assert bpe_lab.train_from_counts(COUNTS, 257, stage=wrong).merges == []
    change(folder / "mystage.py", "+= 2 if match else 1", "+= 2")
    done = train("--stage", "mystage:MyStage")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "'mystage:MyStage' gets the worked example wrong: merge 1" in line
    assert not (folder / "out").exists()


def test_merges_that_only_the_text_shows_to_be_wrong_are_not_written(
    folder: Path, train: RunCommand
) -> None:
    # The worked example has no such tie.
    (folder / "corpus.txt").write_text("aaa\nab\n")
    done = train("--stage", "bpe_lab.trials.traps:JoinedTies", "--vocab-size", "259")
    assert done.returncode == 2
    [line] = done.stderr.splitlines()
    assert "'bpe_lab.trials.traps:JoinedTies' makes wrong merges" in line and "merge 1 " in line
    assert not (folder / "out").exists()


BENCH = ["--scale", "tiny", "--repeats", "1", "--quiet", "--out", "results"]


@pytest.mark.slow
def test_the_file_of_a_stage_may_lie_anywhere(folder: Path, run_command: RunCommand) -> None:
    (folder / "mine").mkdir()
    (folder / "mystage.py").rename(folder / "mine" / "mystage.py")
    stage = "mine/mystage.py"
    words = [*BENCH, "--stage", stage, "--case", stage]
    done = run_command("bench", "ladder", *words, "--case", "core")
    assert (done.returncode, done.stderr) == (0, "")
    core, mine = map(json.loads, (folder / "results/ladder.jsonl").read_text().splitlines())
    assert (mine["stage"], mine["digest"]) == (f"{stage}:MyStage", core["digest"])
    assert f"\n{stage}:MyStage  " in done.stdout
    assert f"--stage {stage}:MyStage" in (folder / "results/ladder.md").read_text()
    # Wrong merges get no step.
    change(folder / "mine" / "mystage.py", "self.vocab[entry[0][0]], ", "")
    done = run_command("bench", "ladder", *words, "--force")
    assert done.returncode == 2
    assert f"'{stage}:MyStage' gets the worked example wrong" in done.stderr
    assert (folder / "results/ladder.jsonl").read_text() == ""


ENDS = """
import sys
from mystage import MyStage
class Ends(MyStage):
    def update(self, pair, new_id):
        super().update(pair, new_id)
        if len(self.words) > 150: raise {error}
"""


def test_what_a_stage_raises_names_it_and_the_line(folder: Path, train: RunCommand) -> None:
    (folder / "ends.py").write_text(ENDS.format(error="KeyError(5)").replace("150", "2"))
    [line] = train("--stage", "ends.py:Ends").stderr.splitlines()
    assert "error: stage ends.py:Ends: Ends raises `KeyError: 5` in `update`, line 7" in line
    assert "of `ends.py`: `if len(self.words) > 2: raise KeyError(5)`" in line
    assert not (folder / "out").exists()


@pytest.mark.parametrize("error", ["SystemExit(0)", "KeyboardInterrupt"])
def test_a_stage_that_ends_the_program_is_no_success(
    error: str, folder: Path, run_command: RunCommand
) -> None:
    # Only with more words than the small corpora have: then `try` is at its work or its digest.
    (folder / "ends.py").write_text(ENDS.format(error=error))
    words = " ".join(f"w{number}" for number in range(400))
    (folder / "many.txt").write_text(words + " low" * 50)
    tried = run_command("try", "ends.py:Ends", "--scale", "tiny")
    train = ("train", "many.txt", "--vocab-size", "300", "--stage", "ends.py:Ends", "--out", "out")
    trained = run_command(*train)
    assert tried.returncode and trained.returncode, (tried, trained)
    assert "Traceback" not in tried.stderr + trained.stderr
    if error != "KeyboardInterrupt":  # that is Ctrl-C
        assert f"Ends raises {error.partition('(')[0]}" in " ".join(tried.stdout.split())
        assert f"Ends raises `{error.partition('(')[0]}" in trained.stderr
    assert not (folder / "out").exists()
