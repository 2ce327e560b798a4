"""Promise: what is wrong with a reader's stage is shown by small words, whatever it does."""

import ast
import json
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from bpe_lab.bench import process
from bpe_lab.lessons.checks import faults, stage_check, stage_ladder, stage_trial, time_limit
from bpe_lab.lessons.checks.class_source import MODULE, place_of
from bpe_lab.lessons.checks.report import Report, Table
from bpe_lab.lessons.checks.small_corpora import TRAPS, random_corpora
from bpe_lab.lessons.checks.stage_check import check_stage
from bpe_lab.lessons.checks.stage_trial import try_stage
from bpe_lab.registry import STAGES
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.stages.naive import Naive
from bpe_lab.stages.template import MyStage
from bpe_lab.stages.word_counts import DistinctWords


class MyNaive(Naive):
    pass


# What is right.


def test_every_stage_of_the_lab_is_right_and_does_its_own_work(stage: str) -> None:
    entry = STAGES[stage]
    if entry.missing():
        pytest.skip(f"{stage} is not built")
    report = check_stage(type("Mine", (entry.load(),), {}))
    assert report.passed, report
    assert f"the same work as `{stage}`" in repr(report)


def test_the_template_is_right_and_works_as_it_says() -> None:
    report = check_stage(MyStage)
    assert report.passed
    assert "the same work as `word_counts`" in repr(report)


def test_the_corpora_are_the_same_in_every_run() -> None:
    assert list(random_corpora(80)) == list(random_corpora(80))
    assert len({one.title for one in TRAPS}) == len(TRAPS)


# What is wrong.


class LeastOfTies(Naive):
    def select(self) -> Any:
        top = max(self.pair_counts.values(), default=0)
        return min(((p, n) for p, n in self.pair_counts.items() if n == top), default=None)


class JoinedTies(Naive):
    def select(self) -> Any:
        def joined(pair: tuple[int, int]) -> Any:
            return self.pair_counts[pair], self.vocab[pair[0]] + self.vocab[pair[1]]

        pair = max(self.pair_counts, key=joined, default=None)
        return pair and (pair, self.pair_counts[pair])


class NoOverlaps(DistinctWords):
    def count_pairs(self) -> None:
        self.pair_counts = Counter()
        for tokens, count in zip(self.words, self.counts, strict=True):
            position = 0
            while position < len(tokens) - 1:
                left, right = tokens[position : position + 2]
                self.pair_counts[left, right] += count
                position += 2 if tokens[position : position + 3] == [left] * 3 else 1


class FixedIds(Naive):
    made = 0

    def update(self, pair: tuple[int, int], new_id: int) -> None:
        self.made += 1
        super().update(pair, 255 + self.made)


class TooMany(Naive):
    def select(self) -> Any:
        return super().select() or ((97, 97), 0)


class TooFew(Naive):
    def select(self) -> Any:
        chosen = super().select()
        return chosen if chosen and chosen[1] > 1 else None


class WrongCount(Naive):
    def select(self) -> Any:
        chosen = super().select()
        return chosen and (chosen[0], min(chosen[1], 3))


class Batches(MyNaive):
    """Right, as long as somebody looks on."""

    def run(self, first_id: int, end_id: int, seconds: float) -> Any:
        return [97], [97], [7], [0.0], 0.0, True


