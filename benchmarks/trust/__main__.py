"""Fit ladders of rows, basis vectors and seconds, and write the page of what got worse."""

from benchmarks.trust.trial import main

main()
