"""Show a page in the Chromium of Qt, as a program of its own: file, width, scheme, picture, height.

Prints one JSON object: what the console said, and what the page says of itself.
"""

import json
import os
import sys
from importlib import import_module

ASK = """JSON.stringify({width: document.documentElement.scrollWidth, window: window.innerWidth,
    background: getComputedStyle(document.body).backgroundColor,
    figures: [...document.querySelectorAll('svg')].map(f => f.getBoundingClientRect().width)})"""


def main(file, width, scheme, picture, height="900"):
    number = {"dark": 0, "light": 1}[scheme]
    os.environ |= {
        "QT_QPA_PLATFORM": "offscreen",
        "QTWEBENGINE_DISABLE_SANDBOX": "1",
        "QTWEBENGINE_CHROMIUM_FLAGS": (
            f"--disable-gpu --blink-settings=preferredColorScheme={number}"
        ),
    }
    core = import_module("PySide6.QtCore")
    engine = import_module("PySide6.QtWebEngineCore")
    widgets = import_module("PySide6.QtWebEngineWidgets")
    application = import_module("PySide6.QtWidgets").QApplication(sys.argv[:1])
    said = []

    class Page(engine.QWebEnginePage):
        def javaScriptConsoleMessage(self, level, message, line, source):
            said.append(message)

    view = widgets.QWebEngineView()
    page = Page(view)
    view.setPage(page)
    view.resize(int(width), int(height))

    def tell(found):
        view.grab().save(picture)
        sys.stdout.write(json.dumps(json.loads(found) | {"console": said}))
        application.quit()

    def ask():
        page.runJavaScript(ASK, 0, tell)

    page.loadFinished.connect(lambda _: core.QTimer.singleShot(1000, ask))  # until it is painted
    page.load(core.QUrl.fromLocalFile(file))
    view.show()
    core.QTimer.singleShot(60_000, application.quit)
    application.exec()


if __name__ == "__main__":
    main(*sys.argv[1:])
