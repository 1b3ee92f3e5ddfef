"""The noise of predictions: its variance, what that depends on, and its distribution."""
