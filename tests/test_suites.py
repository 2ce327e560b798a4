"""Promise: a suite that is killed goes on where it was, and shows only what may be compared."""

import getpass
import gzip
import inspect
import json
import platform
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image

from bpe_lab import corpora
from bpe_lab.bench import runner
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.pages import suite_page
from bpe_lab.bench.process_child import find_function
from bpe_lab.bench.suite import SCALES, Case, Suite
from bpe_lab.bench.texts import user_text
from bpe_lab.bench.values import measure
from bpe_lab.commands.cli import main
from bpe_lab.results import records as bench_records
from bpe_lab.results.code_facts import code_facts
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.tables import summary

QUICK = ("ablation", "counting", "select", "vocab")

LONG = [pytest.param(one, marks=pytest.mark.slow) for one in SUITES if one not in QUICK]
RUN_ONCE = [*QUICK, *LONG]
"""Suites whose test needs a run at tiny scale; others run the ladder anyway."""


@pytest.mark.parametrize("suite", RUN_ONCE)
def test_every_suite_gives_its_table_and_figure(
    suite: str, tiny: Callable[[str], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    out = tiny(suite)
    records, torn = bench_records.read_records(out / f"{suite}.jsonl")
    names = [case.name for case in SUITES[suite].cases("tiny")]
    assert not torn
    assert [one["case"] for one in records] == names
    for one in records:
        assert re.fullmatch(r"[0-9a-f]{8,64}", one["digest"]), one["case"]
        assert one["operations"], one["case"]
        assert one["seconds"] > 0
        assert 5 < one["peak_rss_mb"] < 2000
        assert set(one) <= {*bench_records.FIELDS, *bench_records.MORE_FIELDS}, "not declared"
    page = (out / f"{suite}.md").read_text(encoding="utf-8")
    assert f"bpe-lab bench {suite} --scale tiny --repeats 1" in page
    # A page of this scale compares nothing: that of another is like this.
    measured = bench_records.to_dataframe(records).assign(scale="default")
    page = suite_page(SUITES[suite], measured).text(lambda name, _: name)
    assert SUITES[suite].question in page and f"]({suite})" in page
    assert "| :-- |" in page
    assert "nan" not in page.lower().split()
    figure = out / "figures" / f"{suite}.png"
    assert figure.stat().st_size < 150_000
    with Image.open(figure) as picture:
        assert picture.convert("RGBA").getextrema()[3] == (255, 255)
    # A short host name could be a word, and a user may be called "c": neither is a whole value.
    names = (platform.node(), str(Path.home()), sys.prefix, str(Path.cwd()), "hostname")
    for file in filter(Path.is_file, out.iterdir()):
        words = file.read_text(encoding="utf-8")
        assert not [name for name in names if len(name) > 4 and name in words], file.name
    values = set(map(str, records[0]["machine"].values()))
    assert values.isdisjoint((platform.node(), getpass.getuser()))


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_is_well_formed_at_every_scale(suite: str) -> None:
    for scale in SCALES:
        cases = SUITES[suite].cases(scale)
        assert len({case.name for case in cases}) == len(cases) > 1
        assert all(case.name.strip(", ") == case.name for case in cases)
        for case in cases:
            assert json.loads(json.dumps(case.settings)) == case.settings
            assert case.compare_tokens_with in {"", *(other.name for other in cases)}
            # Only those of the tiny scale are run.
            measure = find_function(case.measure)
            params = dict(case.params)
            if "text" in params:
                params = {"path": params.pop("text"), **params}
                params.pop("text_bytes", None)
            inspect.signature(measure).bind(**params)
        if SUITES[suite].accepts("file", scale):  # the only text
            cases = SUITES[suite].chosen(scale, {"file": "novel"})
            assert {case.params["text"] for case in cases if "text" in case.params} == {"novel"}
    assert SUITES[suite].id == suite


def test_what_is_measured_loads_no_pandas_nor_matplotlib(run_python: Callable[..., str]) -> None:
    # Their memory would stand in the column "peak MB".
    measures = {case.measure for suite in SUITES.values() for case in suite.cases("tiny")}
    code = (
        "import sys\n"
        "from bpe_lab.bench.process_child import find_function\n"
        f"for one in {sorted(measures)}: find_function(one)\n"
        "print(*sorted({'pandas', 'matplotlib', 'numpy', 'tqdm'} & set(sys.modules)))\n"
    )
    assert run_python(code) == "\n" and len(measures) > 10


@pytest.mark.parametrize("suite", RUN_ONCE)
def test_pages_refuse_what_cannot_be_compared(suite: str, tiny: Callable[[str], Path]) -> None:
    [*others, last] = bench_records.read_records(tiny(suite) / f"{suite}.jsonl")[0]
    for fields, message in (
        ({"machine": {**last["machine"], "cpu": "another"}}, "differ in machine"),
        ({"scale": "full"}, "differ in scale"),
        ({"code": {**last["code"], "native": "0" * 12}}, "differ in code"),
    ):
        mixed = bench_records.to_dataframe([*others, {**last, **fields}])  # type: ignore[list-item]
        for show in (SUITES[suite].table, SUITES[suite].figure):
            with pytest.raises(ValueError, match=message):
                show(mixed)


N_VALUES = 36
"""Of two stages with two vocabularies in nine rounds: such a run is still at work when it is
interrupted, on a busy machine, too."""


def words_of(out: Path) -> list[str]:
    return ["bench", "vocab", "--scale", "tiny", "--repeats", "9", "--quiet", "--out", str(out)]


def start(out: Path, n_records: int) -> subprocess.Popen[bytes]:
    """Start a run, and return when it has so many records and measures the next."""
    command, pipe = [sys.executable, "-m", "bpe_lab", *words_of(out)], subprocess.PIPE
    running = subprocess.Popen(command, stdout=pipe, stderr=pipe)
    path = out / "vocab.jsonl"
    deadline = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < n_records:
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return running


def what_was_measured(out: Path) -> list[Any]:
    """All of the records that does not depend on the clock."""
    records, torn = bench_records.read_records(out / "vocab.jsonl")
    assert not torn
    names = ("case", "round", "digest", "operations", "code")
    return sorted(json.dumps([one[name] for name in names]) for one in records)


@pytest.mark.slow
@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_killed_at_any_moment_it_resumes_to_the_same_values(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    assert main(words_of(whole)) == 0
    # Before there is a record, and in the second round.
    for n_records in (0, 5):
        out = tmp_path / str(n_records)
        running = start(out, n_records)
        # At once: on a busy machine the three that are left may be measured while this one waits.
        children = psutil.Process(running.pid).children(recursive=True)
        running.kill()
        running.communicate(timeout=60)  # a child that goes on holds the pipes
        _, alive = psutil.wait_procs(children, timeout=60)
        assert alive == [], "a process that goes on would disturb the resumed run"
        kept = len(bench_records.read_records(out / "vocab.jsonl")[0])
        assert n_records <= kept < N_VALUES
        # As if the power had gone in the middle of a write.
        with (out / "vocab.jsonl").open("ab") as file:
            file.write(b'{"schema": 2, "suite": "vo')
        assert main([*words_of(out), "--resume"]) == 0
        assert what_was_measured(out) == what_was_measured(whole)
        assert len(what_was_measured(out)) == N_VALUES
        assert (out / "figures" / "vocab.png").exists()


@pytest.mark.usefixtures("in_this_process")
def test_interrupted_it_ends_its_children_and_says_how_to_go_on(tmp_path: Path) -> None:
    running = start(tmp_path, 2)
    children = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    [line] = errors.decode().strip().splitlines()
    assert "interrupted" in line
    assert "--resume" in line
    # Ended, they are there until somebody has asked how they ended.
    assert psutil.wait_procs(children, timeout=60)[1] == []
    assert not (tmp_path / "vocab.md").exists()
    assert 2 <= len(what_was_measured(tmp_path)) < N_VALUES
    runner.run_suite(SUITES["vocab"], tmp_path, scale="tiny", repeats=9, resume=True)
    assert len(what_was_measured(tmp_path)) == N_VALUES


def suite_of(*cases: Case, takes_file: bool = False) -> Suite:
    """A suite that nobody asks for a figure."""
    return Suite(
        id="nothing",
        title="Nothing",
        question="What does nothing cost?",
        cases=lambda scale: list(cases),
        table=lambda records: f"{len(summary(records))} cases",
        figure=lambda records: pytest.fail("no figure is asked for"),
        takes_file=takes_file,
    )


def nothing(results: dict[str, int], same_result_as: str = "same") -> Suite:
    """A suite whose cases give what they are told to, at once."""
    measure = "small_measures:digest_only"
    cases = (Case(one, measure, {"result": n}, same_result_as) for one, n in results.items())
    return suite_of(*cases)


def run_tiny(suite: Suite, out: Path, **options: Any) -> Any:
    """Run a suite at the scale at which nobody times fixed work between its values."""
    return runner.run_suite(suite, out, **{"scale": "tiny", **options})


def test_what_a_measure_says_of_its_process_is_taken_for_the_moment_that_it_chose() -> None:
    made = measure(Case("one", "small_measures:own_memory", {}), None)
    assert (made["peak_rss_mb"], made["each"]) == (7.0, "after the facts")
    assert made["cpu_seconds"] > 0 and made["process_seconds"] > 0 and made["utc"]


@pytest.mark.usefixtures("in_this_process")
def test_a_wrong_digest_is_not_recorded_and_both_cases_are_named(tmp_path: Path) -> None:
    wrong = nothing({"reference": 1, "other": 1, "wrong": 2, "after": 1})
    with pytest.raises(RuntimeError, match=r"'wrong' and 'reference' must give the same"):
        run_tiny(wrong, tmp_path, repeats=1)
    kept, _ = bench_records.read_records(tmp_path / "nothing.jsonl")
    assert [one["case"] for one in kept] == ["reference", "other"]
    # A digest is asked of one pattern only.
    runner.check_agreement({**kept[0], "pattern": "gpt2"}, kept)
    with pytest.raises(RuntimeError, match=r"their patterns differ \(o200k and gpt2\)"):
        runner.check_agreement({**kept[0], "pattern": "o200k"}, kept)
    free = nothing({"reference": 1, "wrong": 2}, same_result_as="")
    assert len(run_tiny(free, tmp_path / "free", repeats=1)) == 2


def test_a_killed_process_is_named_though_its_workers_live(tmp_path: Path) -> None:
    note = tmp_path / "worker"
    suite = suite_of(Case("killed", "small_measures:killed_with_a_worker", {"note": str(note)}))
    with pytest.raises(RuntimeError, match=r"case 'killed': it ended with code -9"):
        run_tiny(suite, tmp_path, repeats=1)
    worker = int(note.read_text())
    deadline = time.monotonic() + 60
    while psutil.pid_exists(worker) and psutil.Process(worker).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "its worker was left behind"
        time.sleep(0.05)


def test_a_process_that_does_not_come_back_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = Case("one", "small_measures:hang", {})
    with pytest.raises(RuntimeError, match=r"had not come back after 0 s and was ended$"):
        measure(replace(hanging, patience=0.1), None)
    with pytest.raises(RuntimeError, match=r"was ended: .* --time-budget gives it more time$"):
        measure(replace(hanging, patience=0.1, params={"stage": "mine.py:Mine"}), None)
    # One that has a limit counts as stopped, and its memory is known.
    made = measure(replace(hanging, time_limit=0.1), None)
    assert (made["stopped_by"], made["seconds"]) == ("time_budget", 0.1)
    assert made["peak_rss_mb"] > 1
    # Stages of the lab come back; a time budget of the user's stage counts merging only.
    name = "bpe_lab.lessons.shared.traps:JoinedTies"
    for options, patience in (({}, 60.0), ({"budget": 5.0}, 20.0)):
        cases = SUITES["ladder"].chosen("tiny", {"stage": [name], **options})
        assert {case.name: case.patience for case in cases if case.patience} == {name: patience}


def test_a_text_that_was_changed_is_no_record(tmp_path: Path) -> None:
    file = tmp_path / "growing.txt"
    file.write_bytes(b"some words")
    facts = user_text(file)
    case = Case("one", "small_measures:change_text", {"text": "stories"})
    changes = suite_of(case, takes_file=True)
    # Changed while it is read; and before: the ladder fails by itself, with a reason that is none.
    for suite, case in ((changes, "one"), (SUITES["ladder"], "core")):
        with pytest.raises(RuntimeError, match=r"growing\.txt was changed while it was measured"):
            run_tiny(suite, tmp_path / suite.id, repeats=1, cases=[case], file=facts)
        assert (tmp_path / suite.id / f"{suite.id}.jsonl").read_bytes() == b""
        file.write_bytes(b"some \xff words")


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "changed",
    [
        *("{}", "123", '{"schema": "x"}', '{"schema": 2, "seconds": 1.0}', '{"schema": 3}'),
        *({"seconds": -1}, {"round": "1"}, {"loops": 1.5}, {"digest": None}, {"agrees": None}),
        # What a page would show as markup.
        {"corpus": {"name": "x![a](http://b.c)", "sha256": "00", "bytes": 1}},
        {"params": {"more": ["<script>alert(1)</script>"]}},
    ],
    ids=str,
)
def test_an_edited_record_is_refused_with_its_file_and_line(changed: Any, tmp_path: Path) -> None:
    suite = nothing({"one": 1})
    run_tiny(suite, tmp_path, repeats=1)
    path = tmp_path / "nothing.jsonl"
    whole = path.read_text()
    line = changed if isinstance(changed, str) else json.dumps({**json.loads(whole), **changed})
    path.write_text(f"{whole}{line}\n")
    told = r"nothing\.jsonl, line 2: (not a record|a page would|schema 3 is from a later bpe_lab)"
    with pytest.raises(ValueError, match=told):
        run_tiny(suite, tmp_path, repeats=2, resume=True)


@pytest.mark.usefixtures("in_this_process")
def test_earlier_records_are_neither_lost_nor_mixed_in_silently(tmp_path: Path) -> None:
    suite = nothing({"one": 1, "two": 1})
    run_tiny(suite, tmp_path, repeats=1)
    with pytest.raises(FileExistsError, match=r"2 records: add --resume .*--force"):
        run_tiny(suite, tmp_path, repeats=1)
    assert len(run_tiny(suite, tmp_path, repeats=2, resume=True)) == 4
    assert len(run_tiny(suite, tmp_path, repeats=2, resume=True)) == 4
    assert len(run_tiny(suite, tmp_path, repeats=1, force=True)) == 2


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    ("field", "value", "message", "measures"),
    [
        ("machine", {**machine_facts(), "cpu": "another"}, "another machine;", True),
        ("code", {**code_facts(), "native": "0" * 12}, "another code;", True),
        ("scale", "full", "another scale;", False),
        ("options", {"vocab_size": 300}, "another options;", False),
        ("params", {"result": 3}, "another case 'one';", False),
        ("case", "unknown", "another case 'unknown';", False),
    ],
)
def test_records_of_other_conditions_are_not_resumed(
    field: str, value: Any, message: str, measures: bool, tmp_path: Path
) -> None:
    suite = nothing({"one": 1, "two": 1})
    run_tiny(suite, tmp_path, repeats=1)
    path = tmp_path / "nothing.jsonl"
    records, _ = bench_records.read_records(path)
    bench_records.write_records(path, [{**records[0], field: value}, *records[1:]])
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message) as refused:
        run_tiny(suite, tmp_path, repeats=2, resume=True)
    assert "\n" not in str(refused.value)
    assert path.read_bytes() == before
    if measures:
        # Nothing is missing: nothing is measured beside them.
        assert len(run_tiny(suite, tmp_path, repeats=1, resume=True)) == 2


