"""The algebra of a sparse Gaussian process; it knows neither estimators nor optimisers.

From a kernel and basis inputs to whitened features (``features``), from rows to additive
moments (``moments``), from moments to the posterior (``posterior``) and to the evidence
with its gradient (``evidence``). ``approximation`` holds the one rule in which SoR, DTC,
FITC and VFE differ; ``exact`` is the Gaussian process without a basis, for small sets.
"""
