"""Peers, run beside us on the same rows; each needs its own environment."""