@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_a_text_of_the_user_is_named_without_its_folder_and_its_command_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("my texts/a reader's novel.txt")
    file.parent.mkdir()
    file.write_bytes(corpora.path("languages").read_bytes())
    words = ["bench", "ladder", "--scale", "tiny", "--repeats", "1", "--case", "naiv*", "--case"]
    words += ["core", "--file", f"./{file}", "--vocab-size", "270", "--quiet"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    [line] = [line for line in printed.splitlines() if line.startswith("Again: ")]
    assert f"{line.replace('Again: ', 'Again: `')}`." in Path("results/bench/ladder.md").read_text()
    for fact in ("a reader's novel (14 KB), 270 ids", "--scale tiny", machine_facts()["cpu"]):
        assert fact in " ".join(printed.split())
    assert "A smoke test (scale tiny): every case ran here" in printed
    [command, *again] = shlex.split(line.removeprefix("Again: "))
    assert command == "bpe-lab" and main(again) == 0
    first, _ = bench_records.read_records("results/bench/ladder.jsonl")
    second, _ = bench_records.read_records("results/again/ladder.jsonl")
    for name in ("case", "params", "options", "scale", "corpus", "digest", "operations"):
        assert [one[name] for one in first] == [one[name] for one in second]
    assert [one["case"] for one in first] == ["naive", "core"]
    assert {one["corpus"]["sha256"] for one in first} == {corpora.digest(file)}
    assert {one["params"]["text"] for one in first} == {"a reader's novel"}
    assert str(tmp_path) not in Path("results/bench/ladder.jsonl").read_text(encoding="utf-8")
    file.write_bytes(file.read_bytes() * 2)
    assert main([*words, "--resume"]) == 2
    assert "of another text" in capsys.readouterr().err
    monkeypatch.chdir("results")  # the text is not below it
    assert user_text(tmp_path / file).typed == file.name


def test_the_recorded_ladder_can_be_recorded_again() -> None:
    # But for its budget, which stopped nothing, and for what older records do not say.
    recorded, _ = bench_records.read_records(corpora.data_path("recorded/bench/ladder.jsonl"))
    cases = {case.name: case.params for case in SUITES["ladder"].cases("full")}
    for one in recorded:
        known = {name: cases[one["case"]].get(name) for name in one["params"]}
        assert {**one["params"], "time_budget": None} == known
        assert one["scale"] == "full"


def test_bad_input_gets_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    for words, message in (
        (["fast"], "unknown suite 'fast': choose one of ladder"),
        (["ladder", "--case", "fast"], "unknown case 'fast': choose one of naive, word_counts, "),
        (["ladder", "--case", "cor"], "unknown case 'cor': did you mean core?"),
        (["ladder", "--repeats", "0"], "repeats is 0"),
        (["ladder", "--time-budget", "-1"], "--time-budget: '-1' is not a number of seconds"),
        (["ladder", "--file", str(tmp_path / "missing.txt")], "missing.txt"),
        (["ladder", "vocab", "--case", "core"], "--case goes with one suite"),
        (["ladder", "--threads", "1"], "takes no --threads"),
        (["counting", "--vocab-size", "300"], "takes no --vocab-size"),
        (["ladder", "--vocab-size", "257"], "--vocab-size is 257: give 258 or more"),
        (["peers", "--vocab-size", "257"], "--vocab-size is 257: give 258 or more"),
        (["peers", "--threads", "1,4096"], "needs 4096 CPUs, we may use"),
        (["counting", "heaps", "--file", __file__], "takes no --file"),
        (["counting", "heaps", "--time-budget", "1"], "takes no --time-budget"),
    ):
        assert message in refused("bench", *words, "--out", "out", "--quiet", "--scale", "tiny")
    assert list(tmp_path.iterdir()) == []


NO_TEXTS = {
    "empty.txt": (b"", "no pair to merge"),
    "one character.txt": (b"a", "no pair to merge"),
    "special tokens only.txt": (b"<|endoftext|>" * 3, "no pair to merge"),
    "words of one byte.txt": (b"a\n1\n", "no pair to merge"),
    "latin-1.txt": (b"low \xff lower", "invalid UTF-8 at byte offset 4"),
    "packed under another name.txt": (gzip.compress(b"low lower"), "is packed (gzip): unpack it"),
    "zstd.txt": (b"\x28\xb5\x2f\xfd\x24\x03\x19", "is packed (zstd): unpack it"),
}


@pytest.mark.parametrize("name", NO_TEXTS)
def test_a_file_that_cannot_be_measured_is_refused_before_anything_is(
    name: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    data, message = NO_TEXTS[name]
    file = tmp_path / name
    file.write_bytes(data)
    # `counting` takes no text and would be measured first.
    for suites in (["ladder"], ["counting", "peers"], ["all"]):
        said = refused("bench", *suites, "--file", name, "--out", "out", "--quiet")
        assert message in said
        # What helps is among the options of this command.
        assert not set(re.findall(r"--[a-z-]+|counter", said))
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_a_run_erases_nothing_of_others(tmp_path: Path, refused: Callable[..., str]) -> None:
    path, words = tmp_path / "vocab.jsonl", words_of(tmp_path)
    path.write_text("my own notes\nsecond line\n")
    for more in ((), ("--resume",)):
        assert "not a record: remove the line" in refused(*words, *more)
        assert path.read_text() == "my own notes\nsecond line\n"
    assert main([*words, "--force"]) == 0
    first, *others = path.read_text().splitlines()
    path.write_text("\n".join([first, *others, first]) + "\n")
    twice = f"lines 1 and {N_VALUES + 1} are of the same case and round"
    assert twice in refused(*words, "--resume")


def test_without_a_suite_the_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    said = capsys.readouterr().out
    for suite in SUITES.values():
        assert f"{suite.id}: {suite.question}" in said


@pytest.mark.usefixtures("in_this_process")
def test_all_is_refused_if_one_has_records(tmp_path: Path, refused: Callable[..., str]) -> None:
    last = [id_ for id_, suite in SUITES.items() if suite.in_all][-1]
    run_tiny(replace(nothing({"one": 1}), id=last), tmp_path, repeats=1)
    for file in tmp_path.iterdir():
        if file.name != f"{last}.jsonl":
            file.unlink()
    assert f"{last}.jsonl has 1 records" in refused("bench", "all", "--out", ".")
    assert [file.name for file in tmp_path.iterdir()] == [f"{last}.jsonl"]


def test_other_commands_need_no_package_of_the_extra_lab(run_python: Callable[..., str]) -> None:
    run_python(
        "import sys\n"
        "for name in ('numpy', 'pandas', 'matplotlib'): sys.modules[name] = None\n"
        "from bpe_lab.commands.cli import main\n"
        "sys.exit(main(['stages']) or main(['bench', '--help']))\n"
    )
