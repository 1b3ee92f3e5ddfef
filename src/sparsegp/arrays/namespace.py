"""Which library an array belongs to, and the elementwise steps that profit from knowing."""

from typing import Any, TypeAlias

import array_api_compat
import numpy as np
import numpy.typing as npt

__all__ = [
    "LOWEST_EXPONENT",
    "Array",
    "exp_in_place",
    "is_numpy",
    "is_of_other_library",
    "is_single",
    "is_torch",
    "lowest_exponent",
    "moved",
    "namespace",
    "on_host",
    "take",
    "to_numpy",
]

#: An array of any library that follows the array API standard.
Array: TypeAlias = Any

# exp(-150) = 7e-66: zero to rounding beside any kernel value that matters, while its
# square (5e-131) is still a normal number. Subnormals would slow a GEMM tenfold. In single
# precision exp(-40) = 4e-18 is as little.
LOWEST_EXPONENT, LOWEST_OF_SINGLE = -150.0, -40.0

_NUMPY = array_api_compat.array_namespace(np.empty(0))


def namespace(*arrays: Array) -> Any:
    """Return the array API namespace of the arrays."""
    if all(type(array) is np.ndarray for array in arrays):  # most of them, and asked for often
        return _NUMPY
    return array_api_compat.array_namespace(*arrays)


def is_numpy(x: Array) -> bool:
    """Tell whether x is NumPy's, in double precision: what SciPy's BLAS takes without a copy."""
    return type(x) is np.ndarray and x.dtype == np.float64


def is_single(x: Array) -> bool:
    """Tell whether x is NumPy's, in single precision."""
    return type(x) is np.ndarray and x.dtype == np.float32


def lowest_exponent(x: Array) -> float:
    """Return what exponents of kernel values are cut at, in the precision of x."""
    return LOWEST_OF_SINGLE if is_single(x) else LOWEST_EXPONENT


def is_torch(x: Array) -> bool:
    """Tell whether x is a tensor of torch, whose products can be added in place."""
    return bool(array_api_compat.is_torch_array(x))


def is_of_other_library(x: Any) -> bool:
    """Tell whether x is an array that holds its own values, and not NumPy's.

    >>> import numpy as np
    >>> is_of_other_library(np.zeros(3)), is_of_other_library([0.0])
    (False, False)
    """
    if isinstance(x, np.ndarray | np.generic) or array_api_compat.is_dask_array(x):
        return False
    return bool(array_api_compat.is_array_api_obj(x))


def on_host(x: Array) -> bool:
    """Tell whether x lies in the memory of the processor, where blocks should fit a cache."""
    if isinstance(x, np.ndarray):
        return True
    device = array_api_compat.device(x)
    kind = getattr(device, "platform", None) or getattr(device, "type", None) or str(device)
    return "cpu" in str(kind).lower()


def to_numpy(x: Array) -> npt.NDArray[np.float64]:
    """Copy a small array (parameters, gradients) to the host."""
    return np.asarray(to_host(x), dtype=np.float64)


def to_host(x: Array) -> Any:
    """Return an array on the host, whatever numbers it holds."""
    if is_torch(x):
        x = x.detach().cpu()
    elif array_api_compat.is_array_api_obj(x) and not on_host(x):
        home = namespace(x).__array_namespace_info__().default_device()
        x = x.get() if array_api_compat.is_cupy_array(x) else array_api_compat.to_device(x, home)
    return x


def moved(x: Array, like: Array) -> Array:
    """Return x in the library and on the device of another array.

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
    """Return the lines of A at positions that the host knows."""
    if isinstance(A, np.ndarray):
        return A[positions]
    xp = namespace(A)
    return xp.take(A, xp.asarray(positions, device=array_api_compat.device(A)), axis=0)


def exp_in_place(E: Array, *, cut: bool = True) -> Array:
    """Return exp(E) for E ≤ 0, cut where it is zero to rounding; may overwrite E.

    ``cut=False`` says that no element lies below ``lowest_exponent(E)``: a pass less.

    >>> import numpy as np
    >>> exp_in_place(np.array([0.0, -1e9]))[0]
    np.float64(1.0)
    """
    if type(E) is np.ndarray:
        if cut:
            np.clip(E, lowest_exponent(E), 0.0, out=E)  # half the time of a maximum
        return np.exp(E, out=E)
    xp = namespace(E)
    return xp.exp(xp.clip(E, LOWEST_EXPONENT, None) if cut else E)
