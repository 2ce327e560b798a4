"""Promise: a published text is fetched whole or not at all, and goes on where it was stopped.

The server is one of this machine; the real homes are not asked.
"""

import errno
import gzip
import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bpe_lab import count_words
from bpe_lab.commands.cli import main
from bpe_lab.corpora import fetched_texts
from bpe_lab.corpora.fetched_texts import (
    TEXTS,
    PublishedText,
    discard,
    fetch,
    hidden_names,
    kept_bytes,
)
from bpe_lab.support.files import only_writer

TEXT = b"".join(b"story %d\n" % number for number in range(30_000))
OTHER = TEXT.replace(b"story", b"STORY")
SHA256 = hashlib.sha256(TEXT).hexdigest()
HALF = len(TEXT) // 2


class Site:
    """A server with one text, which does what it is told to do wrong.

    :param address: of the server.
    """

    def __init__(self, address: str) -> None:
        self.url = f"{address}/text.txt"
        self.home = f"{address}/home"
        self.text = TEXT
        self.status = 200
        self.etag: str | None = '"one"'
        self.ranges = True
        self.announced: int | None = len(TEXT)
        self.sent = len(TEXT)  # of the text, from its beginning
        self.stalls = False
        self.leads_to = self.url.replace("127.0.0.1", "localhost")
        self.published: dict[str, str] = {}
        self.range_of_206: str | None = None
        self.asked: list[tuple[str | None, str | None]] = []
        self.ended = threading.Event()

    def becomes(self, text: bytes, etag: str) -> None:
        """Have another text from now on."""
        self.text, self.etag = text, etag
        self.announced = self.sent = len(text)

    def mends(self) -> None:
        """Send the whole text from now on."""
        self.announced = self.sent = len(self.text)
        self.status, self.stalls = 200, False

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """Answer a request."""
        if request.path == "/home":
            request.send_response(302)
            request.send_header("Location", self.leads_to)
            for name, value in self.published.items():
                request.send_header(name, value)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        wanted, version = request.headers["Range"], request.headers["If-Range"]
        self.asked.append((wanted, version))
        start = 0
        if wanted and self.ranges and version in (None, self.etag):
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])  # type: ignore[index]
        if (start and start >= len(self.text)) or self.status != 200:
            request.send_error(self.status if self.status != 200 else 416)
            return
        request.send_response(206 if start else 200)
        if start:
            place = f"bytes {start}-{len(self.text) - 1}/{len(self.text)}"
            request.send_header("Content-Range", self.range_of_206 or place)
        if self.announced is not None:
            request.send_header("Content-Length", str(self.announced - start))
        if self.etag:
            request.send_header("ETag", self.etag)
        request.end_headers()
        request.wfile.write(self.text[start : self.sent])
        if self.stalls:
            self.ended.wait(60)


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.setenv(name, "*")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        site = Site(f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield site
        site.ended.set()
        server.shutdown()
        thread.join()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "texts" / "text.txt"


def names(out: Path) -> set[str]:
    """Return what lies beside a target, hidden files included."""
    return {entry.name for entry in out.parent.iterdir()} if out.parent.exists() else set()


def stop_half_way(site: Site, out: Path, url: str | None = None) -> None:
    """Let a download break off, and the server be well again."""
    site.sent = HALF
    with pytest.raises(OSError, match="too early"):
        fetch(url or site.url, out)
    assert not out.exists()
    site.mends()


def is_whole(out: Path, text: bytes = TEXT) -> None:
    """Check that a text is there with its digest, and nothing else is."""
    assert out.read_bytes() == text
    line = f"{hashlib.sha256(text).hexdigest()}  {out.name}\n"
    assert out.with_name(f"{out.name}.sha256").read_text() == line
    assert names(out) == {out.name, f"{out.name}.sha256"}


def test_a_text_is_fetched_with_its_digest(site: Site, out: Path) -> None:
    fetched = fetch(site.url, out)
    assert fetched[:5] == (out, len(TEXT), 0, SHA256, False)
    is_whole(out)
    if shutil.which("sha256sum"):
        subprocess.run(["sha256sum", "-c", fetched.sidecar.name], cwd=out.parent, check=True)


# It goes on where it stopped, if that is still the same text.


def test_a_stopped_download_goes_on(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    assert kept_bytes(out) == HALF
    fetched = fetch(site.url, out)
    assert (fetched.kept_bytes, fetched.sha256) == (HALF, SHA256)
    assert site.asked == [(None, None), (f"bytes={HALF}-", '"one"')]
    is_whole(out)


def test_a_download_goes_on_more_than_once(site: Site, out: Path) -> None:
    for sent in (1000, 2000, 3000):
        site.sent = sent
        with pytest.raises(OSError, match=f"{sent:,} of {len(TEXT):,} bytes are kept in "):
            fetch(site.url, out)
    site.mends()
    assert fetch(site.url, out).kept_bytes == 3000
    is_whole(out)


def test_a_download_of_which_only_the_name_was_missing_is_ended(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    hidden_names(out)[0].write_bytes(TEXT)
    assert fetch(site.url, out).kept_bytes == len(TEXT) - 1
    is_whole(out)


@pytest.mark.parametrize("other", [OTHER, OTHER[:HALF], OTHER[:-5], OTHER + b"more"])
def test_a_text_that_changed_is_fetched_anew(other: bytes, site: Site, out: Path) -> None:
    stop_half_way(site, out)
    site.becomes(other, '"two"')
    assert fetch(site.url, out).kept_bytes == 0
    is_whole(out, other)


@pytest.mark.parametrize("other", [OTHER, OTHER[:HALF], OTHER[:-5]])
def test_a_server_that_ignores_the_version_mixes_no_texts(
    other: bytes, site: Site, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_half_way(site, out)
    site.becomes(other, '"two"')
    answer = Site.answer

    def without_if_range(site: Site, request: BaseHTTPRequestHandler) -> None:
        del request.headers["If-Range"]
        answer(site, request)

    monkeypatch.setattr(Site, "answer", without_if_range)
    assert fetch(site.url, out).kept_bytes == 0
    assert [wanted for wanted, _ in site.asked] == [None, f"bytes={HALF}-", None]
    is_whole(out, other)


def test_a_server_without_ranges_is_asked_for_the_whole(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    site.ranges = False
    assert fetch(site.url, out).kept_bytes == 0
    is_whole(out)


@pytest.mark.parametrize(
    "said", [f"bytes 0-9/{len(TEXT)}", f"bytes {HALF}-{len(TEXT) - 1}/*", "bytes", "bytes */5"]
)
def test_another_part_than_the_missing_one_is_not_taken(said: str, site: Site, out: Path) -> None:
    stop_half_way(site, out)
    site.range_of_206 = said
    assert fetch(site.url, out).kept_bytes == 0
    is_whole(out)


@pytest.mark.parametrize("etag", [None, 'W/"one"', "one"])
def test_without_a_version_nothing_is_kept(etag: str | None, site: Site, out: Path) -> None:
    site.etag, site.sent = etag, HALF
    with pytest.raises(OSError, match="nothing is kept, and the same command begins anew"):
        fetch(site.url, out)
    assert names(out) == set()
    site.mends()
    fetch(site.url, out)
    is_whole(out)


def test_a_published_digest_is_a_version_too(site: Site, out: Path) -> None:
    site.etag, site.published = None, {"X-Linked-ETag": f'"{SHA256}"'}
    stop_half_way(site, out, site.home)
    assert fetch(site.home, out).kept_bytes == HALF
    is_whole(out)


def test_another_address_begins_anew(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    assert fetch(f"{site.url}?another", out).kept_bytes == 0
    assert site.asked[-1] == (None, None)
    is_whole(out)


@pytest.mark.parametrize(
    "note", [b"", b"{}", b"[]", b"\xff", b'{"url": 1, "size": 2, "etag": 3, "sha256": 4}']
)
def test_what_is_kept_of_nobody_knows_what_is_not_used(note: bytes, site: Site, out: Path) -> None:
    stop_half_way(site, out)
    hidden_names(out)[1].write_bytes(note)
    assert fetch(site.url, out).kept_bytes == 0
    is_whole(out)


def test_targets_do_not_share_what_is_kept(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    other = out.with_name("other.txt")
    assert fetch(site.url, other).kept_bytes == 0
    assert kept_bytes(out) == HALF
    discard(out)
    assert names(out) == {"other.txt", "other.txt.sha256"}


# What is not whole, or not the text, never gets the name.


def test_a_stalling_server_ends_in_time_and_what_came_is_kept(site: Site, out: Path) -> None:
    site.sent, site.stalls = HALF, True
    with pytest.raises(TimeoutError, match=r"^127\.0\.0\.1 has .*the same command goes on") as met:
        fetch(site.url, out, timeout=1)
    assert "\n" not in str(met.value)
    assert kept_bytes(out) == HALF
    site.mends()
    assert fetch(site.url, out).kept_bytes == HALF
    is_whole(out)


def test_a_server_that_leaves_the_connection_open_gave_all(site: Site, out: Path) -> None:
    site.stalls = True
    fetch(site.url, out, timeout=1)
    is_whole(out)


def test_less_than_announced_is_no_text(site: Site, out: Path) -> None:
    site.announced = len(TEXT) + 10
    with pytest.raises(OSError, match=r"ended the connection too early: .*goes on where it stop"):
        fetch(site.url, out)
    assert names(out) == {file.name for file in hidden_names(out)}


def test_more_than_announced_is_no_text(site: Site, out: Path) -> None:
    site.announced = len(TEXT) - 10
    with pytest.raises(OSError, match=rf"sent more than the {len(TEXT) - 10:,} bytes"):
        fetch(site.url, out)
    assert names(out) == set()


def test_a_rest_of_another_size_is_no_text(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    site.announced = len(TEXT) + 10
    with pytest.raises(OSError, match=rf"has {len(TEXT):,} and {len(TEXT) + 10:,} bytes"):
        fetch(site.url, out)
    assert not out.exists()


def test_a_size_that_nobody_says_is_not_guessed(site: Site, out: Path) -> None:
    site.announced = None
    with pytest.raises(OSError, match="does not say how large"):
        fetch(site.url, out)
    assert names(out) == set()


def test_what_the_home_publishes_is_checked(site: Site, out: Path) -> None:
    site.published = {"X-Linked-ETag": f'"{SHA256}"', "X-Linked-Size": str(len(TEXT))}
    fetched = fetch(site.home, out)
    assert fetched.published
    assert fetched.sha256 == SHA256
    is_whole(out)


def test_another_digest_than_the_published_one_is_no_text(site: Site, out: Path) -> None:
    site.published = {"X-Linked-ETag": f'"{"0" * 64}"'}
    with pytest.raises(OSError, match=f"publishes the SHA-256 {'0' * 64}, .*has {SHA256}"):
        fetch(site.home, out)
    assert names(out) == set(), "what is wrong is no beginning of what is right"


def test_another_size_than_the_published_one_is_no_text(site: Site, out: Path) -> None:
    site.published = {"X-Linked-Size": "5"}
    with pytest.raises(OSError, match=rf"has 5 and {len(TEXT):,} bytes"):
        fetch(site.home, out)
    assert names(out) == set()


def test_the_published_size_is_enough(site: Site, out: Path) -> None:
    site.announced, site.published = None, {"X-Linked-Size": str(len(TEXT))}
    stop_half_way(site, out, site.home)
    site.announced = None
    assert fetch(site.home, out).kept_bytes == HALF
    is_whole(out)


@pytest.mark.parametrize("etag", ['"abc"', SHA256, f'W/"{SHA256}"'])
def test_what_looks_like_no_digest_is_none(etag: str, site: Site, out: Path) -> None:
    site.published = {"X-Linked-ETag": etag}
    assert not fetch(site.home, out).published


def test_an_empty_text_is_one(site: Site, out: Path) -> None:
    site.becomes(b"", '"two"')
    fetch(site.url, out)
    is_whole(out, b"")


# Where it may not be fetched from or written to.


@pytest.mark.parametrize("place", ["ftp://127.0.0.1/text", "file:///etc/hostname"])
def test_a_redirect_leads_to_the_web_only(place: str, site: Site, out: Path) -> None:
    site.leads_to = place
    with pytest.raises(OSError, match=f"127.0.0.1 .*{place}.*download it elsewhere") as met:
        fetch(site.home, out)
    assert "\n" not in str(met.value)
    assert names(out) == set()


def test_the_host_that_fails_is_named_and_how_one_came_there(site: Site, out: Path) -> None:
    site.status = 404
    with pytest.raises(OSError, match=r"^localhost, where 127\.0\.0\.1 leads, answers 404 "):
        fetch(site.home, out)


def test_a_redirect_in_a_circle_ends(site: Site, out: Path) -> None:
    site.leads_to = site.home
    with pytest.raises(OSError, match=r"^127\.0\.0\.1 answers 302 ") as met:
        fetch(site.home, out)
    assert "\n" not in str(met.value)


@pytest.mark.parametrize(
    "url",
    ["file:///etc/hostname", "ftp://localhost/a", "text", "http://", "http://[", "http://a b"],
)
def test_what_is_no_web_address_is_named(url: str, out: Path) -> None:
    with pytest.raises(ValueError, match="is no web address") as met:
        fetch(url, out)
    assert repr(url) in str(met.value)
    assert names(out) == set()


def test_a_file_is_never_overwritten(site: Site, out: Path) -> None:
    out.parent.mkdir()
    out.write_text("mine")
    with pytest.raises(FileExistsError, match=r"text\.txt exists: remove it, or name another"):
        fetch(site.url, out)
    assert (out.read_text(), names(out), site.asked) == ("mine", {out.name}, [])


def test_a_file_that_came_meanwhile_is_not_overwritten(
    site: Site, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = fetched_texts.digest

    def digest_and_come(path: Path) -> str:
        out.write_text("mine")
        return digest(path)

    monkeypatch.setattr(fetched_texts, "digest", digest_and_come)
    with pytest.raises(FileExistsError, match="exists"):
        fetch(site.url, out)
    assert out.read_text() == "mine"
    assert not out.with_name("text.txt.sha256").exists(), "it would be of another file"


def test_two_at_once_do_not_write_into_one_file(site: Site, out: Path) -> None:
    stop_half_way(site, out)
    with (
        only_writer(hidden_names(out)[0]) as alone,
        pytest.raises(OSError, match="another bpe-lab writes"),
    ):
        if not alone:
            pytest.skip("this disk has no locks")
        fetch(site.url, out)
    assert kept_bytes(out) == HALF


def test_a_disk_without_room_is_found_before_the_work(
    site: Site, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    with pytest.raises(OSError, match=r"text\.txt needs .* GB more, and 0\.00 GB .*another disk"):
        fetch(site.url, out)
    assert names(out) == set()


def test_a_disk_that_is_full_names_the_text(
    site: Site, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(fetched_texts, "receive", full)
    with pytest.raises(OSError, match=r"No space left on device: make room.*text\.txt"):
        fetch(site.url, out)
    assert names(out) == set()


# The command.


@pytest.fixture
def command(
    site: Site, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Run `bpe-lab corpus fetch` of a text of our own registry: (exit code, output, errors)."""

    def run(url: str | None = None, name: str = "ours") -> tuple[int, str, str]:
        text = PublishedText("ours", "ours", url or site.url, "made for this test", len(TEXT))
        monkeypatch.setattr(fetched_texts, "TEXTS", {"ours": text})
        code = main(["corpus", "fetch", name, "--out", str(out), "--quiet"])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def test_the_command_says_what_came(
    command: Callable[..., tuple[int, str, str]], site: Site, out: Path
) -> None:
    stop_half_way(site, out)
    code, said, errors = command()
    assert (code, errors) == (0, "")
    assert f"written: {out}, {len(TEXT):,} bytes, {HALF:,} of them from before" in said
    assert f"sha256 {SHA256} (its home publishes none), in {out}.sha256" in said
    assert "from 127.0.0.1: made for this test" in said
    is_whole(out)


def test_a_packed_text_stays_packed_and_is_counted(site: Site, out: Path) -> None:
    site.becomes(gzip.compress(TEXT), '"packed"')
    packed = out.with_name("text.txt.gz")
    fetch(site.url, packed)
    out.write_bytes(TEXT)
    assert count_words(packed) == count_words(out)


@pytest.mark.parametrize("status", [403, 404, 500, 503])
def test_a_server_that_refuses_is_one_line(
    status: int, command: Callable[..., tuple[int, str, str]], site: Site, out: Path
) -> None:
    site.status = status
    code, said, errors = command()
    assert (code, said) == (2, "")
    line = rf"bpe-lab: error: 127\.0\.0\.1 answers {status} \([\w ]+\) to {re.escape(site.url)}: "
    assert re.fullmatch(line + r"download it elsewhere, or .*bpe-lab corpus make.*\n", errors)
    assert names(out) == set()


def test_a_server_that_refuses_takes_nothing_away(
    command: Callable[..., tuple[int, str, str]], site: Site, out: Path
) -> None:
    stop_half_way(site, out)
    site.status = 503
    assert command()[0] == 2
    assert kept_bytes(out) == HALF


def test_no_server_is_one_line(command: Callable[..., tuple[int, str, str]], out: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, said, errors = command(f"http://127.0.0.1:{port}/text")
    assert (code, said) == (2, "")
    assert re.fullmatch(
        r"bpe-lab: error: 127\.0\.0\.1 cannot be reached \(.*\): download it elsewhere, .*\n",
        errors,
    )
    assert names(out) == set()


def test_no_network_is_one_line(
    command: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unknown(*args: object, **kwargs: object) -> None:
        raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    code, said, errors = command("https://home.invalid/text")
    assert (code, said) == (2, "")
    assert re.fullmatch(
        r"bpe-lab: error: home\.invalid cannot be reached \(.*name resolution\): .*\n", errors
    )


def test_bad_input_of_the_command_is_one_line(
    command: Callable[..., tuple[int, str, str]], out: Path
) -> None:
    code, _, errors = command(name="theirs")
    assert (code, errors) == (2, "bpe-lab: error: unknown text 'theirs': choose one of ours\n")
    out.parent.mkdir()
    out.write_text("mine")
    code, _, errors = command()
    assert code == 2
    assert errors == f"bpe-lab: error: {out} exists: remove it, or name another file\n"


def test_the_published_texts_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["corpus", "list"]) == 0
    said = capsys.readouterr().out
    for name, text in TEXTS.items():
        assert re.search(rf"^  {name} +about +[\d,]+ MB  {re.escape(text.title)}$", said, re.M)
        assert text.source in said


def test_the_registry_has_no_digest_and_only_web_addresses() -> None:
    for name, text in TEXTS.items():
        assert name == text.name
        assert text.url.startswith("https://")
        assert not re.search("[0-9a-f]{64}", str(text))


PROGRAM = """
import sys
from bpe_lab.corpora import fetched_texts

text = fetched_texts.PublishedText("ours", "ours", sys.argv[1], "made for this test", 1)
fetched_texts.TEXTS = {"ours": text}
from bpe_lab.commands.cli import main
sys.exit(main(["corpus", "fetch", "ours", "--out", sys.argv[2], "--quiet"]))
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_who_is_stopped_keeps_what_came(name: str, site: Site, out: Path) -> None:
    site.sent, site.stalls = HALF, True
    part, _ = hidden_names(out)
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, site.url, out], stderr=subprocess.PIPE, text=True
    ) as process:
        until = time.monotonic() + 60
        while not (part.exists() and part.stat().st_size) and time.monotonic() < until:
            time.sleep(0.01)
        process.send_signal(getattr(signal, name))
        _, errors = process.communicate(timeout=60)
    kept = kept_bytes(out)
    assert kept > 0
    assert not out.exists()
    if name != "SIGKILL":
        assert process.returncode == 128 + getattr(signal, name)
        assert errors == (
            f"bpe-lab: {kept:,} of {len(TEXT):,} bytes are kept in {part}, and the same command "
            "goes on where it stopped\nbpe-lab: interrupted, nothing was written\n"
        )
    site.mends()
    assert fetch(site.url, out).kept_bytes == kept
    is_whole(out)
