"""Promise: a full or read-only disk, a vanished input, or a killed process spoils no result."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import faults
import psutil
import pytest

import bpe_lab
from bpe_lab import corpora
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


COMMANDS = ("train text --vocab-size 300", "count text", "encode tokenizer text")


def fill(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (disk / "other").open("wb", 0) as stream, pytest.raises(OSError, match="No space"):
        while True:
            stream.write(bytes(4096))


def make_read_only_while_the_work_goes_on(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def temp_sibling(target: Path) -> Path:
        mount("-o", "remount,ro", disk)
        return target.with_name("hidden")

    monkeypatch.setattr(files, "temp_sibling", temp_sibling)


SPOILT = [(fill, "No space left on device: make room, or use another disk")]
SPOILT += [(make_read_only_while_the_work_goes_on, "Read-only file")]


@pytest.mark.parametrize(("spoil", "message"), SPOILT)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_disk_that_takes_nothing_is_one_line_and_no_file(
    command: str,
    spoil: Callable[[Path, pytest.MonkeyPatch], None],
    message: str,
    disk: Path,
    refused: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (disk.parent / "text").write_bytes(corpora.path("stories").read_bytes())
    bpe_lab.train_from_counts({b"low": 1}, 258).tokenizer().save(disk.parent / "tokenizer")
    spoil(disk, monkeypatch)
    assert message in refused(*command.split(), "--quiet", "--out", "disk/new/out")
    # From a disk that is read-only now, a folder cannot be removed.
    left = [path for path in disk.rglob("*") if path.is_file() or spoil is fill]
    assert {path.name for path in left} <= {"other"}


def test_a_killed_worker_is_one_line_and_no_process_is_left(tmp_path: Path) -> None:
    (path := tmp_path / "text").write_bytes(corpora.path("stories").read_bytes() * 20)
    words = ["train", path, "--vocab-size", "300", "--counter", "regex_parallel", "--threads", "2"]
    running = subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", *words, "--quiet", "--out", tmp_path / "out"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    worker = None
    while worker is None:
        assert running.poll() is None
        for child in psutil.Process(running.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # a short one has ended meanwhile
                worker = child if "spawn_main" in " ".join(child.cmdline()) else worker
    worker.kill()
    said = running.communicate(timeout=60)[1]
    assert running.returncode not in (0, None) and said.count("\n") == 1, said
    assert said.startswith("bpe-lab: error: ") and "worker" in said
    assert not faults.group_is_left(running.pid) and not list((tmp_path / "out").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize("name", faults.COMMANDS)
def test_a_signal_at_a_random_moment_damages_nothing(name: str, tmp_path: Path) -> None:
    figures = faults.try_moments(name, tmp_path, seed=46, moments=1)
    assert figures.pop("moments") == 1
    assert not any(figures.values()), figures
