"""Promise: the book is all notebooks, linked, with its terms explained, and needs no network."""

import importlib.util
import re
import shutil
import sys
from collections.abc import Callable
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest

nbformat = pytest.importorskip("nbformat", reason="no jupyter: install the extra `lab`")
# They are looked for and not imported: the build does that, in a process of its own.
for name in ("myst_nb", "sphinx_book_theme", "sphinx_copybutton"):
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"no {name}: install the extra `book`", allow_module_level=True)

pytestmark = pytest.mark.slow  # it is built, twice, by Sphinx

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def tool(name: str, folder: str = "tools") -> ModuleType:
    specification = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


build_book, check_book = tool("build_book"), tool("check_book")


@pytest.fixture(scope="module")
def site(made_once: Callable[[str, Callable[[Path], object]], Path]) -> Path:
    """The book of the notebooks as they are committed."""
    return made_once("book", lambda out: build_book.build(NOTEBOOKS, out))


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


def small_notebook(folder: Path, markdown: str, code: str, name: str = "00_small.ipynb") -> Path:
    """Write a notebook of two cells that has not run."""
    cells = [nbformat.v4.new_markdown_cell(markdown), nbformat.v4.new_code_cell(code)]
    path = folder / name
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def page_of(site: Path, notebook: Path) -> str:
    return (site / f"{notebook.stem}.html").read_text(encoding="utf-8")


def test_every_notebook_is_a_page_that_the_first_one_names(site: Path, notebook: Path) -> None:
    first = (site / "index.html").read_text(encoding="utf-8")
    # In the README's table, and in the navigation.
    assert first.count(f'href="{notebook.stem}.html"') >= 2
    assert len(page_of(site, notebook)) > 20_000


def test_every_link_leads_to_its_place_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    assert check_book.broken_links(site) == []
    assert check_book.outside_addresses(site) == []


def test_terms_carry_their_meaning(site: Path, notebook: Path) -> None:
    page = page_of(site, notebook)
    glossary = re.sub(r"\s+", " ", (site / "glossary.html").read_text(encoding="utf-8"))
    plain = unescape(re.sub(r"<[^>]*>", "", glossary))
    terms = re.findall(
        r'<a class="term[^"]*" href="glossary.html#([^"]+)" title="([^"]+)">([^<]+)<', page
    )
    assert len(terms) > 5
    assert page.count('<a class="term') == len(terms)
    for anchor, meaning, _ in terms:
        assert f'id="{anchor}"' in glossary
        assert unescape(meaning).replace("’", "'") in plain.replace("’", "'")
    # None is marked in code, headings or links.
    places = r"<(code|pre|h[1-6])\b(?:(?!</\1>).)*?<a class=\"term|<a (?:(?!</a>).)*<a class=\"term"
    assert not re.search(places, page, flags=re.DOTALL)


def test_a_broken_link_stops_the_build_and_keeps_the_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # Nothing but this notebook and the book's configuration.
    shutil.copytree(build_book.BOOK, pages := tmp_path / "pages")
    for page in pages.glob("*.md"):
        page.unlink()
    (pages / "index.md").write_text("# Book\n\n```{toctree}\n00_small\n```\n", encoding="utf-8")
    monkeypatch.setattr(build_book, "BOOK", pages)
    monkeypatch.setattr(build_book, "trainers_page", dict)
    out = tmp_path / "book"
    out.mkdir()
    (out / "index.html").write_text("the book before", encoding="utf-8")
    broken = small_notebook(tmp_path, "# Small\n\n[gone](01_gone.ipynb)", "1")
    with pytest.raises(SystemExit, match="not built"):
        build_book.build([broken], out)
    assert "01_gone.ipynb" in capfd.readouterr().err
    assert [file.name for file in out.iterdir()] == ["index.html"]


def test_what_is_no_book_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years", encoding="utf-8")
    with pytest.raises(SystemExit, match="no book"):
        build_book.put_in_place(tmp_path / "new", tmp_path)
    assert (tmp_path / "thesis.txt").read_text(encoding="utf-8") == "years"


def test_notebooks_are_executed_on_demand_and_a_cell_that_fails_is_named(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel", reason="no jupyter kernel: install the extra `lab`")
    path = small_notebook(tmp_path, "# Small", "import sys; number = 42; print(42, sys.prefix)")
    before = path.read_bytes()
    # Each has a kernel of its own, where no other has been.
    other = small_notebook(tmp_path, "# Small", "print(number)", "01_other.ipynb")
    made = build_book.executed([path, other])
    assert f"42 {sys.prefix}" in next(made).decode()
    assert path.read_bytes() == before
    with pytest.raises(SystemExit, match=r"01_other\.ipynb failed: .*NameError"):
        next(made)
