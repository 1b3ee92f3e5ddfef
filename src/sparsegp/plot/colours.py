"""The colours of all figures: one for each role, so that a page may show them as it likes."""

__all__ = ["ACCENT", "FAINT", "INK", "OF_CLASSES", "SOFT"]

INK, ACCENT, FAINT, SOFT = "#1f3a5f", "#d1603d", "#9aa5b1", "#b9c7da"

#: One for each class, as far as they go: told apart also by those who do not see red or green.
OF_CLASSES = (INK, ACCENT, "#2a9d8f", "#8a6fb0", "#c9a227", "#5f6b76")
