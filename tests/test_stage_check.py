"""Promise: what is wrong with a reader's stage is shown by small words, whatever it does."""

import ast
import re
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.lessons.checks import faults, stage_ladder, time_limit
from bpe_lab.lessons.checks.stage_report import StageReport
from bpe_lab.lessons.shared import own_stage
from bpe_lab.lessons.shared.own_stage import check_stage, try_stage
from bpe_lab.lessons.shared.traps import ForgetfulIndex, ImpatientHeap, JoinedTies
from bpe_lab.registry import STAGES
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.stages.naive import Naive
from bpe_lab.stages.template import MyStage
from bpe_lab.stages.word_counts import DistinctWords


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine no work is stopped half-way."""
    monkeypatch.setattr(own_stage, "WORK_SECONDS", 60.0)


def test_every_stage_of_the_lab_is_right_and_does_its_own_work(stage: str) -> None:
    report = check_stage(type("Mine", (STAGES[stage].load(),), {}))
    assert report.passed, report
    assert f"the same work as `{stage}`" in report.parts[-1]


class LeastOfTies(Naive):
    def select(self) -> Any:
        top = max(self.pair_counts.values(), default=0)
        return min(((p, n) for p, n in self.pair_counts.items() if n == top), default=None)


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


class Batches(Naive):
    """Right, as long as somebody looks on."""

    def run(self, first_id: int, end_id: int, seconds: float) -> Any:
        return [97], [97], [7], [0.0], 0.0, True


WRONG = {
    LeastOfTies: ("which stands as often. Among equals the greatest (left, right)", 3),
    JoinedTies: ("must be `(b'ab', b'c')`, which stands twice; JoinedTies makes `(b'a', b'c')`", 7),
    ForgetfulIndex: ("makes `(b'b', b'a')`", 7),
    ImpatientHeap: ("says after", 7),
    FixedIds: ("with the special tokens `['<a>']`", 3),
    TooMany: ("no pair is left, but TooMany merges `(b'a', b'a')`", 0),
    TooFew: ("TooFew says that no pair is left, but `(b'a', b'b')` stands once", 2),
    WrongCount: ("merge 1 is right, `(b's', b't')`, but it stands 6 times", 2),
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


class OnlyPair(Naive):
    def select(self) -> Any:
        chosen = super().select()
        return chosen and chosen[0]


class OwnWords(Naive):
    def count_pairs(self) -> None:
        self.words = [5]  # type: ignore[list-item]
        super().count_pairs()


ERRORS = {
    Raises: r"Raises raises `IndexError: list index out of range` in `update`, line \d+ of "
    r"`test_stage_check.py`: `self.words\[10_000\].append\(new_id\)`",
    OnlyPair: r"`TypeError: select of OnlyPair returns \(\d+, \d+\): return \(\(left",
    OwnWords: r"in `count_pairs`, line \d+ of `test_stage_check.py`: `super\(\).count_pairs\(\)`",
    dict: r"dict is not a stage yet\.\*\* .* it lacks recounts, count_pairs, select",
}


@pytest.mark.parametrize("raising", ERRORS)
def test_an_exception_is_one_line_with_the_readers_own_line(raising: type[Any]) -> None:
    report = check_stage(raising)
    assert not report.passed
    [sentence] = report.parts
    assert re.search(ERRORS[raising], sentence), sentence


def endless(self: Naive, *_: object) -> None:
    while True:
        try:
            self.words = list(self.words)
        except Exception:
            continue


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no signal stops code here")
@pytest.mark.parametrize("method", ["__init__", "count_pairs", "select", "update"])
def test_an_endless_loop_is_ended_and_its_line_named(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faults, "LIMIT_SECONDS", 0.2)
    report = check_stage(type("Endless", (Naive,), {method: endless}))
    assert not report.passed
    assert "Endless was still at work after 0.2 seconds in `endless`, line " in report.parts[0]


def test_beside_the_main_thread_it_checks_too() -> None:
    reports: list[StageReport] = []
    thread = threading.Thread(target=lambda: reports.append(check_stage(LeastOfTies)))
    thread.start()
    thread.join(60)
    assert not reports[0].passed


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no signal stops code here")
def test_a_limit_of_time_is_taken_back_however_often_it_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The timer rings while the limit is set, inside, and while it is taken back, and no clock runs.
    timer: list[float] = []

    def set_and_ring(which: int, seconds: float) -> None:
        timer.append(seconds)
        if seconds != time_limit.AGAIN_SECONDS:
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(signal, "setitimer", set_and_ring)
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(time_limit.OutOfTime), time_limit.TimeLimit(3600):
        assert timer == [3600, time_limit.AGAIN_SECONDS]  # too early, so it comes again
        signal.raise_signal(signal.SIGALRM)
        pytest.fail("it was not stopped")
    assert timer[2:] == [time_limit.AGAIN_SECONDS, 0]  # nothing is set behind the end
    assert signal.getsignal(signal.SIGALRM) == before


def test_a_slow_stage_is_tried_as_far_as_the_time_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_stage, "CHECK_SECONDS", 0.0)
    report = check_stage(type("MyNaive", (Naive,), {}))
    assert report.passed
    assert "of 104 small corpora within 0 seconds (it is slow)" in report.parts[0]


class MoreScanning(FineGrained):
    def select(self) -> Any:
        chosen = super().select()
        self.operations["pairs_scanned"] += len(self.pair_counts) // 8
        return chosen


def test_work_is_compared_with_that_of_the_base_or_of_the_stage_that_is_named() -> None:
    work = check_stage(MoreScanning).parts[-1]
    assert re.search(r"beside `fine_grained`: 12 % more pairs scanned \([\d,]+ instead of", work)
    assert "the same pairs counted, words rewritten, count changes, words scanned" in work
    assert "no heap pushes" in check_stage(MoreScanning, like="max_heap").parts[-1]
    with pytest.raises(ValueError, match="unknown stage 'no_such_stage'"):
        check_stage(MoreScanning, like="no_such_stage")


def test_a_stage_that_counts_nothing_is_told_how() -> None:
    nothing = property(lambda self: Counter(), lambda self, value: None)
    silent = type("Silent", (MyStage,), {"operations": nothing})
    assert "no operations are counted: add to `self.operations[" in check_stage(silent).parts[-1]


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
    of = r"of `languages` \(14 KB\), merge 19 must be .*; LateMistake says that no pair is left"
    on = r"on `languages` \(14 KB\), LateError raises `KeyError: .* line"
    for stage, finding in ((LateMistake, of), (LateError, on)):
        report = try_stage(stage, size="tiny")
        assert not report.passed
        assert re.search(finding, report.parts[-1])


@pytest.mark.parametrize("complete", [True, False])
def test_factors_are_by_round_and_a_stopped_stage_has_none(complete: bool) -> None:
    steps = (
        stage_ladder.Step("slow", (2.0,), 3, False, frozenset("z")),
        # The machine is half as fast in the second round, for both.
        stage_ladder.Step("MyStage", (9.0, 4.5, 9.1), 5, complete, frozenset("x")),
        stage_ladder.Step("core", (12.0, 6.0, 12.2), 5, True, frozenset("x")),
    )
    ladder = stage_ladder.Ladder(steps, "MyStage", stage_ladder.SIZES["tiny"])
    head, _, slow, own, core = own_stage._ladder_parts(ladder)[1].splitlines()
    assert head.endswith("| x MyStage |" if complete else "| merges/s |")
    assert slow.startswith("| `slow` | first 3 | 2.00 |")
    assert own.endswith("| 1 |") == complete
    assert core.endswith("| 1.33 (1.33 to 1.34) |" if complete else "| 12.0 (6.00 to 12.2) |")


def test_a_stage_that_one_round_stopped_or_changed_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rounds = [
        {"merges_per_second": 9.0, "n_merges": 5, "stopped_by": "vocab_size", "digest": "x"},
        {"merges_per_second": 9.0, "n_merges": 3, "stopped_by": "time_budget", "digest": "z"},
        {"merges_per_second": 9.0, "n_merges": 5, "stopped_by": "vocab_size", "digest": "y"},
    ]
    given = {name: iter(rounds) for name in ("MyStage", "core")}
    monkeypatch.setattr(stage_ladder, "STAGES", ["core"])
    monkeypatch.setattr(
        stage_ladder, "call", lambda _, params: next(given[params["stage"].rpartition(":")[2]])
    )
    size = stage_ladder.SIZES["tiny"]._replace(rounds=3)
    ladder = stage_ladder.measure_ladder(MyStage, "core", size)
    assert [(step.n_merges, step.complete) for step in ladder.steps] == [(3, False)] * 2
    monkeypatch.setattr(own_stage, "measure_ladder", lambda *_: ladder)
    trial = try_stage(DistinctWords, size="tiny")
    assert not trial.passed
    assert "**Their digests differ: the times mean nothing.**" in str(trial.parts)


def test_a_class_of_no_module_is_measured_here_also_beside_a_namesake(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stage_ladder, "call", lambda *_: pytest.fail("a process was started"))
    trial = try_stage(type("core", (MaxHeap,), {"__module__": "__main__"}), size="tiny")
    assert trial.passed
    assert "interleaved, all in this process; n = 1." in trial.parts[-2]
    stages = [row.split()[1] for row in trial.parts[-1].splitlines()[2:]]
    assert sorted(stages) == ["**your", "`core`", "`max_heap`"]


def test_the_template_passes_and_a_mistake_in_it_does_not(
    tmp_path: Path, run_command: Callable[..., "subprocess.CompletedProcess[str]"]
) -> None:
    printed = run_command("stages", "--template").stdout
    (tmp_path / "mystage.py").write_text(printed, encoding="utf-8")
    done = run_command("try", "mystage.py:MyStage", "--scale", "tiny")
    assert (done.returncode, done.stderr) == (0, "")
    text = " ".join(done.stdout.split())
    assert "MyStage makes the right merges: the worked example, 23 traps" in text
    assert "Digest: its 20 merges of languages (14 KB) are those of core" in text
    assert "each value in a fresh process; n = 1." in text
    rows = [line.split()[0] for line in done.stdout.splitlines() if line]
    assert rows.count("naive") == 1  # its work
    assert rows.count("core") == rows.count("word_counts") == 2  # on the ladder, too
    wrong = printed.replace("entry[1], ", "")
    assert wrong != printed
    (tmp_path / "mystage.py").write_text(wrong, encoding="utf-8")
    done = run_command("try", "mystage.py:MyStage", "--scale", "tiny")
    assert (done.returncode, done.stderr) == (1, "")
    assert "MyStage is not right yet. On the words" in done.stdout
