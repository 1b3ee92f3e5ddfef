"""Profiles of the property tests: ``ci`` by default, ``explore`` by HYPOTHESIS_PROFILE.

``ci`` draws the same few cases in every run, so that a red build can be repeated anywhere.
``explore`` draws new cases each time, and more of them; hypothesis prints how to repeat a failure.
"""

from hypothesis import settings

from tests.property_settings import PROFILE, cases

settings.register_profile("ci", cases(25, deadline=None, derandomize=True))
settings.register_profile("explore", cases(40, deadline=None, derandomize=False, print_blob=True))
settings.load_profile(PROFILE)
