"""Break one promise at a time and run the test that names it: `make mutants`.

    python tests/mutants.py [WORD ...]

A test that passes then has not asked what it names. All happens in a copy of the checkout with an
environment of its own, `build/mutants`: no file of the checkout is touched, whatever ends this. The
words choose the mutants whose test has one of them in its name.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPY = ROOT / "build" / "mutants"
SOURCES = ("bpe_lab/**/*.py", "ext/*.py", "ext/*.pyx", "ext/*.pxi", "ext/**/*.hpp")


class Mutant(NamedTuple):
    """A change of the code, and the test that must fail.

    :param old: stands in one place of all sources.
    :param new: what takes its place.
    :param test: as pytest takes it.
    """

    old: str
    new: str
    test: str


MUTANTS = [
    # Counting: a block ends in the middle of a special token; in Python, then in C++.
    Mutant(
        "if match.end() > cut:",
        "if match.end() > cut + 1:",
        "test_counters.py::test_random_texts_are_counted_alike_for_every_block_size",
    ),
    Mutant(
        "if (match(p, end) > static_cast<std::size_t>(cut - p)) return true;",
        "if (match(p, end) > static_cast<std::size_t>(cut - p) + 1) return true;",
        "test_counters.py -k one_process_counts_as_the_brute_force_does",
    ),
    # A file that somebody rewrites in its place looks as it did.
    Mutant(
        "if (size, identity[-len(self.identity) :]) != (self.size, self.identity):",
        "if size != self.size:",
        "test_changed_files.py -k rewritten_in_its_place",
    ),
    Mutant(
        "if (size, identity) != (self.size, self.identity):",
        "if size != self.size:",
        "test_dask_counter.py -k url_whose_file_changes",
    ),
    Mutant(
        "special_tokens, errors, pattern))\n            report(stop - start)",
        "special_tokens, errors, pattern))\n            report(stop)",
        "test_counters.py -k progress_adds_up",
    ),
    # A worker that inherits the locks of OpenMP.
    Mutant(
        'after an OpenMP region hangs.\n    context = multiprocessing.get_context("spawn")',
        'after an OpenMP region hangs.\n    context = multiprocessing.get_context("fork")',
        "test_traps.py -k workers_are_not_forked",
    ),
    # Special tokens: the shorter of two wins.
    Mutant(
        """return f"{head}(?:{choice}{'|' if len(longer) < len(tokens) else ''})\"""",
        """return f"{head}(?:{'|' if len(longer) < len(tokens) else ''}{choice})\"""",
        "test_rules.py -k the_longest_special_token_wins",
    ),
    # The heap: a stale top is dropped, the child on the right is not looked at.
    Mutant(
        " 1\n                return pair, count\n            if count:\n                heapq.",
        " 1\n                return pair, count\n            if count < 0:\n                heapq.",
        "test_traps.py -k a_pair_whose_count_fell_comes_back",
    ),
    Mutant(
        "if child + 1 < len(heap) and heap[child] < heap[child + 1]:",
        "if child + 2 < len(heap) and heap[child] < heap[child + 1]:",
        "test_heaps.py -k come_out_in_descending_order",
    ),
    # The rule: of two pairs with equal counts and left sides, the smaller right side.
    Mutant(
        "return left != 0 ? left < 0 : compare(right_of(a), right_of(b)) < 0;",
        "return left != 0 ? left < 0 : compare(right_of(a), right_of(b)) > 0;",
        "test_rules.py -k the_greatest_right_side_wins",
    ),
    # The pair table: pairs that are gone stay in it.
    Mutant(
        "if not self.pair_counts[old]:\n                    del",
        "if self.pair_counts[old] < 0:\n                    del",
        "test_stages_agree.py -k books_of_incremental_stages",
    ),
    # Tokenizer: a damaged file is loaded; the files of two are mixed when the program is killed.
    Mutant(
        'if said.get("merges_sha256") != lines_sha256(lines):',
        'if said.get("merges_sha256") is None:',
        "test_saved_tokenizer.py -k a_damaged_file_is_named",
    ),
    Mutant(
        "for name in reversed(order):",
        "for name in order:",
        "test_files.py -k who_is_killed_leaves_files_of_one_tokenizer_only",
    ),
    # Encoding: a mark goes on with a word that was cut; a refused token stands in two pieces; what
    # leaves the cache is kept with the ids of another; a word of the vocabulary is merged.
    Mutant(
        "return Pattern::kCases ? (right & kAnyPart) == 0 &&",
        "return Pattern::kCases ? right != kLetter &&",
        "test_patterns.py -k may_be_cut_where_a_word_ends",
    ),
    Mutant(
        "return tokens_.span(begin, cut, end) || refused_.span(begin, cut, end);",
        "return tokens_.span(begin, cut, end);",
        "test_encoding.py -k what_looks_like_a_special_token",
    ),
    Mutant(
        "keep_ids(slot.ids, slot.count) : slot.ids[0];",
        "keep_ids(slot.ids, slot.count) : last_kept_;",
        "test_encoding.py -k more_words_than_any_cache_holds",
    ),
    Mutant(
        "if (!words.empty()) return;",
        "if (words.size() > 1000) return;",
        "test_encoding.py -k whole_words_are_looked_up",
    ),
    # A cache that forgets the vocabulary when it grows; one whose free slots look like a word.
    Mutant(
        "slot_of(old[i].low, old[i].high) = old[i];\n    }\n    add_vocabulary();",
        ";\n    }",
        "test_encoding.py -k whole_words_are_looked_up",
    ),
    Mutant(
        "{ slots[0].low = ~std::uint64_t{0}; }",
        "{ slots[0].low = 0; }",
        "test_encoding.py -k word_of_zeros",
    ),
    # A thread reads on where another one was interrupted.
    Mutant(
        "if python.error is not None:\n        return -1",
        "if python.source is None:\n        return -1",
        "test_native_ending.py -k no_other_thread_reads_on",
    ),
    # Ctrl-C comes between two renames.
    Mutant(
        "refuse_other_kinds(folder, order)\n        with signals_held_back():",
        "refuse_other_kinds(folder, order)\n        with contextlib.nullcontext():",
        "test_files.py -k a_signal_waits_for_the_renames",
    ),
    # Memory: a limit of the process is found when it is too late.
    Mutant(
        "return min([free, *process_memory(), *cgroup_memory(cgroups, own_cgroup)])",
        "return min([free, *cgroup_memory(cgroups, own_cgroup)])",
        "test_memory.py -k a_limit_of_the_process_counts",
    ),
    # Records: two digests in one table; a value measured again after a kill.
    Mutant(
        "if len(different) > 1:",
        "if len(different) > 2:",
        "test_bench.py -k records_that_cannot_be_compared_are_refused",
    ),
    Mutant(
        "if (case.name, number) not in known]",
        "if (case.name, number) != wanted]",
        "test_suites.py -k killed_at_any_moment",
    ),
]


