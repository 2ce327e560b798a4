"""Promise: a published text is fetched whole or not at all, and goes on where the connection broke.

The hub is a server of this machine; the real homes are not asked.
"""

import hashlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytest.importorskip("huggingface_hub", reason="the extra `hub` is not installed")

TEXT = b"".join(b"story %d\n" % number for number in range(10_000)) * 200
"""22 MB: huggingface_hub writes 10 MB at a time."""
NAME = "tinystories-v2-valid"
PLACE = "/datasets/roneneldan/TinyStories/resolve/"


class Hub(ThreadingHTTPServer):
    """A hub that has one text."""

    daemon_threads = True
    status = 200
    sha256 = hashlib.sha256(TEXT).hexdigest()
    stalls = False
    breaks = 0

    def __init__(self) -> None:
        self.asked: list[str | None] = []
        self.half_sent, self.ended = threading.Event(), threading.Event()
        super().__init__(("127.0.0.1", 0), Answer)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()


class Answer(BaseHTTPRequestHandler):
    server: Hub

    def do_GET(self) -> None:
        start = int((self.headers["Range"] or "bytes=0-")[6:].partition("-")[0])
        found = self.path.startswith(PLACE) and self.server.status == 200
        self.send_response((206 if start else 200) if found else max(self.server.status, 404))
        self.send_header("X-Repo-Commit", "a" * 40)
        self.send_header("ETag", f'"{self.server.sha256}"')
        self.send_header("Content-Length", str(len(TEXT) - start if found else 0))
        self.end_headers()
        if not found or self.command == "HEAD":
            return
        self.server.asked.append(self.headers["Range"])
        if self.server.stalls or self.server.breaks:
            self.wfile.write(TEXT[: len(TEXT) * 2 // 3])
            self.server.half_sent.set()
            self.server.breaks -= 1
            self.server.ended.wait(60 * self.server.stalls)
            return
        self.wfile.write(TEXT[start:])

    do_HEAD = do_GET  # noqa: N815 - named by http.server

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub() as server:
        yield server
        server.ended.set()
        server.shutdown()


def fetching(hub: Hub, out: Path) -> subprocess.Popen[str]:
    """Start the command; huggingface_hub reads the address of its server when it is imported."""
    return subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", "corpus", "fetch", NAME, "--out", str(out), "--quiet"],
        env=os.environ
        | {"HF_ENDPOINT": f"http://127.0.0.1:{hub.server_address[1]}", "NO_PROXY": "*"}
        | {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_text_is_fetched_and_its_digest_is_said(hub: Hub, tmp_path: Path) -> None:
    out = tmp_path / "new" / "text.txt"
    process = fetching(hub, out)
    said, errors = process.communicate()
    assert process.returncode == 0, errors
    assert f"sha256 {hub.sha256}" in said and "CDLA-Sharing-1.0" in said
    assert out.read_bytes() == TEXT
    assert list(out.parent.iterdir()) == [out]


def test_a_download_goes_on_where_the_connection_broke(hub: Hub, tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", "2", reason="older ones give up")
    out, hub.breaks = tmp_path / "text.txt", 1
    assert fetching(hub, out).wait() == 0
    assert out.read_bytes() == TEXT
    first, second = hub.asked
    assert first is None and second != "bytes=0-"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_a_stopped_download_leaves_nothing(hub: Hub, tmp_path: Path) -> None:
    hub.stalls = True
    process = fetching(hub, tmp_path / "text.txt")
    assert hub.half_sent.wait(60)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == "bpe-lab: interrupted, nothing was written\n"
    assert process.returncode == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"sha256": "0" * 64}, "publishes the SHA-256 0000"),
        ({"status": 403}, "gave no TinyStoriesV2-GPT4-valid.txt"),
        ({"server_address": ("127.0.0.1", 9)}, "or make a text like it (bpe-lab corpus make)"),
    ],
)
def test_what_is_not_the_text_leaves_nothing(
    wrong: dict[str, object], message: str, hub: Hub, tmp_path: Path
) -> None:
    vars(hub).update(wrong)
    process = fetching(hub, tmp_path / "text.txt")
    _, said = process.communicate()
    assert process.returncode == 2
    assert message in said and said.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "message"),
    [("novels", "unknown text 'novels': choose one of"), (NAME, "exists: remove it, or name")],
)
def test_bad_input_is_one_line(name: str, message: str, refused: Callable[..., str]) -> None:
    Path("old.txt").touch()
    assert message in refused("corpus", "fetch", name, "--out", "old.txt")


def test_the_missing_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, refused: Callable[..., str]
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    said = refused("corpus", "fetch", NAME, "--out", "text.txt")
    assert said.endswith("not installed: pip install 'bpe_lab[hub]'\n")