WRONG = {
    LeastOfTies: ("which stands as often. Among equals the greatest (left, right)", 3),
    JoinedTies: ("must be `(b'ab', b'c')`, which stands twice; JoinedTies makes `(b'a', b'c')`", 7),
    NoOverlaps: ("", 5),
    FixedIds: ("with the special tokens `['<a>']`", 3),
    TooMany: ("no pair is left, but TooMany merges `(b'a', b'a')`", 0),
    TooFew: ("TooFew says that no pair is left, but `(b'a', b'b')` stands once", 2),
    WrongCount: ("merge 1 is right, `(b's', b't')`, but it stands 6 times", 2),
    Batches: ("Batches merges", 0),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_merge_is_shown_on_small_words(wrong: type[Any]) -> None:
    said, most = WRONG[wrong]
    report = check_stage(wrong)
    assert not report.passed
    assert str(report.parts[0]).startswith(
        f"**{wrong.__name__} is not right yet.** On the words `{{"
    )
    assert said in repr(report), report
    [words] = re.findall(r"On the words `(\{.*?\})`", str(report.parts[0]))
    counts: dict[bytes, int] = ast.literal_eval(words)
    assert sum(map(len, counts)) <= most


class Raises(Naive):
    def update(self, pair: tuple[int, int], new_id: int) -> None:
        self.words[10_000].append(new_id)


class NoOperations:
    recounts = True

    def __init__(self, counts: Any, vocab: Any) -> None:
        self.inner = Naive(counts, vocab)

    def count_pairs(self) -> None:
        self.inner.count_pairs()

    def select(self) -> Any:
        return self.inner.select()

    def update(self, pair: tuple[int, int], new_id: int) -> None:
        self.inner.update(pair, new_id)


class OnlyPair(Naive):
    def select(self) -> Any:
        chosen = super().select()
        return chosen and chosen[0]


class OddIds(Naive):
    def select(self) -> Any:
        return (70_000, 97), 1


class OwnWords(Naive):
    def count_pairs(self) -> None:
        self.words = [5]  # type: ignore[list-item]
        super().count_pairs()


class WithoutSelect:
    recounts = False
    count_pairs = update = Naive.update


ERRORS = {
    Raises: r"Raises raises `IndexError: list index out of range` in `update`, line \d+ of "
    r"`test_stage_check.py`: `self.words\[10_000\].append\(new_id\)`",
    NoOperations: "raises `AttributeError: 'NoOperations' object has no attribute 'operations'`",
    OnlyPair: r"`select` returns `\(\d+, \d+\)`: it must return \(\(left id, right id\), count\)",
    OddIds: r"`select` returns `\(\(70000, 97\), 1\)`: it must return",
    OwnWords: r"in `count_pairs`, line \d+ of `test_stage_check.py`: `super\(\).count_pairs\(\)`",
    WithoutSelect: "WithoutSelect is no stage: it lacks select",
    dict: "dict is no stage yet. .* it lacks recounts, count_pairs, select",
}


@pytest.mark.parametrize("raising", ERRORS)
def test_an_exception_is_one_line_with_the_readers_own_line(raising: type[Any]) -> None:
    report = check_stage(raising)
    assert not report.passed
    assert re.search(ERRORS[raising], repr(report)), report
    assert len(repr(report).splitlines()) == 1


def endless(self: Naive, *_: object) -> None:
    while True:
        try:
            self.words = list(self.words)
        except Exception:
            continue


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs a timer")
@pytest.mark.parametrize("method", ["__init__", "count_pairs", "select", "update"])
def test_an_endless_loop_is_ended_and_its_line_named(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults.find_fault, "__defaults__", (0.2,))
    monkeypatch.setattr(stage_check, "LIMIT_SECONDS", 0.2)
    begun = perf_counter()
    report = check_stage(type("Endless", (Naive,), {method: endless}))
    assert perf_counter() - begun < 30
    assert not report.passed
    assert "Endless was still at work after 0.2 seconds in `endless`, line " in repr(report)


def test_beside_the_main_thread_it_checks_too() -> None:
    found: list[Report] = []
    thread = threading.Thread(target=lambda: found.append(check_stage(LeastOfTies)))
    thread.start()
    thread.join(60)
    assert not found[0].passed


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no signal stops code here")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a signal too late
def test_a_limit_of_time_is_taken_back_however_often_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Once raised where it is taken back, it came again for ever, in whatever was next.
    monkeypatch.setattr(time_limit, "AGAIN_SECONDS", 1e-3)
    before = signal.getsignal(signal.SIGALRM)
    for _ in range(200):
        with pytest.raises(time_limit.OutOfTime), time_limit.TimeLimit(5e-4):
            while True:
                pass
        assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
        assert signal.getsignal(signal.SIGALRM) == before


def test_a_slow_stage_is_tried_as_far_as_the_time_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_check, "CHECK_SECONDS", 0.0)
    report = check_stage(MyNaive)
    assert report.passed
    assert "of 104 small corpora within 0 seconds (it is slow)" in repr(report)


