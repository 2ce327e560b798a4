"""Promise: `make lab` opens the notebooks to be read, in a real browser, and changes none."""

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
from typing import Any, NamedTuple

import psutil
import pytest

# They are looked for and not imported: that takes seconds, of which every run would pay.
if importlib.util.find_spec("jupyterlab") is None:
    pytest.skip("JupyterLab is in the extra `lab`", allow_module_level=True)

ROOT = Path(__file__).resolve().parents[1]

if not (ROOT / "notebooks").is_dir():
    pytest.skip("needs the checkout", allow_module_level=True)

if shutil.which("make") is None:
    pytest.skip("no make: install it", allow_module_level=True)

TOKEN = "only-on-loopback"
FIRST, OTHER = "00_the_problem.ipynb", "01_naive.ipynb"
READY = ".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook-ExecutionIndicator[data-status=idle]"
"""A notebook that is in front, whose kernel has started."""


class Lab(NamedTuple):
    """JupyterLab as it runs, and the folder that it believes to be the checkout."""

    address: str
    checkout: Path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


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
    command = shown.stdout.splitlines()[-1].replace(str(ROOT / "tools"), str(checkout / "tools"))
    assert command.endswith(" notebooks"), command
    return command


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Start JupyterLab as `make lab` does, without its browser.

    It gets copies: JupyterLab saves what it has open.
    """
    home, port = tmp_path_factory.mktemp("home"), free_port()
    checkout = home / "checkout"
    shutil.copytree(ROOT / "tools" / "lab", checkout / "tools" / "lab")
    # Two are enough: the kernel of each costs time.
    (checkout / "notebooks").mkdir()
    for name in (FIRST, OTHER):
        shutil.copy(ROOT / "notebooks" / name, checkout / "notebooks")
    options = f"--no-browser --ip=127.0.0.1 --port={port} --IdentityProvider.token={TOKEN}"
    server = subprocess.Popen(
        f"exec env {command_of_make(checkout)} {options}",
        shell=True,
        cwd=checkout,
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
        yield Lab(address, checkout)
    finally:
        # Not asked to end: on a busy machine it waits for its kernels for more than half a minute.
        if server.poll() is None:
            for process in (*psutil.Process(server.pid).children(recursive=True), server):
                process.kill()
            server.wait(30)


def ask(address: str, path: str) -> dict[str, object]:
    request = urllib.request.Request(address + path, headers={"Authorization": f"token {TOKEN}"})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return dict(json.load(answer))


@pytest.fixture(scope="module")
def page(browser: Any, lab: Lab) -> Any:
    """A browser in which `make lab` has just opened its page."""
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    page.goto(f"{lab.address}/lab?token={TOKEN}")
    page.wait_for_selector(READY, state="attached", timeout=60_000)
    page.wait_for_timeout(1_000)  # what comes late, such as a message, would come now
    return page


def titles(page: Any, selector: str) -> list[str]:
    """Return what the elements say that a selector finds."""
    return [text.strip() for text in page.locator(selector).all_inner_texts()]


def test_the_server_shows_the_notebooks(lab: Lab) -> None:
    listing = ask(lab.address, "/api/contents/")
    names = {str(entry["name"]) for entry in listing["content"]}  # type: ignore[attr-defined]
    assert {FIRST, OTHER} <= names


def test_the_kernel_of_the_notebooks_is_offered(lab: Lab) -> None:
    specs = ask(lab.address, "/api/kernelspecs")
    assert "python3" in specs["kernelspecs"]  # type: ignore[operator]


def test_the_first_notebook_is_open_and_its_contents_stand_beside_it(page: Any) -> None:
    assert titles(page, ".lm-DockPanel-tabBar .lm-TabBar-tab") == [FIRST]
    page.wait_for_selector(".jp-tocItem-content", timeout=10_000)
    contents = titles(page, ".jp-tocItem-content")
    written = (ROOT / "notebooks" / FIRST).read_text(encoding="utf-8")
    sections = [
        line.lstrip("# ")
        for cell in json.loads(written)["cells"]
        if cell["cell_type"] == "markdown"
        for line in "".join(cell["source"]).splitlines()
        if line.startswith("#")
    ]
    assert contents == sections, "headings as they are written: not numbered, none from an output"


def test_no_message_wants_an_answer(page: Any) -> None:
    # "Would you like to get notified about official Jupyter news?"
    assert titles(page, ".Toastify__toast, .jp-Dialog") == []


def test_a_notebook_is_not_modified_before_the_reader_has_typed(page: Any) -> None:
    assert titles(page, ".lm-DockPanel-tabBar .jp-mod-dirty") == []
    page.locator(".jp-NotebookPanel .jp-Cell").nth(1).dblclick()
    page.keyboard.type("# mine")
    page.wait_for_selector(".lm-DockPanel-tabBar .jp-mod-dirty")  # it would have been seen


def test_a_notebook_that_is_saved_as_it_was_opened_is_the_same_file(page: Any, lab: Lab) -> None:
    path = lab.checkout / "notebooks" / OTHER
    page.goto(f"{lab.address}/lab/tree/{OTHER}?reset&token={TOKEN}")
    page.wait_for_selector(READY, state="attached", timeout=60_000)
    page.wait_for_timeout(500)
    assert titles(page, ".lm-DockPanel-tabBar .jp-mod-dirty") == []
    before, written = path.read_bytes(), path.stat().st_mtime_ns
    page.keyboard.press("Control+s")
    for _ in range(100):
        if path.stat().st_mtime_ns != written:
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("it was not saved")
    page.wait_for_timeout(200)
    assert path.read_bytes() == before


def test_the_configuration_of_the_reader_is_not_written(page: Any, lab: Lab) -> None:
    config = lab.checkout.parent / "config"
    written = [file for file in config.rglob("*") if file.is_file()]
    assert {file.name for file in written} <= {"migrated"}  # which Jupyter notes for itself
    assert list((lab.checkout / "results" / "lab" / "workspaces").iterdir())
