"""What classification adds to learning: labels as targets, projected posterior, least squares."""
