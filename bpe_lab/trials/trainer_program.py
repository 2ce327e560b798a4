"""A trainer that is not ours, in its own interpreter: `python trainer_program.py FD SETTINGS`.

It is run as a file, by any Python from 3.8 on: it needs the standard library only, and imports
nothing of bpe_lab. It reads requests, a line of JSON each, and answers each with a line of JSON.
"""

import contextlib
import faulthandler
import functools
import importlib
import importlib.util
import inspect
import json
import linecache
import os
import signal
import sys
import sysconfig
import threading
import time
import warnings
from itertools import islice
from pathlib import Path

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import ModuleType, TracebackType
    from typing import Any

NAMES = ("train_bpe", "run_train_bpe")
"""What a trainer is called, where no name is given."""

ROLES = {
    "path": "path input_path input file input_file filename filepath text_path corpus corpus_path",
    "size": "vocab_size vocabulary_size size n_vocab target_vocab_size",
    "specials": "special_tokens specials special",
}
"""What is given to a trainer -> names of the arguments that take it."""

ARGUMENTS = "(input_path, vocab_size, special_tokens)"

MOST_ITEMS = 1_000_000
"""Of a list or a dict that a trainer returns; the others are not looked at."""

STACK_SIGNAL = getattr(signal, "SIGUSR2", None)
"""Makes this process write where it is."""


class UnfitError(Exception):
    """What is named is no trainer; says why."""


def find_trainer(module: "ModuleType", name: "str | None") -> "tuple[str, Any]":
    """Return the name and the object of a trainer in a module."""
    if name:
        found = module
        for part in name.split("."):
            if not hasattr(found, part):
                raise UnfitError(f"it has no {name!r}")
            found = getattr(found, part)
        return name, found
    named = [name for name in NAMES if callable(getattr(module, name, None))]
    if named:  # rather its own than one that it imports
        named.sort(key=lambda name: not _is_of(getattr(module, name), module))
        return named[0], getattr(module, named[0])
    own = {
        name: one
        for name, one in vars(module).items()
        if _is_of(one, module)
        if (inspect.isclass(one) and hasattr(one, "train"))
        or (inspect.isfunction(one) and {"size", "specials"} <= set(roles(one)))
    }
    own = {name: one for name, one in own.items() if _takes_all(one)} or own
    if len(own) == 1:
        return own.popitem()
    if own:
        raise UnfitError(f"it has {' and '.join(own)}: name one, as FILE.py:{next(iter(own))}")
    raise UnfitError(f"it has no function train_bpe{ARGUMENTS}, and no class with `train`")


def _takes_all(function: "Any") -> bool:
    """Whether a function takes what a trainer takes, by the usual names, and needs nothing else."""
    if inspect.isclass(function):
        return True
    parameters = inspect.signature(function).parameters.values()
    needed = {one.name for one in parameters if one.default is one.empty and one.kind in (0, 1, 3)}
    named = {one.name for one in parameters}
    taken = [named & set(names.split()) for names in ROLES.values()]
    return all(taken) and needed <= set().union(*taken)


def _is_of(one: "Any", module: "ModuleType") -> bool:
    return getattr(one, "__module__", None) == module.__name__


