"""Promise: the command does what its help says, and bad input gets one clear line."""

import gzip
import io
import json
import os
import random
import re
import shlex
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

import bpe_lab
from bpe_lab.commands import doctor
from bpe_lab.commands.cli import main, parser
from bpe_lab.support.files import TOKENIZER_FILES

Captured = pytest.CaptureFixture[str]

TEXT = "low lower widest newest low low newest\n" * 20


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> Callable[..., str]:
    """Type a command in the folder of the test, and return what it prints."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str | Path) -> str:
        assert main(list(map(str, words))) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture
def corpus(write_text: Callable[..., Path]) -> Path:
    return write_text(TEXT)


def test_the_same_training_writes_the_same_bytes_and_json_says_how_it_ran(
    corpus: Path, tmp_path: Path, capsys: Captured
) -> None:
    one, other = tmp_path / "a" / "deep" / "new" / "folder", tmp_path / "other"
    words = ["train", str(corpus), "--vocab-size", "270", "--json", "--out"]
    assert main([*words, str(one)]) == main([*words, str(other), "--stage", "naive"]) == 0
    said, _ = map(json.loads, capsys.readouterr().out.splitlines())  # a line for each training
    assert said["corpus"] == [{"name": corpus.name, "size_bytes": corpus.stat().st_size}]
    training = bpe_lab.train(corpus, 270, threads=2)
    training.save(tmp_path / "third")
    assert (said["merges_sha256"], said["n_merges"]) == (training.merges_sha256, 13)
    assert (said["stage"], said["counter"], said["threads"]) == ("core", "native", 1)
    assert sum(said["phases"].values()) == pytest.approx(said["seconds"], abs=1e-4)
    assert 5 < said["peak_rss_mb"] < 20_000  # of all tests of this process
    for name in TOKENIZER_FILES:
        written = (one / name).read_bytes()
        assert (other / name).read_bytes() == (tmp_path / "third" / name).read_bytes() == written
    tokenizer = bpe_lab.Tokenizer.load(one)
    assert tokenizer.decode(tokenizer.encode(TEXT)) == TEXT


# What the library refuses, tests/test_bad_input_api.py has.
BAD_INPUT = {
    "gone.txt": r"gone\.txt: No such file or directory",
    "'low/*.txt'": r"low/\*\.txt: no such file; for many files give low --glob '\*\.txt', in P",
    "'[a]*/b.md'": r"\[a\]\*/b\.md: no such file; .* give \. --glob '\[a\]\*/b\.md'",
    "'two\nlines'": r"two\\nlines: No such file",
    "ok.txt ./ok.txt": r"ok\.txt is named twice: name it once",
    "''": r"argument FILE: a path is empty: name a file",
    "- -": r"- \(standard input\) is named twice: it is read once",
    "- /dev/stdin": r"- \(standard input\) is named twice",
    "ok.txt --glob '*.txt'": r"--glob \*\.txt chooses files of a folder: name a folder",
    ". --glob '*.md'": r"\. is a folder without files like \*\.md: name another",
    "- --counter regex": r"standard .* by this counter: use native",
    "bad.txt": r"bad\.txt: invalid UTF-8 at byte offset 3 .*replace such bytes with --errors re",
    "bad.txt --special-token \ufffd --errors replace": "special .* --errors replace .*--errors s",
    "ok.txt --pattern gpt4": r"unknown pattern 'gpt4': .* of gpt2, ",
    "ok.txt --pattern '(a'": r"pattern '\(a' is not a regex \(missing .*: fix",
    "packed.gz --pattern .": r"packed\.gz is packed \(gzip\): your own regex .*; unpack it",
    "- --pattern .": r"standard input .* with your own regex: write the text to a",
    "ok.txt --vocab-size many": r"--vocab-size: 'many' is not a number such as 32000",
    "ok.txt --out ok.txt": r"ok\.txt\S*: Not a directory: name another",
    "ok.txt --out full": r"full/tokenizer\.bpe\.json exists: name another, or force it",
}


@pytest.mark.parametrize("words", BAD_INPUT)
def test_bad_input_gets_one_line_and_writes_nothing(
    words: str, tmp_path: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ok.txt").write_text("low low")
    (tmp_path / "bad.txt").write_bytes(b"abc\xffdef")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(b"low low"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "tokenizer.bpe.json").write_text("keep me")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"low")))
    before = sorted(tmp_path.rglob("*"))
    # What is typed last counts.
    said = refused("train", "--vocab-size", "258", "--out", "result", *shlex.split(words))
    assert re.match(rf"bpe-lab( train)?: error: .*{BAD_INPUT[words]}", said), said
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "line",
    ["train x --out", "bench x --file", "bench x --out", "report --results", "reproduce --out"],
)
def test_no_option_takes_an_empty_path_or_a_stream(
    line: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    # An empty one would be the folder we are in: `bench --out ""` wrote its records into it.
    command, *_, option = line.split()
    wrong = {"": "a path is empty", "-": r"- \(stand", "a\0b": r"path 'a\\x00b' holds a NUL byte"}
    for path, message in wrong.items():
        said = refused(*line.split(), path)
        assert re.match(rf"bpe-lab {command}: error: argument (-o/)?{option}: {message}", said)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_is_named(
    corpus: Path, tmp_path: Path, refused: Callable[..., str]
) -> None:
    (tmp_path / "locked").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    said = refused("train", "corpus.txt", "--vocab-size", "258", "--out", "locked/new")
    assert "folder locked cannot be written: name another" in said


def test_stages_lists_the_whole_registry(capsys: Captured) -> None:
    assert main(["stages"]) == 0
    shown = capsys.readouterr().out
    for entry in [*bpe_lab.STAGES.values(), *bpe_lab.COUNTERS.values()]:
        assert re.search(rf"^.*\b{entry.id}\b.*{re.escape(entry.idea)}", shown, re.MULTILINE)
    for pattern in bpe_lab.PATTERNS.values():
        assert re.search(rf"^{pattern.id} +{re.escape(pattern.title)}$", shown, re.MULTILINE)


MISTYPED = {
    "trian corpus.txt": r": error: unknown command 'trian': did you mean train\? \(see bpe-lab --h",
    "corpus mak": r" corpus: error: unknown command 'mak': did you mean make\? \(see bpe-lab corp",
    "learn a.txt": r": error: unknown command 'learn': choose one of train, count, .*, doctor \(",
    "--verison": r": error: unknown option '--verison': did you mean --version\? \(see bpe-lab --h",
    "export saved --format hugingface": r" export: error: .* --format 'hu.*: did you mean hugging",
    "bench counting --case x": r": error: unknown case 'x': choose one of .* and 1 more$",
    "train a.txt --vocab-size 300 --stage coree": r": error: unknown stage .* you mean core\?$",
    "train a.txt --vocab-size 300 --counter natve": r": error: unknown counter .* mean native\?$",
    "train a.txt --vocab-size 300 --pattern lama3": r": error: unknown pattern .* mean llama3\?$",
    # The option that it was meant for is required; options may follow FILE.
    "train a.txt --vocab_size=300 b.txt": r" train: .*you mean --vocab-size\? \(see bpe-lab t",
    "corpus make tinystories --sise 5M": r" corpus make: .*mean --size\? \(see bpe-lab corpus make",
    "corpus make novels --out a.txt": r".* unknown profile 'novels': choose one of tinystories",
    "corpus make tinystories --size 0 --out a.txt": r".* '0' is not a size such as 300",
    "corpus make tinystories --size 999999GB --out a.txt": r".* and its disk has",
    "corpus make tinystories --out .": r".* is a folder",
    "corpus": r".* the following arguments are required: ACTION",
    "stages more": r" stages: error: unrecognized arguments: more \(see bpe-lab stages --help",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_what_is_mistyped_is_told_what_was_meant(line: str, refused: Callable[..., str]) -> None:
    assert re.match(f"bpe-lab{MISTYPED[line]}", refused(*line.split()))
    assert not any(Path().iterdir())


def test_numbers_are_typed_as_usual_and_options_between_files() -> None:
    sizes = {"32k": 32_000, "1K": 1_000, "300": 300, "1e3": 1_000, "5M": 5_000_000, "1.1k": 1_100}
    for size, number in sizes.items():
        words = ["train", "a.txt", "--vocab-size", size, "--quiet", "b.txt", "--out", "out"]
        args = parser(words).parse_args(words)
        assert (args.vocab_size, list(map(str, args.files))) == (number, ["a.txt", "b.txt"])
    words = ["train", "--vocab-size", "300", "--", "--quiet"]
    assert parser(words).parse_args(words).files == [Path("--quiet")]


@pytest.mark.parametrize(
    "number", ["nan", "inf", "-0", "1e400", "1e-400", "9" * 5_000, "٣", "0x10"]
)
def test_what_is_no_number_is_refused(number: str, refused: Callable[..., str]) -> None:
    for line in (
        *("train x --vocab-size", "train x --vocab-size 300 --threads", "encode x --threads"),
        *("train x --vocab-size 300 --min-count", "bench --repeats", "bench --threads"),
        *("bench --vocab-size", "corpus make tinystories --out x --size"),
    ):
        said = refused(*line.split(), number)
        assert re.search(rf"argument {line.split()[-1]}: .* is not a (number|size|list) ", said)
        assert len(said) < 250
    # `1e-400` is 0.0, `٣` is 3.0.
    if number not in ("٣", "9" * 5_000):
        assert "seconds above 0" in refused("train", "x", "--time-budget", number)


def test_no_name_controls_the_terminal(corpus: Path, typed: Callable[..., str]) -> None:
    raw, shown = "out\x1b[2J", r"out\x1b[2J"
    train = typed("train", corpus, "--vocab-size", "270", "--out", raw)
    assert f"written: {shown}/ (tokenizer.bpe.json, " in train
    for line in (
        f"count {corpus} --out counts",
        "corpus make tinystories --size 1k --out made",
        f"encode {raw} {corpus} --out ids",
        f"decode {raw} ids{raw} --out text",
        f"export {raw} --format huggingface --out exported",
    ):
        assert f"written: {line.split()[-1]}{shown}" in typed(*f"{line}{raw}".split())
    assert (corpus.parent / f"text{raw}").read_text() == TEXT


@pytest.mark.filterwarnings("ignore:no pair is left")
def test_a_training_says_why_it_ended_and_how_fast_it_was(
    corpus: Path, typed: Callable[..., str]
) -> None:
    for words, reason in {
        "--vocab-size 258": "258 ids, 1 merges: reached the size asked for",
        "--vocab-size 9k": "merges: no pair is left",
        "--vocab-size 9k --min-count 50": "merges: no pair is left that occurs 50 times",
        "--vocab-size 9k --time-budget 1e-9": "0 merges: the next one would exceed the time budget",
    }.items():
        ended, took, *_ = typed("train", corpus, *words.split()).splitlines()
        assert reason in ended
        assert re.match(r"[\d.]+ [µm]?s, [\d.]+ [KM]B/s \(count .*; peak memory [\d.]+ MB$", took)


@pytest.mark.parametrize("line", ["--version", "", "--help", "train --help", "bench --help"])
def test_help_and_the_version_are_printed_and_exit_with_zero(line: str, capsys: Captured) -> None:
    with pytest.raises(SystemExit) as ended:
        main(line.split())
    assert ended.value.code == 0
    begin = f"bpe_lab {bpe_lab.__version__}\n" if line == "--version" else "usage: bpe-lab"
    assert capsys.readouterr().out.startswith(begin)


@pytest.mark.parametrize("command", ["bench", "reproduce", "try mine.py"])
def test_on_windows_a_command_that_needs_another_system_names_it(
    command: str, run_python: Callable[..., str]
) -> None:
    # As Windows has it: there is no module `resource`.
    program = "import sys; sys.modules['resource'] = None; sys.stderr = sys.stdout\n"
    program += f"from bpe_lab.commands.cli import main; print(main({command.split()}))"
    said = "bpe-lab: error: this command does not run on Windows: use WSL, with the clone inside"
    assert run_python(program) == f"{said} its own home\n2\n"


def test_reading_only_the_first_lines_is_no_error() -> None:
    command = f"{shlex.quote(sys.executable)} -m bpe_lab stages | head -1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True)
    assert done.stderr == b""


OF_TRAINING = "train --corpus worked_example --vocab-size 260 --quiet"


@pytest.mark.parametrize("line", ["stages", "stages --template", "doctor", f"{OF_TRAINING} --json"])
def test_a_result_that_is_printed_is_not_lost_where_nobody_reads_it(
    line: str, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)  # as Python has it where it is closed
    assert "standard output is closed" in refused(*line.split())


def test_a_result_that_is_a_file_needs_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main([*OF_TRAINING.split(), "--out", str(tmp_path / "out")]) == 0
    assert bpe_lab.load(tmp_path / "out").vocab


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    ("line", "unbuffered"),
    [("stages", ""), ("encode saved", "1"), ("train --help", "")],
)
def test_a_full_disk_behind_standard_output_is_one_line(
    line: str, unbuffered: str, tmp_path: Path
) -> None:
    bpe_lab.train_from_counts({b"low": 5}, 258).tokenizer().save(tmp_path / "saved")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "bpe_lab", *line.split()],
            cwd=tmp_path,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            input=b"low",
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=120,
        )
    # Without a flush Python says it itself when it ends, in two lines, with 120.
    begin = b"bpe-lab: error: standard output cannot be written: No space left on device: "
    assert done.stderr.startswith(begin) and done.stderr.count(b"\n") == 1
    assert done.returncode == 2


def many_words() -> bytes:
    return b"".join(b"word%d " % number for number in range(300_000))


DROPPED = """
import os, signal, sys, threading, time, weakref
from bpe_lab.commands import cli, doctor

