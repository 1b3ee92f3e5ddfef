"""Basis selection: which inputs become basis vectors, and how many are enough.

A *basis vector* is what others call an *inducing point*; greedy basis selection from the data is
also known as *active-set* or *subset* selection.

``select_basis`` is the entry point. It uses one of two methods:

- the *Gram domain* (``gram``, ``schur_gram``, ``elimination``): one pass over the rows, then a
  pivoted elimination whose cost does not depend on the number of rows, for a fixed pool of
  candidates and criteria that are functions of the log posterior or of the marginal likelihood;
- the *sample domain* (``sample``, ``projection``, ``scorers``, ``leave_one_out``,
  ``row_noise``, ``information``): values for every row and candidate, for all other criteria, with
  fresh candidates at every step and a cache of the best ones.

``criteria`` defines the criteria, ``candidates`` the working set, ``stopping`` when to end.
``active_set`` selects the active set of a classifier.

KC is Keerthi & Chu (2005), SKS Sundararajan, Keerthi & Shevade, SS Sundararajan & Shevade.
"""

from sparsegp.selection.criteria import CRITERIA, GAINS, HAS_TURNING_POINT
from sparsegp.selection.select import select_basis, uses_sample_domain
from sparsegp.selection.stopping import Selection

__all__ = [
    "CRITERIA",
    "GAINS",
    "HAS_TURNING_POINT",
    "Selection",
    "select_basis",
    "uses_sample_domain",
]
