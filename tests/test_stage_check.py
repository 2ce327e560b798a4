"""Promise: what is wrong with a reader's stage is shown by small words, whatever it does."""

import ast
import re
import shutil
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.lessons.cython import race
from bpe_lab.registry import STAGES, load_stage
from bpe_lab.stages import template
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.stages.naive import Naive
from bpe_lab.stages.word_counts import DistinctWords
from bpe_lab.support import compiled_modules
from bpe_lab.trials import faults
from bpe_lab.trials import stage as stage_trial
from bpe_lab.trials.stage import check_stage, try_stage
from bpe_lab.trials.traps import ForgetfulIndex, ImpatientHeap, JoinedTies


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine no work is stopped half-way."""
    monkeypatch.setattr(stage_trial, "WORK_SECONDS", 60.0)


def test_every_stage_of_the_lab_is_right_and_does_its_own_work(stage: str) -> None:
    report = check_stage(STAGES[stage].load())
    assert report.passed, report
    assert f"as much as `{stage}`" in report.parts[-1]


class LeastOfTies(Naive):
    def select(self) -> Any:
        top = max(self.pair_counts.values(), default=0)
        return min(((p, n) for p, n in self.pair_counts.items() if n == top), default=None)


class FixedIds(Naive):
    made = 0

    def update(self, pair: tuple[int, int], new_id: int) -> None:
        self.made += 1
        super().update(pair, 255 + self.made)


def choosing(name: str, change: Callable[[Any], Any]) -> type[Any]:
    """A stage that changes what it chose."""
    return type(name, (Naive,), {"select": lambda self: change(Naive.select(self))})


TooMany = choosing("TooMany", lambda chosen: chosen or ((97, 97), 0))
TooFew = choosing("TooFew", lambda chosen: chosen if chosen and chosen[1] > 1 else None)
WrongCount = choosing("WrongCount", lambda chosen: chosen and (chosen[0], min(chosen[1], 3)))
OnlyPair = choosing("OnlyPair", lambda chosen: chosen and chosen[0])


def counting(name: str, change: Callable[[int], int]) -> type[Any]:
    """A stage that changes the counts that it is given."""

    def init(self: DistinctWords, counts: Any, vocab: Any) -> None:
        changed = {word: change(count) for word, count in counts.items()}
        DistinctWords.__init__(self, changed, vocab)

    return type(name, (DistinctWords,), {"__init__": init})


ShortCounts = counting("ShortCounts", lambda count: count % 2**32)  # of 32 bits
FloatCounts = counting("FloatCounts", lambda count: int(float(count)))  # gaps beyond 2^53


class Batches(Naive):
    """Right, as long as somebody looks on."""

    def run(self, first_id: int, end_id: int, seconds: float) -> Any:
        return [97], [97], [7], [0.0], 0.0, True


WRONG = {
    LeastOfTies: ("which stands as often. Among equals the greatest (left, right)", 3),
    JoinedTies: ("must be `(b'ab', b'c')`, which stands twice; JoinedTies makes `(b'a', b'c')`", 7),
    ForgetfulIndex: ("makes `(b'b', b'a')`", 7),
    ImpatientHeap: ("stops after", 7),
    FixedIds: ("with the special tokens `['<a>']`", 3),
    TooMany: ("no pair is left, but TooMany merges `(b'a', b'a')`", 0),
    TooFew: ("TooFew stops, but `(b'a', b'b')` stands once", 2),
    WrongCount: ("merge 1 is right, `(b'l', b'o')`, but it stands 5 times", 2),
    ShortCounts: ("it stands 5,000,000,000 times, and ShortCounts gives it the count 705032704", 2),
    FloatCounts: ("FloatCounts gives it the count 9007199254740992", 2),
    Batches: ("Batches merges", 0),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_merge_is_shown_on_small_words(wrong: type[Any]) -> None:
    reason, most = WRONG[wrong]
    report = check_stage(wrong)
    assert not report.passed
    [sentence] = report.parts
    assert sentence.startswith(f"**{wrong.__name__} is not right yet.** On the words `{{")
    assert reason in sentence
    [words] = re.findall(r"On the words `(\{.*?\})`", sentence)
    counts: dict[bytes, int] = ast.literal_eval(words)
    assert sum(map(len, counts)) <= most


class Raises(Naive):
    def update(self, pair: tuple[int, int], new_id: int) -> None:
        self.words[10_000].append(new_id)


class OwnWords(Naive):
    def count_pairs(self) -> None:
        self.words = [5]  # type: ignore[list-item]
        super().count_pairs()


ERRORS = {
    Raises: r"Raises raises `IndexError: list index out of range` in `update`, line \d+ of "
    r"`test_stage_check.py`: `self.words\[10_000\].append\(new_id\)`",
    OnlyPair: r"`TypeError: select of OnlyPair returns \(\d+, \d+\): return \(\(left",
    OwnWords: r"in `count_pairs`, line \d+ of `test_stage_check.py`: `super\(\).count_pairs\(\)`",
    dict: r"dict is not a stage yet:\*\* it lacks recounts, count_pairs, select",
}


@pytest.mark.parametrize("raising", ERRORS)
def test_an_exception_is_one_line_with_the_readers_own_line(raising: type[Any]) -> None:
    report = check_stage(raising)
    assert not report.passed
    [sentence] = report.parts
    assert re.search(ERRORS[raising], sentence), sentence


class Shouts(Naive):
    def update(self, pair: tuple[int, int], new_id: int) -> None:
        raise ValueError("\x1b[2J\x00 `n = 2**3`\n" * 100_000)


def test_what_an_exception_says_is_short_and_no_terminal_obeys_it() -> None:
    # A megabyte of it would be 12,000 lines.
    report = repr(check_stage(Shouts))
    assert len(report) < 700
    assert "\x1b" not in report and "\x00" not in report
    assert r"\x1b[2J" in report and "n = 2**3" in report


def endless(self: Naive, *_: object) -> None:
    while True:
        try:
            self.words = list(self.words)
        except Exception:
            continue


@pytest.mark.parametrize("method", ["__init__", "count_pairs", "select", "update"])
def test_an_endless_loop_is_ended_and_named(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faults, "LIMIT_SECONDS", 0.2)
    report = check_stage(type("Endless", (Naive,), {method: endless}))
    assert not report.passed
    assert "Endless was still at work after 0.2 seconds in `endless`, line " in report.parts[0]


def test_beside_the_main_thread_it_checks_too() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert not pool.submit(check_stage, LeastOfTies).result(60).passed


class MoreScanning(FineGrained):
    def select(self) -> Any:
        chosen = super().select()
        self.operations["pairs_scanned"] += len(self.pair_counts) // 8
        return chosen


def test_work_is_compared_with_that_of_the_base_or_of_the_stage_that_is_named() -> None:
    # Of a reader's class: what it left behind, and what it counts itself.
    assert "count_changes" not in stage_trial.work_of(MoreScanning)
    title, table = check_stage(MoreScanning).parts[-2:]
    assert title.endswith("beside `fine_grained`:")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines()]
    head, _, mine, other = rows
    more = {name for name, one, two in zip(head, mine, other, strict=True) if one != two}
    assert more == {"stage", "pairs scanned"}
    heap = check_stage(MoreScanning, like="max_heap").parts[-1]
    assert "| `max_heap` | – |" in heap
    with pytest.raises(ValueError, match="unknown stage 'no_such_stage'"):
        check_stage(MoreScanning, like="no_such_stage")


class LateMistake(MaxHeap):
    """Wrong with more words than the small corpora have, and than the text of the work."""

    def select(self) -> Any:
        chosen = super().select()
        self.chosen = getattr(self, "chosen", 0) + 1
        return None if self.chosen == 19 and len(self.words) > 1_500 else chosen


class LateError(LateMistake):
    def update(self, pair: tuple[int, int], new_id: int) -> None:
        super().update(pair, new_id)
        if len(self.words) > 1_500:
            raise KeyError(pair)


def test_what_only_a_text_shows_is_found_by_its_digest() -> None:
    of = r"of `languages` \(14 KB\), merge 19 must be .*; LateMistake says that no pair is left"
    on = r"on `languages` \(14 KB\), LateError raises `KeyError: .* line"
    for stage, finding in ((LateMistake, of), (LateError, on)):
        report = try_stage(f"{__name__}:{stage.__name__}", size="tiny")
        assert not report.passed
        assert re.search(finding, report.parts[-1])


ENDS = {
    "os._exit(0)": "its process ended with exit code 0.",
    "print('[1]', flush=True); os._exit(0)": "exit code 0 (its last line: `[1]`).",
    "os._exit(3)": "its process ended with exit code 3.",
    "raise BaseException('no')": "It raises `BaseException: no` in `count_pairs`, line 14 of",
    "os.abort()": "its process was ended by the signal SIGABRT.",
    "swallow()": "still at work after 4 seconds",
}
ENDING = """
import os, time
from bpe_lab.stages import template
from bpe_lab.stages.template import MyStage
from bpe_lab.stages.word_counts import DistinctWords
def swallow():
    while True:
        try:
            time.sleep(0.01)
        except BaseException:
            pass
