"""Fixtures of all tests."""

import copy
import fcntl
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

import bpe_lab

# Before any lesson is imported: the examples of its functions train, too.
os.environ["BPE_LAB_SCALE"] = "tiny"

# A shell starts its background jobs with Ctrl-C ignored, nohup with SIGHUP, and so would all that
# the tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture(params=bpe_lab.STAGES)
def stage(request: pytest.FixtureRequest) -> str:
    """Every stage of the registry, one after the other: a test that asks for it runs for each."""
    return request.param


@pytest.fixture(params=bpe_lab.COUNTERS)
def counter(request: pytest.FixtureRequest) -> str:
    """Every counter of the registry; one that counts over a cluster has one, of this process."""
    entry = bpe_lab.COUNTERS[request.param]
    if entry.cluster:
        if missing := entry.missing():
            pytest.skip(f"counter {entry.id} needs {', '.join(missing)}")
        request.getfixturevalue("cluster_client")
    return entry.id


@pytest.fixture(scope="session")
def session_cluster() -> Iterator[Any]:
    """A cluster of dask whose two workers are threads of this process: it starts at once."""
    import distributed

    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    ) as cluster:
        yield cluster


@pytest.fixture
def cluster_client(session_cluster: Any) -> Iterator[Any]:
    """The current client of dask, of `session_cluster`."""
    import distributed

    with distributed.Client(session_cluster) as client:
        yield client


@pytest.fixture
def write_text(tmp_path: Path) -> Callable[..., Path]:
    """Write a text (as UTF-8) or bytes to a file, exactly as given, and return its path."""

    def write(content: str | bytes, name: str = "corpus.txt") -> Path:
        path = tmp_path / name
        # As bytes: writing as text would translate line ends on some systems.
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture(
    params=[copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))],
    ids=["copy", "deepcopy", "pickle"],
)
def copied(request: pytest.FixtureRequest) -> Callable[[Any], Any]:
    """Each way to copy what the API gives."""
    return request.param


@pytest.fixture
def run_command(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `bpe-lab` with some words, in the folder of the test, as its program does.

    With -P the folder is not in `sys.path`. Its standard input is what is given.
    """

    def run(*words: str, given: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-P", "-m", "bpe_lab", *words]
        return subprocess.run(
            command, cwd=tmp_path, input=given, capture_output=True, text=True, timeout=120
        )

    return run


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Run a program of Python in a process of its own, and return what it prints."""

    def run(program: str, *words: str, folder: Path | None = None, **environment: str) -> str:
        command, own = [sys.executable, "-c", program, *words], {**os.environ, **environment}
        done = subprocess.run(
            command, cwd=folder, env=own, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """Return what is said against a command, typed in the folder of the test: one line, and 2.

    Before what argparse says, its line of usage is left out.
    """
    from bpe_lab.commands.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        capsys.readouterr()
        try:
            code: object = main(words)
        except SystemExit as ended:  # of argparse
            code = ended.code
        out, err = capsys.readouterr()
        _usage, line = re.fullmatch(r"(usage: .*\n)?(.*\n)", err, re.DOTALL).groups()  # type: ignore[union-attr]
        assert (code, out, line.count("\n")) == (2, "", 1), err
        return str(line)

    return run


@pytest.fixture(scope="session")
def made_once(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str, Callable[[Path], object]], Path]:
    """Make a folder of some name once in a run, and return it: the workers of xdist share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder = shared / f"once-{name}"
        folder.mkdir(exist_ok=True)
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (folder / "made").exists():
                make(folder / "making")
                (folder / "making").rename(folder / "made")
        return folder / "made"

    return made


class InThisProcess:
    """In place of `Child`: the function of a case in this process, without its settings."""

    facts: ClassVar[dict[str, Any]] = {
        "process_seconds": 1.0, "cpu_seconds": 1.0, "peak_rss_mb": 50.0, "peak_anonymous_mb": 20.0,
    }  # fmt: skip

    def __init__(self, **settings: Any) -> None: ...

    def __enter__(self) -> "InThisProcess":
        return self

    def __exit__(self, *_: object) -> None: ...

    def call(self, function: str, params: Any, seconds: float) -> Any:
        from bpe_lab.bench.child_program import find_function

        with warnings.catch_warnings(action="ignore"):  # in its process nobody would read them
            value = find_function(function, {})(**json.loads(json.dumps(params)))
        return json.loads(json.dumps(value() if callable(value) else value))


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Values of suites are measured in this process, for tests of what is done with them."""
    from bpe_lab.bench import runner

    monkeypatch.setattr(runner, "Child", InThisProcess)


IN_FRESH_PROCESSES = ("ladder", "peers")
"""Suites that are run as a user runs them; of the others only the function of a case is."""


@pytest.fixture(scope="session")
def tiny(made_once: Callable[[str, Callable[[Path], object]], Path]) -> Callable[[str], Path]:
    """Run a suite at tiny scale, one value per case, once for all tests, and return its folder."""
    from bpe_lab.bench import runner
    from bpe_lab.bench.catalog import SUITES
    from bpe_lab.commands.cli import main

    def run(suite: str) -> Path:
        if missing := runner.missing_requirements(SUITES[suite]):
            pytest.skip(f"{suite} needs {missing}")
        words = ["bench", suite, "--scale", "tiny", "--repeats", "1", "--quiet", "--out"]

        def make(out: Path) -> None:
            with pytest.MonkeyPatch.context() as patch:
                if suite not in IN_FRESH_PROCESSES:
                    patch.setattr(runner, "Child", InThisProcess)
                assert main([*words, str(out)]) == 0

        return made_once(f"tiny-{suite}", make)

    return run


@pytest.fixture
def quick_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures are drawn as ever, in a third of the time."""
    from bpe_lab.plots import style

    monkeypatch.setattr(style, "DOTS_PER_INCH", 50)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for all tests of a file; they skip where there is none.

    Of a file, not of the run: in a thread that has one, the check of the book could start no other.
    """
    from playwright import sync_api as api

    names = ("chromium", "chromium-browser", "google-chrome")
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        pytest.skip("no chromium: install it to see pages as a reader")
    with api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout."""
    return Path(__file__).resolve().parent.parent
