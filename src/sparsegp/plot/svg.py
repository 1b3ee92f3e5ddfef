"""Figures inside a page: SVG with the colours and the font of the page.

Colours become CSS variables, so that one figure serves light, dark and paper. Names of parts
(ids) are made different from figure to figure, since all share one page.
"""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from sparsegp.plot.colours import ACCENT, FAINT, INK, OF_CLASSES, SOFT
from sparsegp.plot.figure import drawn_as_svg

__all__ = ["inline_svg"]

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"

#: The CSS variable that stands for each colour.
VARIABLES = {"#000000": "--text", INK: "--ink", ACCENT: "--accent"}
VARIABLES |= {FAINT: "--faint", SOFT: "--soft"}
VARIABLES |= {color: f"--class-{i}" for i, color in enumerate(OF_CLASSES[2:], 2)}


def inline_svg(
    draw: Callable[[Any], object], *, name: str, says: str, width: float = 5.0, height: float = 3.4
) -> str:
    """Return a figure as part of an HTML page.

    Parameters
    ----------
    draw : callable
        Draws on the matplotlib axes that it is given.
    name : str
        Of the figure, different from all others of the page: letters, digits and hyphens.
    says : str
        What the figure shows, for those who cannot see it.
    width, height : float
        In inches; the page makes it as wide as there is room.
    """
    root = ElementTree.fromstring(drawn_as_svg(draw, width, height))
    for parent in list(root.iter()):
        for part in [child for child in parent if child.tag in (f"{SVG}metadata", f"{SVG}style")]:
            parent.remove(part)  # a style would hold for the whole page
    for element in root.iter():
        _belongs_to_page(element, name)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": says}
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _belongs_to_page(element: ElementTree.Element, name: str) -> None:
    """Take colours and font from the page and give ids the name of the figure."""
    element.tag = element.tag.removeprefix(SVG)  # in HTML they have no prefix
    if element.tag not in ("text", "tspan"):
        element.text = None
    element.tail = None if element.tag != "tspan" else element.tail
    attributes = element.attrib
    reference = attributes.pop(f"{XLINK}href", None)
    if reference is not None:
        attributes["href"] = reference.replace("#", f"#{name}-")
    if element.tag == "g":
        attributes.pop("id", None)  # nothing refers to groups
    if "id" in attributes:
        attributes["id"] = f"{name}-{attributes['id']}"
    if "clip-path" in attributes:
        attributes["clip-path"] = attributes["clip-path"].replace("url(#", f"url(#{name}-")
    if "style" in attributes:
        attributes["style"] = _as_page_has_it(attributes["style"])
    if element.tag == "text" and "fill:" not in attributes.get("style", ""):
        # black is not said: it is what SVG takes
        attributes["style"] = attributes.get("style", "") + "; fill: var(--text)"


def _as_page_has_it(style: str) -> str:
    """Return a style with variables for colours, and without a font of its own.

    >>> _as_page_has_it("font: 10px 'Arial', sans-serif; fill: #d1603d")
    'font-size: 10px; fill: var(--accent)'
    """
    style = re.sub(r"font: (?:[a-z0-9]+ )*?([\d.]+px)[^;]*", r"font-size: \1", style)
    style = re.sub(r"font-family:[^;]*;? ?", "", style)
    for color, variable in VARIABLES.items():
        style = style.replace(color, f"var({variable})")
    return style
