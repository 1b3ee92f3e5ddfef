"""Gaussian processes that choose their own basis vectors."""
