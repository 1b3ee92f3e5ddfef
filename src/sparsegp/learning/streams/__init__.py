"""Streams: the warm-up, what it decides, and relearning."""