def roles(function: "Any") -> "dict[str, inspect.Parameter]":
    """Return what a function takes: each role, and the argument that has it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a compiled function may not tell
        return {}
    # `form` asks about the `train` of a class, before there is an object of it.
    parameters = [one for one in signature.parameters.values() if one.name != "self"]
    found: dict[str, inspect.Parameter] = {}
    for one in parameters:
        for role, names in ROLES.items():
            # Rather the argument without a default.
            if one.name in names.split() and (role not in found or _is_needed(one)):
                found.pop(role, None)  # in the order of the signature
                found[role] = one
    needed = [one for one in parameters if _is_needed(one) and one.kind in (0, 1)]
    if len(found) < 3 and len(needed) == 3:  # by their places
        found = dict(zip(ROLES, needed))  # noqa: B905 - Python 3.8
    return found


def _is_needed(one: "inspect.Parameter") -> bool:
    return one.default is one.empty


def call_trainer(trainer: "Any", path: str, size: int, specials: "list[str]") -> "Any":
    """Return what a trainer makes of a file: a function, or a class with a method `train`."""
    given = {"path": path, "size": size, "specials": specials}
    if not (inspect.isclass(trainer) or hasattr(trainer, "train")):
        return _call(trainer, given)
    made, takes_all = trainer, True
    if inspect.isclass(trainer):
        made, takes_all = _call(trainer, given, takes_all=False), not roles(trainer)
    if hasattr(made, "train"):
        result = _call(made.train, given, takes_all)
        return made if result is None else result
    return made


def _call(function: "Any", given: "Mapping[str, Any]", takes_all: bool = True) -> "Any":
    """Call a function with what it takes."""
    values = dict(given)
    if _wants_path(function):
        values["path"] = Path(values["path"])
    places, names = _taken(function, takes_all)
    by_place = [values[role] for role in places]
    return function(*by_place, **{name: values[role] for name, role in names.items()})


def _wants_path(function: "Any") -> bool:
    path = roles(function).get("path")
    return path is not None and "Path" in str(path.annotation)


def _taken(function: "Any", takes_all: bool) -> "tuple[list[str], dict[str, str]]":
    """Return which roles a function takes by place, and argument -> role for the others.

    One that does not tell takes all, or nothing; what it can take by its `**` has the course's
    names.
    """
    taken = roles(function)
    if not taken:
        return [*ROLES] if takes_all else [], {}
    places = [role for role, one in taken.items() if one.kind is one.POSITIONAL_ONLY]
    names = {one.name: role for role, one in taken.items() if role not in places}
    kinds = [one.kind for one in inspect.signature(function).parameters.values()]
    if takes_all and inspect.Parameter.VAR_KEYWORD in kinds:
        course = zip(ARGUMENTS[1:-1].split(", "), ROLES)  # noqa: B905 - Python 3.8
        names.update((name, role) for name, role in course if role not in taken)
    return places, names


def form(name: str, trainer: "Any") -> str:
    """Return the call that `call_trainer` makes, as one would write it.

    >>> form("train_bpe", lambda vocab_size, path, specials: None)
    'train_bpe(vocab_size={size}, path={path}, specials={specials})'
    """
    name = name if all(part.isidentifier() for part in name.split(".")) else "trainer"
    if not (inspect.isclass(trainer) or hasattr(trainer, "train")):
        return f"{name}({_written(trainer)})"
    made, takes_all = name, True
    if inspect.isclass(trainer):
        made, takes_all = f"{name}({_written(trainer, takes_all=False)})", not roles(trainer)
    return (
        f"{made}.train({_written(trainer.train, takes_all)})" if hasattr(trainer, "train") else made
    )


def _written(function: "Any", takes_all: bool = True) -> str:
    """Return the arguments of a call, without their names where these are not needed."""
    shown = {role: f"{{{role}}}" for role in ROLES}
    if _wants_path(function):
        shown["path"] = "Path({path})"
    places, names = _taken(function, takes_all)
    with contextlib.suppress(TypeError, ValueError):
        if dict(inspect.signature(function).bind(*ROLES).arguments) == names:
            return ", ".join(shown.values())
    parts = [shown[role] for role in places]
    return ", ".join([*parts, *(f"{name}={shown[role]}" for name, role in names.items())])


def plain(value: "Any", depth: int = 0) -> "Any":
    """Return what a trainer returned as JSON has it: `b..` are bytes in hex, `s..` is a str.

    >>> plain(({0: b"a"}, [(b"a", "b")]))
    {'u': [{'d': [[0, 'b61']]}, [{'u': ['b61', 'sb']}]]}
    """
    if isinstance(value, (bytes, bytearray)):
        return "b" + bytes(value).hex()
    if isinstance(value, str):
        return "s" + value
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if depth > 4:
        return {"t": type(value).__name__}
    if hasattr(value, "items"):
        items = islice(value.items(), MOST_ITEMS)
        return {"d": [[plain(key, depth + 1), plain(one, depth + 1)] for key, one in items]}
    if hasattr(value, "merges") and hasattr(value, "vocab"):
        return {"d": [["s" + name, plain(getattr(value, name), depth + 1)] for name in PARTS]}
    if isinstance(value, tuple):
        return {"u": [plain(one, depth + 1) for one in islice(value, MOST_ITEMS)]}
    if isinstance(value, list) or hasattr(value, "__iter__"):
        return [plain(one, depth + 1) for one in islice(value, MOST_ITEMS)]
    if hasattr(value, "__index__"):  # an integer of numpy
        return int(value)
    return {"t": type(value).__name__}


PARTS = ("vocab", "merges")

SAMPLE_SECONDS = 0.005
"""Seconds between two samples."""

WORKERS = ("multiprocessing", "concurrent", "subprocess.py")
"""In the path of a library's code that waits for other processes."""


