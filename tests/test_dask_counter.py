"""Promise: the counter `dask` gives the counts of `native`, if a worker dies, too."""

import gzip
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import dask
import distributed
import fsspec
import psutil
import pytest
from native_texts import zstd

import bpe_lab
from bpe_lab import corpora
from bpe_lab.commands.cli import main
from bpe_lab.counting import dask_counter
from bpe_lab.counting.api import plan_counting
from bpe_lab.counting.source import TextFile, check_texts

WriteText = Callable[..., Path]

END = "<|endoftext|>"
TEXT = f"low lower widest newest, é字 1234\n{END}" * 4_000


def counted(paths: Any, **options: Any) -> dict[bytes, int]:
    return dict(bpe_lab.count_words(paths, counter="dask", **options))


def count_files(files: Any, special_tokens: Any = (), **options: Any) -> dict[bytes, int]:
    """Call the counter itself, on texts that were opened."""
    report = options.pop("report", lambda n_bytes: None)
    plan = plan_counting(special_tokens, counter="dask", **options)
    return dict(dask_counter.count_files(files, plan, report))


def by_native(paths: Any, **options: Any) -> dict[bytes, int]:
    return dict(bpe_lab.count_words(paths, counter="native", **options))


@pytest.fixture(scope="module")
def process_cluster() -> Iterator[Any]:
    """Two worker processes, which are started again when they die."""
    with dask_counter.local_cluster(2) as cluster:
        yield cluster


@pytest.fixture
def processes(process_cluster: Any) -> Iterator[Any]:
    """The current client, of these processes."""
    with distributed.Client(process_cluster) as client:
        client.wait_for_workers(2, timeout=200)
        yield client


@pytest.fixture
def memory(cluster_client: Any) -> Iterator[Callable[[str, bytes], str]]:
    """Write a file into the memory of this process, where the threads of its cluster read it."""
    system = fsspec.filesystem("memory")

    def write(name: str, content: bytes) -> str:
        system.pipe_file(f"/bpe_lab/{name}", content)
        return f"memory://bpe_lab/{name}"

    yield write
    if system.exists("/bpe_lab"):
        system.rm("/bpe_lab", recursive=True)


