"""Promise: `make lab` opens copies of the notebooks, which run, and changes no committed file."""

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
from typing import Any

import psutil
import pytest

# It is looked for and not imported: that takes seconds, of which every run would pay.
if importlib.util.find_spec("jupyterlab") is None:
    pytest.skip("JupyterLab is in the extra `lab`", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[1]
FIRST = "00_the_problem.ipynb"

if not (ROOT / "notebooks").is_dir():
    pytest.skip("needs the checkout", allow_module_level=True)

if shutil.which("make") is None:
    pytest.skip("no make: install it", allow_module_level=True)


def command_of_make(checkout: Path) -> str:
    """Return what `make lab` would run in a copy of the checkout."""
    # `make test` is a make, too: neither its flags nor its folder are meant here.
    alone = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    shown = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", "lab", f"BIN={Path(sys.executable).parent}"],
        cwd=ROOT,
        env=alone,
        capture_output=True,
        text=True,
        check=True,
    )
    return shown.stdout.splitlines()[-1].replace(str(ROOT / "tools"), str(checkout / "tools"))


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what `make lab` reads, with a notebook that the reader has changed."""
    home = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "tools" / "lab", home / "tools" / "lab")
    (home / "notebooks").mkdir()
    (home / "results" / "lab" / "notebooks").mkdir(parents=True)
    for name in (FIRST, "01_naive.ipynb"):
        notebook = json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))
        notebook["cells"][1]["execution_count"] = None  # so that it is seen when it has run
        (home / "notebooks" / name).write_text(json.dumps(notebook), encoding="utf-8")
    (home / "results" / "lab" / "notebooks" / "01_naive.ipynb").write_text("{}")
    return home


@pytest.fixture(scope="module")
def page(browser: Any, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Open the page that `make lab` would open."""
    home = tmp_path_factory.mktemp("home")
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    options = f"--no-browser --ip=127.0.0.1 --port={port} --IdentityProvider.token="
    with (home / "said").open("w") as said:
        server = subprocess.Popen(
            f"exec env {command_of_make(checkout)} {options}",
            shell=True,
            cwd=checkout,
            env={**os.environ, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "config")},
            stdout=said,
            stderr=said,
        )
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"{address}/api/status", timeout=20).close()
                break
            except (urllib.error.URLError, ConnectionError):
                assert server.poll() is None, (home / "said").read_text()
                time.sleep(0.1)
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.goto(f"{address}/lab")
        page.wait_for_selector(
            ".jp-NotebookPanel .jp-Notebook-ExecutionIndicator[data-status=idle]",
            state="attached",
            timeout=60_000,
        )
        page.said = (home / "said").read_text()
        yield page
    finally:
        # Not asked to end: on a busy machine it waits for its kernels for more than half a minute.
        if server.poll() is None:
            for process in (*psutil.Process(server.pid).children(recursive=True), server):
                process.kill()
            server.wait(30)


def test_our_notebook_opens_runs_and_is_unmodified(page: Any, checkout: Path) -> None:
    tabs = page.locator(".lm-DockPanel-tabBar .lm-TabBar-tab")
    assert [text.strip() for text in tabs.all_inner_texts()] == [FIRST]
    page.wait_for_timeout(1_000)  # what comes late, such as a message, would come now
    assert page.locator(".lm-DockPanel-tabBar .jp-mod-dirty").count() == 0
    # Such as "Would you like to get notified about official Jupyter news?"
    assert page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    committed = {path: path.read_bytes() for path in (checkout / "notebooks").iterdir()}
    saved = checkout / "results" / "lab" / "notebooks" / FIRST
    for half_seconds in range(240):  # the page may scroll the cell away: the file is what counts
        if half_seconds % 40 == 0:  # a busy page can lose a key: then once more
            page.keyboard.press("Escape")
            page.keyboard.press("Control+Home")
            page.locator(".jp-NotebookPanel .jp-CodeCell .cm-content").first.press("Shift+Enter")
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        if json.loads(saved.read_text("utf-8"))["cells"][1]["execution_count"]:
            break
    else:
        pytest.fail("the first cell did not run, or was not saved")
    assert all(path.read_bytes() == before for path, before in committed.items())


def test_a_copy_that_the_reader_has_changed_is_kept_and_that_is_said(
    page: Any, checkout: Path
) -> None:
    changed = checkout / "results" / "lab" / "notebooks" / "01_naive.ipynb"
    assert changed.read_text() == "{}"
    assert "1 notebooks in" in page.said and "as you left them" in page.said
