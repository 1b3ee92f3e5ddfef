"""Builder of ONNX graphs: the only file that imports onnx."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from sparsegp.files.policy import ONNX_IR_VERSION, ONNX_OPSET

__all__ = ["Graph"]


class Graph:
    """Nodes and constants by name; each method returns the name of its result.

    Values are float64 unless stated otherwise.
    """

    def __init__(self) -> None:
        try:
            self._onnx: Any = import_module("onnx")
        except ImportError as error:
            raise ImportError(
                'to_onnx needs the package onnx: pip install "sparsegp[onnx]"'
            ) from error
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []
        self._count = 0

    def constant(self, value: npt.ArrayLike, dtype: Any = np.float64) -> str:
        """Add a constant array."""
        name = self._new_name("c")
        array = np.asarray(value, dtype=dtype, order="C")
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def op(self, kind: str, *inputs: str | float, **attributes: Any) -> str:
        """Add an operator; numbers among its inputs become constants."""
        names = [x if isinstance(x, str) else self.constant(x) for x in inputs]
        name = self._new_name("n")
        self._nodes.append(self._onnx.helper.make_node(kind, names, [name], **attributes))
        return name

    def cast(self, x: str, kind: str) -> str:
        """Return x converted to another type, e.g. "FLOAT"."""
        return self.op("Cast", x, to=getattr(self._onnx.TensorProto, kind))

    def sorted(self, x: str, width: int) -> str:
        """Return the columns of x (n, width) in increasing order, row by row."""
        names = self._new_name("n"), self._new_name("n")  # values and indices
        attributes = {"axis": 1, "largest": 0, "sorted": 1}
        inputs = [x, self.constant([width], np.int64)]
        self._nodes.append(self._onnx.helper.make_node("TopK", inputs, list(names), **attributes))
        return names[0]

    def row_sums(self, x: str, *, keep: bool = False) -> str:
        """Return the sums over the second axis: (n,), or (n, 1)."""
        return self.op("ReduceSum", x, self.constant([1], np.int64), keepdims=int(keep))

    def reshape(self, x: str, shape: tuple[int, ...]) -> str:
        """Return x in another shape; −1 stands for the number of rows."""
        return self.op("Reshape", x, self.constant(shape, np.int64))

    def columns(self, x: str, positions: Sequence[int]) -> str:
        """Return some columns of x (n, D)."""
        return self.op("Gather", x, self.constant(positions, np.int64), axis=1)

    def side_by_side(self, blocks: Sequence[str]) -> str:
        """Return blocks (n, …) concatenated along the columns."""
        return self.op("Concat", *blocks, axis=1)

    def target_output(self, name: str, values: str, n_outputs: int, *, one_target: bool) -> None:
        """Make values (n, p) an output, of shape (n,) if the target is one column."""
        if one_target:
            self.output(name, self.reshape(values, (-1,)), ("n",), "DOUBLE")
        else:
            self.output(name, values, ("n", n_outputs), "DOUBLE")

    def output(self, name: str, result: str, shape: tuple[int | str, ...], kind: str) -> None:
        """Make a result an output of the graph."""
        self._nodes.append(self._onnx.helper.make_node("Identity", [result], [name]))
        kind_number = getattr(self._onnx.TensorProto, kind)
        self._outputs.append(
            self._onnx.helper.make_tensor_value_info(name, kind_number, list(shape))
        )

    def model(self, n_features: int, properties: Mapping[str, str]) -> Any:
        """Return the checked model with one input ``X`` (n, n_features)."""
        helper, double = self._onnx.helper, self._onnx.TensorProto.DOUBLE
        inputs = [helper.make_tensor_value_info("X", double, ["n", n_features])]
        graph = helper.make_graph(self._nodes, "sparsegp", inputs, self._outputs, self._constants)
        opset = [helper.make_opsetid("", ONNX_OPSET)]
        model = helper.make_model(graph, opset_imports=opset, producer_name="sparsegp")
        model.ir_version = ONNX_IR_VERSION
        helper.set_model_props(model, dict(properties))
        self._onnx.checker.check_model(model)
        return model

    def _new_name(self, start: str) -> str:
        self._count += 1
        return f"{start}{self._count}"
