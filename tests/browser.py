"""A headless Chromium for tests, or the reason why there is none."""

import os
import shutil

import pytest

FLAGS = (
    "--headless",
    "--no-sandbox",  # CI runs as root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def missing(reason):
    """Skip; where a browser must be there (CI says so), fail."""
    if os.environ.get("INFOLD_NEEDS_BROWSER"):
        pytest.fail(f"INFOLD_NEEDS_BROWSER is set, but {reason}")
    pytest.skip(f"{reason}; install Debian's chromium and chromium-driver to run this")


def open_browser(profile):
    """Return a driver of a fresh Chromium, which logs what pages say."""
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if program is None or driver is None:
        missing("there is no Chromium or no chromedriver on the path")
    try:
        from selenium import webdriver
    except ImportError:
        missing("selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def show(browser, path, width):
    """Open a file in a window of some width, in CSS pixels, as a phone or a desktop would."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    from selenium.webdriver.support.ui import WebDriverWait

    complete = "return document.readyState === 'complete'"
    WebDriverWait(browser, 60).until(lambda driver: driver.execute_script(complete))  # a busy machine parses late
