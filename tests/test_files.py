"""Promise: a result is put in place whole or not at all, and only where a file may be."""

import contextlib
import json
import os
import re
import signal
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab.bench import reproduce
from bpe_lab.commands import cli
from bpe_lab.support import files, signals
from bpe_lab.support.files import TOKENIZER_FILES, check_file, write_file

LONG = "n" * 300

# What stands in the place of a file and is none. A rename would put a file in its place.


NO_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (os.mkfifo, "is a pipe or a device: name a file"),
    "folder": (Path.mkdir, "is a folder: name a file"),
}


def kinds(folder: Path) -> dict[str, int]:
    """Return what lies in a folder, and of which kind it is."""
    return {entry.name: stat.S_IFMT(entry.lstat().st_mode) for entry in folder.iterdir()}


@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_never_replaced_by_one(kind: str, tmp_path: Path) -> None:
    make, message = NO_FILES[kind]
    target = tmp_path / TOKENIZER_FILES[0]
    make(target)
    before = kinds(tmp_path)
    saves = partial(OLD.tokenizer().save, tmp_path, force=True)
    for refuse in (partial(check_file, target), partial(write_file, target, b"new"), saves):
        with pytest.raises(OSError, match=message):
            refuse()
    assert kinds(tmp_path) == before


BENCH = "bench ladder --scale tiny --case core --repeats 1 --quiet --out out"
TRAIN = "train gone.txt --vocab-size 259 --force --out out"
REPORT = "report --results gone --out out"
REPRODUCE = "reproduce --force --out out"

TARGETS = [
    (BENCH, "out/ladder.jsonl", "pipe"),
    (BENCH, "out/figures", "pipe"),
    (BENCH, "out/figures/ladder.png", "folder"),
    *((TRAIN, f"out/{name}", "folder") for name in TOKENIZER_FILES),
    (REPORT, "out", "folder"),
    (REPRODUCE, "out/notes", "pipe"),
]


@pytest.mark.parametrize(("words", "target", "kind"), TARGETS)
def test_a_command_looks_at_its_targets_before_it_works(
    words: str, target: str, kind: str, refused: Callable[..., str]
) -> None:
    # What is to be read is missing, too.
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    NO_FILES[kind][0](Path(target))
    before = sorted(Path().rglob("*"))
    assert re.search(rf"\b{Path(target).name}\b", refused(*words.split()))
    assert sorted(Path().rglob("*")) == before


