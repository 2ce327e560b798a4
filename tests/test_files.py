"""Promise: a result is put in place whole or not at all, and only where a file may be."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab.cli import main
from bpe_lab.files import check_file, check_folder, write_aside

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no such files and signals")

LONG = "n" * 300

# What stands in the place of a file and is none. A rename would put a file in its place.


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    """Make a device that refuses all that is written, as /dev/full does."""
    try:
        os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 7))
    except PermissionError:
        pytest.skip("only root makes devices, and not in every container")


def make_dangling(path: Path) -> None:
    path.symlink_to("nowhere")


NO_FILES: dict[str, tuple[Callable[[Path], None], str]] = {
    "pipe": (make_pipe, "is a pipe or a device: name a file"),
    "device": (make_device, "is a pipe or a device: name a file"),
    "link to nothing": (make_dangling, "is a link to nothing: mend it, or give another name"),
    "folder": (Path.mkdir, "is a folder: name a file in it"),
}


def kinds(folder: Path) -> dict[str, int]:
    """Return what lies in a folder, and of which kind it is."""
    return {entry.name: stat.S_IFMT(entry.lstat().st_mode) for entry in folder.iterdir()}


@posix
@pytest.mark.parametrize("kind", NO_FILES)
def test_what_is_no_file_is_never_replaced_by_one(kind: str, tmp_path: Path) -> None:
    make, message = NO_FILES[kind]
    target = tmp_path / "result"
    make(target)
    before = kinds(tmp_path)
    for refuse in (lambda: check_file(target), lambda: write_aside(target, b"new")):
        with pytest.raises(OSError, match=message):
            refuse()
    assert kinds(tmp_path) == before


@posix
@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", ["ladder.jsonl", "ladder.md", "ladder.pyperf.json", "figures"])
def test_bench_looks_at_all_its_files_before_it_measures(
    kind: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pyperf", reason="pyperf is in the extra `lab`")
    if (kind, name) == ("folder", "figures"):
        name = "figures/ladder.png"
        (tmp_path / "figures").mkdir()
    target = tmp_path / name
    NO_FILES[kind][0](target)
    before = kinds(tmp_path)
    words = ["bench", "ladder", "--scale", "tiny", "--case", "core", "--repeats", "1", "--quiet"]
    assert main([*words, "--out", str(tmp_path)]) == 2
    captured = capsys.readouterr()
    assert re.fullmatch(rf"bpe-lab: error: .*{name}.*\n", captured.err)
    assert captured.out == "", "nothing was measured"
    assert kinds(tmp_path) == before


@posix
@pytest.mark.parametrize("kind", NO_FILES)
def test_the_report_is_not_made_for_what_is_no_file(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mistune", reason="mistune is in the extra `lab`")
    make, message = NO_FILES[kind]
    out = tmp_path / "page.html"
    make(out)
    before = kinds(tmp_path)
    # The folder of records is missing, too: the page's name is looked at first.
    assert main(["report", "--results", str(tmp_path / "gone"), "--out", str(out)]) == 2
    assert message in capsys.readouterr().err
    assert kinds(tmp_path) == before


@posix
@pytest.mark.parametrize("kind", sorted(NO_FILES.keys() - {"folder"}))
def test_reproduce_looks_at_its_folder_before_it_measures(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    NO_FILES[kind][0](out)
    before = kinds(tmp_path)
    assert main(["reproduce", "--out", str(out), "--force"]) == 2
    captured = capsys.readouterr()
    assert re.search("out is (a file: name a folder|a link to nothing)", captured.err)
    assert captured.out == ""
    assert kinds(tmp_path) == before


@posix
@pytest.mark.parametrize("step", [1, 2])
def test_a_signal_waits_until_reproduce_has_its_folder_in_place(
    step: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm", reason="tqdm is in the extra `lab`")
    from bpe_lab.bench.reproduce import put_in_place

    for name in ("made", "out"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").touch()
    calls = []
    rename = Path.rename

    def interrupted(self: Path, target: Path) -> Path:
        calls.append(target)
        if len(calls) == step:
            signal.raise_signal(signal.SIGINT)
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt):
        put_in_place(tmp_path / "made", tmp_path / "out")
    assert (tmp_path / "out" / "made.txt").exists()


@posix
def test_the_cache_of_corpora_is_one_of_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BPE_LAB_CACHE", str(tmp_path))
    make_pipe(tmp_path / "stories.txt")
    with pytest.raises(OSError, match=r"stories\.txt is a pipe or a device.*BPE_LAB_CACHE"):
        bpe_lab.corpora.path("stories")
    assert kinds(tmp_path) == {"stories.txt": stat.S_IFIFO}


@posix
@pytest.mark.parametrize("kind", NO_FILES)
def test_a_notebook_is_a_file_before_it_is_executed(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("nbclient", reason="nbclient is in the extra `lab`")
    from bpe_lab.lessons.execute import execute

    make, message = NO_FILES[kind]
    make(tmp_path / "lesson.ipynb")
    with pytest.raises(OSError, match=message):
        execute(tmp_path / "lesson.ipynb")


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    file, link = tmp_path / "disk" / "file", tmp_path / "link"
    file.write_text("old")
    (tmp_path / "over").symlink_to("disk/file")
    link.symlink_to("over")
    check_file(link)
    write_aside(link, b"new")
    assert link.is_symlink()
    assert not file.is_symlink()
    assert file.read_text() == "new"
    assert kinds(tmp_path / "disk").keys() == {"file"}


@posix
def test_folders_above_a_file_are_made_and_a_link_to_nothing_among_them_is_not(
    tmp_path: Path,
) -> None:
    write_aside(tmp_path / "a" / "b" / "file", b"new")
    assert (tmp_path / "a" / "b" / "file").read_bytes() == b"new"
    make_dangling(tmp_path / "link")
    with pytest.raises(FileNotFoundError, match="link is a link to nothing"):
        check_file(tmp_path / "link" / "b" / "file")


# Names that are too long are found before the work: the text is missing, too, and not named.


@pytest.mark.parametrize("above", ["", "new/", "new/new/"])
@pytest.mark.parametrize(
    "words",
    [
        ["train", "gone.txt", "--vocab-size", "300", "--out"],
        ["report", "--results", "gone", "--out"],
        ["bench", "ladder", "--scale", "tiny", "--case", "core", "--repeats", "1", "--out"],
        ["reproduce", "--out"],
    ],
    ids=lambda words: words[0],
)
def test_a_name_that_is_too_long_is_found_before_the_work(
    words: list[str],
    above: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main([*words, above + LONG]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert re.fullmatch(rf"bpe-lab: error: {above}{LONG}\S*: \S.*: name another\n", captured.err)
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_path_that_is_too_long_with_the_names_in_it_is_found_before_the_work(
    tmp_path: Path,
) -> None:
    # The folder itself can be made; a file in it could not.
    room = os.pathconf(tmp_path, "PC_PATH_MAX") - len(os.fsencode(tmp_path)) - 20
    folder = tmp_path.joinpath(*["n" * 99] * (room // 100), "n" * (room % 100))
    with pytest.raises(OSError, match="name another") as error:
        check_folder(folder, force=False, names=["special_tokens.json"])
    assert error.value.errno == errno.ENAMETOOLONG
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_long_name_of_many_bytes_can_be_written(tmp_path: Path) -> None:
    # What is written aside must not have a longer name than the file: 63 times 4 bytes are allowed.
    target = tmp_path / ("🙂" * 63)
    check_file(target)
    write_aside(target, b"new")
    assert target.read_bytes() == b"new"


@pytest.mark.parametrize("command", ["train", "bench", "report", "reproduce"])
def test_an_empty_name_is_not_the_folder_we_are_in(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = {"train": ["gone.txt", "--vocab-size", "300"], "bench": ["ladder"]}.get(command, [])
    done = subprocess.run(
        [sys.executable, "-m", "bpe_lab", command, *words, "--out", ""],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert re.fullmatch(r".*argument --out: the name is empty: give one.*\n", done.stderr)
    assert list(tmp_path.iterdir()) == []