class Mine(MyStage):
    def count_pairs(self):
        {does}
        super().count_pairs()
"""


@pytest.mark.parametrize("does", ENDS)
def test_however_a_stage_ends_its_process_it_is_not_right_and_the_reason_is_said(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(ENDING.format(does=does))
    if "still at work" in ENDS[does]:
        monkeypatch.setattr(stage_trial, "TRY_SECONDS", 4.0)
    report = try_stage(f"{tmp_path}/mine.py:Mine", size="tiny")
    assert not report.passed
    [line] = report.parts
    assert line.startswith("**Mine is not right yet.** ") and ENDS[does] in line


def test_what_a_stage_prints_is_no_part_of_its_verdict(tmp_path: Path) -> None:
    prints = "print('.', end=''); atexit.register(print, 'done')"
    source = ENDING.replace("import os", "import atexit, os").format(does=prints)
    (tmp_path / "mine.py").write_text(source)
    assert try_stage(f"{tmp_path}/mine.py:Mine", size="tiny").passed


@pytest.mark.slow
def test_the_template_passes_and_a_mistake_in_it_does_not(
    tmp_path: Path, run_command: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    printed = run_command("stages", "--template").stdout
    (tmp_path / "mystage.py").write_text(printed, encoding="utf-8")
    done = run_command("try", "mystage.py", "--scale", "tiny")
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert "MyStage makes the right merges: the worked example, 25 traps" in text
    assert "Digest: its 20 merges of languages (14 KB) are those of core" in text
    assert "MyStage in turns with each; n = 1." in text
    rows = [line.split()[0] for line in done.stdout.splitlines() if line]
    assert rows.count("core") == rows.count("max_heap") == 1
    wrong = printed.replace("entry[1], ", "")
    assert wrong != printed
    (tmp_path / "mystage.py").write_text(wrong, encoding="utf-8")
    done = run_command("try", "mystage.py:MyStage", "--scale", "tiny")
    assert (done.returncode, done.stderr) == (1, "")
    assert "MyStage is not right yet. On the words" in done.stdout


CYTHON = Path(template.__file__).with_name("template.pyx").read_text(encoding="utf-8")


@pytest.fixture
def not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """In place of a compiled module there is a file that is none, at once."""
    program = "import sys; from importlib.machinery import EXTENSION_SUFFIXES as suffixes\n"
    program += "open(sys.argv[2] + suffixes[0], 'w').write('a module')"
    monkeypatch.setattr(compiled_modules, "PROGRAM", program)


@pytest.fixture
def mystage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], str]:
    """Write the template for Cython with a change, and return the place of its stage."""
    monkeypatch.setenv("BPE_LAB_CACHE", str(tmp_path / "cache"))

    def write(old: str = "", new: str = "", more: str = "") -> str:
        assert not old or CYTHON.count(old) == 1
        source = CYTHON.replace(old, new) if old else CYTHON
        (tmp_path / "mystage.pyx").write_text(source + more, encoding="utf-8")
        return f"{tmp_path}/mystage.pyx:MyStage"

    return write


# Compiled with the wrong stage, once for all three.
DEADLY = """

