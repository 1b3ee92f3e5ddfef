"""The colours of all figures, one per role, so that a page can replace them by its own."""

__all__ = ["ACCENT", "CLASS_COLOURS", "FAINT", "INK", "SOFT"]

INK, ACCENT, FAINT, SOFT = "#1f3a5f", "#d1603d", "#9aa5b1", "#b9c7da"

#: One for each class, up to six; distinguishable with red-green colour blindness.
CLASS_COLOURS = (INK, ACCENT, "#2a9d8f", "#8a6fb0", "#c9a227", "#5f6b76")
