"""On-line learning from a stream: one row at a time, a bounded number of basis vectors.

The sparse on-line Gaussian process of Csató & Opper (2002), CO for short. ``recursion`` holds the
state and the update by one row, ``learn`` the loop over rows, ``deletion`` which basis vector
(inducing point) to remove, ``batch`` projects runs of rows by matrix products, ``site_refinement``
makes further EP sweeps over rows, ``pseudo_observations`` condenses the state into a few Gaussian
observations, from which kernel parameters can be learned, and ``running_scale`` calibrates
predictive variances.
"""
