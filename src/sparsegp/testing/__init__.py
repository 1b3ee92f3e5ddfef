"""Checks for user-defined kernels and likelihoods, to be called in your own tests."""

from sparsegp.testing.kernel_checks import check_kernel
from sparsegp.testing.likelihood_checks import check_likelihood

__all__ = ["check_kernel", "check_likelihood"]
