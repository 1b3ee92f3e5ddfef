"""Predictions from a model file with NumPy alone.

This module imports only NumPy and the standard library. Copy this one file next to a model file to
predict where sparsegp, SciPy and scikit-learn are not installed. It therefore reads model files and
evaluates kernels without the rest of the package. ``docs/model_files.md`` describes the format.

Contents
--------
1. ``NumpyPredictor``: the class to use
2. Models: ``_SparseModel``, ``_OnlineModel``
3. Neighbours: ``_NeighbourModel``, ``_NearestRows``, ``_embedding``
4. Transforms of inputs and target: ``_Scaling``, ``_Inputs``, ``_Targets``, ``_Warp``, ``_Curve``
5. Packed matrices: ``_Triangle``, ``_symmetric``
6. Kernels: ``_kernel``, ``_kernel_diagonal``
7. Noise: ``_NoiseDistribution``, ``_noise_variance``
8. Likelihoods and class probabilities: ``_target_moments``, ``_class_probabilities``
9. Reading the file: ``_PARTS``, ``_decode_state``, ``_read``
"""

import json
import re
from collections.abc import Callable
from hashlib import sha256
from itertools import pairwise
from math import erfc, isqrt, lgamma, pi
from pathlib import Path
from typing import Any

import numpy as np

__all__ = ["NumpyPredictor"]

Array = Any
ROWS_PER_BLOCK = 1024  # bounds the memory of a prediction
# the same for neighbours: training rows compared at a time, and numbers held at a time
ROWS_COMPARED, FEATURE_VALUES, BATCH_VALUES = 4096, 2**24, 2**21
FURTHEST = 1e17  # coordinate in the search for neighbours: its square is finite in float32
NEWEST_FORMAT = 1
EXPONENT_FLOOR = -150.0  # exp of less is zero to rounding beside any other term


# 1. The class to use -------------------------------------------------------------------------


class NumpyPredictor:
    """Predicts like the estimator that was saved in a file.

    Parameters
    ----------
    path : path-like
        A file written by ``estimator.save``.

    Attributes
    ----------
    task : "regression" or "classification"
    feature_names : list of str or None
        The columns that ``predict`` expects, in this order. For a model of a table with strings,
        dates or missing values they are its encoded columns (``encoding_.encode(table)``).
    classes : ndarray or None
    summary : dict
        The description of the model in the file.
    """

    def __init__(self, path: Any) -> None:
        try:
            self._load(Path(path))
        except OSError:
            raise
        except Exception as error:  # a crafted file can be wrong in any way
            reason = error if isinstance(error, ValueError) else f"it is no valid model ({error!r})"
            raise ValueError(f"cannot load {path}: {reason}") from error

    def _load(self, path: Path) -> None:
        document, tensors = _read(path)
        self.summary: dict[str, Any] = document["summary"]
        self.task: str = self.summary["task"]
        names = self.summary.get("input_names") or self.summary["feature_names"]
        self.feature_names: list[str] | None = names
        state = _decode_state(document["state"], tensors)
        self.classes: Array = state.get("classes_")
        if self.task == "classification" and getattr(self.classes, "ndim", 0) != 1:
            raise ValueError("it has no classes")
        self._n_features = self._n_inputs(state)
        self._model = _OnlineModel(state) if "_stream" in state else _SparseModel(state)

    def _n_inputs(self, state: dict[str, Any]) -> int:
        encoding = state.get("encoding_")
        return int(state["n_features_in_"]) if encoding is None else len(encoding.columns)

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of the target, and on request its standard deviation; or labels."""
        if self.task == "classification":
            if return_std:
                raise ValueError("labels have no standard deviation: use predict_proba")
            probabilities = self.predict_proba(X)
            if len(self.classes) != probabilities.shape[1]:
                raise ValueError("the model file has not one probability for each class")
            return self.classes[np.argmax(probabilities, axis=1)]
        blocks = _of_file(lambda block: self._model.predict(block, return_std), self._blocks(X))
        if not return_std:
            return np.concatenate(blocks)
        means, deviations = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        heavy = getattr(self._model, "infinite_variance", False)
        return means, np.full_like(deviations, np.inf) if heavy else deviations

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class: (n, C)."""
        if self.task != "classification":
            raise ValueError("this is a regression model and has no classes: use predict")
        return np.concatenate(_of_file(self._model.predict_proba, self._blocks(X)))

    def _blocks(self, X: Any) -> list[Array]:
        """Check the inputs and split them into blocks of rows."""
        names = getattr(X, "columns", None)
        if names is not None and self.feature_names and list(names) != self.feature_names:
            raise ValueError(f"the columns must be {self.feature_names}, in this order")
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self._n_features or not len(X):
            raise ValueError(f"X must be (n, {self._n_features}) with n ≥ 1, got {X.shape}")
        if not np.all(np.isfinite(X)):
            raise ValueError("X contains NaN or infinity")
        return [X[start : start + ROWS_PER_BLOCK] for start in range(0, len(X), ROWS_PER_BLOCK)]


def _of_file(predict: Callable[[Array], Any], blocks: list[Array]) -> list[Any]:
    """Predict blocks of rows; what goes wrong now is wrong in the file."""
    try:
        with np.errstate(all="ignore"):
            found = [predict(block) for block in blocks]
        parts = [part for block in found for part in (block if type(block) is tuple else (block,))]
        valid = all(np.all(np.isfinite(part)) for part in parts)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"the model file does not hold a valid model ({error!r})") from error
    if not valid:
        raise ValueError("the model file predicts NaN or infinity: it does not hold a valid model")
    return found


# 2. Models -----------------------------------------------------------------------------------


