"""Streams one step ahead, beside the learners of river."""
