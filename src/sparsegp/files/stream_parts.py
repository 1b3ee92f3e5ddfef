"""A stream as the parts of a file: what it has learned lies beside the rows that it keeps.

``state`` is the posterior that predictions are made with, whatever the forgetting. ``posteriors``
are those of several rates of forgetting, if there are several.
"""

from typing import Any

from sparsegp.files.serializers import Parts, set_attributes
from sparsegp.files.stream_checks import check_stream
from sparsegp.learning.fit_stream import Stream
from sparsegp.learning.streams.lags import History, Lags
from sparsegp.learning.streams.model import StreamModel
from sparsegp.learning.streams.rivalry import Rivalry
from sparsegp.online.forgetting import new_memory
from sparsegp.online.recursion import Online
from sparsegp.online.running_tails import RunningTails

__all__ = ["stream_from_parts", "stream_parts"]

LEARNED = ("scaling_x", "columns", "decided", "scale", "memory", "ignored", "label_scale", "tails")
#: Attributes that follow from others.
NOT_SAVED = ("model", "_posterior")


def stream_parts(stream: Stream) -> Parts:
    """Return the attributes of a stream, and those of its model beside them."""
    parts = {name: value for name, value in vars(stream).items() if name not in NOT_SAVED}
    parts |= {name: getattr(stream.model, name) for name in LEARNED}
    parts["state"] = stream.state
    if stream.model.posteriors.n_rates > 1:
        parts["posteriors"] = stream.model.posteriors
    return parts


def _checked_shape(shape: Any, state: Any) -> tuple[int, int]:
    """Return the numbers of inputs and outputs; refuse any but those of the arrays."""
    found = (state.Z.shape[1], len(state.mu))
    if not isinstance(state, Online) or shape != found:
        raise ValueError(f"a stream of shape {shape!r} has a posterior of shape {found}")
    return found


def stream_from_parts(parts: Parts) -> Stream:
    """Return the stream; earlier versions had one posterior, no lags and no forgetting."""
    parts = dict(parts)
    state = parts.pop("state")
    n_features, n_outputs = _checked_shape(parts["shape"], state)
    posteriors = parts.pop("posteriors", state)
    scaling, decided = parts.pop("scaling_x"), parts.pop("decided")
    wanted = (parts["settings"].transform_inputs,) * n_features
    columns: Any = parts.pop("columns", wanted)
    scale = parts.pop("scale", None)
    memory = parts.pop("memory", None)
    if memory is None:
        memory = new_memory(None).after_rows(state.n_seen)
    parts.setdefault("history", History.empty(Lags(), n_features, n_outputs))
    parts.setdefault("_ordered", True)
    parts.setdefault("_rivalry", Rivalry.none(n_features, n_outputs))
    parts.setdefault("_last", None)
    ignored, label_scale = parts.pop("ignored", None), parts.pop("label_scale", None)
    tails = parts.pop("tails", None)
    if tails is None and scale is not None:
        tails = RunningTails.initial(n_outputs, scale.value)
    stream: Stream = set_attributes(object.__new__(Stream), parts)
    stream.model = StreamModel(
        scaling, columns, decided, posteriors, memory, scale, ignored, label_scale, tails
    )
    stream._posterior = None
    check_stream(stream)
    return stream