@pytest.mark.parametrize("step", [1, 2])
def test_a_signal_waits_until_reproduce_has_its_folder_in_place(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("made", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").touch()
    rename, steps = Path.rename, iter([1, 2])

    def interrupted(self: Path, target: Path) -> Path:
        if next(steps) == step:
            signal.raise_signal(signal.SIGINT)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        reproduce.put_in_place(tmp_path / "made", tmp_path / "out")
    assert (tmp_path / "out" / "made.txt").exists()


def test_reproduce_without_force_keeps_what_came_meanwhile(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "out" / "other").mkdir(parents=True)
    with pytest.raises(FileExistsError, match="out was made by another program meanwhile"):
        reproduce.put_in_place(tmp_path / "made", tmp_path / "out", force=False)
    (tmp_path / "out" / "other").rmdir()
    reproduce.put_in_place(tmp_path / "made", tmp_path / "out", force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_folders_above_a_file_are_made(tmp_path: Path) -> None:
    # What is written aside must not have a longer name than the file: 63 times 4 bytes are allowed.
    long = tmp_path / "a" / "b" / ("🙂" * 63)
    check_file(long)
    write_file(long, b"new")
    assert long.read_bytes() == b"new"


@pytest.mark.parametrize("words", [BENCH, TRAIN, REPORT, REPRODUCE])
def test_a_name_that_is_too_long_is_found_before_the_work(
    words: str, tmp_path: Path, refused: Callable[..., str]
) -> None:
    said = refused(*words.split()[:-1], LONG)
    assert re.fullmatch(rf"bpe-lab: error: {LONG}\S*: \S.*: name another\n", said)
    assert list(tmp_path.iterdir()) == []


# A tokenizer in the place of another one. The old one has all files; the new one none of
# Hugging Face's form, for its special token is spelled like a merge.

OLD = bpe_lab.train_from_counts({b"low": 5, b"newest": 6}, 262, ["<old>"])
NEW = bpe_lab.train_from_counts({b"widest": 5, b"low": 3}, 263, ["wi"])
HELD = bpe_lab.train_from_counts({b"widest": 5}, 260, ["<new>"])

PROGRAM = """
import io, json, os, signal, sys, time
from pathlib import Path
import bpe_lab

place, new = Path(sys.argv[1]), bpe_lab.Tokenizer.load(sys.argv[2])

def counted(real):
    def call(*words, **more):
        global calls
        calls += 1
        if calls == step:
            exec(deed, globals())
        return real(*words, **more)
    return call

for name, (functions, step, deed, saves) in json.loads(sys.argv[3]).items():
    if child := os.fork():
        print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    folder, calls = place / name, 0
    old = bpe_lab.Tokenizer.load(folder)
    for function in functions:
        owner = io if function == "open" else os
        setattr(owner, function, counted(getattr(owner, function)))
    exec(saves)
    os._exit(0)
"""


def contents(folder: Path) -> dict[str, bytes]:
    """Return the files that a reader sees; the hidden ones are not for him."""
    return {file.name: file.read_bytes() for file in folder.glob("[!.]*")}


def saved(training: bpe_lab.Training, folder: Path) -> dict[str, bytes]:
    """Return the files of a tokenizer, saved once more."""
    training.tokenizer().save(folder, force=True)
    return contents(folder)


SAVE = "new.save(folder, force=True)"

Case = tuple[Sequence[str], int, str, str]
"""Functions of `os`, and `io.open`; at which of their calls what is done; and how it is saved."""


def saved_in_children(cases: dict[str, Case], place: Path, new: bpe_lab.Training) -> dict[str, int]:
    """Replace the old tokenizer by another one, in a process per case; return how each ended."""
    new.tokenizer().save(place.with_name("new"))
    for name in cases:
        OLD.tokenizer().save(place / name)
        (place / name / "notes").write_text("mine")
    program = [sys.executable, "-W", "ignore", "-c", PROGRAM]
    words = [*program, place, place.with_name("new"), json.dumps(cases)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True) as running:
        try:
            assert running.wait(60) == 0
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)  # children, too
        assert running.stdout is not None
        ended = dict(line.split() for line in running.stdout.read().decode().splitlines())
    assert ended.keys() == cases.keys()
    return {name: int(code) for name, code in ended.items()}


EVENTS = ("open", "replace", "unlink", "mkdir", "write")


@pytest.mark.filterwarnings("ignore:.*left out")
@pytest.mark.parametrize("new", [HELD, NEW], ids=["all files", "own file"])
def test_who_is_killed_at_any_file_event_leaves_the_old_tokenizer_or_the_new_one(
    new: bpe_lab.Training, tmp_path: Path
) -> None:
    old, fresh = saved(OLD, tmp_path / "old"), saved(new, tmp_path / "fresh")
    kill = "os.kill(os.getpid(), signal.SIGKILL)"
    cases: dict[str, Case] = {str(step): (EVENTS, step, kill, SAVE) for step in range(1, 61)}
    ended = saved_in_children(cases, tmp_path / "killed", new)
    killed = [int(step) for step, code in ended.items() if code == -signal.SIGKILL]
    assert killed == list(range(1, len(killed) + 1)) and len(killed) < len(ended)
    assert set(ended.values()) == {-9, 0}
    states = set()
    for step in killed:
        folder = tmp_path / "killed" / str(step)
        seen = contents(folder)
        assert seen.pop("notes") == b"mine"
        # The lab's own file decides; of the others none is of another tokenizer.
        assert TOKENIZER_FILES[0] in seen
        assert seen.items() <= old.items() or seen.items() <= fresh.items()
        # transformers reads how to load tokenizer.json in the other file: it finds both, or none.
        assert "tokenizer.json" not in seen or "tokenizer_config.json" in seen
        whole = old if seen[TOKENIZER_FILES[0]] == old[TOKENIZER_FILES[0]] else fresh
        with warnings.catch_warnings(record=True) as said:
            bpe_lab.load(folder)
        assert len(said) == ("tokenizer.json" in whole.keys() - seen.keys())
        states.add("old" if seen == old else "new" if seen == fresh else "between")
        assert saved(new, folder) == fresh | {"notes": b"mine"}
    assert states == {"old", "between", "new"}


def test_a_signal_a_handler_and_a_child_leave_the_old_one_or_the_new_one(tmp_path: Path) -> None:
    old, held = (saved(one, tmp_path / name) for name, one in {"old": OLD, "held": HELD}.items())
    # Its child has the lock's file open for as long as it lives.
    forks: Case = (["replace"], 1, "os.fork() or time.sleep(600)", f"{SAVE}; {SAVE}")
    cases = {"fork": forks}
    expected = {"fork": (0, held)}
    for name in ("SIGTERM", "SIGUSR1"):
        handler = f"signal.signal(signal.{name}, lambda *_: old.save(folder, force=True))"
        deed = f"signal.raise_signal(signal.{name})"
        cases[f"handler-{name}"] = (["replace"], 1, deed, f"{handler}; {SAVE}")
        expected[f"handler-{name}"] = 0, old
    for function in ("open", "unlink", "replace"):
        for name in ("SIGINT", "SIGTERM", "SIGHUP") if function != "open" else ["SIGINT"]:
            deed = f"os.kill(os.getpid(), signal.{name})"
            cases[f"{name}-{function}"] = ([function], 2, deed, SAVE)
            left = old if function == "open" else held
            expected[f"{name}-{function}"] = -getattr(signal, name), left
    ended = saved_in_children(cases, tmp_path / "saves", HELD)
    for name, (code, left) in expected.items():
        folder = tmp_path / "saves" / name
        assert (ended[name], contents(folder)) == (code, left | {"notes": b"mine"}), name
        assert not [entry for entry in folder.iterdir() if entry.name.startswith(".")], name


def test_all_signals_that_were_held_are_sent_and_all_handlers_put_back() -> None:
    came: list[int] = []

    def fail(number: int, _: object) -> None:
        came.append(number)
        raise InterruptedError

    both = [signal.SIGUSR1, signal.SIGUSR2]
    before = {number: signal.signal(number, fail) for number in both}
    try:
        with pytest.raises(InterruptedError), files.hold_signals():
            for number in both:
                signal.raise_signal(number)
            assert came == []
        assert (sorted(came), [signal.getsignal(number) for number in both]) == (both, [fail, fail])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize(
    ("method", "said"), [("write_bytes", "nothing was written"), ("replace", "written: out")]
)
def test_what_is_said_after_a_ctrl_c_is_true(
    method: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text").write_text("low lower low")
    real = getattr(Path, method)

    def interrupted(*words: Any) -> Any:
        signal.raise_signal(signal.SIGINT)
        return real(*words)

    monkeypatch.setattr(signals, "on_signals", lambda handler: None)  # those of the tests stay
    monkeypatch.setattr(Path, method, interrupted)
    assert cli.main(["train", "text", "--vocab-size", "259", "--quiet", "--out", "out"]) == 130
    assert re.fullmatch(rf"bpe-lab: interrupted[,;] {said}\n", capsys.readouterr().err)
    there = sorted(path.name for path in Path().glob("out/*"))
    assert there == (sorted(TOKENIZER_FILES) if method == "replace" else [])
    assert Path("out").exists() == (method == "replace")


def test_folders_of_which_the_last_cannot_be_made_are_removed(tmp_path: Path) -> None:
    tokenizer = bpe_lab.train_from_counts({b"low": 1}, 258).tokenizer()
    with pytest.raises(OSError, match="File name too long"):
        tokenizer.save(tmp_path / "new" / "below" / ("a" * 256))
    assert list(tmp_path.iterdir()) == []


def test_links_stay_and_what_they_lead_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    (tmp_path / "elsewhere").write_text("old")
    (tmp_path / "over").symlink_to("elsewhere")
    link = tmp_path / "out" / TOKENIZER_FILES[0]
    link.symlink_to("../over")
    check_file(link)
    tokenizer = OLD.tokenizer()
    for save in (lambda: write_file(link, b"new"), lambda: tokenizer.save(link.parent, force=True)):
        save()
        assert (tmp_path / "out").is_symlink() and link.is_symlink()
        assert not (tmp_path / "elsewhere").is_symlink()
        assert (tmp_path / "elsewhere").read_bytes() == link.read_bytes() != b"old"
    assert bpe_lab.Tokenizer.load(tmp_path / "elsewhere").vocab == OLD.vocab
    assert kinds(tmp_path).keys() == {"disk", "out", "elsewhere", "over"}


def test_a_link_that_leads_nowhere_is_written_through(tmp_path: Path) -> None:
    (tmp_path / "out").symlink_to("disk/new")
    OLD.tokenizer().save(tmp_path / "out")
    write_file(tmp_path / "out" / "more", b"more")
    there = {file.name for file in (tmp_path / "disk" / "new").iterdir()}
    assert there == {*TOKENIZER_FILES, "more"}


def test_what_a_killed_writer_left_is_removed_and_no_more(tmp_path: Path) -> None:
    left, folder = (files.temp_sibling(tmp_path / "out") for _ in range(2))
    left.write_bytes(b"a part")
    (folder / "made").mkdir(parents=True)
    (folder / "made" / "file").write_bytes(b"a part")
    (other := tmp_path / ".bpe_lab-notes").write_bytes(b"of the user")
    os.mkfifo(pipe := files.temp_sibling(tmp_path / "out"))  # looked at without waiting
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (link := files.temp_sibling(tmp_path / "out")).symlink_to(elsewhere)
    one, two = files.atomic_write(tmp_path / "one"), files.folder_aside(tmp_path / "two")
    with one as stream, two as aside:
        (aside / "file").write_bytes(b"new")
        hidden = {path for path in tmp_path.iterdir() if path.name.startswith(".")}
        assert len(hidden - {other, pipe, link}) == 2, "what nobody writes is gone"
        write_file(tmp_path / "three", b"new")
        files.write_files(tmp_path, {"four": b"new"}, ["four"])
        assert hidden == {path for path in tmp_path.iterdir() if path.name.startswith(".")} - {pipe}
        stream.write(b"new")
        (aside / "file").rename(tmp_path / "two")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == {
        **dict.fromkeys(("one", "two", "three", "four"), b"new"), other.name: b"of the user"
    }  # fmt: skip
    assert link.is_symlink() and elsewhere.is_dir()


def test_a_file_that_another_writer_removed_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, removed = files.fcntl.flock, []

    def remove_first(opened: int, how: int) -> None:
        if not removed:
            [path] = tmp_path.iterdir()
            removed.append(path.unlink())
        lock(opened, how)

    monkeypatch.setattr(files.fcntl, "flock", remove_first)
    with files.atomic_write(tmp_path / "file") as stream:
        stream.write(b"new")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"new"] and removed


def test_without_force_a_file_that_came_while_one_waited_stays(tmp_path: Path) -> None:
    target = tmp_path / "file"
    with ThreadPoolExecutor(1) as pool:
        with files.only_writer(tmp_path):
            late = pool.submit(write_file, target, b"late", force=False)
            time.sleep(0.3)
            target.write_bytes(b"first")
        with pytest.raises(FileExistsError, match="was made by another program meanwhile"):
            late.result()
    assert target.read_bytes() == b"first"


def test_of_two_writers_without_force_the_first_wins(tmp_path: Path) -> None:
    file = tmp_path / "file"
    refused = pytest.raises(FileExistsError, match="file was made by another program meanwhile")
    with refused, files.atomic_write(file, force=False) as stream:
        stream.write(b"second")
        files.write_parts(file, [b"first"], force=False)
    assert file.read_bytes() == b"first"
    files.write_files(tmp_path, {"a": b"first"}, ["a", "b"], force=False)
    with pytest.raises(FileExistsError, match="a was made by another program meanwhile"):
        files.write_files(tmp_path, {"b": b"second"}, ["a", "b"], force=False)
    assert {path.name for path in tmp_path.iterdir()} == {"file", "a"}


def test_ctrl_c_ends_a_save_that_waits_for_another_writer(tmp_path: Path) -> None:
    program = """if True:
        import pathlib, signal, sys, threading
        from bpe_lab.support import files
        threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
        folder = pathlib.Path(sys.argv[1])
        files.write_files(folder, {"a": b"new"}, ["a"])
    """
    with files.only_writer(tmp_path):
        done = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True)
    assert b"KeyboardInterrupt" in done.stderr and not [*tmp_path.iterdir()]
