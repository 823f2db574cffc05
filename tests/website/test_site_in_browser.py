"""The built site in a real browser: quiet console, working search, readable on a phone. Skipped without Chromium."""

import functools
import http.server
import os
import threading
from pathlib import Path

import pytest
from browser import open_browser

SITE = Path(__file__).parents[2] / "docs" / "_build" / "html"
PAGES = (
    "index.html",
    "start.html",
    "guide.html",
    "columns.html",
    "accuracy.html",
    "api.html",
    "generated/infold.KSG.html",
    "gallery/index.html",
    "gallery/01_penguins.html",
    "contributing.html",
)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address():
    if not (SITE / "index.html").exists():
        (pytest.fail if os.environ.get("INFOLD_NEEDS_SITE") else pytest.skip)("there is no site; `make docs` builds it")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=SITE))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory, address):  # the site first: without it no browser is needed
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def show(browser, url, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(url)
    wait(browser, "return document.readyState === 'complete'")


def wait(browser, script):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, 60).until(lambda driver: driver.execute_script(script))


def complaints(browser):
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_quiet_and_fit_a_phone(browser, address, page):
    complaints(browser)
    show(browser, address + page, 1200)
    show(browser, address + page, 400)
    assert complaints(browser) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 400
    smallest = "return parseFloat(getComputedStyle(document.querySelector('.bd-article p')).fontSize)"
    assert browser.execute_script(smallest) >= 14


def test_search_finds_a_function(browser, address):
    show(browser, address + "search.html?q=confidence_interval", 1200)
    found = wait(
        browser, "return [...document.querySelectorAll('#search-results li a')].map(a => a.getAttribute('href'))"
    )
    assert any("infold.confidence_interval" in link for link in found)
    assert complaints(browser) == []


def test_the_site_opens_from_disk(browser):
    show(browser, (SITE / "index.html").as_uri(), 1200)
    assert browser.execute_script("return document.querySelector('h1').textContent").startswith("infold")
    assert complaints(browser) == []
