"""The time budget of a fit: a deadline, the cost of work on this machine, and a plan."""