class _SparseModel:
    """Predictions of ``SparseGPRegressor`` and ``SparseGPClassifier``."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.state, self.inputs = state, _Inputs(state["_scaling_X"])
        fit = state.get("_fitted")
        self.posteriors = [state["_posterior"]] if fit is None else list(fit.posteriors)
        corrected = self.posteriors[0] if self.posteriors[0].kind == "NeighbourPosterior" else None
        if corrected is not None:
            self.posteriors = [corrected.posterior]
        triangles = [] if self.posteriors[0].kind == "MeanOnly" else self.posteriors
        unpacked: dict[int, _Triangle] = {}  # classes may share a factor

        def triangle(packed: Array) -> _Triangle:
            if id(packed) not in unpacked:
                unpacked[id(packed)] = _Triangle(packed)
            return unpacked[id(packed)]

        self.whitening = [triangle(p.basis.factor.L) for p in triangles]
        self.precisions = [triangle(p.precision.L) for p in triangles]
        self.target_mean: Any = state.get("_target_mean")
        if self.target_mean is not None:
            rows = None if corrected is None else corrected.rows
            self._append_linear(self.posteriors[0], rows)
        self.neighbours = None
        if corrected is not None:
            self.neighbours = _NeighbourModel(corrected, self.whitening[0], self.precisions[0])

    def predict(self, X: Array, return_std: bool) -> Any:
        targets, posterior = _Targets(self.state["_scaling_y"]), self.posteriors[0]
        X, one = self.inputs.apply(X), self.state["_one_target"]
        if not return_std and not targets.warped and self.neighbours is None:
            basis = posterior if posterior.kind == "MeanOnly" else posterior.basis
            mean = targets.scaling.invert(_kernel(basis.kernel, X, basis.Z) @ posterior.alpha)
            return mean[:, 0] if one else mean
        (mean, variance), linear = self._latent(X, 0), None
        if self.target_mean is not None:
            mean, linear = np.split(mean, 2, axis=1)
        noise = self.state["_noise"]
        scale = np.sqrt(variance + _noise_variance(noise, mean, X))
        distribution = _NoiseDistribution(noise.get("tails"))
        mean, std = targets.moments(mean, scale, distribution)  # (n, p) each
        if linear is not None:
            mean = self._mixed(mean, linear)
        mean, std = (mean[:, 0], std[:, 0]) if one else (mean, std)
        return (mean, std) if return_std else mean

    def _append_linear(self, posterior: Any, rows: Any) -> None:
        """Let the basis and its neighbours predict the target itself, as further outputs."""
        posterior["beta"] = np.concatenate((posterior.beta, self.target_mean.beta), axis=1)
        if rows is not None:
            warps = _Targets(self.state["_scaling_y"]).warps
            y = np.stack([warp.invert(rows.y[:, i]) for i, warp in enumerate(warps)], axis=1)
            y = _Scaling(self.target_mean.scaling).apply(y)
            rows["y"] = np.concatenate((rows.y, y), axis=1)

    def _mixed(self, mean: Array, linear: Array) -> Array:
        """Return the mean of a warped target, mixed with the linear prediction of it."""
        node = self.target_mean
        linear = np.clip(_Scaling(node.scaling).invert(linear), node.low, node.high)
        return mean + node.share * (linear - mean)

    def predict_proba(self, X: Array) -> Array:
        X, parameters = self.inputs.apply(X), self.state["_fitted"].parameters
        latent = [self._latent(X, c) for c in range(len(self.posteriors))]
        means = np.concatenate([mean for mean, _ in latent], axis=1) + np.array(parameters.biases)
        variances = np.stack([variance for _, variance in latent], axis=1)
        return _class_probabilities(means, variances, parameters.slope)

    def _latent(self, X: Array, c: int) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,)."""
        if self.neighbours is not None:
            return self.neighbours.latent(X)
        if not self.whitening:
            raise ValueError(
                "this model was saved with variance=False: it has no standard deviations, and it "
                "cannot predict a warped target at all"
            )
        posterior, basis = self.posteriors[c], self.posteriors[c].basis
        Phi = self.whitening[c].solve(_kernel(basis.kernel, X, basis.Z))  # (n, m)
        Psi = self.precisions[c].solve(Phi)
        variance = posterior.weight_scale * np.einsum("ij,ij->i", Psi, Psi)
        if posterior.rule.in_prediction:
            residual = _kernel_diagonal(basis.kernel, X) - np.einsum("ij,ij->i", Phi, Phi)
            variance = variance + posterior.residual_scale * np.maximum(residual, 0.0)
        return Phi @ posterior.beta, variance


def _variance_factors(tails: Any, scale: Any) -> Any:
    """Return the factors on variances: those of Student's t, which has ν/(ν − 2) times more."""
    if tails is None:  # of an earlier version
        return 1.0 if scale is None else scale.value
    best = int(np.argmax(np.sum(tails.lead, axis=0)))
    df = float(tails.candidates[best, 1])  # 0 for normal errors
    return tails.scale[:, best] * (df / (df - 2.0) if df else 1.0)


class _OnlineModel:
    """Predictions of ``OnlineGPRegressor`` and ``OnlineGPClassifier``."""

    def __init__(self, state: dict[str, Any]) -> None:
        stream, self.one_target = state["_stream"], bool(state.get("_one_target", True))
        history = stream.get("history")
        if history is not None and (
            history.lags.target or history.lags.columns or history.lags.last_mean
        ):
            raise ValueError(
                "a stream with lags or mean='last' needs the rows before: use sparsegp.load"
            )
        self.state, self.inputs = stream.state, _Inputs(stream.scaling_x)
        self.scaling_y, likelihood = _Scaling(stream.decided.scaling_y), stream.decided.likelihood
        self.largest_variance = stream.decided.get("largest_variance")
        shifted = likelihood.kind == "Shifted"
        self.offset = likelihood.offset if shifted else 0.0
        self.likelihood = likelihood.likelihood if shifted else likelihood
        df = self.likelihood.get("df", np.inf)
        self.infinite_variance = self.likelihood.kind == "StudentT" and df <= 2.0
        scale = stream.get("scale")  # of variances
        self.variance_scale = _variance_factors(stream.get("tails"), scale)
        labels = stream.get("label_scale")  # of the functions of labels
        self.label_scale = 1.0 if labels is None else labels.value
        self.Q = _symmetric(self.state.Q)
        self.Sigma = [_symmetric(packed) for packed in self.state.Sigma]

    def predict(self, X: Array, return_std: bool) -> Any:
        mean, variance = _target_moments(self.likelihood, *self._latent(X))  # (n, K) each
        mean, std = self.scaling_y.invert(mean), np.sqrt(self.variance_scale * variance)
        std = std * self.scaling_y.scale
        if self.one_target:
            mean, std = mean[:, 0], std[:, 0]
        return (mean, std) if return_std else mean

    def predict_proba(self, X: Array) -> Array:
        mean, variance = self._latent(X)
        probit, mean = self.likelihood, self.label_scale * mean
        return _with_label_noise(
            _class_probabilities(mean, variance, probit.slope), probit.get("label_noise", 0.0)
        )

    def _latent(self, X: Array) -> tuple[Array, Array]:
        """Return mean and variance of the latent functions: (n, K) each."""
        s, X = self.state, self.inputs.apply(X)
        K, k = _kernel(s.kernel, X, s.Z), _kernel_diagonal(s.kernel, X)
        E = K @ self.Q  # (n, M)
        gamma = np.maximum(k - np.einsum("ij,ij->i", K, E), 0.0)
        explained = [np.einsum("ij,ij->i", E @ Sigma, E) for Sigma in self.Sigma]
        variance = np.maximum(gamma[:, None] + np.stack(explained, axis=1), 1e-14 * k[:, None])
        mean, largest = E @ s.mu.T, self.largest_variance
        if largest is not None:  # of few rows
            kept = largest / (largest + variance)
            mean, variance = kept * mean, kept * variance
        return mean + self.offset, variance


