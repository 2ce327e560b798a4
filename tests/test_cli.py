"""Promise: the command does what its help says, and bad input gets one clear line."""

import gzip
import io
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab
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
    "'two\nlines'": r"two\\nlines: .*no such file",
    "''": r"argument FILE: .*path",
    "- -": r"a stream is named twice",
    ". --glob '*.md'": r"\. holds no file of text like \*\.md",
    "- --counter regex": r"standard input .*native",
    "bad.txt": r"bad\.txt: not UTF-8: byte 0xff at 3",
    "ok.txt --pattern gpt4": r"unknown pattern 'gpt4': .* of gpt2, ",
    "packed.gz --pattern .": r"packed\.gz is packed \(gzip\): unpack it",
    "ok.txt --vocab-size many": r"--vocab-size: 'many' is not a number such as 32000",
    "ok.txt --out ok.txt": r"ok\.txt\S*: .* cannot be written: name another",
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
    for path in ("", "-"):
        said = refused(*line.split(), path)
        assert said.startswith(f"bpe-lab {command}: error: argument {option}: {path!r} is no path")
    assert list(tmp_path.iterdir()) == []


def test_stages_lists_the_whole_registry(capsys: Captured) -> None:
    assert main(["stages"]) == 0
    shown = capsys.readouterr().out
    for entry in [*bpe_lab.STAGES.values(), *bpe_lab.COUNTERS.values()]:
        assert re.search(rf"^.*\b{entry.id}\b.*{re.escape(entry.idea)}", shown, re.MULTILINE)
    for pattern in bpe_lab.PATTERNS.values():
        assert re.search(rf"^{pattern.id} +{re.escape(pattern.title)}$", shown, re.MULTILINE)


MISTYPED = {
    "trian corpus.txt": r": error: argument COMMAND: invalid choice: 'trian' .*train",
    "--verison": r": error: the following arguments are required: COMMAND",
    "train a.txt --vocab-size 300 --stage coree": r": error: unknown stage .*, core; or name",
    # The option that it was meant for is required; options may follow FILE.
    "train a.txt --vocab_size=300 b.txt": r" train: .* required: --vocab-size",
    "corpus make tinystories --sise 5M": r" corpus: error: unrecognized arguments: --sise 5M",
    "corpus make novels --out a.txt": r".* unknown profile 'novels': choose one of tinystories",
    "corpus make tinystories --size 0 --out a.txt": r".* the size is 0 bytes: give 1 or more",
    "corpus make tinystories": r": error: .*--out",
    "stages more": r" stages: error: unrecognized arguments: more",
}


@pytest.mark.parametrize("line", MISTYPED)
def test_what_is_mistyped_is_told_what_was_meant(line: str, refused: Callable[..., str]) -> None:
    assert re.match(f"bpe-lab{MISTYPED[line]}", refused(*line.split()))
    assert not any(Path().iterdir())


def test_numbers_are_typed_as_usual_and_options_between_files() -> None:
    sizes = {"32k": 32_000, "1K": 1_000, "300": 300, "1e3": 1_000, "5M": 5_000_000, "1.1k": 1_100}
    for size, number in sizes.items():
        words = ["a.txt", "--vocab-size", size, "--quiet", "b.txt", "--out", "out"]
        args = parser("train").parse_intermixed_args(words)
        assert (args.vocab_size, list(map(str, args.files))) == (number, ["a.txt", "b.txt"])


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
        assert re.search(rf"argument {line.split()[-1]}: .* is not a number ", said)
        assert len(said) < 250
    # `٣` is 3.0.
    if number not in ("٣", "9" * 5_000):
        words = ("train", "x", "--vocab-size", "300", "--time-budget")
        assert re.search("seconds above 0|invalid float", refused(*words, number))


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


def many_words() -> bytes:
    return b"".join(b"word%d " % number for number in range(300_000))


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
def test_ctrl_c_leaves_no_process_and_no_output(bar: str, tmp_path: Path) -> None:
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
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in stderr
    assert stderr.splitlines()[-1] == "bpe-lab: interrupted"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ProcessLookupError):  # Nobody of its group is left.
        while True:
            os.killpg(process.pid, 0)
            time.sleep(0.1)
