"""Phases have labels, and labels tell their phase."""

import pytest

from sparsegp.learning.history.choices import chosen_kernel, has_refined_inputs
from sparsegp.learning.history.history import History
from sparsegp.learning.history.phases import Phase


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("detail", ["", "RBF on 90 rows", "700 rows"])
def test_a_label_tells_its_phase(phase, detail):
    assert Phase.of(phase.label(detail)) is phase


def test_what_is_no_label_has_no_phase():
    assert Phase.of("the weather") is None


def test_entries_hold_plain_strings():
    history = History()
    history.note(Phase.KERNEL, "RBF", score=1.0)
    history.note(Phase.KERNEL, kernel="RBF")
    assert [type(entry["phase"]) for entry in history.entries] == [str, str]
    assert [entry["phase"] for entry in history.entries] == ["kernel: RBF", "kernel"]
    assert chosen_kernel(history.entries) == "RBF"


def test_refined_inputs_are_told_by_their_phase():
    history = History()
    history.note(Phase.SELECTION)
    assert not has_refined_inputs(history.entries)
    history.note(Phase.REFINEMENT, "700 rows")
    assert has_refined_inputs(history.entries)
    assert has_refined_inputs([{"phase": "moving the basis, 700 rows"}])  # of an older file
