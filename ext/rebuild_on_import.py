"""What Python loads of an editable install: its checkout, compiled anew when need be.

`build_backend.py` puts this file beside the installed packages. Modules written in Python come from
the checkout as they are. Before a compiled one is imported, ninja is asked whether a source has
changed. If so it compiles, in one process at a time: two at once lose ninja's list of which header
belongs to what, and from then on changed headers are "no work to do".
"""

import os
import sys

# Every Python of this environment loads this file, whatever it runs: all else is imported when the
# package is.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from subprocess import CompletedProcess


class CheckoutFinder:
    """Finds a package in its checkout, and its compiled modules where they are built.

    :param package: name of the package.
    :param checkout: folder that holds the package, as the system spells it.
    :param build: folder in which meson and ninja build.
    """

    def __init__(self, package: str, checkout: bytes, build: bytes) -> None:
        self.package = package
        self.checkout, self.build = os.fsdecode(checkout), os.fsdecode(build)
        self.compiled: dict[str, str] = {}  # module -> file; filled when all is up to date

    def find_spec(
        self, fullname: str, path: "Sequence[str] | None" = None, target: object = None
    ) -> "ModuleSpec | None":
        """Return where a module is, None for what Python finds without us or what is not there.

        :raises ImportError: a source has changed and cannot be compiled; or the checkout is gone.
        """
        if fullname.partition(".")[0] != self.package:
            return None
        # Not importlib.util, which brings much more.
        from importlib.machinery import ExtensionFileLoader, ModuleSpec, SourceFileLoader

        source = os.path.join(self.checkout, *fullname.split("."))
        if fullname == self.package:
            file = os.path.join(source, "__init__.py")
            if not os.path.exists(file):
                raise ImportError(
                    f"the checkout of {self.package}, {self.checkout}, is gone: install it again"
                )
            spec = ModuleSpec(fullname, SourceFileLoader(fullname, file), origin=file)
            spec.submodule_search_locations = [source]
            spec.has_location = True
            return spec
        if os.path.exists(source + ".py") or os.path.isdir(source):
            return None
        if not self.compiled:
            self.rebuild()
            self.compiled = dict(self.built_modules())
        if fullname not in self.compiled:
            return None
        file = self.compiled[fullname]
        spec = ModuleSpec(fullname, ExtensionFileLoader(fullname, file), origin=file)
        spec.has_location = True
        return spec

    def rebuild(self) -> None:
        """Compile what has changed, unless another process is about it: then wait for that one.

        :raises ImportError: it cannot be compiled; says why, and the output is a note of it.
        """
        lock = self.open_lock()
        try:
            # Many may ask at once; who finds a change asks again when it is alone.
            for alone in (False, True):
                self.wait_for(lock, alone)
                if "no work to do" in self.ninja(lock, "-n").stdout:
                    return
            if not os.access(self.build, os.W_OK):
                raise ImportError(
                    f"a source of {self.package} has changed, and {self.build} belongs to another "
                    f"user: ask them to import {self.package} once, or install it for yourself"
                )
            self.say("a source has changed, compiling")
            done = self.ninja(lock)
            if done.returncode != 0:
                error = ImportError(
                    f"{self.package} cannot be compiled: {first_error(done.stdout)} "
                    f"(all of it: ninja -C {self.build})"
                )
                error.add_note(done.stdout)
                raise error
        finally:
            if lock is not None:
                os.close(lock)

    def open_lock(self) -> int | None:
        """Return the file that processes lock, None where there can be none."""
        try:
            return os.open(
                os.path.join(self.build, ".rebuild_lock"), os.O_RDONLY | os.O_CREAT, 0o644
            )
        except OSError:  # not ours to write: only somebody else could compile
            return None

    def wait_for(self, lock: int | None, alone: bool) -> None:
        """Wait until no other process compiles, or is here at all, and keep them out.

        :param lock: from `open_lock`; closing it lets the others go on.
        :param alone: others may not even ask what has changed.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            return
        if lock is None:
            return
        kind = fcntl.LOCK_EX if alone else fcntl.LOCK_SH
        try:
            fcntl.flock(lock, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            self.say("waiting for another process that compiles")
            fcntl.flock(lock, kind)

    def ninja(self, lock: int | None, *options: str) -> "CompletedProcess[str]":
        """Run ninja and return what it said.

        It holds the lock, too, and keeps it when this process is killed.

        :raises ImportError: it, or the folder of the build, is gone.
        """
        import subprocess

        # The programs of this environment (ninja, cython), whether or not it is activated.
        programs = os.path.join(sys.prefix, "Scripts" if os.name == "nt" else "bin")
        search = os.pathsep.join([programs, os.environ.get("PATH") or os.defpath])
        try:
            return subprocess.run(
                ["ninja", *options],
                cwd=self.build,
                env={**os.environ, "PATH": search},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                pass_fds=() if lock is None else (lock,),
                text=True,
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise ImportError(
                f"{self.package} cannot be compiled: {error.filename}: {error.strerror}; "
                f"install it again, as its README says"
            ) from None

    def built_modules(self) -> "Iterator[tuple[str, str]]":
        """Yield the name and the file of every compiled module."""
        import json

        plan = os.path.join(self.build, "meson-info", "intro-install_plan.json")
        with open(plan, encoding="utf-8") as file:
            targets = json.load(file)["targets"]
        for built, target in targets.items():
            # "{py_platlib}/bpe_lab/stages/heaps/cython_heap.cpython-311-x86_64-linux-gnu.so"
            _, *folders, name = target["destination"].replace("\\", "/").split("/")
            yield ".".join([*folders, name.partition(".")[0]]), built

    def say(self, what: str) -> None:
        """Tell the user why an import takes long."""
        print(f"{self.package}: {what} ({self.build})", file=sys.stderr, flush=True)


def first_error(output: str) -> str:
    """Return the line of a failed build that says what is wrong.

    >>> first_error("FAILED: [code=1] x.o\\nc++ -Werror x.cpp\\nx.cpp:1:2: error: no such thing\\n")
    'x.cpp:1:2: error: no such thing'
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    failed = [number for number, line in enumerate(lines) if line.startswith("FAILED: ")]
    # Behind it come the command and then its output.
    said = lines[failed[0] + 2 :] if failed else lines
    words = ("error", "not found", "denied")
    telling = [line for line in said if any(word in line.lower() for word in words)]
    return next(iter(telling or said), "ninja failed and said nothing")