def prepared_copy() -> Path:
    """Copy the checkout as it is now, install the copy, and return its Python.

    What it needs beside the package comes from the environment that runs this.
    """
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    wanted = {COPY / name: ROOT / name for name in names.split("\0") if (ROOT / name).is_file()}
    for folder in COPY.iterdir() if COPY.exists() else ():
        for file in folder.rglob("*") if folder.name not in (".venv", "build") else ():
            if file.is_file() and file not in wanted:
                file.unlink()
    for target, source in wanted.items():
        # Ninja compiles what is newer than it was: also what a run that was killed had changed.
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    python = COPY / ".venv" / "bin" / "python"
    if not python.exists():
        run(sys.executable, "-m", "venv", "--without-pip", COPY / ".venv")
        scheme = {"base": str(COPY / ".venv"), "platbase": str(COPY / ".venv")}
        site = Path(sysconfig.get_path("purelib", "venv", scheme))
        # Packages are found here, but no .pth file of this folder is read: the checkout is not.
        (site / "beside.pth").write_text(sysconfig.get_path("purelib") + "\n")
    words = ["install", "--quiet", "--no-build-isolation", "--no-deps", "--editable", COPY]
    run(sys.executable, "-m", "pip", "--python", python, *words)
    return python


def run(*words: str | Path) -> None:
    """Run a program that must succeed."""
    subprocess.run(words, check=True)


def find_source(root: Path, text: str) -> Path:
    """Return the one source in which a text stands, once.

    :param root: of a checkout.
    :raises SystemExit: it stands in none, or in several places.
    """
    files = [file for pattern in SOURCES for file in root.glob(pattern)]
    places = [file for file in files for _ in range(file.read_text("utf-8").count(text))]
    if len(places) != 1:
        sys.exit(f"{text!r} stands in {len(places)} places of the sources: change the list")
    return places[0]


def passes(python: Path, test: str) -> bool:
    """Run a test in the copy.

    :raises SystemExit: pytest did not come as far as passing or failing it.
    :raises subprocess.TimeoutExpired: it hangs: no mutant for this list.
    """
    file, *options = test.split()
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-x", "--tb=short", f"tests/{file}", *options],
        cwd=COPY,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    if done.returncode > 1 or "error" in last or not ("passed" in last or "failed" in last):
        sys.exit(f"{test} does not run:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def survives(python: Path, mutant: Mutant) -> bool:
    """Run the test, break the copy, run it again, and mend the copy.

    :raises SystemExit: the test fails as it is.
    """
    if not passes(python, mutant.test):
        sys.exit(f"{mutant.test} fails before anything is broken")
    file = find_source(COPY, mutant.old)
    whole = file.read_text("utf-8")
    file.write_text(whole.replace(mutant.old, mutant.new), "utf-8")
    try:
        return passes(python, mutant.test)
    finally:
        file.write_text(whole, "utf-8")


def main(words: list[str]) -> int:
    """Try the mutants and print a line for each; the exit code is 1 if one survives."""
    chosen = [mutant for mutant in MUTANTS if any(word in mutant.test for word in words or [""])]
    python = prepared_copy()
    survivors = 0
    for mutant in chosen:
        survived = survives(python, mutant)
        survivors += survived
        place = find_source(COPY, mutant.old).relative_to(COPY)
        print(f"{'SURVIVED' if survived else 'caught  '} {place}: {mutant.test}", flush=True)
    print(f"{len(chosen)} mutants, {survivors} survived")
    return int(survivors > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
