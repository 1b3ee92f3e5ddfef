"""Gaussian sites in place of likelihoods: EP, a variational bound, active sets."""
