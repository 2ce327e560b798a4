"""Promise: a reader's trainer is judged by its merges; each mistake is named and shown small."""

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from ast import literal_eval
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest
import reference
from wrong_trainers import MISTAKES, RIGHT, in_blocks, wrong_trainer

import bpe_lab
from bpe_lab.commands.cli import main
from bpe_lab.tokenizer.formats.hugging_face import LETTERS as BYTE_LETTERS
from bpe_lab.trials import speed, trainer_program, trial
from bpe_lab.trials.diagnosis import diagnose, expected
from bpe_lab.trials.kinds import KINDS, EndlessError, Rules
from bpe_lab.trials.outcome import Outcome, outcome_of
from bpe_lab.trials.result_files import read_result
from bpe_lab.trials.running import CommandTrainer, FileTrainer
from bpe_lab.trials.texts import (
    FIRST,
    TEXTS,
    Text,
    large_texts,
    long_text,
    merging_texts,
    random_texts,
)
from bpe_lab.trials.trainer import check_trainer, judge

SMALL = [*TEXTS, *merging_texts(), *random_texts(trial.RANDOM), long_text(150_000)]
LARGE = next(large_texts())
NO_MISTAKES = [kind.__name__ for kind in KINDS if kind.what == "open"] + ["GreatestTie"]
NO_MISTAKES += ["PlainOffsets"]  # it has a test of its own


def named(*names: str) -> list[Text]:
    return [text for text in SMALL if text.name in names]


PLAIN = named("words", "two special tokens", "runs out")
"""Enough where the text does not matter: a process for each of many tests takes its time."""


def loaded(source: str) -> Callable[..., Any]:
    """Return the trainer of a program; its endless loop ends at once."""
    names: dict[str, Any] = {"EndlessError": EndlessError}
    exec(source.replace("continue  # for ever", "raise EndlessError"), names)
    return names["train_bpe"]


def outcome(trainer: Callable[..., Any], text: Text) -> Outcome:
    """Run a trainer on a text, in this process."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.content)
        file.flush()
        try:
            result = trainer(file.name, text.vocab_size, [*text.special_tokens])
        except EndlessError:
            return Outcome(failed="endless")
        except Exception as error:
            return Outcome(failed="error", place=type(error).__name__)
    return outcome_of(literal_eval(trainer_program.plain(result)), text.special_tokens)


def outcomes(source: str, texts: Sequence[Text]) -> dict[Text, Outcome]:
    return {text: outcome(loaded(source), text) for text in texts}


@pytest.fixture
def few_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only some texts are tried."""
    monkeypatch.setattr(trial, "TEXTS", PLAIN)
    monkeypatch.setattr(trial, "merging_texts", lambda: iter(()))
    monkeypatch.setattr(trial, "random_texts", lambda number: iter(()))
    monkeypatch.setattr(trial, "long_text", lambda n_bytes: PLAIN[0])
    monkeypatch.setattr(trial, "SHRINK_SECONDS", 0.0)


def test_the_rules_are_those_of_the_brute_force_and_the_right_program_has_no_mistake() -> None:
    for text in SMALL:
        if not text.is_open:
            counts = reference.count_words(text.content, text.special_tokens)
            due = reference.train(counts, text.vocab_size, text.special_tokens)
            assert expected((), text).merges == tuple(one.merge for one in due), text.name
    assert diagnose(outcomes(RIGHT, [*SMALL, LARGE])) == ((), [])


def test_every_text_has_one_idea_and_a_name_and_no_kind_is_shown_by_none() -> None:
    assert len({text.name for text in SMALL}) == len(SMALL)
    assert all(1 <= text.rule <= 7 and text.idea for text in SMALL)
    assert {kind.__name__ for kind in KINDS} == {*MISTAKES}
    # A slow trainer is tried on these only.
    judged = [text for text in SMALL if text.name in FIRST]
    assert len(judged) == len(FIRST)
    made = {
        kind.__name__: tuple(expected((kind,), text) for text in judged)
        for kind in (Rules, *KINDS)
        if not kind.__name__.startswith((*NO_MISTAKES,))
    }
    assert len({*made.values()}) == len(made)


