"""Which kernel, and which transforms of columns and target, where the user leaves them open."""
