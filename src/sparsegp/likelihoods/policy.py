"""Numbers of the likelihoods that trade something; quadrature rules stand beside their formulas."""

from typing import Final

__all__ = ["DEGREES_OF_FREEDOM", "SOFTNESS", "WIDE_BELIEF"]

# Degrees of freedom of "student_t": the usual robust choice (Lange, Little & Taylor 1989), with a
# finite variance and tails heavy enough that a single outlier hardly moves the mean.
DEGREES_OF_FREEDOM: Final = 4.0

# Width of the blurred edge of "one_sided", as a share of the noise scale. It trades the bias of the
# edge, about 0.01 scales, against convergence: with a hard edge, targets below it can make
# the iteration diverge. Judged on simulated streams with and without targets below the edge.
SOFTNESS: Final = 0.05

# Standard deviation s of a belief, in units of the Laplace scale b, above which Gaussian noise of
# variance 2b² replaces the closed form. There r is a difference of terms of size 1/b² that leaves
# 1/s², with a relative error of 10⁻¹⁶ (s/b)²; that of the limit falls with (b/s)².
WIDE_BELIEF: Final = 1e5
