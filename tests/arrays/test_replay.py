"""Work is recorded once where CUDA is at hand, and simply done elsewhere."""

import sys
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from sparsegp.arrays import Replay


class Graph:
    """A stand-in: while it captures, work is not done but kept; ``replay`` does it."""

    def capture_begin(self, capture_error_mode):
        assert capture_error_mode == "thread_local"
        self.replays = 0

    def capture_end(self):
        pass

    def replay(self):
        self.replays += 1


@pytest.fixture
def cuda(monkeypatch):
    """Pretend that arrays are tensors on a GPU."""

    @contextmanager
    def stream(_):
        yield

    waiting = SimpleNamespace(wait_stream=lambda other: None)
    fake = SimpleNamespace(
        CUDAGraph=Graph, current_stream=lambda: waiting, Stream=lambda: waiting, stream=stream
    )
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=fake))
    monkeypatch.setattr("sparsegp.arrays.replay.is_torch", lambda x: True)
    return SimpleNamespace(is_cuda=True)


def counted(fails_at=()):
    calls = []

    def work():
        calls.append(len(calls))
        if len(calls) in fails_at:
            raise RuntimeError("cannot be recorded")
        return len(calls)

    return work, calls


def test_without_a_gpu_the_work_is_done():
    work, _ = counted()
    replay = Replay(np.zeros(1))
    assert [replay(work) for _ in range(3)] == [1, 2, 3]


def test_recorded_at_the_second_call(cuda):
    work, calls = counted()
    replay = Replay(cuda)
    assert [replay(work) for _ in range(4)] == [1, 2, 2, 2]
    assert len(calls) == 2
    assert replay.recorded
    assert replay._graph.replays == 3


def test_what_cannot_be_recorded_is_done(cuda):
    work, _ = counted(fails_at=(2,))
    replay = Replay(cuda)
    assert [replay(work) for _ in range(3)] == [1, 3, 4]
    assert not replay.recorded
    assert "cannot be recorded" in replay.failure
