"""Measurements that take longer than a test; run as ``python -m benchmarks.NAME``."""
