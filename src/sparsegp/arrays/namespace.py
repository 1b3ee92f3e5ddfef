"""Which library an array belongs to, and the elementwise functions that depend on it."""

from typing import Any, TypeAlias

import array_api_compat
import numpy as np
import numpy.typing as npt

__all__ = [
    "LOWEST_EXPONENT",
    "Array",
    "exp_in_place",
    "is_ndarray",
    "is_numpy",
    "is_of_other_library",
    "is_single",
    "is_torch",
    "lowest_exponent",
    "moved",
    "namespace",
    "on_host",
    "take",
    "take_at",
    "to_numpy",
]

#: An array of any library that follows the array API standard. The type checker sees NumPy's type,
#: whose attributes include those of the standard: it then checks shapes, None and scalars. (A
#: Protocol of the standard needs a cast wherever NumPy-only code meets it, 150 times;
#: NumPy-only calls in portable code are found by the tests with array-api-strict.)
Array: TypeAlias = npt.NDArray[Any]

# exp(-150) = 7e-66: zero to rounding beside any kernel value that matters, while its
# square (5e-131) is still a normal number. Subnormals would slow a GEMM tenfold. In single
# precision exp(-40) = 4e-18 is as little.
LOWEST_EXPONENT, LOWEST_OF_SINGLE = -150.0, -40.0

_NUMPY = array_api_compat.array_namespace(np.empty(0))


def namespace(*arrays: Array) -> Any:
    """Return the array API namespace of the arrays."""
    if all(type(array) is np.ndarray for array in arrays):  # the most frequent case
        return _NUMPY
    return array_api_compat.array_namespace(*arrays)


def is_ndarray(x: Any) -> bool:
    """Tell whether x is a NumPy array, of any dtype."""
    return isinstance(x, np.ndarray)


def is_numpy(x: Any) -> bool:
    """Tell whether x is a float64 NumPy array, which SciPy's BLAS takes without a copy."""
    return type(x) is np.ndarray and x.dtype == np.float64


def is_single(x: Any) -> bool:
    """Tell whether x is a float32 NumPy array."""
    return type(x) is np.ndarray and x.dtype == np.float32


def lowest_exponent(x: Array) -> float:
    """Return the value at which exponents of kernel values are clipped, for the dtype of x."""
    if is_numpy(x):  # the name of a dtype takes a while
        return LOWEST_EXPONENT
    return LOWEST_OF_SINGLE if "float32" in str(x.dtype) else LOWEST_EXPONENT


def is_torch(x: Any) -> bool:
    """Tell whether x is a PyTorch tensor, to which products can be added in place."""
    return bool(array_api_compat.is_torch_array(x))


def is_of_other_library(x: Any) -> bool:
    """Tell whether x is an array of another library than NumPy that holds its own values.

    >>> import numpy as np
    >>> is_of_other_library(np.zeros(3)), is_of_other_library([0.0])
    (False, False)
    """
    if isinstance(x, np.ndarray | np.generic) or array_api_compat.is_dask_array(x):
        return False
    return bool(array_api_compat.is_array_api_obj(x))


def on_host(x: Any) -> bool:
    """Tell whether x is in host memory, where blocks should fit a cache."""
    if isinstance(x, np.ndarray):
        return True
    device = array_api_compat.device(x)
    kind = getattr(device, "platform", None) or getattr(device, "type", None) or str(device)
    return "cpu" in str(kind).lower()


def to_numpy(x: Any) -> npt.NDArray[np.float64]:
    """Copy a small array (parameters, gradients) to the host."""
    return np.asarray(to_host(x), dtype=np.float64)


def to_host(x: Any) -> Any:
    """Return an array in host memory, of any dtype."""
    if is_torch(x):
        x = x.detach().cpu()
    elif array_api_compat.is_array_api_obj(x) and not on_host(x):
        home = namespace(x).__array_namespace_info__().default_device()
        x = x.get() if array_api_compat.is_cupy_array(x) else array_api_compat.to_device(x, home)
    return x


def moved(x: Any, like: Any) -> Any:
    """Return x as an array of the library and on the device of ``like``.

    >>> import numpy as np
    >>> moved([1, 2], like=np.zeros(3))
    array([1., 2.])
    """
    if isinstance(like, np.ndarray):
        return to_numpy(x)
    xp = namespace(like)
    if array_api_compat.is_array_api_obj(x) and namespace(x) is xp:
        return array_api_compat.to_device(x, array_api_compat.device(like))
    return xp.asarray(to_numpy(x), dtype=like.dtype, device=array_api_compat.device(like))


def take(A: Array, positions: Array) -> Array:
    """Return the rows of A at positions held on the host."""
    if is_ndarray(A):
        return A[positions]
    xp = namespace(A)
    return xp.take(A, xp.asarray(positions, device=array_api_compat.device(A)), axis=0)


def take_at(A: Array, places: Array, axis: int = 0) -> Array:
    """Return the parts of A at places (k,) held on its device, which must not be negative.

    The array API allows negative ones, for which PyTorch would need three more operations.
    """
    if is_torch(A):
        tensor: Any = A
        return tensor.index_select(axis, places)
    return namespace(A).take(A, places, axis=axis)


def exp_in_place(E: Array, *, cut: bool = True) -> Array:
    """Return exp(E) for E ≤ 0, clipped where it is zero to rounding; may overwrite E.

    ``cut=False`` promises that no element lies below ``lowest_exponent(E)`` and saves a pass.

    >>> import numpy as np
    >>> exp_in_place(np.array([0.0, -1e9]))[0]
    np.float64(1.0)
    """
    if type(E) is np.ndarray:
        if cut:
            np.clip(E, lowest_exponent(E), 0.0, out=E)  # twice as fast as np.maximum
        return np.exp(E, out=E)
    xp = namespace(E)
    return xp.exp(xp.clip(E, lowest_exponent(E), None) if cut else E)