@pytest.mark.parametrize("mistake", [one for one in MISTAKES if one not in NO_MISTAKES])
def test_a_known_mistake_is_named_and_no_other_one(mistake: str) -> None:
    kinds, unexplained = diagnose(outcomes(wrong_trainer(mistake), SMALL))
    assert ([kind.__name__ for kind in kinds], unexplained) == ([mistake], [])


CUT = {
    "4,096 characters": ("4096", SMALL),
    "a million characters": ("1 << 20", [*SMALL, LARGE]),
    "four pieces": ("(len(text) // 4 + 1)", SMALL),
    "seven pieces": ("max(1, len(text) // 7)", SMALL),
    "two pieces of large files": ("(len(text) // (1 + (len(text) > 100_000)) + 1)", SMALL),
}


@pytest.mark.parametrize("way", CUT)
def test_a_cut_at_plain_offsets_is_one_kind(way: str) -> None:
    size, texts = CUT[way]
    kinds, unexplained = diagnose(outcomes(in_blocks(size), texts))
    assert ([kind.__name__ for kind in kinds], unexplained) == (["PlainOffsets"], [])


TOGETHER = [
    ("LineEnds", "FirstTie"), ("LineEnds", "RunsOut"), ("Strips", "AsciiPattern"),
    ("NotEscaped", "SplitsAtEveryCharacter"), ("AsciiPattern", "GluedTie"),
    ("Overlaps", "StopsAtOne"), ("StaleCounts", "SmallestTie"), ("AsGiven", "OneTooMany"),
    ("ForgetsSpecials", "IdTie"), ("NoWords", "SpecialsAsText"), ("RunsOut", "ForgetsSpecials"),
    ("RunsOut", "SplitsAtEveryCharacter", "LineEnds", "AsGiven", "RefusesLowerBound"),
]  # fmt: skip


@pytest.mark.parametrize("mistakes", TOGETHER, ids=" and ".join)
def test_mistakes_that_are_made_together_are_all_named(mistakes: tuple[str, ...]) -> None:
    kinds, unexplained = diagnose(outcomes(wrong_trainer(*mistakes), SMALL))
    assert {kind.__name__ for kind in kinds} == {*mistakes}
    assert not unexplained


