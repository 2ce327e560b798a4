"""The real texts of which timings are published, fetched from their public homes.

A download goes into a hidden file beside the target, whose name follows from the target's. Who
fetches again goes on where the last download stopped, as long as the server still has the same
text; else it begins anew. Only a whole text, of the size that was announced and of the digest that
its home publishes (where it does), gets the target's name.

How a download goes on: RFC 9110, "HTTP Semantics", sections 13.1.5 (If-Range) and 14 (ranges).
"""

import hashlib
import http.client
import json
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from email.message import Message
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple
from urllib.parse import urlsplit

from bpe_lab.corpora import digest
from bpe_lab.support.files import (
    about,
    check_file,
    check_free,
    only_writer,
    signals_held_back,
    write_aside,
    written,
)
from bpe_lab.support.progress import Bar

SECONDS_OF_SILENCE = 60.0
"""A server that sends nothing for so long has stalled."""

BLOCK_BYTES = 1 << 20
"""Most bytes that are read at a time."""

ELSEWHERE = "download it elsewhere, or make a text like it (bpe-lab corpus make)"
"""The remedy where a server does not give a text."""


class PublishedText(NamedTuple):
    """A text that others have published, and where it is.

    :param name: what users type.
    :param title: one line.
    :param url: its home.
    :param source: who made it, and what is known of its licence.
    :param about_bytes: size of the download, roughly; the true one is what the server says.

    >>> TEXTS["tinystories-v2"].about_bytes
    2200000000
    """

    name: str
    title: str
    url: str
    source: str
    about_bytes: int


TINY_STORIES = (
    "Eldan and Li, TinyStories (2023); CDLA-Sharing-1.0, look at its page: "
    "https://huggingface.co/datasets/roneneldan/TinyStories"
)
OPEN_WEB_TEXT = (
    "Stanford CS336, a sample of OpenWebText by Gokaslan and Cohen (2019); the pages belong to "
    "their authors, look at https://huggingface.co/datasets/stanford-cs336/owt-sample"
)

TEXTS: Mapping[str, PublishedText] = MappingProxyType(
    {
        text.name: text
        for text in (
            PublishedText(
                name="tinystories-v2",
                title="TinyStoriesV2-GPT4-train, short stories by a language model",
                url="https://huggingface.co/datasets/roneneldan/TinyStories/resolve/main/"
                "TinyStoriesV2-GPT4-train.txt",
                source=TINY_STORIES,
                about_bytes=2_200_000_000,
            ),
            PublishedText(
                name="tinystories-v2-valid",
                title="TinyStoriesV2-GPT4-valid, the smaller part of the same",
                url="https://huggingface.co/datasets/roneneldan/TinyStories/resolve/main/"
                "TinyStoriesV2-GPT4-valid.txt",
                source=TINY_STORIES,
                about_bytes=20_000_000,
            ),
            PublishedText(
                name="owt-sample",
                title="owt_train, pages of the web, packed (.gz); 11.9 GB when unpacked",
                url="https://huggingface.co/datasets/stanford-cs336/owt-sample/resolve/main/"
                "owt_train.txt.gz",
                source=OPEN_WEB_TEXT,
                about_bytes=5_000_000_000,
            ),
            PublishedText(
                name="owt-sample-valid",
                title="owt_valid, the smaller part of the same, packed (.gz)",
                url="https://huggingface.co/datasets/stanford-cs336/owt-sample/resolve/main/"
                "owt_valid.txt.gz",
                source=OPEN_WEB_TEXT,
                about_bytes=100_000_000,
            ),
        )
    }
)
"""Name -> published text; homes as of 2026-11, not tried by the tests; nothing of them is ours."""


class Fetched(NamedTuple):
    """A text that was fetched.

    :param path: its file.
    :param size_bytes: its size.
    :param kept_bytes: how many of them an earlier download had left.
    :param sha256: its digest, in hexadecimal.
    :param published: whether its home publishes that digest, too.
    :param sidecar: the file that has the digest, for `sha256sum -c`.
    """

    path: Path
    size_bytes: int
    kept_bytes: int
    sha256: str
    published: bool
    sidecar: Path


class Remote(NamedTuple):
    """What tells one version of a file on a server from another.

    :param url: where it was asked for.
    :param size: in bytes.
    :param etag: the server's name of the version, if it promises equal bytes.
    :param sha256: the digest that the home publishes, if it does.

    >>> Remote("http://localhost/a", 3, None, None).can_go_on
    False
    """

    url: str
    size: int
    etag: str | None
    sha256: str | None

    @property
    def can_go_on(self) -> bool:
        """Whether the rest of it can be told from the rest of another version."""
        return self.size > 0 and (self.etag or self.sha256) is not None


