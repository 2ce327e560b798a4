"""Promise: the bundled corpora are the bytes that were recorded, and are made again if not."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bpe_lab import corpora, count_words
from bpe_lab.corpora import stories

END_OF_TEXT = "<|endoftext|>"


@pytest.fixture(scope="module")
def story_text() -> str:
    return "".join(stories.generate())


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("BPE_LAB_CACHE", str(folder))
    return folder


@pytest.fixture
def filled_cache(story_text: str, empty_cache: Path) -> Path:
    """A cache that has the stories, where the test is not about making them."""
    empty_cache.mkdir()
    (empty_cache / "stories.txt").write_bytes(story_text.encode())
    return empty_cache


@pytest.mark.parametrize("name", corpora.CORPORA)
def test_file_has_the_recorded_digest_and_size(name: str, filled_cache: Path):
    # A cached file that has other bytes than are made now would be made again.
    file = corpora.path(name)
    assert file.stat().st_size == corpora.CORPORA[name].size_bytes
    assert corpora.digest(file) == corpora.CORPORA[name].sha256


@pytest.mark.parametrize("function", [corpora.path, lambda name: corpora.excerpt(name, 1_000)])
def test_unknown_corpus_is_refused_with_the_known_names(function):
    with pytest.raises(ValueError, match="novels"):
        function("novels")


def test_the_worked_example_has_the_counts_of_the_constant():
    assert count_words(corpora.path("worked_example")) == corpora.WORKED_EXAMPLE


def test_stories_stop_with_the_document_that_reaches_the_size():
    documents = list(stories.generate(size_bytes=10_000))
    sizes = [len(document.encode()) for document in documents]
    assert sum(sizes[:-1]) < 10_000 <= sum(sizes)
    assert all(document.endswith(f"\n{END_OF_TEXT}\n") for document in documents)
    assert all(document.count(END_OF_TEXT) == 1 for document in documents)
    assert list(stories.generate(size_bytes=10_000, seed=1)) != documents
    assert list(stories.generate(size_bytes=0)) == []


def test_only_a_wrong_file_is_made_again(filled_cache: Path, monkeypatch: pytest.MonkeyPatch):
    file = corpora.path("stories")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert corpora.path("stories").stat().st_mtime == 1_000_000_000
    right = file.read_bytes()
    monkeypatch.setattr(stories, "generate", lambda: iter([right.decode()]))
    for wrong in (b"", right.replace(b"day", b"DAY", 1)):
        file.write_bytes(wrong)
        assert corpora.path("stories").read_bytes() == right


@pytest.mark.slow
def test_two_processes_may_fill_the_cache_at_once(empty_cache: Path):
    code = "from bpe_lab import corpora; print(corpora.digest(corpora.path('stories')), end='')"
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},  # no hash seed matters
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in "01"
    ]
    digests = {process.communicate(timeout=120)[0] for process in processes}
    assert digests == {corpora.CORPORA["stories"].sha256}
    assert [file.name for file in empty_cache.iterdir()] == ["stories.txt"]


def test_a_changed_generator_leaves_no_file(empty_cache: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(stories, "generate", lambda: iter(["other text\n"]))
    with pytest.raises(RuntimeError, match="record the new digest"):
        corpora.path("stories")
    assert not empty_cache.exists()


def test_unwritable_cache_names_folder_and_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # A file stands where the folder should be: refused to every user, root included.
    (tmp_path / "file").write_bytes(b"")
    folder = tmp_path / "file" / "cache"
    monkeypatch.setenv("BPE_LAB_CACHE", str(folder))
    with pytest.raises(OSError, match="BPE_LAB_CACHE") as caught:
        corpora.excerpt("languages", 1_000)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["languages", "stories"])
@pytest.mark.parametrize("size_bytes", [1, 10_000])
def test_excerpt_begins_and_ends_with_a_document(filled_cache: Path, name: str, size_bytes: int):
    corpora.excerpt(name, size_bytes).write_bytes(b"wrong")
    content = corpora.excerpt(name, size_bytes).read_bytes()
    whole = corpora.path(name).read_bytes()
    boundary = END_OF_TEXT.encode() + (b"\n" if name == "stories" else b"")
    assert whole.startswith(content)
    assert content.endswith(boundary)
    if size_bytes == 1:
        assert content.count(boundary) == 1
    else:
        # One more document would be too many.
        following = whole[len(content) :].split(boundary)[0] + boundary
        assert len(content) <= size_bytes < len(content) + len(following)


def test_excerpt_larger_than_the_corpus_is_the_corpus():
    assert corpora.excerpt("languages", 10**9) == corpora.path("languages")


def test_a_generated_text_is_named_after_code_and_corpora(tmp_path: Path, monkeypatch: Any):
    code = tmp_path / "code.py"
    code.write_text("one")
    names = {corpora.generated_path("many_words", str(code))}
    code.write_text("two")
    names.add(corpora.generated_path("many_words", str(code)))
    changed = corpora.CORPORA["stories"]._replace(sha256="0" * 64)
    monkeypatch.setattr(corpora, "CORPORA", {**corpora.CORPORA, "stories": changed})
    names.add(corpora.generated_path("many_words", str(code)))
    assert len(names) == 3
