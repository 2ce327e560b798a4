"""The real texts used in published timings, downloaded from huggingface.co.

`huggingface_hub` (extra `hub`) downloads them: it shows progress, and resumes broken downloads.
"""

import logging
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bpe_lab.corpora import digest
from bpe_lab.support.files import (
    check_free,
    check_new_file,
    commit,
    errors_name_path,
    signals_held_back,
    temp_sibling,
    written,
)

_REMEDY = "try again, download it elsewhere, or make a text like it (bpe-lab corpus make)"


class PublishedText(NamedTuple):
    """A text that others have published, and its place."""

    name: str
    title: str
    repository: str  # the dataset on the hub
    file: str
    source: str  # who made it, and what is known about its licence
    about_bytes: int  # of the download; the hub has the true size

    @property
    def page(self) -> str:
        """Its page on the hub, with its licence.

        >>> TEXTS["tinystories-v2"].page
        'https://huggingface.co/datasets/roneneldan/TinyStories'
        """
        return f"https://huggingface.co/datasets/{self.repository}"


_DATA = Path(__file__).with_name("fetched_texts.toml").read_text(encoding="utf-8")

TEXTS: Mapping[str, PublishedText] = MappingProxyType(
    {name: PublishedText(name, **facts) for name, facts in tomllib.loads(_DATA).items()}
)
"""Name -> published text."""


def fetch(name: str, out: Path, *, progress: bool = False) -> str:
    """Download a published text; the file appears only when it is complete and correct.

    :param name: a key of `TEXTS`.
    :param out: the file, which must not be there.
    :param progress: show progress bars.
    :return: its SHA-256 in hexadecimal, which the hub publishes, too.
    :raises ValueError: unknown name.
    :raises ImportError: `huggingface_hub` is not installed.
    :raises OSError: there is such a file, it cannot be written, or the disk has no room for it; the
        hub cannot be reached, refuses, or sent something with another digest than it publishes.
    """
    if name not in TEXTS:
        raise ValueError(f"unknown text {name!r}: choose one of {', '.join(TEXTS)}")
    text = TEXTS[name]
    check_new_file(out, force=False, remedy="remove it, or name another file")
    try:
        from huggingface_hub import get_hf_file_metadata, hf_hub_download, hf_hub_url
        from huggingface_hub.utils.tqdm import disable_progress_bars
    except ImportError:
        raise ImportError(
            "fetching needs huggingface_hub, not installed: pip install 'bpe_lab[hub]'"
        ) from None
    logging.getLogger("huggingface_hub").setLevel(logging.ERROR)
    if not progress:
        disable_progress_bars()
    with _errors_in_one_line(text):
        url = hf_hub_url(text.repository, text.file, repo_type="dataset")
        at_home = get_hf_file_metadata(url)
    check_free(out, at_home.size or 0)
    folder = temp_sibling(out)  # not the hub's cache: these texts are too large to keep twice
    try:
        with _errors_in_one_line(text):
            came = hf_hub_download(
                text.repository,
                text.file,
                repo_type="dataset",
                revision=at_home.commit_hash,
                local_dir=folder,
            )
        sha256 = digest(came)
        if at_home.etag != sha256:
            raise OSError(
                f"{text.page} publishes the SHA-256 {at_home.etag}, but sent a file with {sha256}: "
                f"{_REMEDY}"
            )
        with errors_name_path(out), signals_held_back():
            commit(Path(came), out, force=False, remedy="remove it, or name another file")
            written.append(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return sha256


@contextmanager
def _errors_in_one_line(text: PublishedText) -> Iterator[None]:
    """Let an error of the hub name the text and what helps."""
    try:
        yield
    except Exception as error:  # its errors, and those of the library below it, have no other class
        said = " ".join(str(error).split()) or type(error).__name__
        raise OSError(f"{text.page} gave no {text.file} ({said}): {_REMEDY}") from None
