"""The algebra of sparse Gaussian processes, independent of estimators and optimisers.

A *basis vector* is what others call an *inducing point* or pseudo-input: one of m inputs Z at which
the process is represented. Choosing them from the data, *basis selection*, is also called
active-set or subset selection (``sparsegp.selection``).

From a kernel and basis inputs to whitened features (``features``), from rows to additive moments
(``moments``), from moments to the posterior (``posterior``) and to the log marginal likelihood, the
*evidence*, with its gradient (``evidence``). ``approximation`` holds the rule in which SoR, DTC,
FITC and VFE differ; ``exact`` is the Gaussian process without a basis, for small sets.
``leave_one_out``, ``sites`` and ``noise`` build on these.
"""
