"""Promise: a full or read-only disk, a vanished input, or a killed process spoils no result."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import faults
import psutil
import pytest

import bpe_lab
from bpe_lab import corpora
from bpe_lab.counting.source import TextFile
from bpe_lab.support import files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mounts disks, sends signals")


def mount(*words: str | Path) -> None:
    done = subprocess.run(["mount", "-t", "tmpfs", *words], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"only root mounts a disk, and not in every container: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    (folder := tmp_path / "disk").mkdir()
    mount("-o", "size=1m", "tmpfs", folder)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


COMMANDS = {
    "train": ["train", "text", "--vocab-size", "300", "--quiet", "--out", "disk/out"],
    "count": ["count", "text", "--quiet", "--out", "disk/out"],
    "encode": ["encode", "tokenizer", "text", "--quiet", "--out", "disk/out"],
}


def prepare(folder: Path) -> None:
    (folder / "text").write_bytes(corpora.path("stories").read_bytes())
    tokenizer = bpe_lab.train_from_counts({b"low": 1}, 258).tokenizer()
    tokenizer.save(folder / "tokenizer")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_one_line_and_no_file(
    name: str, disk: Path, refused: Callable[..., str]
) -> None:
    prepare(disk.parent)
    with (disk / "other").open("wb", 0) as stream, pytest.raises(OSError, match="No space"):
        while True:
            stream.write(bytes(4096))
    assert "No space left on device" in refused(*COMMANDS[name])
    assert [path.name for path in disk.rglob("*") if path.is_file()] == ["other"]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_disk_that_turns_read_only_while_the_work_goes_on_is_one_line(
    name: str, disk: Path, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(disk.parent)
    real = files.temp_sibling

    def from_then_on_read_only(target: Path) -> Path:
        mount("-o", "remount,ro", disk)
        return real(target)

    monkeypatch.setattr(files, "temp_sibling", from_then_on_read_only)
    assert "Read-only file system" in refused(*COMMANDS[name])
    assert not [path for path in disk.rglob("*") if path.is_file()]


@pytest.mark.parametrize("counter", ["native", "regex"])
def test_an_input_that_vanishes_while_it_is_read_is_named(
    counter: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path := tmp_path / "text").write_bytes(b"low lower\n" * 400_000)
    real = TextFile.readinto

    def vanishes(file: TextFile, start: int, into: memoryview) -> int:
        path.unlink()
        return real(file, start, into)

    monkeypatch.setattr(TextFile, "readinto", vanishes)
    with pytest.raises(FileNotFoundError) as caught:
        bpe_lab.count_words(path, counter=counter, threads=1)
    assert caught.value.filename == str(path)


def test_a_killed_worker_is_one_line_and_no_process_is_left(tmp_path: Path) -> None:
    (path := tmp_path / "text").write_bytes(corpora.path("stories").read_bytes() * 20)
    words = ["train", path, "--vocab-size", "300", "--counter", "regex_parallel", "--threads", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", *words, "--quiet", "--out", tmp_path / "out"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    workers: list[psutil.Process] = []
    while not workers:
        assert running.poll() is None and time.monotonic() < deadline
        for child in psutil.Process(running.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # a short one has ended meanwhile
                workers += [child] if "spawn_main" in " ".join(child.cmdline()) else []
    workers[0].send_signal(signal.SIGKILL)
    said = running.communicate(timeout=60)[1]
    assert running.returncode not in (0, None) and said.count("\n") == 1, said
    assert said.startswith("bpe-lab: error: ") and "worker" in said
    assert not faults.group_is_left(running.pid) and not list((tmp_path / "out").glob("*"))


@pytest.mark.parametrize("name", faults.COMMANDS)
def test_a_signal_at_a_random_moment_damages_nothing(name: str, tmp_path: Path) -> None:
    figures = faults.try_moments(name, tmp_path, seed=46, moments=1)
    assert figures.pop("moments") == 1
    assert not any(figures.values()), figures
