"""The page in Chromium: on a phone and on a desk, light and dark.

Chromium is that of playwright or, where there is none, that of Qt (PySide6 with QtWebEngine).
"""

import json
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from sparsegp.report import About, report_page
from tests.report.qt_browser import ASK
from tests.report.test_page import HOSTILE, about_hostile, regression

QT = Path(__file__).with_name("qt_browser.py")
PAGE_IN = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}


def with_playwright(file, width, scheme, picture):
    """Return what the page says in playwright's Chromium, or None if there is none."""
    if find_spec("playwright") is None:
        return None
    api = import_module("playwright.sync_api")
    with api.sync_playwright() as playwright:
        if not Path(playwright.chromium.executable_path).exists():
            return None
        browser = playwright.chromium.launch()
        page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: said.extend([asked.url] * ("http" in asked.url)))
        page.goto(file.as_uri())
        found = json.loads(page.evaluate(ASK))
        page.screenshot(path=picture, full_page=True)
        browser.close()
    return found | {"console": said}


def with_qt(file, width, scheme, picture):
    """Return what the page says in the Chromium of Qt, or None if there is none."""
    if find_spec("PySide6") is None or find_spec("PySide6.QtWebEngineWidgets") is None:
        return None
    done = subprocess.run(
        [sys.executable, str(QT), str(file), str(width), scheme, str(picture)],
        capture_output=True,
        text=True,
        check=False,
        timeout=90,
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    if find_spec("playwright") is None and find_spec("PySide6") is None:
        pytest.skip("no Chromium: install playwright with its browser, or PySide6 with QtWebEngine")
    folder = tmp_path_factory.mktemp("pages")
    for name, names, about in (
        ("plain", ("x", "z", "group"), About()),
        ("hostile", HOSTILE, about_hostile()),
    ):
        model, X, y, y_training = regression(names)
        page = report_page(model, X, y, about=about, y_training=y_training)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_in_a_browser(pages, name, width, scheme):
    file, picture = pages / f"{name}.html", pages / f"{name}-{width}-{scheme}.png"
    found = with_playwright(file, width, scheme, picture) or with_qt(file, width, scheme, picture)
    if found is None:
        pytest.skip("no Chromium: run 'playwright install chromium'")
    assert found["console"] == []
    assert found["width"] <= found["window"] == width  # nothing to scroll sideways
    assert found["background"] == PAGE_IN[scheme]
    assert len(found["figures"]) == 6 + 3
    assert all(0.2 * width < figure <= width for figure in found["figures"])
    assert picture.stat().st_size > 10_000
