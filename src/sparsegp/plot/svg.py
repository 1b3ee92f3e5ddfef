"""Figures inside an HTML page: SVG with the colours and the font of the page.

Colours become CSS variables, so that one figure serves light mode, dark mode and print. The ids
of elements get a prefix per figure, since all figures share one page.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any
from xml.etree import ElementTree

from sparsegp.plot.colours import ACCENT, CLASS_COLOURS, FAINT, INK, SOFT
from sparsegp.plot.figure import render_svg

__all__ = ["Hover", "inline_svg"]

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"

#: The CSS variable of each colour.
VARIABLES = {"#000000": "--text", INK: "--ink", ACCENT: "--accent"}
VARIABLES |= {FAINT: "--faint", SOFT: "--soft"}
VARIABLES |= {color: f"--class-{i}" for i, color in enumerate(CLASS_COLOURS[2:], 2)}


#: A point in units of the data, and what the page says of it under the pointer.
Hover = tuple[float, float, str]
#: Size on the page, at most: letters are then as large as those of the text.
REM_PER_INCH = 7.0
#: Radius of the area around a point that answers to the pointer, in points.
REACH = 6


def inline_svg(
    draw: Callable[[Any], object],
    *,
    name: str,
    says: str,
    width: float = 5.0,
    height: float = 3.4,
    hover: Sequence[Hover] = (),
) -> str:
    """Return a figure as part of an HTML page.

    Parameters
    ----------
    draw : callable
        Called with a matplotlib ``Axes`` to draw on.
    name : str
        Prefix of the ids, unique on the page: letters, digits and hyphens.
    says : str
        Text alternative for screen readers.
    width, height : float
        In inches; the page scales the figure to the available width.
    hover : sequence of (x, y, text)
        Points in units of the data, whose text the script of the page shows under the pointer.
    """
    text, places = render_svg(draw, width, height, [(x, y) for x, y, _ in hover])
    root = ElementTree.fromstring(text)
    for parent in list(root.iter()):
        for part in [child for child in parent if child.tag in (f"{SVG}metadata", f"{SVG}style")]:
            parent.remove(part)  # a style element would apply to the whole page
    for element in root.iter():
        _adapt_to_page(element, name)
    for (x, y), (*_, told) in zip(places, hover, strict=True):
        ElementTree.SubElement(
            root, "circle", {"cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": str(REACH), "data-says": told}
        )
    style = f"max-width: {REM_PER_INCH * width:.1f}rem"
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": says}
    root.attrib["style"] = style
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def _adapt_to_page(element: ElementTree.Element, name: str) -> None:
    """Use colours and font of the page, and prefix ids with the name of the figure."""
    element.tag = element.tag.removeprefix(SVG)  # HTML has no namespaces
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
        attributes["style"] = _page_style(attributes["style"])
    if element.tag == "text" and "fill:" not in attributes.get("style", ""):
        # black is the default of SVG and is not written
        attributes["style"] = attributes.get("style", "") + "; fill: var(--text)"


def _page_style(style: str) -> str:
    """Return a style with variables for colours and without a font.

    >>> _page_style("font: 10px 'Arial', sans-serif; fill: #d1603d")
    'font-size: 10px; fill: var(--accent)'
    """
    style = re.sub(r"font: (?:[a-z0-9]+ )*?([\d.]+px)[^;]*", r"font-size: \1", style)
    style = re.sub(r"font-family:[^;]*;? ?", "", style)
    for color, variable in VARIABLES.items():
        style = style.replace(color, f"var({variable})")
    return style
