"""Neighbours: what the basis leaves unexplained, the nearest training rows explain (Vecchia).

``search`` finds the nearest rows in the metric of the kernel, ``conditionals`` gives the density of
rows given their neighbours with its gradient, ``prediction`` corrects a sparse posterior by them.
"""
