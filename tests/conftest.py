"""One profile for all property tests: the same cases in every run, and no stop-watch."""

from hypothesis import settings

settings.register_profile("sparsegp", deadline=None, derandomize=True, max_examples=40)
settings.load_profile("sparsegp")