class Word: pass

class Timer(threading.Timer):
    def start(self):
        if sys.argv[1:]:  # another signal comes, once
            os.kill(os.getpid(), int(sys.argv.pop()))
        super().start()

threading.Timer = Timer

def run(args):
    word = Word()
    watched = weakref.ref(word, lambda _: os.kill(os.getpid(), signal.SIGTERM))
    del word  # what the callback raises is dropped
    time.sleep(60)
    return 0

doctor.run = run
print(cli.main(["doctor"]), file=sys.stderr)
"""


def test_of_two_signals_one_ends_the_command_wherever_the_other_comes(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    def interrupted(args: object) -> int:
        nonlocal left
        left = steps
        sys.settrace(trace)
        frame: FrameType | None = sys._getframe()
        while frame := frame and frame.f_back:
            frame.f_trace = trace
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the first one is not heard")

    def trace(frame: FrameType, event: str, _: object) -> object:
        nonlocal left
        # In `main` the handlers are those of the tests again.
        if Path(frame.f_code.co_filename) != cli or frame.f_code.co_name == "main":
            return None
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGTERM)
        return trace

    monkeypatch.setattr(doctor, "run", interrupted)
    cli, steps, left = Path(doctor.__file__).with_name("cli.py"), 0, 0
    while left <= 0:  # the other one came before the command was over
        steps += 1
        try:
            code = main(["doctor"])
        finally:
            sys.settrace(None)
        assert code in (130, 143), steps
        assert capsys.readouterr().err == "bpe-lab: interrupted, nothing was written\n", steps
    assert steps > 10


LATE = """
import atexit, signal, sys
from bpe_lab.__main__ import main

