"""One file a peer, run in that peer's environment with NumPy and the peer alone."""
