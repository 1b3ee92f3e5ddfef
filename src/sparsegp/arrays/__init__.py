"""Linear algebra on arrays of any library: the only package that calls BLAS and LAPACK.

NumPy arrays take the in-place BLAS and LAPACK routines of SciPy; arrays of other libraries go
through the array API standard. The packages above import from here and need not know which
library an array comes from.
"""

from sparsegp.arrays.alignment import zeros_aligned
from sparsegp.arrays.anderson import AndersonAcceleration
from sparsegp.arrays.blas import (
    factorise_lower,
    invert_factor,
    invert_triangle,
    solve_by_factor,
    solve_by_inverse,
    square_inverse,
)
from sparsegp.arrays.cholesky import Factor, safe_cholesky
from sparsegp.arrays.chunked_map import chunked_map
from sparsegp.arrays.device_memory import free_bytes
from sparsegp.arrays.distances import (
    batched_minus_half_squared_distances,
    minus_half_squared_distances,
    minus_half_squared_distances_to,
)
from sparsegp.arrays.equal_rows import first_of_equal_rows
from sparsegp.arrays.freed_memory import keep_freed_memory
from sparsegp.arrays.linalg import (
    add_gram,
    add_product,
    add_scaled,
    add_to_diagonal,
    add_to_diagonals,
    half_inverse_from_lower,
    inverse_from_lower,
    less_combination,
    less_product,
    mirror_lower,
    row_sums_of_squares,
    solve_lower,
    solve_lower_transposed,
    sum_of_product,
)
from sparsegp.arrays.namespace import (
    LOWEST_EXPONENT,
    Array,
    exp_in_place,
    is_ndarray,
    is_numpy,
    is_of_other_library,
    is_single,
    lowest_exponent,
    moved,
    namespace,
    on_host,
    take,
    take_at,
    to_host,
    to_numpy,
)
from sparsegp.arrays.out_of_memory import in_smaller_parts, is_out_of_memory, or_on_host
from sparsegp.arrays.parallel import (
    map_shares,
    n_threads,
    one_blas_thread,
    parallel_map,
    thread_shares,
    threads_for,
)
from sparsegp.arrays.replay import Replay
from sparsegp.arrays.single import full_single, in_double, in_single, single_speedup
from sparsegp.arrays.triangular import Triangle

__all__ = [
    "LOWEST_EXPONENT",
    "AndersonAcceleration",
    "Array",
    "Factor",
    "Replay",
    "Triangle",
    "add_gram",
    "add_product",
    "add_scaled",
    "add_to_diagonal",
    "add_to_diagonals",
    "batched_minus_half_squared_distances",
    "chunked_map",
    "exp_in_place",
    "factorise_lower",
    "first_of_equal_rows",
    "free_bytes",
    "full_single",
    "half_inverse_from_lower",
    "in_double",
    "in_single",
    "in_smaller_parts",
    "inverse_from_lower",
    "invert_factor",
    "invert_triangle",
    "is_ndarray",
    "is_numpy",
    "is_of_other_library",
    "is_out_of_memory",
    "is_single",
    "keep_freed_memory",
    "less_combination",
    "less_product",
    "lowest_exponent",
    "map_shares",
    "minus_half_squared_distances",
    "minus_half_squared_distances_to",
    "mirror_lower",
    "moved",
    "n_threads",
    "namespace",
    "on_host",
    "one_blas_thread",
    "or_on_host",
    "parallel_map",
    "row_sums_of_squares",
    "safe_cholesky",
    "single_speedup",
    "solve_by_factor",
    "solve_by_inverse",
    "solve_lower",
    "solve_lower_transposed",
    "square_inverse",
    "sum_of_product",
    "take",
    "take_at",
    "thread_shares",
    "threads_for",
    "to_host",
    "to_numpy",
    "zeros_aligned",
]