class Sampler(threading.Thread):
    """Looks again and again in which line of its own code the thread that made it is.

    Where it waits for processes that it started, that is noted in place of the line.
    """

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.watched, self.ended = threading.get_ident(), threading.Event()
        self.foreign = libraries()
        self.own: dict[str, bool] = {}
        self.seen: dict[tuple[str, int, str] | None, int] = {}

    def run(self) -> None:
        while not self.ended.wait(SAMPLE_SECONDS):
            frame, waits = sys._current_frames().get(self.watched), False
            while frame is not None and not self._is_own(frame.f_code.co_filename):
                waits = waits or any(part in frame.f_code.co_filename for part in WORKERS)
                frame = frame.f_back
            if frame is None or frame.f_lineno is None:  # between two lines it is in none
                continue
            code = frame.f_code
            place = None if waits else (code.co_filename, frame.f_lineno, code.co_name)
            self.seen[place] = self.seen.get(place, 0) + 1

    def _is_own(self, file: str) -> bool:
        if file not in self.own:
            self.own[file] = is_own(file, self.foreign)
        return self.own[file]

    def lines(self) -> "list[list[Any]]":
        """Return [file, line, function, source, share of all looks], most time first."""
        rows = sorted(self.seen.items(), key=lambda row: -row[1])
        return [
            [*(place or ("", 0, "")), linecache.getline(*place[:2]).strip() if place else "",
             looks / sum(self.seen.values())]
            for place, looks in rows
        ]  # fmt: skip


def measured(call: "Callable[[], Any]") -> "tuple[Any, dict[str, Any]]":
    """Return what a call returns, and its seconds, its lines and the peak of the memory."""
    sampler = Sampler()
    sampler.start()
    begun = time.perf_counter()
    try:
        made = call()
    finally:
        seconds = time.perf_counter() - begun
        sampler.ended.set()
        sampler.join()
    return made, {"seconds": seconds, "lines": sampler.lines(), "peak": peak()}


def peak() -> "int | None":
    """Return the most memory that this process, or one that it started, had, in bytes."""
    if resource is None:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    own, started = (unit * resource.getrusage(one).ru_maxrss for one in who)
    # `own` may be the peak of the process that started this one: it survives exec.
    return max(peak_of("self") or own, started)


