"""A kernel on numbers and one-hot codes of categories."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsegp.arrays import Array, namespace, to_numpy
from sparsegp.kernels.base import BatchedPullback, Kernel, Pullback, Vector

__all__ = ["OneHot"]


@dataclass(frozen=True, repr=False)
class OneHot(Kernel):
    """A kernel of inputs whose category codes are replaced by one-hot coordinates.

    The coordinates of a row are its other columns, in their order, and after them one for each
    level of each category: 1 if the row has this level, else 0. With a length scale for each
    coordinate two levels a and b of a category are 1/ℓ_a² + 1/ℓ_b² apart (squared): a level of a
    long length scale resembles all others, and one of a short length scale none. A `Categorical`
    kernel has the same distance between any two levels.

    A code that is no level of its column differs from them as they differ from each other: its
    coordinates are their average, and its covariance with rows of known levels, or of another such
    code, is multiplied by the mean correlation ρ of two levels that agree in everything else. Rows
    that learn have levels, so derivatives take ρ for a constant.

    Parameters
    ----------
    kernel : Kernel
        On the coordinates.
    levels : mapping of int to sequence of float
        The codes of each column that holds category codes, by its position.

    Examples
    --------
    >>> import numpy as np
    >>> from sparsegp.kernels import RBF
    >>> kernel = OneHot(RBF([1.0, 0.5, 2.0]), {0: (1.0, 2.0)})  # a number and two levels
    >>> kernel.coordinates(np.array([[2.0, 7.0], [1.0, 7.0]]))
    array([[7., 0., 1.],
           [7., 1., 0.]])
    >>> kernel(np.array([[2.0, 7.0]]), np.array([[1.0, 7.0]])).round(4)  # exp(−½ (4 + ¼))
    array([[0.1194]])
    """

    kernel: Kernel
    levels: Any  # becomes a tuple of (position, codes)

    def __post_init__(self) -> None:
        given = self.levels
        pairs = given.items() if isinstance(given, Mapping) else given
        levels = tuple((int(at), tuple(map(float, codes))) for at, codes in pairs)
        positions = [at for at, _ in levels]
        distinct = all(codes and len(set(codes)) == len(codes) for _, codes in levels)
        if not distinct or min(positions, default=0) < 0 or len(set(positions)) < len(positions):
            raise ValueError(
                "levels of OneHot must be different codes for each of some positions of columns, "
                f"counted from 0, got {given!r}"
            )
        object.__setattr__(self, "levels", levels)

    def __repr__(self) -> str:
        counts = {at: len(codes) for at, codes in self.levels}
        return f"OneHot({self.kernel!r}, levels={counts!r})"

    def numbers(self, n_features: int) -> list[int]:
        """Return the positions of the columns, of n_features, that are no codes."""
        coded = self.coded_columns(n_features)
        return [i for i in range(n_features) if i not in coded]

    def coordinates(self, X: Array) -> Array:
        """Return the coordinates (…, F) of rows (…, D)."""
        xp = namespace(X)
        numbers = xp.asarray(self.numbers(X.shape[-1]), dtype=xp.int64, device=X.device)
        parts = [xp.take(X, numbers, axis=-1)]
        for at, codes in self.levels:
            known = xp.asarray(codes, dtype=X.dtype, device=X.device)
            hot = xp.astype(X[..., at][..., None] == known, X.dtype)  # (…, L)
            seen = xp.sum(hot, axis=-1, keepdims=True)  # 0 where the code is no level
            parts.append(hot + (1.0 - seen) / len(codes))
        return xp.concat(parts, axis=-1)

    def _unlike(self, X: Array, Z: Array) -> Array | None:
        """Return the factors (…, n, m) of codes that are no levels; None if there are none."""
        xp, factors = namespace(X), None
        correlations: list[float] = []
        for place, (at, codes) in enumerate(self.levels):
            x, z = (_unknown(A[..., at], codes) for A in (X, Z))
            if not (bool(xp.any(x != codes[0])) or bool(xp.any(z != codes[0]))):
                continue
            correlations = correlations or self._correlations(X)
            other = x[..., :, None] != z[..., None, :]
            own = xp.astype(other, X.dtype) * (correlations[place] - 1.0) + 1.0
            factors = own if factors is None else factors * own
        return factors

    def _correlations(self, like: Array) -> list[float]:
        """Return the mean correlation of two levels of each category, all else being equal."""
        n_numbers = len(self.numbers(like.shape[-1]))
        counts = [len(codes) for _, codes in self.levels]
        eye = np.eye(sum(counts), n_numbers + sum(counts), n_numbers)
        xp, found, start = namespace(like), [], 0
        for count in counts:
            rows = xp.asarray(eye[start : start + count], dtype=like.dtype, device=like.device)
            K = to_numpy(self.kernel(rows, rows))  # (L, L)
            own = np.sqrt(np.maximum(np.diag(K), np.finfo(np.float64).tiny))
            total = float(np.sum(K / np.outer(own, own))) - count
            found.append(min(max(total / (count * max(count - 1, 1)), 0.0), 1.0))
            start += count
        return found

    @property
    def theta(self) -> Vector:
        """Theta of the kernel inside."""
        return self.kernel.theta

    @property
    def bounds(self) -> Vector:
        """Bounds of the kernel inside."""
        return self.kernel.bounds

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """Names of the kernel inside."""
        return self.kernel.parameter_names

    @property
    def length_scale_positions(self) -> tuple[tuple[int, ...], ...]:
        """Those of the kernel inside."""
        return self.kernel.length_scale_positions

    def with_theta(self, theta: Sequence[float] | Vector) -> Kernel:
        """Return this kernel with other free parameters."""
        return OneHot(self.kernel.with_theta(theta), self.levels)

    def bind(self, feature_names: Sequence[str] | None, n_features: int) -> Kernel:
        """Check the positions, and bind the kernel inside to the coordinates."""
        last = max((at for at, _ in self.levels), default=0)
        if last >= n_features:
            raise ValueError(
                f"levels of OneHot name column {last}, but X has {n_features} columns (positions "
                "count from 0)"
            )
        width = len(self.numbers(n_features)) + sum(len(codes) for _, codes in self.levels)
        return OneHot(self.kernel.bind(None, width), self.levels)

    def coded_columns(self, n_features: int) -> frozenset[int]:
        """Return the columns that have levels."""
        return frozenset(at for at, _ in self.levels)

    def periodic_columns(self, n_features: int) -> frozenset[int]:
        """Return those of the kernel inside, by their positions in the table."""
        numbers = self.numbers(n_features)
        inside = self.kernel.periodic_columns(len(numbers))
        return frozenset(numbers[i] for i in inside if i < len(numbers))

    def with_input_scale(self, scale: Vector) -> Kernel:
        """Hand on the scale of the numbers; one-hot codes have none."""
        n_hot = sum(len(codes) for _, codes in self.levels)
        own = np.concatenate((scale[self.numbers(len(scale))], np.ones(n_hot)))
        return OneHot(self.kernel.with_input_scale(own), self.levels)

    def __call__(self, X: Array, Z: Array) -> Array:
        """Return the block of the kernel inside, less the correlation of codes without level."""
        return self.bind_Z(Z)(X)

    def bind_Z(self, Z: Array) -> Callable[[Array], Array]:
        """Return the kernel inside bound to the coordinates of Z."""
        values = self.kernel.bind_Z(self.coordinates(Z))

        def block(X: Array) -> Array:
            K, unlike = values(self.coordinates(X)), self._unlike(X, Z)
            return K if unlike is None else K * unlike

        return block

    def diagonal(self, X: Array) -> Array:
        """Return the diagonal of the kernel inside."""
        return self.kernel.diagonal(self.coordinates(X))

    def pull_diagonal(self, X: Array, d_bar: Array) -> Array:
        """Return the derivative of the kernel inside."""
        return self.kernel.pull_diagonal(self.coordinates(X), d_bar)

    def vjp(self, X: Array, Z: Array) -> tuple[Array, Pullback]:
        """Return K and its pullback; codes have derivative zero."""
        xp, numbers = namespace(X), self.numbers(Z.shape[1])
        K, pull = self.kernel.vjp(self.coordinates(X), self.coordinates(Z))
        unlike = self._unlike(X, Z)

        def pullback(K_bar: Array) -> tuple[Array, Array]:
            K_bar = K_bar if unlike is None else K_bar * unlike
            theta_bar, by_coordinate = pull(K_bar)  # (p,), (m, F)
            scatter = np.zeros((len(numbers), Z.shape[1]))
            scatter[np.arange(len(numbers)), numbers] = 1.0
            place = xp.asarray(scatter, dtype=Z.dtype, device=Z.device)
            return theta_bar, by_coordinate[:, : len(numbers)] @ place

        return (K if unlike is None else K * unlike), pullback

    def batched_vjp(self, X: Array, Z: Array) -> tuple[Array, BatchedPullback]:
        """Return the blocks of the kernel inside, and their pullback."""
        K, pull = self.kernel.batched_vjp(self.coordinates(X), self.coordinates(Z))
        unlike = self._unlike(X, Z)
        if unlike is None:
            return K, pull
        return K * unlike, lambda K_bar: pull(K_bar * unlike)

    def embedding(self, X: Array, among: Array) -> Array | None:
        """Return that of the kernel inside."""
        return self.kernel.embedding(self.coordinates(X), self.coordinates(among))


def _unknown(column: Array, codes: tuple[float, ...]) -> Array:
    """Return the codes of a column with one of the levels in the place of all of them."""
    xp = namespace(column)
    known = xp.asarray(codes, dtype=column.dtype, device=column.device)
    seen = xp.any(column[..., None] == known, axis=-1)
    return xp.where(seen, known[0], column)
