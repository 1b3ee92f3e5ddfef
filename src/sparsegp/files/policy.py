"""The limits of model files and exported graphs, and what each of them trades."""

from typing import Final

__all__ = ["MAX_HEADER_BYTES", "ONNX_IR_VERSION", "ONNX_OPSET", "POWER_AS_LOG"]

#: A longer JSON header is refused before it is read, so that a damaged length cannot fill the
#: memory. It is the limit of safetensors itself; ours are a few kilobytes.
MAX_HEADER_BYTES: Final = 100_000_000

#: Versions of the exported ONNX graphs. Every onnxruntime since 1.14 reads them; newer operators
#: would shut out older run times.
ONNX_OPSET: Final = 18
ONNX_IR_VERSION: Final = 8

#: A Yeo-Johnson power closer to zero is exported as a logarithm with its first correction:
#: log(1 + p·s)/p would lose about log10(1/|p|) of its 16 digits, the correction errs by p²s³/3.
POWER_AS_LOG: Final = 1e-6
