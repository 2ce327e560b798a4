"""Promise: `make lab` opens copies of the notebooks, which run, and changes no committed file."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

pytestmark = pytest.mark.slow  # JupyterLab, in a browser

ROOT = Path(__file__).resolve().parents[1]
FIRST = "00_the_problem.ipynb"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what `make lab` reads, with a notebook that the reader has changed."""
    home = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "tools" / "lab", home / "tools" / "lab")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, home)
    for name in ("notebooks", "results/lab/notebooks", ".venv"):
        (home / name).mkdir(parents=True)
    for name in ("tools/more.mk", ".venv/build_tools", ".venv/installed"):
        (home / name).touch()
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
    (home / "jupyter_server_config.json").write_text(json.dumps({
        "ExtensionApp": {"open_browser": False},
        "ServerApp": {"ip": "127.0.0.1"},
        "IdentityProvider": {"token": ""},
    }))  # fmt: skip
    # `make test` is a make, too, and its flags are not meant here.
    own = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    with (home / "said").open("w") as written:
        server = subprocess.Popen(
            ["make", "lab", f"BIN={shlex.quote(str(Path(sys.executable).parent))}"],
            cwd=checkout,
            env={**own, "HOME": str(home), "JUPYTER_CONFIG_DIR": str(home)},
            stdout=written,
            stderr=written,
        )
    try:
        # It takes another port where its own is taken, and says which.
        while not (said := re.search(r"http://127\.0\.0\.1:\d+", (home / "said").read_text())):
            assert server.poll() is None, (home / "said").read_text()
            time.sleep(0.1)
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.goto(f"{said[0]}/lab")
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
    page.locator(".lm-DockPanel-tabBar .jp-mod-dirty").wait_for(state="detached", timeout=60_000)
    # Such as "Would you like to get notified about official Jupyter news?"
    assert page.locator(".Toastify__toast, .jp-Dialog").count() == 0
    committed = {path: path.read_bytes() for path in (checkout / "notebooks").iterdir()}
    saved = checkout / "results" / "lab" / "notebooks" / FIRST
    for half_seconds in range(240):  # the page may scroll the cell away: the file is what counts
        if half_seconds % 40 == 0:  # a busy page can lose a key: then once more
            page.locator(".jp-NotebookPanel .jp-MarkdownCell").first.click()
            page.keyboard.press("Escape")
            page.keyboard.press("Shift+Enter")  # the first cell, then the code below it
            page.keyboard.press("Shift+Enter")
        page.keyboard.press("Control+s")
        page.wait_for_timeout(500)
        with suppress(ValueError):  # it is being written
            if json.loads(saved.read_text("utf-8"))["cells"][1]["execution_count"]:
                break
    else:
        pytest.fail("the first cell did not run, or was not saved")
    assert all(path.read_bytes() == before for path, before in committed.items())
    # A copy that the reader has changed is kept, and that is said.
    assert (saved.parent / "01_naive.ipynb").read_text() == "{}"
    assert "1 notebooks in" in page.said and "as you left them" in page.said


def test_the_server_is_for_this_machine_and_asks_for_its_token(checkout: Path) -> None:
    from traitlets.config.loader import PyFileConfigLoader

    # As Jupyter does unless it is told otherwise.
    found = PyFileConfigLoader("jupyter_lab_config.py", path=str(checkout / "tools" / "lab"))
    told = found.load_config()
    assert told and not {"ip", "token", "password"} & {name for of in told.values() for name in of}
