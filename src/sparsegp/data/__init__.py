"""Rows: what the algebra sees of a table."""