# What work it does.


class MoreScanning(FineGrained):
    def select(self) -> Any:
        chosen = super().select()
        self.operations["pairs_scanned"] += len(self.pair_counts) // 8
        return chosen


def test_work_is_compared_with_that_of_the_base_or_of_the_stage_that_is_named() -> None:
    said = repr(check_stage(MoreScanning))
    assert re.search(r"beside `fine_grained`: 12 % more pairs scanned \([\d,]+ instead of", said)
    assert "the same pairs counted, words rewritten, count changes, words scanned" in said
    assert "no heap pushes" in repr(check_stage(MoreScanning, like="max_heap"))
    with pytest.raises(ValueError, match="unknown stage 'no_such_stage'"):
        check_stage(MoreScanning, like="no_such_stage")


def test_a_stage_that_counts_nothing_is_told_how() -> None:
    class Silent(MyStage):
        @property
        def operations(self) -> Any:
            return Counter()

        @operations.setter
        def operations(self, _: object) -> None: ...

    assert "no operations are counted: add to `self.operations[...]`" in repr(check_stage(Silent))


# It is tried whole.


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


def test_what_only_a_text_shows_is_found_by_its_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage_ladder, "call", lambda *_: pytest.fail("it was measured"))
    early = try_stage(LateMistake, scale="tiny")
    assert not early.passed
    assert re.search(
        r"of `languages` \(14 KB\), merge 19 must be .*; LateMistake says that no pair is left",
        repr(early),
    )
    error = try_stage(LateError, scale="tiny")
    assert not error.passed
    assert re.search(r"on `languages` \(14 KB\), LateError raises `KeyError: .* line", repr(error))


def test_stages_with_other_digests_are_told_apart() -> None:
    one = stage_ladder.Step("a", (1.0,), 5, True, "x")
    wrong = stage_ladder.Step("MyStage", (1.0,), 5, True, "y")
    ladder = stage_ladder.Ladder((one, wrong), "MyStage", stage_ladder.SIZES["tiny"])
    said, *_ = stage_trial.ladder_parts(ladder)
    assert "**Their digests differ: the times mean nothing.**" in said


def test_a_class_that_no_process_finds_is_measured_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "call", lambda *_: pytest.fail("a process was started"))
    ladder = stage_ladder.measure_ladder(
        type("Nowhere", (MaxHeap,), {"__module__": "__main__"}), None, stage_ladder.SIZES["tiny"]
    )
    assert ladder.not_alone == "the source of Nowhere is not known"
    assert "all in this process" in str(stage_trial.ladder_parts(ladder)[0])


CELLS = {
    "imports": "import collections as c\nfrom bpe_lab.stages.max_heap import MaxHeap\n"
    "LEAST = {b'a': [1]}",
    "a function": "def change(n):\n    return n + LEAST[b'a'][0] - 1",
    "a base": "%time\nclass Base(MaxHeap):\n    def half(self):\n        return change(2)",
    "the class": "class Typed(Base):\n    def update(self, pair: NoSuchType, new_id):\n"
    "        self.seen = c.Counter([self.half()])\n        super().update(pair, new_id)\n"
    "\nprint('not again')",
}