def find_text(name: str) -> PublishedText:
    """Return a published text.

    :raises ValueError: unknown; the message lists the known ones.

    >>> find_text("owt-sample").url.endswith("/owt_train.txt.gz")
    True
    """
    if name not in TEXTS:
        raise ValueError(f"unknown text {name!r}: choose one of {', '.join(TEXTS)}")
    return TEXTS[name]


def fetch(
    url: str, out: Path, *, timeout: float = SECONDS_OF_SILENCE, progress: bool = False
) -> Fetched:
    """Download a file, or the rest of it where an earlier download was stopped.

    Beside it is written `FILE.sha256`, which `sha256sum -c` reads; an older one is replaced.

    :param url: http or https; redirects to other hosts are followed.
    :param out: the file, which must not be there.
    :param timeout: seconds without a byte after which the server has stalled.
    :param progress: show a progress bar.
    :raises ValueError: the address is no web address.
    :raises TimeoutError: the server has stalled; what came is kept.
    :raises OSError: there is such a file; it cannot be written, or the disk has no room for it; the
        server cannot be reached, refuses, or sent more or less than it announced, or something else
        than what it publishes the digest of.
    """
    host_of(url)
    check_file(out)
    refuse_old(out)
    sidecar = out.with_name(f"{out.name}.sha256")
    check_file(sidecar)
    part, _ = hidden_names(out)
    with about(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
    with only_writer(part):
        try:
            refuse_old(out)
            remote, begun = download(url, out, timeout, progress)
            with about(out):
                sha256 = digest(part)
            if remote.sha256 not in (None, sha256):
                discard(out)
                raise OSError(
                    f"{host_of(url)} publishes the SHA-256 {remote.sha256}, and what it sent has "
                    f"{sha256}: nothing of it is kept; try again, or {ELSEWHERE}"
                )
            put_in_place(out, sidecar, sha256)
        finally:
            if not kept_bytes(out):
                discard(out)
    return Fetched(out, remote.size, begun, sha256, remote.sha256 is not None, sidecar)


def refuse_old(out: Path) -> None:
    """Refuse to fetch what is there.

    :raises FileExistsError: it is.
    """
    if out.exists():
        raise FileExistsError(f"{out} exists: remove it, or name another file")


def put_in_place(out: Path, sidecar: Path, sha256: str) -> None:
    """Give a whole download its name.

    The sidecar comes first: who is killed between the two has the download still, and the same
    command ends it.
    """
    part, note = hidden_names(out)
    with signals_held_back():
        refuse_old(out)
        write_aside(sidecar, checksum_line(sha256, out.name).encode())
        with about(out):
            part.rename(out)
            note.unlink(missing_ok=True)
        written.extend((out, sidecar))


def checksum_line(sha256: str, name: str) -> str:
    r"""Return a line as `sha256sum` writes it.

    >>> checksum_line("0f", "a.txt"), checksum_line("0f", "a\nb")
    ('0f  a.txt\n', '\\0f  a\\nb\n')
    """
    escaped = name.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    return f"{'' if escaped == name else chr(92)}{sha256}  {escaped}\n"


# What is kept of a download.


def hidden_names(out: Path) -> tuple[Path, Path]:
    """Return the files that a download of a target grows in, and that say what it is of.

    They are made of a digest of the target's name, which may be as long as names can be.

    >>> [file.suffix for file in hidden_names(Path("folder/text.txt"))]
    ['.part', '.json']
    """
    short = hashlib.sha256(out.name.encode(errors="surrogateescape")).hexdigest()[:32]
    part, note = (out.with_name(f".bpe_lab-fetch-{short}.{kind}") for kind in ("part", "json"))
    return part, note


def kept_bytes(out: Path) -> int:
    """Return how many bytes of a target are kept, so that the next download goes on behind them.

    >>> kept_bytes(Path("no such text"))
    0
    """
    part, _ = hidden_names(out)
    remote = kept_remote(out)
    return part.stat().st_size if remote and remote.can_go_on and part.is_file() else 0


def what_is_kept(out: Path) -> str:
    """Say what is kept of a target, as errors do; nothing where nothing is.

    >>> what_is_kept(Path("no such text"))
    ''
    """
    remote, done = kept_remote(out), kept_bytes(out)
    return how_to_go_on(remote, done, hidden_names(out)[0]) if remote and done else ""


def kept_remote(out: Path) -> Remote | None:
    """Return what is kept of a target; None where nothing is, or nobody knows what."""
    _, note = hidden_names(out)
    try:
        fields = json.loads(note.read_bytes())
        url, size, etag, sha256 = (fields[name] for name in Remote._fields)
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
    if not (isinstance(url, str) and isinstance(size, int)):
        return None
    if not all(isinstance(name, str | None) for name in (etag, sha256)):
        return None
    return Remote(url, size, etag, sha256)


def discard(out: Path) -> None:
    """Remove what is kept of a target."""
    for file in hidden_names(out):
        file.unlink(missing_ok=True)


# The conversation with the server.


def host_of(url: str) -> str:
    """Return the host of a web address.

    :raises ValueError: it is none.

    >>> host_of("https://huggingface.co/datasets")
    'huggingface.co'
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise ValueError(f"{url!r} is no web address: {error}") from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"[\0-\x20\x7f]", url):
        raise ValueError(f"{url!r} is no web address: it must be http://... or https://...")
    return host


class RedirectsOfTheHome(urllib.request.HTTPRedirectHandler):
    """Follows redirects to web addresses, and notes what the home says of the file on the way.

    huggingface.co sends the digest and the size of a large file with the answer that leads to the
    server which has it; the answer of that server has neither.
    """

    def __init__(self) -> None:
        self.led_to: str | None = None
        self.digest: str | None = None
        self.size: int | None = None

    def note(self, headers: Message) -> None:
        """Note what an answer says; the first one that says it counts."""
        found = re.fullmatch(r'"([0-9a-fA-F]{64})"', headers.get("X-Linked-ETag", "").strip())
        if found and self.digest is None:
            self.digest = found[1].lower()
        if self.size is None:
            self.size = number(headers.get("X-Linked-Size"))

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> urllib.request.Request | None:
        """Return the next request.

        :raises ValueError: it is not for the web.
        """
        self.led_to = host_of(newurl)
        self.note(headers)
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def number(text: str | None) -> int | None:
    """Return the number that a header has, if it has one.

    >>> number("12"), number(None), number("-1")
    (12, None, None)
    """
    return int(text) if text and re.fullmatch("[0-9]{1,18}", text.strip()) else None


def ask(
    url: str, timeout: float, known: Remote | None = None, start: int = 0
) -> tuple[http.client.HTTPResponse, Remote, int]:
    """Ask for a file, and return the answer, what it is of, and the byte at which it begins.

    :param url: of the file.
    :param timeout: in seconds.
    :param known: what the kept bytes are of.
    :param start: how many of them there are; 0: the whole is asked for.
    :raises OSError: the server cannot be reached, refuses, or says no size or two of them.
    """
    host = host_of(url)
    # Packed on the way, the bytes would be others than those of the announced size and digest.
    request = urllib.request.Request(
        url, headers={"User-Agent": "bpe_lab", "Accept-Encoding": "identity"}
    )
    if known and start:
        request.add_header("Range", f"bytes={start}-")
        if known.etag:
            request.add_header("If-Range", known.etag)
    home = RedirectsOfTheHome()
    try:
        answer = urllib.request.build_opener(home).open(request, timeout=timeout)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416 and start:  # it has become shorter than what is kept
            return ask(url, timeout)
        said = f"{error.code} ({' '.join(str(error.reason).split())})"
        raise OSError(f"{way(host, home)} answers {said} to {url}: {ELSEWHERE}") from None
    except ValueError as error:
        raise OSError(f"{host} leads to what is not fetched: {error}; {ELSEWHERE}") from None
    except (OSError, http.client.HTTPException) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, TimeoutError):
            raise TimeoutError(
                f"{way(host, home)} has not answered within {timeout:g} s: try again, or "
                f"{ELSEWHERE}"
            ) from None
        said = " ".join(str(reason).split()) or type(reason).__name__
        raise OSError(f"{way(host, home)} cannot be reached ({said}): {ELSEWHERE}") from None
    home.note(answer.headers)
    announced = number(answer.headers.get("Content-Length"))
    # A weak one (W/"...") promises the same meaning, not the same bytes.
    found = re.fullmatch(r'"[\x21\x23-\x7e]*"', answer.headers.get("ETag", "").strip())
    etag = found and found[0]
    begun, size = 0, announced
    if answer.status == 206 and start:
        begun, size = place_of(answer.headers.get("Content-Range", ""))
        if begun != start or size is None or Remote(url, size, etag, home.digest) != known:
            answer.close()
            return ask(url, timeout)
    elif answer.status != 200:
        answer.close()
        raise OSError(f"{host} answers {answer.status} instead of 200 to {url}: {ELSEWHERE}")
    size = home.size if size is None else size
    if size is None:
        answer.close()
        raise OSError(
            f"{host} does not say how large {url} is, so whether it is whole could not be told: "
            f"{ELSEWHERE}"
        )
    sizes = {size} | {said for said in (home.size, announced and begun + announced) if said}
    if len(sizes) > 1:
        answer.close()
        said = " and ".join(f"{size:,}" for size in sorted(sizes))
        raise OSError(f"{host} says that {url} has {said} bytes: {ELSEWHERE}")
    return answer, Remote(url, size, etag, home.digest), begun


def way(host: str, home: RedirectsOfTheHome) -> str:
    """Return the host that was asked last, and how one came there.

    >>> way("localhost", RedirectsOfTheHome())
    'localhost'
    """
    return host if home.led_to in (None, host) else f"{home.led_to}, where {host} leads,"


def place_of(content_range: str) -> tuple[int, int | None]:
    """Return where a part of a file begins, and the size of the whole.

    >>> place_of("bytes 5-9/10"), place_of("bytes */10")
    ((5, 10), (-1, None))
    """
    found = re.fullmatch(r"bytes ([0-9]{1,18})-[0-9]{1,18}/([0-9]{1,18})", content_range.strip())
    return (int(found[1]), int(found[2])) if found else (-1, None)


def download(url: str, out: Path, timeout: float, progress: bool) -> tuple[Remote, int]:
    """Let the hidden file of a target grow until it is whole.

    :return: what it is of, and how many bytes had been kept.
    :raises OSError: see `fetch`.
    """
    part, note = hidden_names(out)
    known, start = kept_remote(out), kept_bytes(out)
    # One byte at least is asked for, so that the server says whether it is still the same.
    start = min(start, known.size - 1) if known and known.url == url else 0
    answer, remote, start = ask(url, timeout, known, start)
    with answer, about(out, "make room, or name a file on another disk"):
        check_free(out, remote.size - start)
        with (
            part.open("r+b") as file,
            Bar(progress, f"fetch {out.name}", remote.size, "B", scale=True) as bar,
        ):
            file.truncate(start)
            file.seek(start)
            if not start:
                write_aside(note, json.dumps(remote._asdict()).encode())
            bar.update(start)
            receive(answer, file, remote, start, timeout, bar)
    return remote, start


def receive(
    answer: http.client.HTTPResponse,
    file: IO[bytes],
    remote: Remote,
    done: int,
    timeout: float,
    bar: Bar,
) -> None:
    """Write what a server sends to a file.

    :param answer: of the server, which has not been read.
    :param file: open, at the place where the answer begins.
    :param remote: what it is of.
    :param done: bytes that had been kept.
    :param timeout: in seconds, for what is said of it.
    :param bar: moves on.
    :raises TimeoutError: the server has stalled.
    :raises OSError: it sent less or more than announced, or the disk is full.
    """
    host = host_of(remote.url)
    # Else bytes behind the announced ones would not be seen, and nobody would know of them.
    answer.length = None
    while True:
        ended = "ended the connection"
        try:
            block = answer.read1(BLOCK_BYTES)
        except TimeoutError:
            # Some servers leave the connection open behind the last byte.
            if done == remote.size:
                return
            raise TimeoutError(
                f"{host} has sent nothing for {timeout:g} s: "
                f"{how_to_go_on(remote, done, file.name)}"
            ) from None
        except (OSError, http.client.HTTPException) as error:
            block, ended = b"", f"broke the connection ({' '.join(str(error).split())})"
        if not block:
            break
        done += len(block)
        if done > remote.size:
            file.truncate(0)
            raise OSError(
                f"{host} sent more than the {remote.size:,} bytes that it says {remote.url} has: "
                f"nothing of it is kept; {ELSEWHERE}"
            )
        file.write(block)
        bar.update(len(block))
    if done < remote.size:
        raise OSError(f"{host} {ended} too early: {how_to_go_on(remote, done, file.name)}")


def how_to_go_on(remote: Remote, done: int, part: str | Path) -> str:
    """Say what is kept, where (who gives up wants to remove it), and what helps.

    >>> how_to_go_on(Remote("http://localhost/a", 3000, '"a"', None), 1000, "a.part")
    '1,000 of 3,000 bytes are kept in a.part, and the same command goes on where it stopped'
    """
    if not (remote.can_go_on and done):
        return f"nothing is kept, and the same command begins anew; or {ELSEWHERE}"
    return (
        f"{done:,} of {remote.size:,} bytes are kept in {part}, and the same command goes on where "
        "it stopped"
    )
