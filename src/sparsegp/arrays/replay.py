"""Work on a device that is the same every time: recorded once, then repeated at once.

A step of an algorithm on vectors is a few dozen small operations, and Python takes longer to launch
one than a GPU to do it. CUDA can record the launches (a graph) and repeat them without Python.
PyTorch offers that; with other libraries, and wherever recording fails, the work is simply done.
"""

import sys
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from sparsegp.arrays.namespace import Array, is_torch

__all__ = ["Replay"]

Result = TypeVar("Result")


class Replay(Generic[Result]):
    """Repeats work whose operations, arrays and sizes do not change between calls.

    The work must read what changes from arrays that are written in place, and must not wait for the
    host. What it returns holds until the next call. It is recorded at the second call: the first
    lets libraries set themselves up, which cannot be recorded.
    """

    def __init__(self, like: Array) -> None:
        tensor: Any = like
        self._may_record = is_torch(like) and bool(tensor.is_cuda)
        self._graph: Any = None
        self._results: list[Result] = []
        self._calls = 0
        self.failure = ""  # why it could not be recorded

    @property
    def recorded(self) -> bool:
        """Whether later calls repeat what was recorded."""
        return self._graph is not None

    def __call__(self, work: Callable[[], Result]) -> Result:
        """Do the work, or repeat it as recorded."""
        self._calls += 1
        if self._may_record and self._graph is None and self._calls > 1:
            self._record(work)
        if self._graph is None:
            return work()
        self._graph.replay()
        return self._results[0]

    def _record(self, work: Callable[[], Result]) -> None:
        cuda: Any = sys.modules["torch"].cuda
        try:
            graph, now, aside = cuda.CUDAGraph(), cuda.current_stream(), cuda.Stream()
            aside.wait_stream(now)
            with cuda.stream(aside):
                graph.capture_begin(capture_error_mode="thread_local")
                try:
                    self._results = [work()]
                finally:
                    graph.capture_end()
            now.wait_stream(aside)
            self._graph = graph
        except Exception as error:  # it is then done step by step: slower, with the same result
            self._may_record, self.failure = False, repr(error)
