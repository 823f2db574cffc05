"""The page in a real browser: no errors, every figure visible, narrow screens, print, and names that do nothing."""

import base64
import io
import json

import pytest
from browser import open_browser, show
from test_make import NAMES_X, SCRIPT, SETTINGS, sample

from infold.report import write_report

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

WIDTHS = (400, 1100)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(
        *sample(), path, **SETTINGS, title=f"All about {SCRIPT}", command="infold report data.csv " + "x" * 300
    )
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def requests(browser):
    """Addresses that the browser asked for since the last call."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    return [url for url in sent if not url.startswith("data:")]


@pytest.mark.parametrize("width", WIDTHS)
def test_no_errors_and_nothing_asked_of_a_network(browser, page, width):
    browser.get_log("browser")
    requests(browser)
    show(browser, page, width)
    assert browser.get_log("browser") == []
    assert set(requests(browser)) == {page.as_uri()}


@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_is_visible(browser, page, width):
    show(browser, page, width)
    figures = browser.execute_script(
        "return [...document.querySelectorAll('figure img')].map(i => {const r = i.getBoundingClientRect();"
        "return {complete: i.complete, natural: i.naturalWidth * i.naturalHeight, left: r.left, right: r.right,"
        "width: r.width, height: r.height, shown: i.checkVisibility()}})"
    )
    assert len(figures) == 8
    for figure in figures:
        assert figure["complete"]
        assert figure["natural"] > 0
        assert figure["shown"]
        assert figure["left"] >= 0
        assert figure["right"] <= width
        assert figure["width"] > 250
        assert figure["height"] > 150


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_window(browser, page, width):
    show(browser, page, width)
    wide = browser.execute_script(
        "const w = document.documentElement.clientWidth;"
        "return [...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > w + 0.5"
        " || e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline')"
        ".map(e => e.outerHTML.slice(0, 80))"
    )
    assert wide == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


def test_text_is_large_and_dark_enough(browser, page):
    show(browser, page, 400)
    looks = browser.execute_script(
        "return [...document.querySelectorAll('p, li, td, th, dt, dd, small, figcaption, caption, pre')].map(e => {"
        "const s = getComputedStyle(e); return [parseFloat(s.fontSize), ...s.color.match(/\\d+/g).map(Number)]})"
    )
    assert len(looks) > 50
    assert min(size for size, *_ in looks) >= 12
    assert max(max(rgb) for _, *rgb in looks) <= 0x44  # on white: a contrast of 9.7 at least


def test_a_column_called_script_does_nothing(browser, page):
    show(browser, page, 1100)
    title, scripts, cells = browser.execute_script(
        "return [document.title, document.scripts.length,"
        "[...document.querySelectorAll('th bdi')].map(e => e.textContent)]"
    )
    assert title == f"All about {SCRIPT}"
    assert scripts == 0
    assert [name for name in NAMES_X if name in cells] == list(NAMES_X)


def test_it_prints_whole(browser, page):
    show(browser, page, 1100)
    printed = base64.b64decode(browser.print_page())
    assert printed.startswith(b"%PDF")
    pypdf = pytest.importorskip("pypdf")
    pages = pypdf.PdfReader(io.BytesIO(printed)).pages
    assert 3 <= len(pages) <= 8
    text = " ".join(" ".join(one.extract_text() for one in pages).split())
    for words in ("Can the number be trusted?", "Which columns", "How to reproduce this page", "dose"):
        assert words in text
    # No figure is cut: on paper, none is taller than a page or wider than its text.
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        sizes = browser.execute_script(
            "return [...document.querySelectorAll('figure')].map(f => [f.offsetHeight, f.offsetWidth,"
            " getComputedStyle(f).breakInside])"
        )
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert all(inside == "avoid" for *_, inside in sizes)
    assert max(height for height, *_ in sizes) < 900  # A4 has 1,123 pixels, less the margins