def peak_of(process: "int | str") -> "int | None":
    """Return the most memory that a process had, in bytes; None: only Linux tells it."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_bytes().splitlines():
            if line.startswith(b"VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def libraries() -> "list[str]":
    """Return the folders whose code is not the trainer's own: those of Python, and of this file."""
    folders = [sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib")]
    return sorted({os.path.realpath(one) for one in (*folders, str(Path(__file__).parent))})


CELLS = ("<stdin", "<ipython", "<doctest")
"""Begin the file names of code that was typed."""


def is_own(file: str, foreign: "list[str]") -> bool:
    """Whether a file, as its code names it, is the trainer's own, or a cell."""
    path = os.path.realpath(file)
    installed = "site-packages" in path or "dist-packages" in path
    # "<string>": what Python generates, such as the methods of a dataclass.
    generated = file.startswith("<") and not file.startswith(CELLS)
    return not (installed or generated or path.startswith(tuple(foreign)))


def raised(error: BaseException) -> "dict[str, Any]":
    """Return what was raised, and in which line of the trainer's own code."""
    what = " ".join(f"{type(error).__name__}: {error}".split())
    what = what[:-1] if what.endswith(":") else what
    foreign, places = libraries(), list(_places(error.__traceback__))
    if isinstance(error, SyntaxError) and error.filename:
        places.append((error.filename, error.lineno or 0, ""))
    own = [place for place in places if is_own(place[0], foreign)]
    found: dict[str, Any] = {"what": what[:300], "type": type(error).__name__}
    if own:
        file, line, function = own[-1]
        source = linecache.getline(file, line).strip()
        found["place"] = {"file": file, "line": line, "function": function, "source": source}
    return found


def _places(trace: "TracebackType | None") -> "Iterator[tuple[str, int, str]]":
    while trace is not None:
        code = trace.tb_frame.f_code
        yield code.co_filename, trace.tb_lineno, code.co_name
        trace = trace.tb_next


def load(place: str, folders: "list[str]") -> "ModuleType":
    """Import a file as the module that its own project knows, or a module by its name."""
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    if not place.endswith(".py"):
        return importlib.import_module(place)
    file = Path(place)
    names, folder = [file.stem], file.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    sys.path.insert(0, str(folder))
    try:
        return _load_file(".".join(names), file)
    except ImportError as error:
        # `from .common import ...` in a folder without `__init__.py`
        if "relative import" not in str(error) or len(names) > 1:
            raise
    sys.path[0] = str(folder.parent)
    return importlib.import_module(f"{folder.name}.{file.stem}")


def _load_file(name: str, file: Path) -> "ModuleType":
    """Import a file under a name, also one that another module has."""
    if "." in name:
        return importlib.import_module(name)
    spec = importlib.util.spec_from_file_location(name, str(file))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # what its workers unpickle is found there
    spec.loader.exec_module(module)
    return module


def limit_memory(n_bytes: int) -> None:
    """Let this process, and each that it starts, take so many bytes more than now."""
    if resource is None or not n_bytes:
        return
    used = 0
    # What can be written to: Java and others reserve addresses that they never use.
    kind = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    with contextlib.suppress(OSError, ValueError):
        used = int(Path("/proc/self/statm").read_text().split()[5]) * resource.getpagesize()
    hard = resource.getrlimit(kind)[1]
    most = used + n_bytes
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(kind, (most, hard))


def end_with_parent(alive: int) -> None:
    """End this process and all that it started when the pipe from the parent closes."""
    if hasattr(fcntl, "F_SETSIG"):  # by the kernel, which does not need the GIL
        fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(alive, fcntl.F_SETSIG, signal.SIGTERM)
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)
        return

    def wait() -> None:
        while os.read(alive, 1024):
            pass
        os.killpg(os.getpgrp(), signal.SIGKILL)

    threading.Thread(target=wait, daemon=True).start()


def serve(
    find: "Callable[[], tuple[str, Any]]", channel: int, alive: int, settings: "Mapping[str, Any]"
) -> None:
    """Find a trainer, then answer requests until there are no more."""
    end_with_parent(alive)
    warnings.simplefilter("ignore")  # a test may have made errors of them
    answers = os.fdopen(os.dup(channel), "w", encoding="utf-8")
    requests = os.fdopen(channel, encoding="utf-8")

    def answer(content: "Mapping[str, Any]") -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        answers.write(json.dumps(content) + "\n")
        answers.flush()

    if STACK_SIGNAL:
        stacks = Path(settings["stacks"]).open("a")  # noqa: SIM115 - stays open
        faulthandler.register(STACK_SIGNAL, stacks)
    try:
        name, trainer = find()
        if not callable(trainer):
            raise UnfitError(f"{name} is neither a function nor a class: {type(trainer).__name__}")
        found = {"name": name, "form": form(name, trainer), "libraries": libraries()}
    except UnfitError as error:
        return answer({"unfit": str(error)})
    except BaseException as error:
        return answer({"raised": raised(error)})
    limit_memory(settings["memory"])
    answer(found)
    for line in requests:
        request = json.loads(line)
        try:
            call = functools.partial(call_trainer, trainer, *request["given"])
            made, facts = measured(call) if request["measure"] else (call(), {})
            content = {"made": plain(made), "measured": facts}
        except BaseException as error:
            content = {"raised": raised(error)}
            error.__traceback__ = None  # what it holds may be most of the memory
        made = None
        answer(content)
    return None


def main() -> None:
    """Serve the trainer that the settings name."""
    channel, alive = map(int, sys.argv[1:3])
    settings = json.loads(sys.argv[3])
    del sys.argv[1:]
    sys.path[:] = [folder for folder in sys.path if folder != str(Path(__file__).parent)]

    def find() -> "tuple[str, Any]":
        return find_trainer(load(settings["place"], settings["folders"]), settings["name"])

    serve(find, channel, alive, settings)


# Spawned workers of a trainer load this file again under another name.
if __name__ == "__main__":
    main()