# The report


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write a program, as `mine.py` beside `right.py`."""
    (tmp_path / "right.py").write_text(RIGHT)

    def write(source: str, name: str = "mine.py") -> Path:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(source)
        return tmp_path / name

    return write


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="its max() says in other words why")
def test_the_page_shows_what_the_command_prints(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    page = (repository / "book" / "own_trainer.md").read_text(encoding="utf-8")
    [program] = re.findall(r"```python\n(from collections.*?)```", page, flags=re.DOTALL)
    [shown] = re.findall(r"```text\n(train_bpe.*?)```", page, flags=re.DOTALL)
    (tmp_path / "train_bpe.py").write_text(program, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["try", "train_bpe.py", "--scale", "tiny"]) == 1
    assert capsys.readouterr().out == shown


def test_a_right_trainer_passes_on_the_large_texts_too(
    few_texts: None,
    write: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(trial, "large_texts", lambda: [*large_texts()][:2])
    monkeypatch.setattr(speed, "SIZES", (2_000,))
    assert main(["try", str(write(RIGHT))]) == 0
    said = capsys.readouterr().out
    assert said.startswith("train_bpe makes the right merges of 5 texts of up to 1.2 MB.\n\nHow")
    assert "What next?" in said
    assert max(map(len, said.splitlines()[:-1])) <= 80


def test_what_the_course_leaves_open_is_a_remark(write: Callable[..., Path]) -> None:
    report = check_trainer(write(wrong_trainer("DropsBadBytes")), fast=True)
    assert report.passed and "Bytes that are not UTF-8: it drops them" in report.remarks[0]


TIES = [
    *(("FirstTie", "first", []), ("SmallestTie", "smallest", []), ("SmallestIds", "smallest", [])),
    *(("FirstTie", "greatest", ["FirstTie"]), ("GreatestTie", "first", ["GreatestTie"])),
]


@pytest.mark.parametrize(("rule", "asked", "kinds"), TIES)
def test_a_tie_rule_that_was_not_asked_for_is_another_one(
    rule: str, asked: str, kinds: list[str], write: Callable[..., Path]
) -> None:
    mistakes = check_trainer(write(wrong_trainer(rule)), ties=asked, fast=True).mistakes
    assert [one.kind for one in mistakes] == kinds
    for one in mistakes:
        assert one.title == "Another tie rule" and len(one.text.content) <= 3
        assert "By this rule 86 of 86 texts are right." in one.sentence
    with pytest.raises(ValueError, match="ties"):
        check_trainer(bpe_lab.train_bpe, ties="last")


UNKNOWN = RIGHT.replace("(pairs[pair], pair)", "(pairs[pair] * (b'q' not in pair), pair)")


def test_a_mistake_of_no_known_kind_is_shown_with_its_smallest_text(
    write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = Text("a letter", "any letter may be in a pair", 5, b"low lower qqq queue lowest")
    monkeypatch.setattr(trial, "TEXTS", [*PLAIN, text])
    report = check_trainer(write(UNKNOWN), fast=True)
    [mistake] = report.mistakes
    assert (mistake.kind, mistake.title) == (None, "Merges")
    assert "any letter may be in a pair (rule 5 of book/rules.md)" in mistake.sentence
    assert len(mistake.text.content) <= 4 and b"q" in mistake.text.content
    assert re.search(r"must be `\(.*q.*\)`, which stands \w+; train_bpe makes", mistake.shown)


def test_a_token_that_is_lacking_is_named(few_texts: None, write: Callable[..., Path]) -> None:
    source = RIGHT.replace("return vocab, merges", "del vocab[256]\n    return vocab, merges")
    [mistake] = check_trainer(write(source), fast=True).mistakes
    assert (mistake.title, mistake.kind) == ("The vocabulary", None)
    assert "Its vocabulary lacks `b'" in mistake.shown


def test_a_test_of_the_readers_own_fails_with_the_smallest_text(few_texts: None) -> None:
    check_trainer(loaded(RIGHT), fast=True).require()
    with pytest.raises(AssertionError, match=r'(?s)When no pair is left\..*train_bpe\("t.txt"'):
        check_trainer(loaded(wrong_trainer("RunsOut")), fast=True).require()


def test_beside_the_main_thread_a_function_is_to_be_in_a_file() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ValueError, match="save it in a file"):
        pool.submit(check_trainer, bpe_lab.train_bpe, fast=True).result(60)


# Odd programs

TAKES = "input_path, vocab_size, special_tokens"
USES_RIGHT = f"import right\n{{before}}\ndef train_bpe({TAKES}):\n{{does}}"
CALL = f"right.train_bpe({TAKES})"

POOL = f"    with {{}}.Pool(1) as pool:\n        return pool.apply(right.train_bpe, ({TAKES}))"
FINE = {
    "prints": f"    print('x' * 99)\n    os.system('echo shell')\n    return {CALL}",
    "pool": POOL.format("multiprocessing"),
    "spawn": POOL.format("multiprocessing.get_context('spawn')"),
}


@pytest.mark.parametrize("odd", FINE)
def test_what_it_prints_and_starts_is_its_own_affair(
    odd: str, few_texts: None, write: Callable[..., Path], capfd: pytest.CaptureFixture[str]
) -> None:
    before = "import multiprocessing, os, sys\nprint('imported')"
    report = check_trainer(write(USES_RIGHT.format(before=before, does=FINE[odd])), fast=True)
    assert report.passed, report
    assert capfd.readouterr() == ("", "")


FAILING = {
    "sys.exit('usage: FILE')": "raises `SystemExit: usage: FILE` in `train_bpe`, line 4 of `mine",
    "os._exit(3)": "train_bpe: it did not return: its process ended with exit code 3",
    "os.abort()": "was ended by the signal SIGABRT",
    "{}[5]": "raises `KeyError: 5` in `train_bpe`, line 4 of `mine.py`: `{}[5]`",
    # Raised in a module that is frozen in Python.
    "os.environ['NO']": "raises `KeyError: 'NO'` in `train_bpe`, line 4 of `mine.py`: `os.env",
    "bytearray(30_000_000_000)": "MemoryError` in `train_bpe`, line 4 of `mine.py`: "
    "`bytearray(30_000_000_000)` (it may take 500.0 MB: --memory)",
}


@pytest.mark.parametrize("does", FAILING)
def test_what_fails_with_every_text_is_refused_with_its_line(
    does: str, few_texts: None, write: Callable[..., Path]
) -> None:
    source = USES_RIGHT.format(before="import os, sys", does=f"    {does}\n    return {CALL}")
    with pytest.raises(ValueError, match=re.escape(FAILING[does])):
        check_trainer(write(source), fast=True, memory=500_000_000)


# What left its session is known by its environment.
@pytest.mark.skipif(
    not Path("/proc/self/environ").exists(), reason="no /proc: environments are read there"
)
def test_an_endless_loop_is_ended_and_its_line_named_and_nothing_is_left(
    few_texts: None, write: Callable[..., Path]
) -> None:
    leaves = """    for own in (True, False):
        with open(f"{__file__}.{own}", "w") as file:
            process = subprocess.Popen(["sleep", "600"], start_new_session=own)
            file.write(str(process.pid))
    while True:
        special_tokens = [*special_tokens]"""
    file = write(USES_RIGHT.format(before="import subprocess", does=leaves))
    with pytest.raises(ValueError, match="still at work after 6 seconds in `train_bpe`, line "):
        check_trainer(file, fast=True)
    left = [int(Path(f"{file}.{own}").read_text()) for own in (True, False)]
    assert not any(map(_lives, left))


def _lives(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_what_is_kept_between_calls_is_found(few_texts: None, write: Callable[..., Path]) -> None:
    source = RIGHT.replace("special_tokens):\n    vocab", "special_tokens, merges=[]):\n    vocab")
    source = source.replace(
        "words, merges = count_words(cut(text, special_tokens)), []",
        "words = count_words(cut(text, special_tokens))",
    )
    [mistake] = check_trainer(write(source), fast=True).mistakes
    assert mistake.title == "From call to call"
    assert len(mistake.call) == 3


REFUSED = {
    "import no_such_package\ndef train_bpe(): ...": "cannot be imported: it raises "
    "`ModuleNotFoundError: No module named 'no_such_package'` in `<module>`, line 1 of `mine.py`: "
    "`import no_such_package`: name the interpreter that has it, as --python",
    "def train_bpe(a, b, c): return 5": "train_bpe: it returns the int 5: return (vocab, merges)",
    "def train_bpe(path, vocab_size, specials, pattern): ...": "train_bpe: it "
    "raises `TypeError: train_bpe() missing 1 required positional argument: 'pattern'`",
    "import importlib.metadata as known\nknown.version('cs336_basics')\n"
    "def train_bpe(): ...": "No package metadata was "
    "found for cs336_basics` in `<module>`, line 2 of `mine.py`: `known.version('cs336_basics')`: "
    "name the interpreter that has it, as --python",
    "def a(f, vocab_size, specials): ...\ndef b(f, size, specials): ...": "mine.py: it has a and b",
    "train_bpe = 5": "it has no function train_bpe(input_path, vocab_size, special_tokens), and no",
}


def test_what_cannot_be_run_is_one_line(
    few_texts: None, write: Callable[..., Path], refused: Callable[..., str]
) -> None:
    for source, said in REFUSED.items():
        write(source)
        assert said in refused("try", "mine.py")
    write(RIGHT)
    write("type of the next Python = int", "newer.py")
    for words, said in {
        ("mine.py:no_such",): "mine.py:no_such: it has no 'no_such'",
        ("gone.py:train_bpe",): "gone.py: there is no such file",
        ("notes.txt",): "there is no Python file notes.txt",
        ("mine.ipynb",): "file mine.ipynb: name one, or MODULE:NAME; in a notebook, call bpe_",
        ("mine.py", "--python", "gone"): "gone: No such file",
        ("newer.py", "--python", sys.executable): "cannot be imported: it raises `SyntaxError",
        ("--command", "./gone {text} {out}"): "./gone: No such file",
        ("--command", "./gone {text}"): "lacks {out}",
        ("mine.py", "--command", "x {text} {out}"): "name the file of a trainer, a tokenizer or",
        (): "name the file of a trainer, a tokenizer or a stage, or",
    }.items():
        assert said in refused("try", *words)


ADAPTER = """from __future__ import annotations
import os
from .common import NAME
from cs336_basics.bpe import train_bpe
def run_train_bpe(
    input_path: str | os.PathLike, vocab_size: int, special_tokens: list[str], **kwargs
) -> tuple[dict[int, bytes], list[tuple[bytes, bytes]]]:
    assert os.environ["OF_THE_PROJECT"] and os.path.exists("pyproject.toml")
    return train_bpe(input_path.with_name(input_path.name), vocab_size, special_tokens)
