"""Pages in a real browser: ``make test-browser``. Not part of ``make test``.

The browser is a Chromium on PATH, or the one that the variable CHROMIUM names.
"""

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from sparsegp import SparseGPClassifier
from sparsegp.report import About, report_page
from tests.docs.blocks import ROOT
from tests.report.test_page import HOSTILE, about_hostile, regression

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
DOCS_PAGE = ROOT / "docs" / "_build" / "html" / "guide" / "report.html"
BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 29)"}
SMALLEST_LETTERS = 8.5  # font size in a figure, in pixels
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')

#: Asks a page about itself, with everything unfolded; the answer goes to the page around it.
ASK = """<script>window.addEventListener("load", () => {
  document.querySelectorAll("details").forEach(part => { part.open = true; });
  const overlaps = [], cut = [], small = [];
  for (const svg of document.querySelectorAll("svg[role=img]")) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].filter(t => t.textContent.trim());
    const boxes = texts.map(t => t.getBoundingClientRect());
    boxes.forEach((a, i) => {
      const scale = frame.width / svg.viewBox.baseVal.width;
      const size = scale * parseFloat(getComputedStyle(texts[i]).fontSize);
      if (size < SMALLEST) small.push(texts[i].textContent);
      const out = [frame.left - a.left, a.right - frame.right, frame.top - a.top,
                   a.bottom - frame.bottom];
      if (Math.max(...out) > 2) cut.push(texts[i].textContent);
      boxes.slice(i + 1).forEach((b, j) => {
        const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (wide > 1 && high > 2) overlaps.push([i, i + 1 + j].map(k => texts[k].textContent));
      });
    });
  }
  const point = document.querySelector("circle[data-says]"), says = document.getElementById("says");
  if (point) point.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
  parent.postMessage(JSON.stringify({
    width: document.documentElement.scrollWidth, window: window.innerWidth,
    background: getComputedStyle(document.body).backgroundColor,
    figures: document.querySelectorAll("svg[role=img]").length, overlaps, cut, small,
    hover: point ? [point.getAttribute("data-says"), says.hidden ? "" : says.textContent] : null,
  }), "*");
});</script>""".replace("SMALLEST", str(SMALLEST_LETTERS))

#: A frame of a given width, since windows are not narrower than 500 pixels, and its answer.
FRAME = """<!DOCTYPE html><pre id="told"></pre>
<iframe src="PAGE" style="width: WIDTHpx; height: 2000px; border: 0"></iframe>
<script>window.addEventListener("message", event => {
  document.getElementById("told").textContent = event.data;
});</script>"""


def find_browser():
    named = os.environ.get("CHROMIUM")
    if named and shutil.which(named) is None:
        pytest.fail(f"CHROMIUM names {named}, which is not a program")
    return next(filter(None, map(shutil.which, [named or "", *NAMES])), None)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    program = find_browser()
    if program is None:
        pytest.skip("there is no browser: install Chromium, or name one by CHROMIUM=/path/to/it")
    profile = tmp_path_factory.mktemp("profile")

    def show(file, width, scheme):
        """Return the page after its scripts have run, and what the console said."""
        number = {"dark": 0, "light": 1}[scheme]
        done = subprocess.run(
            [
                *(
                    program,
                    "--headless",
                    "--no-sandbox",
                    "--disable-gpu",
                    "--enable-logging=stderr",
                ),
                *(f"--user-data-dir={profile}", f"--window-size={width},2000", "--dump-dom"),
                *(f"--blink-settings=preferredColorScheme={number}", "--virtual-time-budget=3000"),
                file.as_uri(),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.stdout, done.stderr
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    return show


def what_it_says(browser, file, width, scheme, folder):
    """Return the answers of a copy of the page that asks itself; the policy would forbid that."""
    text = POLICY.sub("", file.read_text(encoding="utf-8"))
    copy, frame = folder / f"asked-{file.name}", folder / f"frame-{file.name}"
    copy.write_text(text.replace("</body>", f"{ASK}</body>"), encoding="utf-8")
    frame.write_text(FRAME.replace("PAGE", copy.name).replace("WIDTH", str(width)))
    dom, _ = browser(frame, width + 50, scheme)
    found = re.search(r'<pre id="told">(.+?)</pre>', dom, flags=re.DOTALL)
    assert found is not None, dom[-2000:]
    return json.loads(unescape(found[1]))


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, names, about in (
        ("plain", ("x", "z", "group"), About()),
        ("hostile", HOSTILE, about_hostile()),
    ):
        model, X, y, y_training = regression(names)
        page = report_page(model, X, y, about=about, y_training=y_training)
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    X, y = load_iris(return_X_y=True, as_frame=True)
    labels = np.array(["setosa", "versicolor", "virginica"])[y]
    model = SparseGPClassifier(max_basis=12, random_state=0).fit(X[::2], labels[::2])
    page = report_page(model, X[1::2], labels[1::2])
    (folder / "classes.html").write_text(page, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["plain", "hostile", "classes"])
def test_a_report_has_no_errors(browser, reports, name):
    _, console = browser(reports / f"{name}.html", 1280, "light")
    assert console == []


@pytest.mark.parametrize("name", ["plain", "hostile", "classes"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (1280, "dark")])
def test_a_report_fits_and_is_legible(browser, reports, name, width, scheme):
    found = what_it_says(browser, reports / f"{name}.html", width, scheme, reports)
    assert found["window"] == width
    assert found["width"] <= width  # nothing to scroll sideways
    assert found["background"] == BACKGROUND[scheme]
    assert found["figures"] >= 7
    assert found["overlaps"] == []
    assert found["cut"] == []
    assert found["small"] == []
    assert found["hover"][0] == found["hover"][1] != ""


def test_a_page_of_the_documentation(browser):
    page = Path(os.environ.get("DOCS_PAGE", DOCS_PAGE))
    if not page.exists():
        pytest.skip("the documentation is not built: run make docs first")
    _, console = browser(page, 360, "light")
    assert console == []
    found = what_it_says(browser, page, 360, "light", page.parent)
    for copy in ("asked", "frame"):
        page.with_name(f"{copy}-{page.name}").unlink()
    assert found["width"] <= found["window"] == 360
