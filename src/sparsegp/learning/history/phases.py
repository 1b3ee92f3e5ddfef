"""The phases of a fit, as ``history_``, progress and the record of the time budget name them."""

from enum import StrEnum

__all__ = ["Phase"]


class Phase(StrEnum):
    """A phase of a fit. Its value is how the label of an entry or of a step begins.

    >>> Phase.KERNEL.label("RBF on 90 rows"), Phase.SUBSET.label("250 rows")
    ('kernel: RBF on 90 rows', 'hyperparameters on 250 rows')
    >>> Phase.of("hyperparameters on 250 rows")
    <Phase.SUBSET: 'hyperparameters on'>
    """

    # the choice of transforms and of the kernel
    STRUCTURE = "choice of kernel and transforms"
    TRANSFORMS = "transforms"
    KERNEL = "kernel"
    # hyperparameters
    SUBSET = "hyperparameters on"
    CONDITIONALS = "hyperparameters by neighbours"
    ADAPTATION = "hyperparameters at the basis"
    ACTIVE_ADAPTATION = "hyperparameters by"
    ADAPTATION_ITERATIONS = "iterations of adaptation"
    SHARING = "length scales held together"
    NEIGHBOURS = "number of neighbours"
    # noise of rows
    NOISE_CHOICE = "choice of noise"
    PRELIMINARY_NOISE = "noise of rows, by a preliminary model"
    NOISE = "noise of rows"
    # labels
    INFERENCE = "choice of inference"
    # basis
    BASIS_SIZE = "number of basis vectors"
    MEMORY = "rows that fit into memory"
    SELECTION = "selection"
    SELECTION_AGAIN = "selection after an adaptation"
    REFINEMENT = "inducing inputs"
    # posterior
    FINAL_PASS = "final pass"
    FINAL_SITES = "final sites"
    ACTIVE_POSTERIOR = "posterior of the active rows"
    CALIBRATION = "calibration"
    TARGET_MEAN = "mean of the target"
    # streams
    ROWS = "rows"
    SWEEP = "sweep"
    # the whole fit
    TIME_LIMIT = "time limit"

    def label(self, detail: str = "") -> str:
        """Return the name of a phase together with a detail, e.g. the rows it uses."""
        return f"{self.value}{_SEPARATORS.get(self, ': ')}{detail}" if detail else self.value

    @classmethod
    def of(cls, label: str) -> "Phase | None":
        """Return the phase that a label names; None if it is not one of ours."""
        matching = [phase for phase in cls if label.startswith(phase.value)]
        return max(matching, key=lambda phase: len(phase.value), default=None)


# What stands between the phase and its detail, where that is no colon.
_SEPARATORS = {
    Phase.SUBSET: " ",
    Phase.ACTIVE_ADAPTATION: " ",
    Phase.SWEEP: " ",
    Phase.ADAPTATION: ", ",
    Phase.REFINEMENT: ", ",
}
