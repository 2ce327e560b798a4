"""Promise: a synthetic text is the same bytes on every machine, and shaped like a language's."""

import hashlib
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from bpe_lab import count_words
from bpe_lab.commands.cli import main
from bpe_lab.corpora import made_texts
from bpe_lab.corpora.made_texts import BOUNDARY, PROFILES, make

FIRST_BYTES = {
    "tinystories": "96387194fa3cec5597244f21b30cc37b455ec59171e45540324c6e9d2ae6d9cf",
    "openwebtext": "3e55c14f50782c809725b324f48523216d0ef5d6c492d7050cf0f16175eca8ed",
}
"""SHA-256 of `make(name, file, 1_000_000)`."""


@pytest.fixture(scope="module", params=PROFILES)
def text(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A megabyte of each profile."""
    path = tmp_path_factory.mktemp("made") / f"{request.param}.txt"
    make(request.param, path, 1_000_000)
    return path


def test_it_is_the_same_everywhere(text: Path) -> None:
    assert hashlib.sha256(text.read_bytes()).hexdigest() == FIRST_BYTES[text.stem]


def test_it_ends_with_the_document_that_reaches_the_size(tmp_path: Path) -> None:
    first = make("tinystories", tmp_path / "first.txt", 1).size_bytes
    for size in (first, first + 1, 300_000):
        made = make("tinystories", tmp_path / f"{size}.txt", size)
        content = made.path.read_bytes()
        assert len(content) == made.size_bytes >= size
        assert content.index(BOUNDARY, size - len(BOUNDARY)) + len(BOUNDARY) == len(content)
        assert content.count(BOUNDARY) == made.documents
        assert hashlib.sha256(content).hexdigest() == made.sha256


def test_a_small_text_begins_a_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_texts, "CHUNK_BYTES", made_texts.CHUNK_BYTES // 4)
    small = make("tinystories", tmp_path / "small.txt", 100_000).path.read_bytes()
    large = make("tinystories", tmp_path / "large.txt", 5_000_000).path.read_bytes()
    monkeypatch.undo()
    assert large.startswith(small)
    again = make("tinystories", tmp_path / "again.txt", 5_000_000).path.read_bytes()
    assert again == large, "however much is made at a time"


def test_words_follow_both_laws(text: Path, tmp_path: Path) -> None:
    counts = sorted(count_words(text).values(), reverse=True)
    # Zipf: ten times the rank, about a tenth of the count.
    assert 5 < counts[19] / counts[199] < 20
    # Heaps: ever new words, ever fewer of them.
    half = tmp_path / "half.txt"
    half.write_bytes(text.read_bytes()[: text.stat().st_size // 2])
    assert 1.15 < len(counts) / len(count_words(half)) < 1.8


def test_its_memory_does_not_grow_with_it(tmp_path: Path, run_python: Callable[..., str]) -> None:
    program = (
        "import sys; from pathlib import Path\n"
        "from bpe_lab.corpora.made_texts import make\n"
        "from bpe_lab.support.machine import peak_rss_mb\n"
        "for size in (1_000_000, 30_000_000):\n"
        "    make('tinystories', Path(sys.argv[1]), size, force=True)\n"
        "    print(peak_rss_mb())"
    )
    small, large = run_python(program, str(tmp_path / "text.txt")).split()
    assert float(large) < float(small) + 8


def test_the_command_says_its_digest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "text.txt"
    words = ["corpus", "make", "tinystories", "--size", "50KB", "--out", str(out)]
    assert main(words) == 0
    assert f"sha256 {hashlib.sha256(out.read_bytes()).hexdigest()}" in capsys.readouterr().out
    assert main(words) == 2
    assert "name another, or force it (--force)" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert list(out.parent.iterdir()) == [out]


def test_all_texts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "list"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in ("worked_example", "stories", *PROFILES))
    assert "12.0 GB" in said


def test_a_disk_that_fills_up_leaves_no_half_of_it(
    tmp_path: Path, refused: Callable[..., str]
) -> None:
    # A limit of this process does what a full disk does: the write fails.
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, most))
    try:
        said = refused("corpus", "make", "tinystories", "--size", "3MB", "--out", "a", "--quiet")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert "File too large" in said
    assert list(tmp_path.iterdir()) == []
