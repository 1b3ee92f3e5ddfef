"""Which rows become basis vectors, and when there are enough."""
