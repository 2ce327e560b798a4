"""Promise: a result is put in place whole or not at all, and only where a file may be."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import bpe_lab
from bpe_lab.support.files import TOKENIZER_FILES, check_file, write_file, writing

TRAINING = bpe_lab.train_from_counts({b"low": 5, b"newest": 6}, 262, ["<old>"])


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir])
def test_what_is_no_file_is_never_replaced_by_one(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    target = tmp_path / TOKENIZER_FILES[0]
    make(target)
    kind = stat.S_IFMT(target.stat().st_mode)
    with pytest.raises(FileExistsError, match="name a file"):
        check_file(target)
    with pytest.raises(FileExistsError, match="name a file"):
        TRAINING.save(tmp_path, force=True)
    assert stat.S_IFMT(target.stat().st_mode) == kind


BENCH = "bench ladder --scale tiny --case core --repeats 1 --quiet --out out"


@pytest.mark.parametrize(
    ("words", "target"),
    [
        (BENCH, "out/ladder.jsonl"),
        (BENCH, "out/figures/ladder.png"),
        ("train gone.txt --vocab-size 259 --force --out out", "out/tokenizer.json"),
        ("report --results gone --out out", "out"),
    ],
)
def test_a_command_looks_at_its_targets_before_it_works(
    words: str, target: str, refused: Callable[..., str]
) -> None:
    Path(target).mkdir(parents=True)  # what is to be read is missing, too
    before = sorted(Path().rglob("*"))
    assert Path(target).name in refused(*words.split())
    assert sorted(Path().rglob("*")) == before


def test_a_result_whose_making_fails_leaves_what_was_there(tmp_path: Path) -> None:
    target = tmp_path / "new" / "file"
    write_file(target, [b"old", memoryview(b" one")])

    def parts() -> Iterator[bytes]:
        yield b"new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(target, parts())
    assert [path.read_bytes() for path in target.parent.iterdir()] == [b"old one"]
    with writing(target) as stream:
        stream.write(b"new")
        assert target.read_bytes() == b"old one"
    assert [path.read_bytes() for path in target.parent.iterdir()] == [b"new"]


def test_a_tokenizer_is_never_beside_files_of_another_one(tmp_path: Path) -> None:
    TRAINING.save(tmp_path)
    # Hugging Face's files cannot express it: its special token is spelled like a merge.
    other = bpe_lab.train_from_counts({b"widest": 5, b"low": 3}, 263, ["wi"])
    with pytest.warns(UserWarning, match="left out"):
        other.save(tmp_path, force=True)
    assert [path.name for path in tmp_path.iterdir()] == [TOKENIZER_FILES[0]]


def test_links_stay_and_what_they_lead_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "out").symlink_to("disk")
    (tmp_path / "elsewhere").write_text("old")
    link = tmp_path / "out" / "file"
    link.symlink_to("../elsewhere")
    write_file(link, b"new")
    assert link.is_symlink() and (tmp_path / "elsewhere").read_text() == "new"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write all")
def test_a_folder_that_may_not_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(PermissionError, match="locked cannot be written"):
        check_file(tmp_path / "locked" / "new" / "file")