def test_a_class_of_a_cell_becomes_a_module_with_all_that_it_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import linecache

    namespace: dict[str, Any] = {"__name__": "__main__", "NoSuchType": int | str}
    for name, source in CELLS.items():
        file = f"<ipykernel_1 {name}>"
        lines = source.splitlines(keepends=True)
        monkeypatch.setitem(linecache.cache, file, (len(source), None, lines, file))
        exec(compile(source.replace("%time", ""), file, "exec"), namespace)
    monkeypatch.setitem(sys.modules, "__main__", type(sys)("__main__"))
    capsys.readouterr()
    assert place_of(namespace["Typed"], tmp_path) == f"{MODULE}:Typed"
    made: dict[str, Any] = {}
    exec((tmp_path / f"{MODULE}.py").read_text(), made)
    assert made["Typed"] is not namespace["Typed"]
    assert check_stage(made["Typed"]).passed
    namespace["LEAST"] = object()
    with pytest.raises(ValueError, match="change uses LEAST, which cannot be written"):
        place_of(namespace["Typed"], tmp_path)
    assert capsys.readouterr().out == ""


# As it is shown.


class Tags(HTMLParser):
    """Notes the tags and what stands in them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.text += " "
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data: str) -> None:
        self.text += data


def test_a_report_reads_the_same_without_styles() -> None:
    report = Report("A", True, ("**A <is>** `b'&'`.", Table(["stage", "n"], [["**A**", "1,000"]])))
    page = Tags(report._repr_html_())
    assert page.attributes == {"align", "style"}
    assert page.tags == Counter(
        {"p": 1, "b": 2, "code": 1, "table": 1, "thead": 1, "tbody": 1, "tr": 2, "th": 2, "td": 2}
    )
    assert page.text.split() == ["A", "<is>", "b'&'.", "stage", "n", "A", "1,000"]
    assert repr(report) == "A <is> `b'&'`.\n\nstage      n\nA      1,000"


def test_a_notebook_shows_the_trial_with_its_scoreboard(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("matplotlib", "IPython"):
        pytest.importorskip(module, reason=f"{module} is in the extra `lab`")
    from bpe_lab.lessons import own_stage

    size = stage_ladder.SIZES["default"]
    steps = (
        stage_ladder.Step("MyStage", (8.0, 9.0), 12, False, ""),
        stage_ladder.Step("core", (9e4, 8e4), 1_743, True, ""),
    )
    trial = stage_trial.Trial(
        "MyStage", True, ("Right.",), stage_ladder.Ladder(steps, "MyStage", size)
    )
    monkeypatch.setattr(stage_trial, "try_stage", lambda *_: trial)
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda one, **_: shown.append(one))
    own_stage.try_stage(MyStage)._ipython_display_()
    assert shown[0] == {"text/html": "<p>Right.</p>", "text/plain": "Right."}
    assert repr(shown[1]) == "Figure: MyStage: 8.5 merges per second; core: ≈ 10,000 times as many"


# The command.


def bpe_lab(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-m", "bpe_lab", *words],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


PROGRAM = """
import json, sys
from bpe_lab.commands.cli import main

code = main(["try", "mystage.py:MyStage", "--scale", "tiny"])
print(json.dumps([code, sorted({"pandas", "matplotlib"} & set(sys.modules))]))
"""


def test_the_template_passes_without_tables_and_figures_and_a_mistake_in_it_does_not(
    tmp_path: Path,
) -> None:
    printed = bpe_lab(tmp_path, "stages", "--template").stdout
    (tmp_path / "mystage.py").write_text(printed, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    *said, last = done.stdout.splitlines()
    assert json.loads(last) == [0, []]
    assert said[0].startswith("MyStage makes the right merges: the worked example, 23 traps")
    assert "Digest: its 20 merges of `languages` (14 KB) are those of `core`" in done.stdout
    assert "each value in a fresh process; one value each." in done.stdout
    rows = [line.split()[0] for line in said if line]
    assert rows.count("naive") == 1  # its work
    assert rows.count("core") == rows.count("word_counts") == 2  # on the ladder, too
    wrong = printed.replace("entry[1], ", "")
    assert wrong != printed
    (tmp_path / "mystage.py").write_text(wrong, encoding="utf-8")
    done = bpe_lab(tmp_path, "try", "mystage.py:MyStage", "--quick")
    assert (done.returncode, done.stderr) == (1, "")
    assert "MyStage is not right yet. On the words" in done.stdout
