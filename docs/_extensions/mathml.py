"""Formulas as MathML, which browsers draw by themselves: the pages fetch nothing from outside."""

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert

__all__ = ["setup"]


def _inline(translator: Any, node: nodes.Node) -> None:
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.Node) -> None:
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="math-block">{formula}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx that there is such a renderer: ``html_math_renderer = "mathml"``."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