# 3. Neighbours -------------------------------------------------------------------------------


class _NeighbourModel:
    """Predictions of the basis, corrected by the nearest training rows.

    With Φ the whitened features, R = K − ΦΦᵀ, N the neighbours of x and λ their noise variances,

        a = (R_NN + diag λ_N)⁻¹ R_Nx,   φ̃ = φ − Φ_Nᵀa,   d = R_xx − aᵀR_Nx,
        mean = φᵀβ + aᵀ(y_N − Φ_N β),   variance = d + ‖L_B⁻¹φ̃‖², each part times its scale.
    """

    def __init__(self, node: Any, whitening: "_Triangle", precision: "_Triangle") -> None:
        self.posterior, self.rows = node.posterior, node.rows
        self.basis, self.whitening, self.precision = node.posterior.basis, whitening, precision
        self.nearest = _NearestRows(self.basis.kernel, self.rows.X, node.k)
        noise = np.full(len(self.rows.X), float(node.variance))
        if self.rows.noise_factor is not None:
            noise = noise * self.rows.noise_factor
        self.noise = noise if self.rows.weight is None else noise / self.rows.weight

    def latent(self, X: Array) -> tuple[Array, Array]:
        """Return E f (n, p) and Var f (n,)."""
        near = self.nearest.find(X)
        parts = [self._of_group(X[group], near[group]) for group in self._groups(near)]
        means, variances = zip(*parts, strict=True)
        return np.concatenate(means), np.concatenate(variances)

    def _groups(self, near: Array) -> list[slice]:
        """Cut rows into groups such that the features of their neighbours fit into memory."""

        def cut(start: int, stop: int) -> list[slice]:
            n_features = len(np.unique(near[start:stop])) * len(self.basis.Z)
            if stop - start < 2 or n_features <= FEATURE_VALUES:
                return [slice(start, stop)]
            middle = (start + stop) // 2
            return cut(start, middle) + cut(middle, stop)

        return cut(0, len(near))

    def _of_group(self, X: Array, near: Array) -> tuple[Array, Array]:
        """Predict rows of which each neighbour is whitened once."""
        used, place = np.unique(near, return_inverse=True)
        place, (n, k), m = place.reshape(near.shape), near.shape, len(self.basis.Z)
        Phi, Phi_used = self._features(X), self._features(self.rows.X[used])  # (n, m), (u, m)
        residual = self.rows.y[used] - Phi_used @ self.posterior.beta  # (u, p)
        mean, rest = Phi @ self.posterior.beta, np.empty_like(Phi)
        left = _kernel_diagonal(self.basis.kernel, X) - np.einsum("ij,ij->i", Phi, Phi)
        size = max(1, BATCH_VALUES // ((k + 1) * (m + k)))
        for batch in (slice(start, start + size) for start in range(0, n, size)):
            at = place[batch]
            a, explained = self._weights(X[batch], Phi[batch], near[batch], Phi_used[at])
            mean[batch] += np.einsum("bk,bkp->bp", a, residual[at])
            left[batch] -= explained
            rest[batch] = Phi[batch] - (a[:, None, :] @ Phi_used[at])[:, 0, :]
        Psi, posterior = self.precision.solve(rest), self.posterior
        variance = posterior.weight_scale * np.einsum("ij,ij->i", Psi, Psi)
        if posterior.rule.in_prediction:
            variance = variance + posterior.residual_scale * np.maximum(left, 0.0)
        return mean, variance

    def _features(self, X: Array) -> Array:
        return self.whitening.solve(_kernel(self.basis.kernel, X, self.basis.Z))

    def _weights(self, X: Array, Phi: Array, near: Array, Phi_near: Array) -> tuple[Array, Array]:
        """Return a (b, k) and aᵀR_Nx (b,); Phi_near is (b, k, m)."""
        X_near, transposed = self.rows.X[near], np.swapaxes(Phi_near, 1, 2)
        R_nn = _kernel(self.basis.kernel, X_near, X_near) - Phi_near @ transposed  # (b, k, k)
        R_nx = _kernel(self.basis.kernel, X_near, X[:, None, :]) - Phi_near @ Phi[:, :, None]
        diagonal = np.arange(near.shape[1])
        R_nn[:, diagonal, diagonal] += self.noise[near]
        a = np.linalg.solve(R_nn, R_nx)  # (b, k, 1)
        return a[:, :, 0], np.sum(a * R_nx, axis=(1, 2))


class _NearestRows:
    """The nearest training rows in the metric of the kernel, by comparing with all of them."""

    def __init__(self, kernel: Any, X: Array, k: int) -> None:
        self.n, self.k = len(X), min(int(k), len(X))
        self.embed = _embedding(kernel, X)
        if self.embed is not None:
            self.coordinates = self._single(X)  # (n, F)
            self.centre = np.mean(self.coordinates, axis=0, dtype=np.float64)

    def _single(self, X: Array) -> Array:
        """Return coordinates in the precision in which sparsegp searches."""
        assert self.embed is not None
        return np.clip(self.embed(X), -FURTHEST, FURTHEST).astype(np.float32)

    def find(self, X: Array) -> Array:
        """Return the numbers of the k nearest rows: (b, k). They are in no particular order."""
        if self.embed is None:  # no row is nearer than another
            return np.tile(np.arange(self.k), (len(X), 1))
        x = self._single(X) - self.centre  # in float64 from here on
        near, distance = np.empty((len(X), 0), dtype=np.intp), np.empty((len(X), 0))
        for start in range(0, self.n, ROWS_COMPARED):
            z = self.coordinates[start : start + ROWS_COMPARED] - self.centre
            # squared distance less ‖x‖², which is the same for all rows
            found = np.einsum("ij,ij->i", z, z) - 2.0 * (x @ z.T)
            rows = np.broadcast_to(np.arange(start, start + len(z)), found.shape)
            distance = np.concatenate((distance, found), axis=1)
            near = np.concatenate((near, rows), axis=1)
            if near.shape[1] > self.k:
                best = np.argpartition(distance, self.k - 1, axis=1)[:, : self.k]
                distance = np.take_along_axis(distance, best, axis=1)
                near = np.take_along_axis(near, best, axis=1)
        return near


def _embedding(k: Any, rows: Array) -> Callable[[Array], Array] | None:
    """Return the map to coordinates in which rows close together are the correlated ones.

    Category codes and the shares of the parts of a sum are those of the training rows. None: the
    kernel does not decay.
    """
    if k.kind in ("Sum", "Product"):
        sides = [(side, _embedding(side, rows)) for side in (k.left, k.right)]
        near = [(side, embed) for side, embed in sides if embed is not None]
        if not near:
            return None
        scales = [1.0] * len(near)
        if k.kind == "Sum":
            variances = np.array([np.mean(_kernel_diagonal(side, rows)) for side, _ in near])
            scales = list(np.sqrt(variances / np.sum(variances)))
        parts = [(scale, embed) for scale, (_, embed) in zip(scales, near, strict=True)]
        return lambda X: np.concatenate([scale * embed(X) for scale, embed in parts], axis=1)
    if k.kind == "OnColumns":
        columns = list(k.columns)
        inner = _embedding(k.kernel, rows[:, columns])
        return None if inner is None else lambda X: inner(X[:, columns])
    if k.kind == "OneHot":
        of_coordinates = _embedding(k.kernel, _one_hot(k, rows))
        return None if of_coordinates is None else lambda X: of_coordinates(_one_hot(k, X))
    if k.kind in ("Constant", "Linear"):
        return None
    if k.kind == "Periodic":
        return lambda X: _on_circles(k, X)
    if k.kind == "Categorical":
        root = np.broadcast_to(np.sqrt(1.0 / np.asarray(k.length_scale)), (rows.shape[1],))
        codes = [(i, root[i], np.unique(column)) for i, column in enumerate(rows.T)]
        return lambda X: np.concatenate([r * (X[:, i, None] == c) for i, r, c in codes], axis=1)
    return lambda X: X / np.asarray(k.length_scale)


# 4. Transforms of inputs and target ----------------------------------------------------------


class _Scaling:
    """x ↦ (x − offset)/scale."""

    def __init__(self, node: Any) -> None:
        if node.kind != "Scaling":
            raise ValueError(f"NumpyPredictor does not support the transform {node.kind}: use load")
        self.offset, self.scale = node.offset, node.scale

    def apply(self, X: Array) -> Array:
        return (X - self.offset) / self.scale

    def invert(self, X: Array) -> Array:
        return X * self.scale + self.offset


class _Inputs:
    """Columns are scaled, and some of them then mapped to normal scores."""

    def __init__(self, node: Any) -> None:
        has_maps = node.kind == "Columns"
        self.scaling = _Scaling(node.scaling if has_maps else node)
        self.maps = node.maps if has_maps else ()

    def apply(self, X: Array) -> Array:
        X = self.scaling.apply(X)
        for column, quantile_map in enumerate(self.maps):
            if quantile_map is not None:
                X[:, column] = self._normal_scores(quantile_map, X[:, column])
        return X

    @staticmethod
    def _normal_scores(node: Any, x: Array) -> Array:
        """Interpolate linearly between the knots and extrapolate linearly beyond them."""
        below, above = np.minimum(x - node.knots[0], 0.0), np.maximum(x - node.knots[-1], 0.0)
        inside = np.interp(x, node.knots, node.scores)
        return inside + node.low_slope * below + node.high_slope * above


class _Targets:
    """From the predictive distribution of the transformed targets z to that of the targets."""

    def __init__(self, node: Any) -> None:
        self.warped = node.kind == "Warps"
        if self.warped:
            self.warps = [_Warp(warp) for warp in node.warps]
        else:
            self.scaling = _Scaling(node)

    def moments(
        self, mean: Array, scale: Array, noise: "_NoiseDistribution"
    ) -> tuple[Array, Array]:
        """Return mean and std of the targets, (n, p) each, from mean (n, p) and scale (n,) of z."""
        if not self.warped:
            return self.scaling.invert(mean), noise.deviation * scale[:, None] * self.scaling.scale
        each = [warp.moments(mean[:, i], scale, noise) for i, warp in enumerate(self.warps)]
        means, deviations = zip(*each, strict=True)
        return np.stack(means, axis=1), np.stack(deviations, axis=1)


class _Warp:
    """z = (curve(t) − mean)/deviation with t = (y − offset)/scale, and linear in the tails.

    Beyond the ends of the curve, with ζ the distance from an end in g = curve(t), the distance in
    t is aζ + (b − a)ζ/(1 + ζ/h).
    """

    # as in sparsegp.tables.transforms.warps: where integrals are split, and how tails set in
    N_PARTS = 4
    TAIL_WIDTH, MAX_TAIL_LAG, TAIL_WIDTHS = 0.25, 0.25, 8.0

    def __init__(self, node: Any) -> None:
        self.node, self.curve = node, _Curve(node.curve)
        g = self.curve.value(np.linspace(node.low, node.high, self.N_PARTS + 1))
        b = np.exp(-self.curve.log_slope(np.array([node.low, node.high])))
        mean_slope = (node.high - node.low) / (g[-1] - g[0]) if g[-1] > g[0] else np.inf
        self.below, self.above = (self._tail(float(slope), float(mean_slope)) for slope in b)
        # integrals over z are split here: between these the map is smooth and not too steep
        tails = [g[0] - self.TAIL_WIDTHS * self.below[2], g[-1] + self.TAIL_WIDTHS * self.above[2]]
        marks = np.sort(np.concatenate((g, [np.clip(0.0, g[0], g[-1])], tails)))
        self.marks = (marks - node.mean) / node.deviation
        # the logarithm has no lower tail: it reaches zero
        self.floor = 0.0 if self.curve.kind == "Logarithm" else node.low
        self.low = -np.inf if self.curve.kind == "Logarithm" else g[0]
        self.high = g[-1]

    def _tail(self, b: float, mean_slope: float) -> tuple[float, float, float]:
        a, h = min(b, mean_slope), self.TAIL_WIDTH * self.node.deviation
        if b > a:
            h = min(h, self.MAX_TAIL_LAG * (self.node.high - self.node.low) / (b - a))
        return a, b, h

    def invert(self, z: Array) -> Array:
        """Return y."""
        return self._t(z) * self.node.scale + self.node.offset

    def _t(self, z: Array) -> Array:
        """Return (y − offset)/scale."""
        node = self.node
        g = z * node.deviation + node.mean
        t = self.curve.inverse(np.clip(g, self.low, self.high))
        t = np.clip(t, self.floor, node.high) + _tail_distance(
            self.above, np.maximum(g - self.high, 0.0)
        )
        return t - _tail_distance(self.below, np.maximum(self.low - g, 0.0))

    def moments(
        self, mean: Array, scale: Array, noise: "_NoiseDistribution"
    ) -> tuple[Array, Array]:
        """Return mean and std of y from mean and scale of z, (n,) each, by Gauss-Legendre."""
        median = self._t(mean)  # moments of t, as squares of y may overflow
        ends = [(end - mean) / scale for end in (-np.inf, *self.marks, np.inf)]
        nodes, weights = np.polynomial.legendre.leggauss(noise.n_nodes)
        first, second = np.zeros_like(mean), np.zeros_like(mean)
        for low, high in pairwise(noise.bounds(np.array(ends))):
            half = 0.5 * (high - low)[:, None]
            u, density = noise.at(0.5 * (low + high)[:, None] + half * nodes)  # (n, nodes)
            t = self._t(mean[:, None] + scale[:, None] * u) - median[:, None]
            weight = half * weights * density
            first += np.sum(weight * t, axis=1)
            second += np.sum(weight * t * t, axis=1)
        std = np.sqrt(np.maximum(second - first * first, 0.0))
        return (median + first) * self.node.scale + self.node.offset, std * self.node.scale


def _tail_distance(tail: tuple[float, float, float], zeta: Array) -> Array:
    a, b, h = tail
    return a * zeta + (b - a) * zeta / (1.0 + zeta / h)


class _Curve:
    """An increasing function g(t), the core of a target warp."""

    def __init__(self, node: Any) -> None:
        if node.kind not in ("Straight", "Logarithm", "YeoJohnson", "SinhArcsinh"):
            raise ValueError(f"NumpyPredictor does not support the warp {node.kind}: use load")
        self.kind, self.node = node.kind, node

    def value(self, t: Array) -> Array:
        if self.kind == "Straight":
            return t
        if self.kind == "Logarithm":
            return np.log(t)
        k, u = self.node, (t - self.node.centre) / self.node.spread
        if self.kind == "SinhArcsinh":
            return np.sinh(k.tail * np.arcsinh(u) - k.skew)
        L, p = np.log1p(np.abs(u)), np.where(u < 0.0, 2.0 - k.power, k.power)
        x = np.where(p * L == 0.0, 1.0, p * L)
        return np.sign(u) * L * np.where(p * L == 0.0, 1.0, np.expm1(x) / x)

    def log_slope(self, t: Array) -> Array:
        if self.kind == "Straight":
            return np.zeros_like(t)
        if self.kind == "Logarithm":
            return -np.log(t)
        k, u = self.node, (t - self.node.centre) / self.node.spread
        if self.kind == "YeoJohnson":
            return (k.power - 1.0) * np.sign(u) * np.log1p(np.abs(u)) - np.log(k.spread)
        w = k.tail * np.arcsinh(u) - k.skew
        log_cosh = np.logaddexp(w, -w) - np.log(2.0)
        return np.log(k.tail / k.spread) + log_cosh - np.log(np.hypot(1.0, u))

    def inverse(self, g: Array) -> Array:
        if self.kind == "Straight":
            return g
        if self.kind == "Logarithm":
            return np.exp(g)
        k = self.node
        if self.kind == "SinhArcsinh":
            return k.centre + k.spread * np.sinh((np.arcsinh(g) + k.skew) / k.tail)
        x = np.where(g < 0.0, 2.0 - k.power, k.power) * np.abs(g)
        small = np.abs(x) < 1e-8  # there log(1 + x)/x is 1 − x/2 to rounding
        safe = np.where(small, 1.0, x)
        L = np.abs(g) * np.where(small, 1.0 - 0.5 * x, np.log1p(safe) / safe)
        return k.centre + k.spread * np.sign(g) * np.expm1(L)


# 5. Packed matrices --------------------------------------------------------------------------


class _Triangle:
    """A packed lower triangle L, with a solver that works by panels of columns."""

    PANEL = 32

    def __init__(self, packed: Array) -> None:
        m = _order(packed)
        self.L = np.zeros((m, m))
        self.L[np.tri(m, dtype=bool)] = packed

    def solve(self, K: Array) -> Array:
        """Return K L⁻ᵀ."""
        K, L = np.array(K, order="F"), self.L
        for start in range(0, len(L), self.PANEL):
            stop = min(start + self.PANEL, len(L))
            K[:, start:stop] -= K[:, :start] @ L[start:stop, :start].T
            for j in range(start, stop):
                K[:, j] -= K[:, start:j] @ L[j, start:j]
                K[:, j] /= L[j, j]
        return K


def _symmetric(packed: Array) -> Array:
    """Return a symmetric matrix from its upper triangle, packed row by row."""
    m = _order(packed)
    upper = np.zeros((m, m))
    upper[~np.tri(m, k=-1, dtype=bool)] = packed
    return upper + np.triu(upper, k=1).T


def _order(packed: Array) -> int:
    m = (isqrt(8 * len(packed) + 1) - 1) // 2
    if m * (m + 1) // 2 != len(packed):
        raise ValueError("a packed triangle in the file has the wrong size")
    return m


# 6. Kernels ----------------------------------------------------------------------------------


def _kernel(k: Any, X: Array, Z: Array) -> Array:
    """Return k(x_i, z_j): (n, m). Inputs may be batches, (…, n, D) and (…, m, D)."""
    if k.kind == "Sum":
        return _kernel(k.left, X, Z) + _kernel(k.right, X, Z)
    if k.kind == "Product":
        return _kernel(k.left, X, Z) * _kernel(k.right, X, Z)
    if k.kind == "OnColumns":
        columns = list(k.columns)
        return _kernel(k.kernel, X[..., columns], Z[..., columns])
    if k.kind == "OneHot":
        return _kernel(k.kernel, _one_hot(k, X), _one_hot(k, Z)) * _unlike(k, X, Z)
    if k.kind == "Constant":
        return np.full((*X.shape[:-1], Z.shape[-2]), k.value)
    if k.kind == "Linear":
        return (X * np.asarray(k.variance)) @ np.swapaxes(Z, -1, -2)
    if k.kind == "Periodic":
        X, Z = _on_circles(k, X), _on_circles(k, Z)
        return np.exp(np.maximum(_exponents(X, Z), EXPONENT_FLOOR))
    if k.kind == "Categorical":
        cost = np.broadcast_to(1.0 / np.asarray(k.length_scale), (X.shape[-1],))
        differs = [c * (X[..., :, None, i] != Z[..., None, :, i]) for i, c in enumerate(cost)]
        return np.exp(np.maximum(-sum(differs), EXPONENT_FLOOR))
    return _stationary(k, X / np.asarray(k.length_scale), Z / np.asarray(k.length_scale))


def _stationary(k: Any, X: Array, Z: Array) -> Array:
    """Return a stationary kernel of rows that are divided by the length scales."""
    if k.kind == "RBF":
        return np.exp(np.maximum(_exponents(X, Z), EXPONENT_FLOOR))
    if k.kind == "RationalQuadratic":
        exponents = -k.alpha * np.log1p(-_exponents(X, Z) / k.alpha)
        return np.exp(np.maximum(exponents, EXPONENT_FLOOR))
    if k.kind != "Matern":
        raise ValueError(f"NumpyPredictor does not support the kernel {k.kind}: use load")
    S = np.minimum(np.sqrt(-4.0 * k.nu * _exponents(X, Z, exact=k.nu == 0.5)), -EXPONENT_FLOOR)
    polynomial = {0.5: 1.0, 1.5: 1.0 + S, 2.5: 1.0 + S + S * S / 3.0}[k.nu]
    return polynomial * np.exp(-S)


def _on_circles(k: Any, X: Array) -> Array:
    omega = 2.0 * pi * np.asarray(k.get("input_scale", 1.0)) / np.asarray(k.period)
    scale = np.asarray(k.length_scale)
    return np.concatenate((np.cos(X * omega) / scale, np.sin(X * omega) / scale), axis=-1)


def _one_hot(k: Any, X: Array) -> Array:
    """Return numbers and one-hot codes; a code that is no level has 1/L in each of L."""
    coded = {int(at) for at, _ in k.levels}
    parts = [X[..., [i for i in range(X.shape[-1]) if i not in coded]]]
    for at, codes in k.levels:
        hot = (X[..., int(at), None] == np.asarray(codes)).astype(X.dtype)
        parts.append(hot + (1.0 - np.sum(hot, axis=-1, keepdims=True)) / len(codes))
    return np.concatenate(parts, axis=-1)


def _unlike(k: Any, X: Array, Z: Array) -> Any:
    """Return the factors (n, m) of codes that are no levels: mean correlations of two levels."""
    counts = [len(codes) for _, codes in k.levels]
    eye = np.eye(sum(counts), X.shape[-1] - len(counts) + sum(counts), X.shape[-1] - len(counts))
    factors: Any = 1.0
    for i, (at, codes) in enumerate(k.levels):
        x, z = (
            np.where(np.isin(A[..., int(at)], codes), codes[0], A[..., int(at)]) for A in (X, Z)
        )
        if np.all(x == codes[0]) and np.all(z == codes[0]):
            continue
        rows = eye[sum(counts[:i]) : sum(counts[: i + 1])]
        K = _kernel(k.kernel, rows, rows)
        own = np.sqrt(np.maximum(np.diag(K), np.finfo(np.float64).tiny))
        total = np.sum(K / np.outer(own, own)) - counts[i]
        correlation = np.clip(total / (counts[i] * max(counts[i] - 1, 1)), 0.0, 1.0)
        other = x[..., :, None] != z[..., None, :]
        factors = factors * np.where(other, correlation, 1.0)
    return factors


def _exponents(X: Array, Z: Array, exact: bool = False) -> Array:
    """Return −½‖x_i − z_j‖² with the rounding of sparsegp, which later steps may magnify."""
    centre = np.mean(Z, axis=-2, keepdims=True)
    x, z = X - centre, Z - centre
    x_half, z_half = (-0.5 * np.einsum("...ij,...ij->...i", a, a)[..., None] for a in (x, z))
    if exact or np.any(x_half < -1e6) or np.any(z_half < -1e6):
        E = np.zeros((*X.shape[:-1], Z.shape[-2]))
        with np.errstate(over="ignore"):
            for column in range(X.shape[-1]):
                E -= (X[..., :, None, column] - Z[..., None, :, column]) ** 2
        return np.minimum(0.5 * E, 0.0)
    left = np.concatenate((x, x_half, np.ones_like(x_half)), axis=-1)
    right = np.concatenate((z, np.ones_like(z_half), z_half), axis=-1)
    return np.minimum(left @ np.swapaxes(right, -1, -2), 0.0)


def _kernel_diagonal(k: Any, X: Array) -> Array:
    """Return k(x_i, x_i): (n,)."""
    if k.kind == "Sum":
        return _kernel_diagonal(k.left, X) + _kernel_diagonal(k.right, X)
    if k.kind == "Product":
        return _kernel_diagonal(k.left, X) * _kernel_diagonal(k.right, X)
    if k.kind == "OnColumns":
        return _kernel_diagonal(k.kernel, X[:, list(k.columns)])
    if k.kind == "OneHot":
        return _kernel_diagonal(k.kernel, _one_hot(k, X))
    if k.kind == "Linear":
        return np.sum(X * X * np.asarray(k.variance), axis=1)
    return np.full(len(X), k.value if k.kind == "Constant" else 1.0)


# 7. Noise ------------------------------------------------------------------------------------


class _NoiseDistribution:
    """The standardised distribution of the target: normal, or Student's t."""

    LARGEST_NORMAL, LARGEST_ARCSINH = 9.0, 30.0
    SPLITS = np.array([-8.0, -3.0, -1.2, 0.0, 1.2, 3.0, 8.0])

    def __init__(self, node: Any) -> None:
        self.df = None if node is None else node.df
        self.n_nodes = 32 if self.df is None else 16
        self.deviation = 1.0 if self.df is None else float(np.sqrt(self.df / (self.df - 2.0)))

    def bounds(self, ends: Array) -> Array:
        """Return the ends of the integration intervals, (k, n): in arcsinh u for Student's t."""
        if self.df is None:
            return np.clip(ends, -self.LARGEST_NORMAL, self.LARGEST_NORMAL)
        largest = np.sinh(self.LARGEST_ARCSINH)
        x = np.arcsinh(np.clip(ends, -largest, largest))
        own = self.SPLITS[:, None] + np.zeros(x.shape[1])
        return np.sort(np.concatenate((x, own)), axis=0)

    def at(self, x: Array) -> tuple[Array, Array]:
        """Return u and the density with respect to x."""
        if self.df is None:
            return x, np.exp(-0.5 * x * x) / np.sqrt(2.0 * pi)
        u, df = np.sinh(x), self.df
        constant = lgamma(0.5 * (df + 1.0)) - lgamma(0.5 * df) - 0.5 * np.log(pi * df)
        return u, np.exp(constant - 0.5 * (df + 1.0) * np.log1p(u * u / df)) * np.cosh(x)


def _noise_variance(noise: Any, mean: Array, X: Array) -> Array:
    """Return the noise variance at predicted means (n, p) and inputs (n, D): (n,)."""
    log_noise = noise.get("spread")
    if log_noise is not None:
        g = (_kernel(log_noise.kernel, X, log_noise.Z) @ log_noise.alpha)[:, 0]
        factor = np.exp(np.clip(g, log_noise.low, log_noise.high))
        return factor * _mean_dependent_noise(noise, mean)
    return _mean_dependent_noise(noise, mean)


def _mean_dependent_noise(noise: Any, mean: Array) -> Array:
    level, t = noise.level, mean[:, 0]
    if mean.shape[1] > 1 or (level.slope == 0.0 and level.curvature == 0.0):
        return np.full(len(mean), noise.variance)
    t = (np.clip(t, level.low, level.high) - level.centre) / level.spread
    exponent = level.slope * t + level.curvature * (t * t - 1.0)
    return noise.variance * np.exp(np.clip(exponent, -5.0, 5.0))


# 8. Likelihoods and class probabilities ------------------------------------------------------


def _target_moments(likelihood: Any, mean: Array, variance: Array) -> tuple[Array, Array]:
    """Return mean and variance of the target given those of f, elementwise."""
    kind, scale = likelihood.kind, getattr(likelihood, "scale", 0.0)
    if kind == "Gaussian":
        return mean, variance + likelihood.noise_variance
    if kind == "LaplaceNoise":
        return mean, variance + 2.0 * scale**2
    if kind == "StudentT":
        df = likelihood.df
        return mean, variance + (scale**2 * df / (df - 2.0) if df > 2.0 else 0.0)  # infinite
    if kind == "OneSided":
        return mean + scale, variance + scale**2 + likelihood.get("softness", 0.0) ** 2
    if kind == "GaussianMixture":
        parts = (likelihood.weights, likelihood.variances, likelihood.offsets, likelihood.slopes)
        pi, noise, b, a = (np.array(part) for part in parts)
        centre = a * mean[..., None] + b
        middle = centre @ pi
        between = (centre - middle[..., None]) ** 2 @ pi
        return middle, between + (a * a * variance[..., None] + noise) @ pi
    if kind == "Poisson":
        rate = np.exp(mean + 0.5 * variance)
        return rate, rate + rate**2 * np.expm1(variance)
    return mean, variance


_ERFC = np.frompyfunc(erfc, 1, 1)


def _normal_cdf(z: Array) -> Array:
    return 0.5 * _ERFC(-np.sqrt(0.5) * z).astype(np.float64)


def _class_probabilities(mean: Array, variance: Array, slope: float) -> Array:
    """Return the probability of each class, (n, C), from latent functions (n, 1 or C)."""
    scale = np.sqrt(variance + slope**-2)
    if mean.shape[1] == 1:
        z = mean / scale
        return np.concatenate((_normal_cdf(-z), _normal_cdf(z)), axis=1)
    p = np.empty_like(mean)
    for row, (m, s) in enumerate(zip(mean, scale, strict=True)):
        p[row] = _chances_of_largest(m - np.max(m), s)
    p = np.maximum(p, np.finfo(np.float64).tiny)
    return p / np.sum(p, axis=1, keepdims=True)


def _with_label_noise(p: Array, share: float) -> Array:
    """Return probabilities of labels of which a share is drawn at random: (n, C)."""
    return share / p.shape[1] + (1.0 - share) * p


def _chances_of_largest(mean: Array, scale: Array) -> Array:
    """Return the probability that each of independent Gaussians is the largest: (C,).

    It is the integral of N(z_c)/Φ(z_c)/s_c Π Φ(z_j) over u, with z_j = (u − m_j)/s_j, by the
    trapezoidal rule.
    """
    low, high = np.max(mean - 12.0 * scale), np.max(mean + 9.0 * scale)
    narrowest = np.min(scale[mean + 9.0 * scale > low])
    wanted = np.minimum(np.fmax((high - low) / (0.4 * narrowest), 2**5), 2**12)
    u = np.linspace(low, high, 1 + 2 ** int(np.ceil(np.log2(wanted))))
    z = np.minimum((u - mean[:, None]) / scale[:, None], 18.0)  # (C, nodes)
    log_p = np.log(_normal_cdf(z))
    log_hazard = -0.5 * z * z - 0.5 * np.log(2.0 * pi) - log_p
    return np.exp(log_hazard) @ np.exp(np.sum(log_p, axis=0)) * (u[1] - u[0]) / scale


# 9. Reading the file -------------------------------------------------------------------------

#: The names of the parts of each object in a file. A part that is not listed here comes from a
#: newer version and may change predictions, so the file is refused.
_PARTS = {
    "RBF": "length_scale length_scale_bounds",
    "Matern": "length_scale length_scale_bounds nu",
    "RationalQuadratic": "length_scale length_scale_bounds alpha alpha_bounds",
    "Periodic": "length_scale length_scale_bounds period period_bounds input_scale",
    "Categorical": "length_scale length_scale_bounds",
    "Linear": "variance variance_bounds",
    "Constant": "value value_bounds",
    "OnColumns": "kernel columns",
    "OneHot": "kernel levels",
    "Sum": "left right",
    "Product": "left right",
    "Gaussian": "noise_variance",
    "GaussianMixture": "weights variances offsets slopes",
    "LaplaceNoise": "scale",
    "StudentT": "df scale",
    "OneSided": "scale softness",
    "Poisson": "",
    "Probit": "slope bias",
    "NoisyProbit": "slope bias label_noise n_classes",
    "Shifted": "likelihood offset",
    "Scaling": "offset scale",
    "Columns": "scaling maps",
    "QuantileMap": "knots scores low_slope high_slope",
    "Warps": "warps",
    "Warp": "offset scale curve low high mean deviation",
    "Straight": "",
    "Logarithm": "",
    "YeoJohnson": "centre spread power",
    "SinhArcsinh": "centre spread tail skew",
    "Noise": "variance level spread tails",
    "Spread": "kernel Z alpha low high",
    "Tails": "df",
    "Level": "slope curvature centre spread low high",
    "Approximation": "name in_noise in_bound in_prediction",
    "Basis": "kernel Z factor jitter",
    "Posterior": "basis rule precision beta alpha weight_scale residual_scale",
    "NeighbourPosterior": "posterior rows variance k",
    "Rows": "X y weight noise_factor",
    "TargetMean": "beta scaling low high share",
    "MeanOnly": "kernel Z alpha rule",
    "ClassParameters": "kernel slope biases slope_bounds bias_bounds",
    "SetUp": "kernel likelihood scaling_y noise_variance calibrated largest_variance",
    "RunningScale": "value count",
    "RunningTails": "candidates scale lead count",
    "LabelScale": "value information",
}


class _Node(dict[str, Any]):
    """An object of the file: ``kind`` is its class name, its parts are attributes."""

    kind: str

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        raise AttributeError(f"a {self.kind} has no {name}")


def _decode_state(state: dict[str, Any], tensors: dict[str, Array]) -> dict[str, Any]:
    objects: list[_Node] = []

    def decode(node: Any) -> Any:
        if isinstance(node, list):
            return [decode(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$type" in node:
            made = _Node({name: decode(part) for name, part in node["parts"].items()})
            made.kind = node["$type"]
            if not set(made) <= set(_PARTS.get(made.kind, " ".join(made)).split()):
                raise ValueError(f"a newer sparsegp wrote this {made.kind}: update this module")
            objects.append(made)
            return made
        if "$same" in node:
            return objects[node["$same"]]
        if "$tensor" in node:
            return tensors["state/" + node["$tensor"]]
        if "$texts" in node:
            points = np.ascontiguousarray(tensors["state/" + node["$texts"]])
            return points.view(f"=U{points.shape[1]}")[:, 0]
        if "$objects" in node:
            return np.array([*decode(node["$objects"]), None], dtype=object)[:-1]
        if "$dict" in node:
            return {str(key): decode(value) for key, value in node["$dict"]}
        if "$tuple" in node:
            return tuple(decode(node["$tuple"]))
        return float(node["$float"]) if "$float" in node else node["value"]

    return {name: decode(part) for name, part in state.items()}


_DTYPES = {
    **{f"F{8 * size}": f"<f{size}" for size in (2, 4, 8)},
    **{f"I{8 * size}": f"<i{size}" for size in (1, 2, 4, 8)},
    **{f"U{8 * size}": f"<u{size}" for size in (1, 2, 4, 8)},
    "BOOL": "?",
}


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return document and arrays of a model file; refuse one that was changed."""
    if path.exists() and not path.is_file():  # a device may never end
        raise ValueError("it is no file")
    data = path.read_bytes()
    end = 8 + int.from_bytes(data[:8], "little")
    found = re.compile(rb'\\"sha256\\": ?\\"([0-9a-f]{64})\\"').search(data, 8, min(end, len(data)))
    if end > len(data) or found is None:
        raise ValueError("it is not a sparsegp model file, or it was altered")
    a, b = found.span(1)
    if sha256(data[:a] + b"0" * 64 + data[b:]).hexdigest().encode() != data[a:b]:
        raise ValueError("its checksum is wrong: it was truncated or altered")
    header = json.loads(data[8:end])
    document = json.loads(header.pop("__metadata__")["sparsegp"])
    if not 1 <= document["format_version"] <= NEWEST_FORMAT:
        raise ValueError(f"its format {document['format_version']} is unknown")
    arrays = memoryview(data)[end:]
    return document, {name: _tensor(entry, arrays) for name, entry in header.items()}


def _tensor(entry: dict[str, Any], data: memoryview) -> Array:
    """Return an array; its shape must agree with the number of its bytes."""
    dtype, shape = np.dtype(_DTYPES[entry["dtype"]]), tuple(map(int, entry["shape"]))
    start, stop = map(int, entry["data_offsets"])
    size = dtype.itemsize
    for length in shape:
        size *= length
    if max(shape, default=0) > len(data) + size:
        raise ValueError("an array has more rows or columns than the file has bytes")
    if min(shape, default=0) < 0 or not 0 <= start <= stop <= len(data) or stop - start != size:
        raise ValueError("an array does not lie within the file")
    return np.frombuffer(data[start:stop], dtype=dtype).reshape(shape)
