"""Promise: a reader's tokenizer is judged by its ids and texts; each mistake is named and small."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import wrong_tokenizers
from wrong_trainers import RIGHT

import bpe_lab
from bpe_lab.commands.cli import main
from bpe_lab.trials.running import CannotRunError
from bpe_lab.trials.tokenizer import check_tokenizer
from bpe_lab.trials.tokenizer_kinds import ALL, Case, diagnose, expected
from bpe_lab.trials.tokenizer_trial import cases

FILE = wrong_tokenizers.__file__
WRONG = [kind.__name__ for kind in wrong_tokenizers.Right.__subclasses__()]
CASES = [*cases()]


def test_what_is_right_is_what_our_tokenizer_makes() -> None:
    for case in CASES:
        made_with = case.vocabulary
        tokens = dict.fromkeys([*made_with.tokens, *map(str.encode, case.specials or ())])
        ours = bpe_lab.Tokenizer(dict(enumerate(tokens)), [*made_with.merges], case.specials)
        if case.how == "decode":
            assert ours.decode(case.argument) == expected((), case).result
        else:
            ids = ours.encode(case.content, allowed_special="all")
            assert [*ids] == expected((), case).result


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_each_kind_is_told_from_all_others(kind: type) -> None:
    answers = {case: expected((kind,), case) for case in CASES}
    assert diagnose(answers) == ((kind,), [])


@pytest.mark.parametrize("name", WRONG)
def test_a_known_mistake_is_named_and_shown_small_and_no_other_one(name: str) -> None:
    (mistake,) = check_tokenizer(f"{FILE}:{name}", fast=True).mistakes
    assert mistake.kind == name
    if name != "ReadsAll":
        assert isinstance(mistake.text, Case) and len(mistake.text.content) <= 20
        own: dict[str, object] = {name: getattr(wrong_tokenizers, name)}
        *lines, call = mistake.call
        exec("\n".join(lines), own)
        case = mistake.text
        if name in ("Strict", "NotAdded", "EmptyText"):  # an error
            with pytest.raises((AssertionError, KeyError, UnicodeDecodeError)):
                eval(call, own)
        elif name == "ChangesList":
            assert f"`given` becomes `{eval(call, own)}`" in mistake.shown
        else:
            assert eval(call, own) != expected((), case).result


def test_a_right_one_passes_with_its_speed_and_its_memory() -> None:
    report = check_tokenizer(f"{FILE}:Right")
    assert report.passed
    page = "\n".join(report.parts)
    for said in ("How fast is it?", "bpe_lab", "Bytes for each id", "wrong_tokenizers.py:"):
        assert said in page
    assert max(map(len, repr(report).splitlines())) <= 80


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    def write(source: str) -> Path:
        path = tmp_path / "mine.py"
        path.write_text(source)
        return path

    return write


RIGHT_ONE = Path(FILE).read_text().split("class ByPieces")[0].replace("Right", "Tokenizer")


def test_a_trainer_and_a_tokenizer_are_in_one_report(
    write: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    adapter = "\ndef get_tokenizer(vocab, merges, special_tokens=None):\n"
    adapter += "    return Tokenizer(vocab, merges, special_tokens)\n"
    path = write(RIGHT + RIGHT_ONE + adapter)
    assert main(["try", str(path), "--scale", "tiny"]) == 0
    said = capsys.readouterr().out
    assert "train_bpe makes the right merges" in said and "get_tokenizer is right" in said


def test_a_function_of_a_notebook_is_tried_in_a_fork() -> None:
    made = []

    def get_tokenizer(vocab: object, merges: object, special_tokens: object = None) -> object:
        made.append(vocab)
        return wrong_tokenizers.ByPieces(vocab, merges, special_tokens)

    (mistake,) = check_tokenizer(get_tokenizer, fast=True).mistakes
    assert mistake.kind == "ByPieces" and mistake.text.how == "lines"
    assert not made  # nothing of it ran here


def test_without_encode_iterable_the_rest_is_judged(write: Callable[[str], Path]) -> None:
    source = re.sub(r"    def encode_iterable.*?(?=    def safe)", "", RIGHT_ONE, flags=re.DOTALL)
    report = check_tokenizer(write(source), fast=True)
    assert report.passed and "`encode_iterable`" in report.remarks[0]


def test_one_that_does_not_end_is_left(
    write: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bpe_lab.trials.tokenizer_trial.CASE_SECONDS", 0.3)
    source = RIGHT_ONE.replace(
        "        ids = []\n", "        ids = []\n        while 'z' in text: 1\n"
    )
    report = check_tokenizer(write(source), fast=True)
    assert not report.passed and "still at work" in report.mistakes[0].shown


@pytest.mark.parametrize(
    ("source", "said"),
    [("x = 1", "Tokenizer"), ("x =", "SyntaxError"), ("class Tokenizer: pass", "Tokenizer")],
)
def test_what_is_no_tokenizer_is_one_line(
    source: str, said: str, write: Callable[[str], Path]
) -> None:
    with pytest.raises(CannotRunError, match=said):
        check_tokenizer(write(source))


def test_the_page_shows_what_the_command_prints(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (repository / "book" / "own_trainer.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```text\n(ByPieces.*?)```", page, flags=re.DOTALL)
    assert main(["try", f"{FILE}:ByPieces", "--scale", "tiny"]) == 1
    assert capsys.readouterr().out.startswith(shown)


def test_the_adapter_of_the_page_passes(repository: Path, write: Callable[[str], Path]) -> None:
    page = (repository / "book" / "own_trainer.md").read_text(encoding="utf-8")
    [adapter] = re.findall(r"```python\n(from functools.*?)```", page, flags=re.DOTALL)
    assert check_tokenizer(write(adapter), fast=True).passed


def test_a_trainer_is_compared_with_core_on_a_text_of_the_readers_own(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(RIGHT.replace("(pairs[pair], pair)", "pairs[pair]"))
    (tmp_path / "t.txt").write_text("low lower newest widest" * 9)
    for name, code, said in ("mine.py", 0, "the merges of core"), ("wrong.py", 1, "must be"):
        words = [name, "--file", "t.txt", "--vocab-size", "270"]
        done = subprocess.run([sys.executable, "-m", "bpe_lab", "try", *words], cwd=tmp_path,
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == code and said in done.stdout
