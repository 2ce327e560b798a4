"""Promise: an editable install compiles what has changed, one process at a time, or says why not.

A small package with one extension in C goes through the build hooks of this project: a wheel is
made and unpacked, and real processes import from it.
"""

import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

EXT = Path(__file__).resolve().parents[1] / "ext"

if not EXT.exists():
    pytest.skip("needs the checkout", allow_module_level=True)
pytest.importorskip("mesonpy")
if shutil.which("cc") is None:
    pytest.skip("needs a C compiler", allow_module_level=True)

FILES = {
    "pyproject.toml": """
        [build-system]
        requires = ["meson-python"]
        build-backend = "build_backend"
        backend-path = ["ext"]
        [project]
        name = "toy"
        version = "1"
        """,
    "meson.build": """
        project('toy', 'c', version: '1')
        py = import('python').find_installation(pure: false)
        py.extension_module('answer', 'answer.c', subdir: 'toy/deep', install: true)
        py.install_sources('toy/__init__.py', subdir: 'toy')
        py.install_sources('toy/deep/__init__.py', subdir: 'toy/deep')
        """,
    "answer.h": "#define ANSWER 1\n",
    "answer.c": """
        #include <Python.h>
        #include "answer.h"
        static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "answer", NULL, -1, NULL};
        PyMODINIT_FUNC PyInit_answer(void) {
          PyObject *made = PyModule_Create(&module);
          PyModule_AddIntConstant(made, "answer", ANSWER);
          return made;
        }
        """,
    "toy/__init__.py": "name = 'toy'\n",
    "toy/deep/__init__.py": "",
}

ASK = "from toy.deep import answer; print(answer.answer)"


class Installed:
    """The toy, installed into a folder of its own."""

    def __init__(self, root: Path) -> None:
        # No ASCII: Python reads what it loads at its start in the encoding of the locale.
        self.checkout, self.site, self.build = root / "chéckout", root / "site", root / "build"

    def start(
        self, *before: str, program: str = ASK, path: str = "", **more: str
    ) -> "subprocess.Popen[str]":
        begin = f"import site; site.addsitedir({str(self.site)!r})\n"
        return subprocess.Popen(
            [*before, sys.executable, "-c", begin + program],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=self.site,
            env={**os.environ, "PATH": path or os.environ["PATH"], **more},
        )

    def run(self, *before: str, program: str = ASK, path: str = "", **more: str) -> tuple[str, str]:
        process = self.start(*before, program=program, path=path, **more)
        said, complained = process.communicate(timeout=120)
        return said.strip(), complained

    def change(self, name: str, content: str) -> None:
        # Where time stamps are coarse, a change in the tick of the last build goes unseen.
        time.sleep(0.02)
        (self.checkout / name).write_text(content)

    def known_headers(self) -> int:
        """How many lines ninja's list of headers has."""
        ninja = shutil.which("ninja", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
        assert ninja is not None
        said = subprocess.run(
            [ninja, "-C", str(self.build), "-t", "deps"], capture_output=True, text=True, check=True
        )
        return len(said.stdout.splitlines())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("toy")
    toy = Installed(root)
    for name, content in FILES.items():
        path = toy.checkout / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(line.strip() for line in content.splitlines()) + "\n")
    shutil.copytree(EXT, toy.checkout / "ext", ignore=shutil.ignore_patterns("*.hpp", "*.pyx"))
    hook = (
        f"import build_backend\n"
        f"build_backend.build_editable({str(root)!r}, {{'build-dir': {str(toy.build)!r}}})"
    )
    programs = Path(sys.executable).parent
    subprocess.run(
        [sys.executable, "-c", hook],
        cwd=toy.checkout,
        env={**os.environ, "PYTHONPATH": "ext", "PATH": f"{programs}:{os.environ['PATH']}"},
        check=True,
        capture_output=True,
    )
    [wheel] = root.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(toy.site)
    return root


@pytest.fixture
def toy(built: Path) -> Iterator[Installed]:
    installed = Installed(built)
    yield installed
    installed.change("answer.h", "#define ANSWER 1\n")
    assert installed.run()[0] == "1"


def test_it_imports_from_the_checkout(toy: Installed) -> None:
    assert toy.run(program="import toy; print(toy.name, toy.__file__)") == (
        f"toy {toy.checkout / 'toy' / '__init__.py'}",
        "",
    )
    assert toy.run() == ("1", "")


def test_several_at_once_compile_once_and_later_changes_are_seen(toy: Installed) -> None:
    headers = toy.known_headers()
    for answer in range(2, 6):
        toy.change("answer.h", f"#define ANSWER {answer}\n")
        results = [process.communicate(timeout=120) for process in [toy.start() for _ in range(4)]]
        assert [said for said, _ in results] == [f"{answer}\n"] * 4
        assert sum("has changed, compiling" in complained for _, complained in results) == 1
        assert toy.known_headers() == headers


def test_who_only_looks_keeps_nobody_waiting(toy: Installed) -> None:
    # Programs that begin at the same time would say that another one compiles.
    fcntl = pytest.importorskip("fcntl")
    with (toy.build / ".rebuild_lock").open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)
        assert toy.run() == ("1", "")


def test_a_broken_header_is_said_and_mended(toy: Installed) -> None:
    for _ in range(2):
        toy.change("answer.h", "#define ANSWER no_such_name\n")
        said, complained = toy.run()
        last = complained.splitlines()[-1]
        [message] = [line for line in complained.splitlines() if line.startswith("ImportError")]
        assert said == ""
        assert "toy cannot be compiled: " in message
        assert "answer.h" in message or "answer.c" in message
        assert "no_such_name" in message
        assert "no_such_name" in complained[complained.index(message) + len(message) :], last
    toy.change("answer.h", "#define ANSWER 9\n")
    assert toy.run()[0] == "9"


def test_an_environment_that_is_not_activated_compiles(toy: Installed) -> None:
    toy.change("answer.h", "#define ANSWER 3\n")
    assert toy.run(path=os.defpath)[0] == "3"


def test_another_user_imports_and_is_told_of_changes(toy: Installed) -> None:
    before: list[str] = []
    if os.getuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may write everywhere, and there is no setpriv to take that away")
        before = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    folders = [toy.build, *(path for path in toy.build.rglob("*") if path.is_dir())]
    try:
        for folder in folders:
            folder.chmod(0o555)
        assert toy.run(*before) == ("1", "")
        toy.change("answer.h", "#define ANSWER 4\n")
        said, complained = toy.run(*before)
        message = complained.splitlines()[-1]
        assert said == ""
        assert message.startswith("ImportError: a source of toy has changed")
        assert "belongs to another user" in message
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert toy.run()[0] == "4"


def test_it_imports_where_the_locale_is_plain_ascii(toy: Installed) -> None:
    plain = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert toy.run(**plain) == ("1", "")


def test_a_build_that_is_gone_is_said(toy: Installed) -> None:
    gone = toy.build.with_name("gone")
    toy.build.rename(gone)
    try:
        message = toy.run()[1].splitlines()[-1]
    finally:
        gone.rename(toy.build)
    assert message.startswith("ImportError: toy cannot be compiled: ")
    assert "install it again" in message


def test_a_checkout_that_is_gone_is_said(toy: Installed) -> None:
    gone = toy.checkout.with_name("gone")
    toy.checkout.rename(gone)
    try:
        message = toy.run()[1].splitlines()[-1]
    finally:
        gone.rename(toy.checkout)
    assert message.startswith("ImportError: the checkout of toy, ")
    assert message.endswith("is gone: install it again")
