"""Learning from a stream: one row at a time, a bounded number of basis vectors.

The algorithm of Csató & Opper (2002), CO for short. ``recursion`` holds the state and the step
for one row, ``deletion`` says which basis vector to give up, ``batch`` joins rows that need no
new basis vector into matrix products, ``recycling`` goes over rows again without counting them
twice, ``pseudo`` reads the state as a few Gaussian observations.
"""