"""


def test_a_checkout_of_the_course_is_tried_as_it_is_in_its_own_interpreter(
    few_texts: None, write: Callable[..., Path], tmp_path: Path
) -> None:
    for name, source in {
        "pyproject.toml": "",
        "cs336_basics/__init__.py": "",
        "cs336_basics/bpe.py": RIGHT,
        "tests/common.py": "NAME = 5",
        "tests/adapters.py": ADAPTER,
        "tests/__init__.py": "",
    }.items():
        write(source, name)
    python = write(f'#!/bin/sh\nOF_THE_PROJECT=1 exec "{sys.executable}" "$@"\n', "python")
    python.chmod(0o755)
    report = check_trainer(tmp_path / "tests" / "adapters.py", python=python, fast=True)
    assert (report.name, report.passed) == ("run_train_bpe", True)


CLASS = """import right
class Trainer:
    def __init__(self, vocab_size, special_tokens):
        self.given = vocab_size, special_tokens
    def train(self, input_path):
        self.vocab, self.merges = right.train_bpe(input_path, *self.given)
"""


def test_a_class_may_be_a_trainer(
    few_texts: None, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(CLASS)
    assert check_trainer(file, fast=True).passed
    monkeypatch.chdir(file.parent)
    write(CLASS, "mypackage/bpe.py")
    stage = Path(bpe_lab.__file__).parent / "stages" / "template.py"
    write("import right\nfrom bpe_lab.stages.naive import Naive\nclass Fast(Naive): ...", "own.py")
    for place, is_stage in {
        f"{file}:Trainer": False,
        "mypackage.bpe:Trainer": False,
        f"{stage}": True,
        "bpe_lab.stages.template:MyStage": True,
        "own.py": True,
        "mystage.pyx:MyStage": True,
    }.items():
        with closing(FileTrainer(place)) as own:
            assert own.is_stage() == is_stage, place


def test_a_slow_trainer_is_not_said_to_be_right_on_what_was_not_tried(
    few_texts: None, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10_000))
    monkeypatch.setattr(trial, "perf_counter", lambda: next(clock))
    report = check_trainer(write(RIGHT), fast=True, seconds=12)
    assert not report.passed and not report.mistakes
    assert report.parts[0].startswith("**3 of 4 texts were tried**, and train_bpe makes")
    with pytest.raises(AssertionError, match="3 of 4"):
        report.require()


def test_a_trainer_that_is_slow_with_a_long_word_is_slow_and_not_wrong(
    few_texts: None, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "TEXTS", named("words", "a long word"))
    monkeypatch.setattr(trial, "TEXT_SECONDS", 1.0)
    read = "    text = read(input_path)\n"
    source = RIGHT.replace(read, f"{read}    while len(text) > 4_000: pass\n")
    report = check_trainer(write(source), fast=True)
    assert report.passed and "1 of 2 texts were not tried" in report.remarks[0]


FAILS_EARLIER = ("    while len", "    assert pairs\n    while len")
OWN_SPECIAL = ("    vocab = {", "    special_tokens = special_tokens or ['<s>']\n    vocab = {")
TWICE = {
    # With merges of nothing it cannot be shown that no special token is a mistake, too.
    wrong_trainer("GoesOn", "SplitsAtEveryCharacter"): {"GoesOn", "SplitsAtEveryCharacter"},
    # An error in a line that was told is no other mistake.
    wrong_trainer("RunsOut").replace(*FAILS_EARLIER): {"RunsOut"},
    # Wrong merges, and a wrong vocabulary.
    RIGHT.replace(*OWN_SPECIAL): {None},
}


@pytest.mark.parametrize("source", TWICE, ids=["no merge", "one line", "vocabulary"])
def test_a_mistake_is_told_once(
    source: str, few_texts: None, write: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("words", "no special tokens", "no merge, no special token", "nothing to merge")
    monkeypatch.setattr(trial, "TEXTS", named(*names, "runs out", "no pair"))
    report = check_trainer(write(source), fast=True)
    assert {mistake.kind for mistake in report.mistakes} == TWICE[source]
    assert len(report.mistakes) == len(TWICE[source])


# Other languages, and other forms of a result


def test_a_trainer_in_another_language_is_a_command(
    few_texts: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    source = Path(__file__).with_name("ascii_trainer.cpp")
    words = [compiler, "-std=c++17", "-O0", str(source), "-o", str(tmp_path / "trainer")]
    subprocess.run(words, check=True)
    monkeypatch.setattr(trial, "TEXTS", named("words", "spaces", "runs out", "cr", "in a row"))
    command = f"{shlex.quote(str(tmp_path / 'trainer'))} {{text}} {{vocab_size}} {{special_tokens}}"
    assert judge(CommandTrainer(f"{command} {{out}}"), fast=True).passed
    monkeypatch.setattr(trial, "TEXTS", named("digits"))
    monkeypatch.setattr(trial, "SHRINK_SECONDS", 60.0)
    [mistake] = judge(CommandTrainer(f"{command} {{out}}.json"), fast=True).mistakes
    assert len(mistake.text.content) <= 4
    assert mistake.sentence.startswith("Your merges are those of a trainer whose pattern knows")
    # What the shell is given is what was tried.
    [shown, runs] = mistake.call
    _, text, *others = shlex.split(runs)
    assert Path(text).read_bytes() == mistake.text.content == literal_eval(shown[2:])
    size, specials = str(mistake.text.vocab_size), json.dumps([*mistake.text.special_tokens])
    assert others == [size, specials, "out.json"]


def test_a_command_that_fails_is_named_with_its_last_line(few_texts: None, tmp_path: Path) -> None:
    for does, said in {
        "echo '1\n2: no' >&2; exit 3": "process ended with exit code 3 (its last line: `2: no`)",
        "kill -9 $$": "its process was ended by the signal SIGKILL",
        "true": "sh: what it wrote cannot be read ({out} is not there)",
    }.items():
        command = f"sh -c {shlex.quote(does)} {{text}} {{out}}"
        with pytest.raises(ValueError, match=re.escape(said)):
            judge(CommandTrainer(command), fast=True)
    # What an interpreter runs has the name.
    (tmp_path / "mine.sh").write_text("exit 3")
    command = f"sh {tmp_path / 'mine.sh'} {{text}} {{out}}"
    with pytest.raises(ValueError, match=r"mine\.sh: it did not return: its process ended with"):
        judge(CommandTrainer(command), fast=True)


AB = ((b"a", b"b"), (b"ab", b"\n"))
VOCAB_AB = {number: bytes([number]) for number in range(256)} | {256: b"ab", 257: b"ab\n"}


def _in_letters(token: bytes) -> str:
    return "".join(BYTE_LETTERS[byte] for byte in token)


LETTERS = {number: _in_letters(token) for number, token in VOCAB_AB.items()}
IDS = [(97, 98), (256, 10)]
OBJECT = SimpleNamespace(vocab=VOCAB_AB, merges=[*AB])
FORMS: dict[str, Any] = {
    "as asked for": (VOCAB_AB, [*AB]),
    "the other way round": ([*AB], VOCAB_AB),
    "token -> id": ({token: number for number, token in VOCAB_AB.items()}, AB),
    "an object": OBJECT,
    "a dict": {"vocab": VOCAB_AB, "merges": [*AB]},
    "letters": (LETTERS, [tuple(map(_in_letters, pair)) for pair in AB]),
    "letters -> id": ({name: number for number, name in LETTERS.items()}, ["a b", "ab Ċ"]),
    "id -> letters, of JSON": (json.loads(json.dumps(LETTERS)), ["a b", "ab Ċ"]),
    "ids": (VOCAB_AB, IDS),
    "ids -> id": (VOCAB_AB, {IDS[0]: 256, IDS[1]: 257}),
    "merges alone": [*AB],
    "lists": (VOCAB_AB, [[[*left], [*right]] for left, right in AB]),
    "a generator": (VOCAB_AB, iter(AB)),
}


@pytest.mark.parametrize("form", FORMS)
def test_merges_are_read_in_every_usual_form(form: str) -> None:
    made = outcome_of(literal_eval(trainer_program.plain(FORMS[form])), [])
    assert (made.merges, made.failed, made.lacking | made.extra) == (AB, "", frozenset())
    assert ("it returns no vocabulary" in "".join(made.notes)) == (form == "merges alone")


REFUSED_BY_CS336 = {
    "as asked for": (False, ""),
    "the other way round": (True, ""),
    "token -> id": (False, "its vocabulary"),
    "lists": (False, "its merges"),
    "a generator": (False, ""),
}


@pytest.mark.parametrize("form", REFUSED_BY_CS336)
def test_what_a_unit_test_of_cs336_would_refuse_is_said(form: str) -> None:
    swapped, refused = REFUSED_BY_CS336[form]
    made = outcome_of(literal_eval(trainer_program.plain(FORMS[form])), [])
    said = " ".join(note for note in made.notes if "CS336 would refuse" in note)
    assert made.swapped == swapped and refused in said and bool(refused) == bool(said)


def test_a_list_of_texts_before_a_dict_is_its_merges() -> None:
    made = outcome_of((["a b", "ab Ċ", "c d"], LETTERS | {258: "cd"}), [])
    assert made.merges == (*AB, (b"c", b"d"))


UNUSABLE: dict[str, Any] = {
    "it returns None": None,
    "it returns a list of 3": [1, 2, 3],
    "its merges are a list of 2": (VOCAB_AB, [b"ab", b"cd"]),
    "its merges use the ids [999], which are not in its vocabulary": (VOCAB_AB, [(97, 999)]),
    "merges are str, and ' b' is not in GPT-2's letters": (VOCAB_AB, [("a", " b")]),
    "it returns an object of type object": object(),
}


@pytest.mark.parametrize("said", UNUSABLE)
def test_what_is_not_read_is_said(said: str) -> None:
    made = outcome_of(literal_eval(trainer_program.plain(UNUSABLE[said])), [])
    assert made.failed == "unusable"
    assert made.said.startswith(f"{said}: return (vocab, merges)")


def test_every_file_that_a_trainer_may_write_is_read(tmp_path: Path) -> None:
    training = bpe_lab.train_from_counts({b"ab ": 3, b"bc": 2}, 260, ["<s>"])
    due = tuple(training.merges)
    training.save(tmp_path / "saved")
    tokenizer = training.tokenizer()
    for name in ("huggingface", "tiktoken", "gpt2"):
        tokenizer.export(tmp_path / name, format=name)
    (tmp_path / "alone.json").write_text(json.dumps({"merges": [["a", "b"], ["b", "c"]]}))
    files = ("huggingface/tokenizer.json", "gpt2/merges.txt", "tiktoken/tokenizer.tiktoken")
    for place in ("saved", "huggingface", "gpt2", *files):
        made = read_result(tmp_path / place, ["<s>"])
        assert (made.merges, made.lacking | made.extra) == (due, frozenset()), place
    # A path without its ending is the one that begins so.
    assert read_result(tmp_path / "alone", []).merges == ((b"a", b"b"), (b"b", b"c"))
    (tmp_path / "bad").write_bytes(b"\xff")
    assert "what it wrote cannot be read" in read_result(tmp_path / "bad", []).said
