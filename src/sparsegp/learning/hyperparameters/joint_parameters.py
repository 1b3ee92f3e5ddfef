"""Hyperparameters and inducing inputs (basis vectors) as one vector.

A step that suits a length scale is far too short for an inducing input: each of m inputs affects
about n/m rows, so that the curvature of the evidence along its coordinates is about m times smaller
and the best step √m times longer. Coordinates are therefore in units of √m times their standard
deviation.
"""

from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np

from sparsegp.arrays import Array, namespace, to_numpy
from sparsegp.kernels.base import Vector
from sparsegp.learning.hyperparameters.optimise import Searchable

__all__ = ["JointParameters", "join_parameters"]

P = TypeVar("P", bound=Searchable)


@dataclass(frozen=True)
class JointParameters(Generic[P]):
    """Hyperparameters and inducing inputs; these are coordinates only if they are optimised."""

    parameters: P
    Z: Array  # (m, D)
    moves: bool
    unit: float  # of the coordinates

    @property
    def vector(self) -> Vector:
        """The parameters' vector, then the inputs if they are optimised."""
        vector = self.parameters.vector
        if not self.moves:
            return vector
        return np.concatenate((vector, to_numpy(self.Z).ravel() / self.unit))

    @property
    def bounds(self) -> Vector:
        """Limits of the vector: (q, 2)."""
        if not self.moves:
            return self.parameters.bounds
        anywhere = np.tile([-np.inf, np.inf], (to_numpy(self.Z).size, 1))
        return np.vstack((self.parameters.bounds, anywhere))

    def with_vector(self, vector: Vector) -> "JointParameters[P]":
        """Return the same model at other coordinates."""
        q = len(self.parameters.vector)
        parameters = self.parameters.with_vector(vector[:q])
        if not self.moves:
            return replace(self, parameters=parameters)
        Z = (self.unit * vector[q:]).reshape(self.Z.shape)
        Z = namespace(self.Z).asarray(Z, device=self.Z.device)
        return replace(self, parameters=parameters, Z=Z)

    def gradient(self, by_parameters: Vector, by_Z: Array) -> Vector:
        """Put derivatives in the order of the vector."""
        if not self.moves:
            return by_parameters
        return np.concatenate((by_parameters, self.unit * to_numpy(by_Z).ravel()))


def join_parameters(parameters: P, Z: Array, *, moves: bool = True) -> JointParameters[P]:
    """Return the start of a joint search."""
    inputs = to_numpy(Z)
    deviation = float(np.sqrt(np.mean(np.var(inputs, axis=0)))) or 1.0
    return JointParameters(parameters, Z, moves, float(np.sqrt(len(inputs))) * deviation)
