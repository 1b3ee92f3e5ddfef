"""The rows that the model stands on."""

from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.learning.history.choices import has_refined_inputs
from sparsegp.plot.names import readable
from sparsegp.report.shown import Section, Table, cell, number
from sparsegp.report.subject import Subject

__all__ = ["basis_section"]

N_SHOWN, MOST_SHOWN = 10, 200
MOST_WEIGHTS = 6


def basis_section(subject: Subject) -> Section:
    """List the basis vectors in the order chosen, with their weights."""
    model, about = subject.model, subject.about
    vectors = model.basis_vectors_[:MOST_SHOWN]
    target, heads, weights = subject.basis_target, *_weights(model)
    with_target = [] if target is None else [readable(about.target)]
    rows = []
    for i, vector in enumerate(vectors):
        known = [] if target is None else [_target(target[i])]
        values = [cell(v, name, about) for v, name in zip(vector, subject.names, strict=True)]
        rows.append((str(i + 1), *map(number, weights[i]), *known, *values))
    head = ("", *heads, *with_target, *map(readable, subject.names))
    told = [_what_they_are(model)]
    if target is None:
        told.append("Their targets are left out: a model without its training rows has none.")
    if model.n_basis_ > MOST_SHOWN:
        told.append(f"The first {MOST_SHOWN} of {model.n_basis_:,} are listed.")
    return Section("Basis vectors", told, tables=[Table(head, rows[:N_SHOWN], rows[N_SHOWN:])])


def _weights(model: Any) -> tuple[list[str], npt.NDArray[np.float64]]:
    """Return the heads and the weights of kernel columns: (m, k)."""
    if not hasattr(model, "classes_"):
        return ["weight"], np.asarray(model._posterior.alpha)
    weights = np.concatenate([np.asarray(p.alpha) for p in model._fitted.posteriors], axis=1)
    if weights.shape[1] == 1:
        return [f"weight ({readable(str(model.classes_[1]))})"], weights
    shown = [f"weight ({readable(str(label))})" for label in model.classes_[:MOST_WEIGHTS]]
    return shown, weights[:, :MOST_WEIGHTS]


def _what_they_are(model: Any) -> str:
    told = (
        "in the order chosen. The prediction is the sum of their kernel columns times the weights"
    )
    units = "" if hasattr(model, "classes_") else ", in units of the scaled target"
    if has_refined_inputs(model.history_):
        return (
            "Rows of the training table, moved by the gradient of the evidence to where they serve "
            f"best, {told}{units}."
        )
    return f"Rows of the training table, {told}{units}."


def _target(value: Any) -> str:
    return number(float(value)) if isinstance(value, float | np.floating) else readable(str(value))
