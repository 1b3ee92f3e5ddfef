"""What fits cost as tables grow: time, memory, workers, and a model of the cost."""
