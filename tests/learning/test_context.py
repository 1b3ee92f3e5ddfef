"""The context that phases of a fit hand down."""

import numpy as np

from sparsegp.learning.budget.time_budget import TimeBudget
from sparsegp.learning.context import FitContext
from sparsegp.learning.history.phases import Phase
from sparsegp.learning.history.progress import Progress


def test_a_child_draws_its_own_numbers_and_shares_the_rest():
    told = []
    context = FitContext(np.random.default_rng(0), told.append)
    child = context.spawn()
    child.rng.random(100)
    assert context.rng.random() == np.random.default_rng(0).random()
    assert child.history is context.history and child.budget is context.budget
    child.listener(Progress(Phase.SELECTION, 1, 2, 0.0))
    assert told == [Progress("selection", 1, 2, 0.0)]


def test_a_share_of_the_time_shares_its_record():
    context = FitContext(np.random.default_rng(0), budget=TimeBudget(10.0, lambda: 0.0))
    part = context.share(0.25)
    assert part.budget.left() == 2.5 and part.rng is context.rng
    part.budget.cut(Phase.SELECTION, "ended")
    assert context.budget.cuts == ["selection: ended"]


def test_a_context_apart_keeps_its_own_records():
    told = []
    budget = TimeBudget(10.0, lambda: 0.0)
    context = FitContext(np.random.default_rng(0), told.append, budget=budget)
    apart = context.share(0.5).apart()
    apart.budget.part(0.5).cut(Phase.SELECTION, "ended")
    apart.history.note(Phase.SELECTION)
    apart.listener(Progress(Phase.SELECTION, 1, 2, 0.0))
    assert not context.budget.cuts and not context.history.entries and len(told) == 1
    assert apart.budget.cuts == ["selection: ended"] and apart.budget.left() == 5.0


def test_a_quiet_context_reports_nothing():
    told = []
    context = FitContext(np.random.default_rng(0), told.append)
    quiet = context.quiet()
    quiet.listener(Progress(Phase.SELECTION, 1, 2, 0.0))
    quiet.history.note(Phase.SELECTION)
    assert told == [] and context.history.entries == [] and quiet.rng is context.rng
