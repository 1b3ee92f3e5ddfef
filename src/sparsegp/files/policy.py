"""The limits of model files and exported graphs, and what each of them trades."""

from typing import Final

__all__ = [
    "BEYOND_BOUNDS",
    "BYTES_DECODED_PER_BYTE",
    "LARGEST_NUMBER",
    "MAX_HEADER_BYTES",
    "MIN_BYTES_DECODED",
    "ONNX_IR_VERSION",
    "ONNX_OPSET",
    "POWER_AS_LOG",
    "ROWS_TRIED",
]

#: A longer JSON header is refused before it is read, so that a damaged length cannot fill the
#: memory. It is the limit of safetensors itself; ours are a few kilobytes.
MAX_HEADER_BYTES: Final = 100_000_000

#: Memory that the arrays of a file may take once they are unpacked, per byte of arrays in it, and
#: at least. A packed triangle is copied and doubles, a model shares it: files of ours take about 3.
#: A crafted file that refers to one array again and again is refused before it fills the memory.
BYTES_DECODED_PER_BYTE: Final = 8
MIN_BYTES_DECODED: Final = 2**24

#: Numbers in standardised units are of the order of one; larger ones than this were not learned,
#: and their squares would overflow.
LARGEST_NUMBER: Final = 1e120

#: How far the parameters of a warp's curve (centre, log scale, power, …) may lie outside the bounds
#: of its search: other versions may have had wider ones, but not by orders of magnitude.
BEYOND_BOUNDS: Final = 1.0

#: A loaded model predicts this many of its basis vectors before it is returned: enough to see that
#: its parts fit together, few enough to cost milliseconds.
ROWS_TRIED: Final = 4

#: Versions of the exported ONNX graphs. Every onnxruntime since 1.14 reads them; newer operators
#: would shut out older run times.
ONNX_OPSET: Final = 18
ONNX_IR_VERSION: Final = 8

#: A Yeo-Johnson power closer to zero is exported as a logarithm with its first correction:
#: log(1 + p·s)/p would lose about log10(1/|p|) of its 16 digits, the correction errs by p²s³/3.
POWER_AS_LOG: Final = 1e-6
