"""Parsing a page as a browser would, and checking that it is complete."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from importlib.resources import files

VOID = {"meta", "link", "br", "img", "hr", "input"}
SCRIPT = files("sparsegp.report").joinpath("page.js").read_text(encoding="utf-8")
LOADS = {"src", "href", "xlink:href", "srcset", "action", "data", "poster"}


@dataclass
class Page(HTMLParser):
    """What stands in a page; tags that do not close each other are an error."""

    text: str
    open_tags: list = field(default_factory=list)
    ids: list = field(default_factory=list)
    references: list = field(default_factory=list)
    tags: list = field(default_factory=list)
    headings: list = field(default_factory=list)
    cells: list = field(default_factory=list)
    words: list = field(default_factory=list)
    figures: list = field(default_factory=list)
    code: list = field(default_factory=list)
    scripts: list = field(default_factory=list)

    def __post_init__(self):
        super().__init__(convert_charrefs=True)
        self.feed(self.text)
        self.close()
        assert not self.open_tags, f"not closed: {self.open_tags}"

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.tags.append(tag)
        assert len(given) == len(attrs), f"an attribute twice in {tag}"
        assert not any(name.startswith("on") for name in given), f"{tag} runs a script"
        if "id" in given:
            self.ids.append(given["id"])
        self.references += [value for name, value in given.items() if name in LOADS]
        if tag == "svg":
            self.figures.append(given["aria-label"])
        if tag not in VOID:
            self.open_tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open_tags, f"</{tag}> closes nothing"
        assert self.open_tags[-1] == tag, f"</{tag}> inside {self.open_tags[-1]}"
        self.open_tags.pop()

    def handle_data(self, data):
        inside = self.open_tags[-1] if self.open_tags else ""
        if inside == "style":
            assert "@import" not in data
            assert "url(" not in data
            return
        if inside == "script":
            self.scripts.append(data)
            return
        self.words.append(data)
        if inside == "code":
            self.code.append(data)
        if inside in ("h1", "h2", "h3"):
            self.headings.append(data)
        if inside == "td":
            self.cells.append(data)

    @property
    def told(self):
        """All that a reader sees, on one line."""
        return " ".join(" ".join(self.words).split())


def read(text):
    """Return a page that is well formed and needs nothing else."""
    page = Page(text)
    assert page.tags[0] == "html"
    assert page.scripts == [SCRIPT]  # its own, and no other
    assert page.tags.count("script") == 1
    assert len(set(page.ids)) == len(page.ids), "an id twice"
    assert all(r.startswith("#") and r[1:] in page.ids for r in page.references), page.references
    return page
