"""Checks for objects that users write themselves: run them in a test of your own."""

from sparsegp.testing.kernel_checks import check_kernel
from sparsegp.testing.likelihood_checks import check_likelihood

__all__ = ["check_kernel", "check_likelihood"]
