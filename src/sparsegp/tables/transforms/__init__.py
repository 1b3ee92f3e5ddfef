"""Transforms of columns and target: scaling, quantiles, logarithms, warps."""
