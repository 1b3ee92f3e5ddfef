"""What the warm-up of a stream decides."""
