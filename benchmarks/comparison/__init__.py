"""Default against default: sparsegp beside trees, networks and other Gaussian processes."""
