"""Which inputs become basis vectors, and how many are enough.

``select_basis`` is the door. Two engines stand behind it:

- the *Gram domain* (``gram``, ``conditioned``, ``elimination``): one pass over the rows, then
  a pivoted elimination whose cost does not depend on the number of rows, for a fixed pool and
  the criteria that are functions of the log posterior or of the evidence;
- the *sample domain* (``sample``, ``projection``, ``scorers``, ``leave_one_out``,
  ``information``): numbers for every row and candidate, for everything else, with fresh
  candidates at every step and a cache of the good ones.

``criteria`` names the measures, ``candidates`` keeps the working set, ``stopping`` watches the
path.
"""

from sparsegp.selection.criteria import CRITERIA, GAINS, HAS_TURNING_POINT
from sparsegp.selection.select import in_samples, select_basis
from sparsegp.selection.stopping import Selection

__all__ = ["CRITERIA", "GAINS", "HAS_TURNING_POINT", "Selection", "in_samples", "select_basis"]
