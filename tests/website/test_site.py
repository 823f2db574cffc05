"""The built site stands by itself: every link leads somewhere, and nothing is fetched from elsewhere."""

import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

import infold

ROOT = Path(__file__).parents[2]
SITE = ROOT / "docs" / "_build" / "html"


@pytest.fixture(scope="module", autouse=True)
def built():
    if not (SITE / "index.html").exists():
        (pytest.fail if os.environ.get("INFOLD_NEEDS_SITE") else pytest.skip)("there is no site; `make docs` builds it")


class Page(HTMLParser):
    """Ids of a page, its links, and what a browser would fetch to show it."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links, self.fetched = set(), set(), set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = {name: value or "" for name, value in attrs}
        self.ids |= {attrs[name] for name in ("id", "name") if name in attrs}
        if tag == "a" and "href" in attrs:
            self.links.add(attrs["href"])
        if tag in ("script", "img", "iframe", "source", "video") and "src" in attrs:
            self.fetched.add(attrs["src"])
        if tag == "link" and attrs.get("rel") in ("stylesheet", "preload", "icon", "shortcut icon", "preconnect"):
            self.fetched.add(attrs["href"])


@pytest.fixture(scope="module")
def pages():
    return {path.resolve(): Page(path) for path in SITE.rglob("*.html") if "_static" not in path.parts}


def test_links_lead_somewhere(pages):
    lost = []
    for path, page in pages.items():
        for link in page.links | page.fetched:
            parts = urlsplit(link)
            if parts.scheme in ("http", "https", "mailto", "data"):
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and target in pages and anchor not in pages[target].ids):
                lost.append(f"{path.relative_to(SITE.resolve())}: {link}")
    assert lost == []


def test_nothing_is_fetched_from_elsewhere(pages):
    abroad = {link for page in pages.values() for link in page.fetched if urlsplit(link).netloc}
    styles = [path for path in SITE.rglob("*.css") if "url(http" in path.read_text() or "url(//" in path.read_text()]
    assert (abroad, styles) == (set(), [])


def test_every_public_name_has_a_page():
    modules = {"adapters", "datasets", "plotting", "report", "selection"}
    values = {"paper_settings"}
    names = {f"infold.{name}" for name in set(infold.__all__) - modules - values}
    for module in ("adapters", "datasets"):
        names |= {f"infold.{module}.{name}" for name in getattr(infold, module).__all__}
    assert names - {path.stem for path in (SITE / "generated").glob("*.html")} == set()


def test_every_page_of_the_gallery_has_a_picture():
    for script in (ROOT / "examples").glob("*.py"):
        assert f"sphx_glr_{script.stem}_001" in (SITE / "gallery" / f"{script.stem}.html").read_text()


def test_no_path_of_the_machine_is_in_it():
    assert [page for page in SITE.rglob("*.html") if str(ROOT) in page.read_text()] == []
