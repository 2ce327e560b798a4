"""Promise: `make lab` opens the notebooks in JupyterLab, in a real browser."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

# It is looked for and not imported: its import takes seconds, of which every run would pay.
if importlib.util.find_spec("jupyterlab") is None:
    pytest.skip("JupyterLab is in the extra `lab`", allow_module_level=True)

TOKEN = "only-on-loopback"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start JupyterLab as `make lab` does, without its browser; yields its address.

    It gets copies: JupyterLab saves what it has open.
    """
    checkout = Path(__file__).resolve().parents[1] / "notebooks"
    if not checkout.is_dir():
        pytest.skip("needs the checkout")
    home, port = tmp_path_factory.mktemp("home"), free_port()
    notebooks = home / "notebooks"
    shutil.copytree(checkout, notebooks)
    server = subprocess.Popen(
        [
            *(sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"),
            *("--ip=127.0.0.1", f"--port={port}", f"--IdentityProvider.token={TOKEN}"),
            str(notebooks),
        ],
        env={**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "config")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                ask(address, "/api/status")
                break
            except (urllib.error.URLError, ConnectionError):
                assert server.poll() is None, "JupyterLab ended"
                time.sleep(0.1)
        else:
            pytest.fail("JupyterLab did not answer within 30 seconds")
        yield address
    finally:
        server.terminate()
        server.wait(30)


def ask(address: str, path: str) -> dict[str, object]:
    request = urllib.request.Request(address + path, headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


def test_the_server_shows_the_notebooks(lab: str) -> None:
    listing = ask(lab, "/api/contents/")
    names = {str(entry["name"]) for entry in listing["content"]}  # type: ignore[attr-defined]
    assert {"00_the_problem.ipynb", "04_max_heap.ipynb"} <= names


def test_the_kernel_of_the_notebooks_is_offered(lab: str) -> None:
    assert "python3" in ask(lab, "/api/kernelspecs")["kernelspecs"]  # type: ignore[operator]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium: install it to see the page as a reader")
def test_a_notebook_opens_in_a_browser(lab: str, tmp_path: Path) -> None:
    assert CHROMIUM is not None
    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic"),
            *("--no-first-run", "--disable-background-networking", "--disable-sync"),
            *("--disable-component-update", "--virtual-time-budget=8000"),
            *(f"--user-data-dir={tmp_path}", "--dump-dom"),
            f"{lab}/lab/tree/01_naive.ipynb?token={TOKEN}",
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "jp-Notebook" in done.stdout, done.stdout[-2000:]
    assert "Naive" in done.stdout