def test_a_worker_that_is_killed_half_way_changes_no_count(processes: Any, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(corpora.path("languages").read_bytes() * 200)
    size, victims, reported = path.stat().st_size, list(processes.run(os.getpid).values()), 0

    def report(n_bytes: int) -> None:
        nonlocal reported
        reported += n_bytes
        if reported > size / 2 and len(victims) == 2:
            os.kill(victims.pop(), signal.SIGKILL)

    def removed(dask_scheduler: Any) -> int:
        return int(dask_scheduler._workers_removed_total)

    before = processes.run_on_scheduler(removed)
    counts = count_files([TextFile(path)], [END], block_bytes=size // 150, report=report)
    assert counts == by_native(path)
    assert len(victims) == 1
    assert processes.run_on_scheduler(removed) > before
    # A range that was counted twice, because its table was lost, is one range of the bar.
    assert reported == size


class Poison(distributed.WorkerPlugin):  # type: ignore[misc]
    """Ends a worker that counts a certain word, as lack of memory would."""

    name = "poison"

    def setup(self, worker: Any) -> None:
        from bpe_lab.counting import dask_counter

        scan = dask_counter.scan

        def poisoned(*args: Any) -> Any:
            found = scan(*args)
            if found[0].count(b" poison"):
                os.kill(os.getpid(), signal.SIGKILL)
            return found

        dask_counter.scan = poisoned


@pytest.mark.slow
def test_of_what_workers_die_is_named(write_text: WriteText) -> None:
    good = "low lower\n" * 30_000
    path = write_text(f"{good}a poison\n{good}")
    with dask_counter.local_cluster(2) as cluster, distributed.Client(cluster) as client:
        cluster.scheduler.allowed_failures = 1  # both workers die, none need be started again
        client.register_plugin(Poison())
        with pytest.raises(RuntimeError) as caught:
            counted(path, block_bytes=50_000)
    assert re.match(rf"{path}: bytes [\d,]+ to [\d,]+: .*workers died", str(caught.value))


def test_the_users_client_stays_open(cluster_client: Any, write_text: WriteText) -> None:
    path = write_text(TEXT)
    assert counted(path, block_bytes=20_000) == by_native(path)
    assert cluster_client.status == "running"
    assert distributed.Client.current() is cluster_client
    # Nothing of ours is kept by the cluster.
    assert cluster_client.submit(int, 3).result() == 3
    while cluster_client.run_on_scheduler(
        lambda dask_scheduler: [
            key for key in dask_scheduler.tasks if re.match("count_bytes|add_up", str(key))
        ]
    ):
        time.sleep(0.05)


def test_our_own_cluster_is_ended(write_text: WriteText) -> None:
    path = write_text(TEXT)
    before = set(psutil.Process().children(recursive=True))
    assert counted(path, threads=2, block_bytes=20_000) == by_native(path)
    started = set(psutil.Process().children(recursive=True)) - before
    # Python's own process that tidies up behind others stays.
    workers = [one for one in started if "resource_tracker" not in command(one)]
    assert psutil.wait_procs(workers, 60)[1] == []
    with pytest.raises(ValueError):
        distributed.Client.current()


def command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:  # it has ended
        return ""


@pytest.mark.slow
def test_ctrl_c_ends_the_command_and_its_workers(tmp_path: Path) -> None:
    text = tmp_path / "text"
    with text.open("wb") as stream:
        stream.writelines([b"low lower newest\n" * 100_000] * 170)
    out = tmp_path / "out"
    words = ["train", str(text), "--vocab-size", "300", "--counter", "dask", "--threads", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", *words, "--out", str(out), "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        program = psutil.Process(running.pid)
        while sum("spawn_main" in command(one) for one in program.children()) < 2:
            assert running.poll() is None
            time.sleep(0.05)
        workers = program.children(recursive=True)
        # As the terminal does: to all of the group.
        os.killpg(running.pid, signal.SIGINT)
        _, said = running.communicate(timeout=120)
    assert running.returncode == 130
    assert said.startswith("bpe-lab: interrupted") and said.count("\n") == 1
    assert psutil.wait_procs(workers, 60)[1] == []
    assert not out.exists()


def test_a_scheduler_may_be_in_the_environment(process_cluster: Any, write_text: WriteText) -> None:
    path = write_text(TEXT)
    environment = {"DASK_SCHEDULER_ADDRESS": process_cluster.scheduler_address}
    with dask.config.set(dask.config.collect_env(environment)):
        assert counted(path) == by_native(path)
    assert process_cluster.status.name == "running"


def test_a_scheduler_that_does_not_answer_is_named(write_text: WriteText) -> None:
    nobody = {"scheduler-address": "tcp://127.0.0.1:9", "distributed.comm.timeouts.connect": "1s"}
    with dask.config.set(nobody), pytest.raises(OSError, match=r"connect to tcp://127.0.0.1:9"):
        counted(write_text(TEXT))


def test_urls_are_read(memory: Callable[..., str], write_text: WriteText) -> None:
    path = write_text(TEXT)
    expected = by_native(path)
    for url in (memory("a.txt", TEXT.encode()), f"file://{path}", f"local://{path}"):
        for block_bytes in (4_096, None):
            assert counted(url, block_bytes=block_bytes) == expected, url
    both = counted([path, memory("a.txt", TEXT.encode())])
    assert both == {word: 2 * n for word, n in expected.items()}
    assert counted(memory("empty.txt", b"")) == {}


def test_a_range_is_read_once(memory: Callable[..., str], monkeypatch: Any) -> None:
    url, read = memory("a.txt", TEXT.encode()), []
    system = type(fsspec.filesystem("memory"))
    cat_file = system.cat_file

    def recorded(self: Any, path: str, start: int, end: int) -> bytes:
        read.append(end - start)
        return bytes(cat_file(self, path, start=start, end=end))

    monkeypatch.setattr(system, "cat_file", recorded)
    counted(url, block_bytes=len(TEXT.encode()) // 4)
    # Once by the workers; about four kilobytes for each of three cuts, and the first bytes.
    assert len(TEXT.encode()) <= sum(read) <= len(TEXT.encode()) + 5 * 5_000


@pytest.mark.parametrize("packing", ["gzip", "zstd"])
def test_packed_files_are_unpacked_by_one_worker(
    packing: str, memory: Callable[..., str], write_text: WriteText
) -> None:
    packed = write_text({"gzip": gzip, "zstd": zstd}[packing].compress(TEXT.encode()), "packed")
    expected = by_native(write_text(TEXT))
    for path in (packed, memory("packed", packed.read_bytes())):
        assert counted(path, block_bytes=100) == expected
    with pytest.raises(ValueError, match="damaged cannot be unpacked"):
        counted(write_text(packed.read_bytes()[:-9], "damaged"))


def test_a_range_of_many_files_is_named(cluster_client: Any, write_text: WriteText) -> None:
    texts = [TextFile(write_text("low " * number, f"{number}.txt")) for number in range(40)]
    reported: list[int] = []
    counts = count_files(texts, block_bytes=100, report=reported.append)
    assert sum(reported) == sum(text.size for text in texts)
    assert counts == bpe_lab.count_words([text.path for text in texts], [])
    bad = write_text(b"lo\xffw", "bad.txt")
    with pytest.raises(bpe_lab.InvalidUTF8Error, match=r"bad\.txt: .* at 2"):
        bpe_lab.count_words([texts[3].path, bad, texts[5].path], [], counter="dask")


def test_only_this_counter_takes_urls(memory: Callable[..., str]) -> None:
    url = memory("a.txt", b"low")
    for counter, entry in bpe_lab.COUNTERS.items():
        if not entry.cluster:
            with pytest.raises(ValueError, match="URLs only"):
                bpe_lab.count_words(url, counter=counter)
    with pytest.raises(ValueError, match="files only"):
        bpe_lab.count_words(url, counter="dask", text_field="text")
    assert len(bpe_lab.train_bpe(url, 258, [], counter="dask")[1]) == 2


def test_a_url_that_cannot_be_read_is_named(memory: Callable[..., str]) -> None:
    memory("folder/a.txt", b"low")
    for url in ("memory://bpe_lab/none", "memory://bpe_lab/folder", "nosuch://a.txt"):
        with pytest.raises(OSError, match=f"{url} cannot be read"):
            counted(url)


def test_a_url_of_what_is_not_utf_8_is_named(memory: Callable[..., str]) -> None:
    url = memory("a.txt", b"low \xff")
    with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
        counted(url)
    assert (caught.value.path, caught.value.offset) == (url, 4)
    assert counted(url, errors="replace") == {b"low": 1, " \ufffd".encode(): 1}


def test_a_url_whose_file_changes_is_an_error(memory: Callable[..., str]) -> None:
    files = check_texts(memory("a.txt", TEXT.encode()), urls=True)
    memory("a.txt", b"low")
    with pytest.raises(bpe_lab.FileChangedError, match="memory://bpe_lab/a"):
        count_files(files)


def test_counts_of_a_url_are_written(
    memory: Callable[..., str], tmp_path: Path, write_text: WriteText
) -> None:
    from bpe_lab.counting.counts_files import read_counts

    url, out = memory("a.txt", TEXT.encode()), tmp_path / "out"
    assert main(["count", url, "--counter", "dask", "--out", str(out), "--quiet"]) == 0
    assert read_counts(out)[0] == by_native(write_text(TEXT, "a.txt"))