atexit.register(lambda: print(signal.getsignal(signal.SIGTERM), file=sys.stderr))  # called last
sys.argv[1:] = ["stages"]
sys.exit(main())
"""


def test_a_signal_after_the_work_changes_no_exit_code() -> None:
    # Python puts back what it had for signals before it takes down its modules, which takes long.
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, f"{signal.SIG_IGN}\n".encode())


OTHER_THREAD = """
import os, signal, sys, threading
from bpe_lab.commands import cli, doctor

over = threading.Event()

def run(args):
    if (child := os.fork()) == 0:  # what comes to a child is none of ours
        os.kill(os.getpid(), signal.SIGALRM)
        os._exit(signal.set_wakeup_fd(-1) != -1)
    assert os.waitpid(child, 0)[1] == 0
    other = threading.Thread(target=over.wait, daemon=True)
    other.start()
    signal.pthread_kill(other.ident, signal.SIGTERM)
    over.wait(60)
    return 0

signal.signal(signal.SIGALRM, lambda *_: None)
doctor.run = run
print(cli.main(["doctor"]), file=sys.stderr)
"""


@pytest.mark.parametrize("words", [[DROPPED], [DROPPED, str(int(signal.SIGINT))], [OTHER_THREAD]])
def test_a_signal_is_not_lost_where_python_drops_it_or_another_thread_has_taken_it(
    words: list[str],
) -> None:
    # Where the main thread waits, as in the last one, or goes on, it did so to the end.
    program = [sys.executable, "-W", "ignore", "-c", *words]
    ended = subprocess.run(program, capture_output=True, text=True, timeout=120)
    assert ended.stderr == "bpe-lab: interrupted, nothing was written\n143\n"


def random_letters() -> bytes:
    letters = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))
    return random.Random(14).randbytes(30_000_000).translate(letters)


LONG_PARTS: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    # counter, stage, text; each takes many seconds, in Python, in other processes and in C++
    "count (regex_par": ("regex_parallel", "word_counts", lambda: many_words() * 30),
    "merge (word_counts": ("native", "word_counts", many_words),
    # The same 16 MB again and again: reading is what takes the time, not the disk's room.
    "count (native": ("native", "core", lambda: gzip.compress(b"best of times, " * 10**6) * 700),
    "merge (core": ("native", "core", random_letters),
}


@pytest.mark.slow
@pytest.mark.parametrize("bar", LONG_PARTS)
def test_several_signals_leave_no_process_and_no_output(bar: str, tmp_path: Path) -> None:
    counter, stage, text = LONG_PARTS[bar]
    path, out = tmp_path / "long.txt", tmp_path / "out"
    path.write_bytes(text())
    words = ["train", path, "--vocab-size", "5000000", "--out", out, "--threads", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", *words, "--counter", counter, "--stage", stage],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    shown = ""
    # Of workers, until they have begun: before, Python itself says where it was.
    while bar not in shown or (counter == "regex_parallel" and "M/" not in shown.partition(bar)[2]):
        shown += (character := process.stderr.read(1))
        assert character, f"ended before it was interrupted: {shown}"
    for pause in (0.02, 0.05, 0.2):
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM if pause > 0.1 else signal.SIGINT)
        time.sleep(pause)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode in (130, 143)
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1] == "bpe-lab: interrupted, nothing was written"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ProcessLookupError):  # Nobody of its group is left.
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.1)


@pytest.mark.parametrize("module", ["argparse", "bpe_lab.counting.native_counter"])
def test_ctrl_c_while_modules_are_loaded_is_one_line(module: str, tmp_path: Path) -> None:
    # It comes when this module is looked for.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}: print('pressed', flush=True); os.kill(os.getpid(), 2)\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    folders = os.pathsep.join([str(tmp_path), str(Path(bpe_lab.__file__).parents[1])])
    done = subprocess.run(
        [sys.executable, "-m", "bpe_lab", "train", "--corpus", "stories", "--vocab-size", "300"],
        env={**os.environ, "PYTHONPATH": folders},
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (130, "pressed\n")
    assert done.stderr == "bpe-lab: interrupted, nothing was written\n"
