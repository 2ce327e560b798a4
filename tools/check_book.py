"""Check the book as its readers get it: links, addresses, and every page in a browser.

    python tools/check_book.py results/book --looks results/book-look

Nothing that a page loads may lie outside, and every link inside must lead to its place. With a
folder for looks, Chromium opens every page, cut off from the network, and keeps pictures of it:
wide, dark, as narrow as a phone, and as it is printed, beside a PDF.
"""

import argparse
import functools
import http.server
import re
import shutil
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag

if TYPE_CHECKING:
    from playwright.sync_api import Page as BrowserPage

LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "link": ("href",),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "object": ("data",),
    "embed": ("src",),
    "use": ("href", "xlink:href"),
    "image": ("href", "xlink:href"),
}
"""Elements and those of their attributes that a browser loads by itself."""

OUTSIDE = re.compile(r"\s*(?:https?:|wss?:)?//")
IN_STYLE = re.compile(r"""(?:url\(\s*|@import\s+)["']?((?:https?:)?//[^"')\s]+)""")
IN_SCRIPT = re.compile(
    r"""(?:\bfrom\s*["']|(?:fetch|import|importScripts|XMLHttpRequest|\.open|src\s*=|href\s*=)"""
    r"""[\s(="'`]*(?:["'`]GET["'`]\s*,\s*["'`])?)((?:https?:)?//[\w.-]+\.\w+[^"'`\s)]*)"""
)
WAYS = {
    "wide": {"width": 1440, "height": 900},
    "dark": {"width": 1440, "height": 900},
    "phone": {"width": 390, "height": 844},
    "print": {"width": 718, "height": 1046},  # what A4 leaves between its margins
}
"""How pages are looked at -> the size of the window in pixels."""


class PageReader(HTMLParser):
    """What a page loads, where its links lead, and the places that links can name."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.inside = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note one element."""
        given = {name: value or "" for name, value in attrs}
        self.inside = tag
        self.loaded += [given[name] for name in LOADED.get(tag, ()) if name in given]
        self.loaded += IN_STYLE.findall(given.get("style", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.places |= {given[name] for name in ("id", "name") if name in given}

    def handle_data(self, data: str) -> None:
        """Note what a style or a script between tags loads."""
        if self.inside == "style":
            self.loaded += IN_STYLE.findall(data)
        elif self.inside == "script":
            self.loaded += IN_SCRIPT.findall(data)

    def handle_endtag(self, tag: str) -> None:
        """Leave a style or script."""
        self.inside = ""


def outside_addresses(site: Path) -> list[str]:
    """Return what pages, styles and scripts of a site load from elsewhere.

    :param site: folder of the built book.
    :return: a line for each: file and address.
    """
    found = []
    for file in sorted(site.rglob("*")):
        if file.suffix == ".html":
            loaded = PageReader(file.read_text(encoding="utf-8")).loaded
        elif file.suffix in (".css", ".svg"):
            loaded = IN_STYLE.findall(file.read_text(encoding="utf-8"))
        elif file.suffix in (".js", ".mjs"):
            loaded = IN_SCRIPT.findall(file.read_text(encoding="utf-8"))
        else:
            continue
        found += [f"{file.relative_to(site)}: {each}" for each in loaded if OUTSIDE.match(each)]
    return found


def broken_links(site: Path) -> list[str]:
    """Return the links inside a site that lead nowhere.

    :param site: folder of the built book.
    :return: a line for each: page and link.
    """
    pages = {
        page: PageReader(page.read_text(encoding="utf-8")) for page in sorted(site.glob("*.html"))
    }
    found = []
    for page, read in pages.items():
        for link in (*read.links, *read.loaded):
            if re.match(r"[a-z][a-z+.-]*:|//", link):
                continue
            address, place = urldefrag(link)
            target = (page.parent / unquote(address.partition("?")[0])) if address else page
            missing = not target.is_file() or (
                place and target in pages and unquote(place) not in pages[target].places
            )
            if missing and link != "#":
                found.append(f"{page.name}: {link}")
    return sorted(set(found))


@contextmanager
def served(site: Path) -> Iterator[str]:
    """Serve a folder on this machine only; yields its address."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    handler = functools.partial(Silent, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def browser_page(way: str, faults: list[str], address: str) -> Iterator["BrowserPage"]:
    """Open a page of Chromium that reaches nothing but one address.

    :param way: key of `WAYS`.
    :param faults: requests elsewhere or without answer and errors of scripts are added.
    :param address: the only one that answers.
    :raises ImportError: there is no playwright.
    """
    from playwright.sync_api import sync_playwright

    def asked(url: str) -> None:
        if not url.startswith((address, "data:", "blob:")):
            faults.append(f"asks elsewhere: {url}")

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"),
            args=["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
        )
        page = browser.new_page(viewport=WAYS[way])
        page.emulate_media(
            media="print" if way == "print" else "screen",
            color_scheme="dark" if way == "dark" else "light",
        )
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        page.on("requestfailed", lambda sent: faults.append(f"no answer: {sent.url}"))
        page.on("request", lambda sent: asked(sent.url))
        yield page
        browser.close()


def look(site: Path, looks: Path) -> list[str]:
    """Open every page of a site in a browser, and keep a picture of it.

    :param site: folder of the built book.
    :param looks: folder of the pictures; made when missing.
    :return: what went wrong.
    """
    looks.mkdir(parents=True, exist_ok=True)
    names = sorted(page.stem for page in site.glob("*.html"))
    faults: list[str] = []
    with served(site) as address:
        for way, size in WAYS.items():
            with browser_page(way, faults, address) as page:
                for name in names:
                    page.goto(f"{address}/{name}.html", wait_until="load")
                    if way == "print":
                        page.evaluate("dispatchEvent(new Event('beforeprint'))")
                    wide = page.evaluate("document.documentElement.scrollWidth")
                    if wide > size["width"]:
                        faults.append(f"{name}: {wide} pixels wide in a window of {size} ({way})")
                    picture = looks / f"{way}-{name}.png"
                    page.screenshot(path=picture, full_page=True)
                    if way == "print":
                        page.pdf(
                            path=looks / f"print-{name}.pdf", format="A4", prefer_css_page_size=True
                        )
    return faults


def main(words: Sequence[str] | None = None) -> None:
    """Check the site that the command line names."""
    parser = argparse.ArgumentParser(description="Check the book.")
    parser.add_argument("site", type=Path)
    parser.add_argument("--looks", type=Path, help="folder for a picture of every page, four ways")
    given = parser.parse_args(words)
    faults = [f"outside address: {line}" for line in outside_addresses(given.site)]
    faults += [f"broken link: {line}" for line in broken_links(given.site)]
    if given.looks:
        faults += look(given.site, given.looks)
    print(*sorted(set(faults)), sep="\n")
    if faults:
        sys.exit(f"{len(set(faults))} faults in the book")
    print("nothing found")


if __name__ == "__main__":
    main()
