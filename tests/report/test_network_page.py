"""The page of a network in a real browser: searched, sorted and turned over, for 1,000 columns."""

import json
import re

import numpy as np
import pytest
from browser import open_browser, show

import infold
from infold.report.network import network_page

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

SCRIPT = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def network():
    """A network of 1,000 columns whose p-values are made up: the page takes any."""
    x = np.random.default_rng(0).normal(size=(20, 3))
    small = infold.network(x, n_jobs=1, verbose=0)
    from dataclasses import replace

    rng = np.random.default_rng(1)
    p, mi = np.triu(rng.random((2, 1000, 1000)), 1)
    p[p < 0.01] **= 5
    p += p.T
    names = (SCRIPT, *(f"gene {i}" for i in range(1, 1000)))
    return replace(small, mi_matrix=mi + mi.T, pvalue_matrix=p, names=names)


@pytest.fixture(scope="module")
def page(network, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "network.html"
    network.write_html(path, title="Genes & <b>proteins</b>")
    return path


def test_the_data_are_those_of_the_edges_and_names_do_nothing(network, page):
    text = page.read_text()
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])
    edges = network.edge_list()
    assert len(data["edges"]) == len(edges) > 1000
    assert [data["names"][e[0]] for e in data["edges"]] == [e["source"] for e in edges]
    assert np.allclose([e[2] for e in data["edges"]], [e["mi"] for e in edges], rtol=1e-3)
    assert "Genes &amp; &lt;b&gt;" in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")
    assert network_page(network, 0.05, "Genes & <b>proteins</b>") == text


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = open_browser(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def rows(browser):
    return browser.execute_script(
        "return [...document.querySelectorAll('#edges tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )


def shown_number(text):
    return float(text.replace("\N{MINUS SIGN}", "-"))


@pytest.mark.parametrize("width", [400, 1100])
def test_the_table_is_searched_sorted_and_turned_over(network, browser, page, width):
    browser.get_log("browser")
    show(browser, page, width)
    edges = network.edge_list()
    assert len(rows(browser)) == 100
    assert [row[:2] for row in rows(browser)] == [[e["source"], e["target"]] for e in edges[:100]]
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    heads = browser.find_elements("css selector", "#edges th button")
    heads[2].click()  # MI, the largest first
    largest = sorted((e["mi"] for e in edges), reverse=True)
    assert shown_number(rows(browser)[0][2]) == pytest.approx(largest[0], rel=1e-2)
    heads[2].click()
    assert shown_number(rows(browser)[0][2]) == pytest.approx(largest[-1], rel=0.1)
    browser.find_element("id", "next").click()
    assert browser.find_element("id", "count").text.startswith("101 to 200 of ")
    search = browser.find_element("id", "search")
    search.send_keys("GENE 77")
    wanted = [e for e in edges if all(word in e["source"] + "\n" + e["target"] for word in ("gene", "77"))]
    assert browser.find_element("id", "count").text.split(" of ")[1].startswith(f"{len(wanted)} edges")
    assert all("77" in row[0] + row[1] for row in rows(browser))
    search.send_keys(" nothing of the kind")
    assert rows(browser) == []
    assert browser.get_log("browser") == []


def test_a_column_called_script_does_nothing(browser, page):
    show(browser, page, 1100)
    browser.find_element("id", "search").send_keys("alert")
    assert any(SCRIPT in row for row in rows(browser))
    assert browser.title == "Genes & <b>proteins</b>"