cdef class Outside(MyStage):
    def update(self, tuple pair, uint32_t new_id):
        self.words[1 << 40][1 << 40] = 5


cdef class Endless(MyStage):
    def update(self, tuple pair, uint32_t new_id):
        while True:  # an endless loop that does nothing may be left out: clang does so
            hash(pair)
"""


@pytest.mark.slow
def test_the_template_for_cython_does_the_work_of_the_stage_cython_and_faults_in_it_are_named(
    mystage: Callable[..., str],
    tmp_path: Path,
    run_command: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    printed = run_command("stages", "--template", "cython").stdout
    assert printed == CYTHON and len(printed.splitlines()) < 50
    mystage()
    done = run_command("try", "./mystage.pyx:MyStage", "--scale", "tiny")
    assert (done.returncode, done.stderr) == (0, "")
    assert "MyStage makes the right merges" in " ".join(done.stdout.split())
    report = race(f"{tmp_path}/mystage.pyx:MyStage")
    assert "as much as `cython`" in report.parts[1]
    assert "times as fast as `cython` on `languages`, 20 merges, n = 1" in report.parts[-1]
    # A change is compiled, also where the earlier one is loaded; no build is checked twice.
    assert load_stage(mystage())[1] is load_stage(mystage())[1]
    wrong = mystage("if change > 0:", "if change > 1:", DEADLY)
    assert not check_stage(load_stage(wrong)[1]).passed
    assert race(wrong).parts[0].startswith("**MyStage is not right yet.** On the words")
    # A compiled stage ends its own process only.
    said = "SIGSEGV. It used memory that is not its own: an index"
    assert said in race(f"{tmp_path}/mystage.pyx:Outside").parts[0]
    monkeypatch.setattr(stage_trial, "TRY_SECONDS", 5.0)
    said = "still at work after 5 seconds"
    assert said in race(f"{tmp_path}/mystage.pyx:Endless").parts[0]
    # The compiler's own line, and no folder.
    broken = race(mystage("if change > 0:", "if changes > 0:"))
    [said] = broken.parts
    place = f"line {CYTHON.splitlines().index('                if change > 0:') + 1}"
    assert said.startswith("**MyStage is not right yet.** mystage.pyx does not compile: ")
    assert f"{place}, `if changes > 0:`: undeclared name" in said and "/" not in said
    # At the end of the file, where the compiler names the line behind it.
    [said] = race(mystage("        self.changes = {}\n        return 0\n", "        f(1,\n")).parts
    assert "`f(1,`: Expected an identifier" in said
    # In what it includes, from its own folder, too.
    (tmp_path / "own.pxi").write_text("\nf(1,\n")
    for included, reason in {
        "own.pxi": "of own.pxi, `f(1,`: Expected an identifier",
        "gone.pxi": "'gone.pxi' not found",
    }.items():
        [said] = race(mystage('"heap_stage.pxi"', f'"{included}"')).parts
        assert reason in said


def test_the_limit_of_time_is_for_the_stage_not_for_compiling_it(
    mystage: Callable[..., str], not_compiled: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(stage_trial, "TRY_SECONDS", 0.0)
    assert "still at work after 0 seconds" in race(mystage()).parts[0]
    assert list((tmp_path / "cache" / "compiled").glob("*/mystage*"))


def test_a_stage_is_compiled_again_when_what_it_includes_has_changed(
    mystage: Callable[..., str], not_compiled: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = Path(mystage().partition(":")[0])
    shutil.copytree(compiled_modules.INCLUDED, tmp_path / "included")
    before = compiled_modules.compiled_module(file)
    with (tmp_path / "included" / "heap_stage.pxi").open("a") as changed:
        changed.write("# another version\n")
    monkeypatch.setattr(compiled_modules, "INCLUDED", tmp_path / "included")
    assert compiled_modules.compiled_module(file) != before
