"""Commands for a terminal."""
