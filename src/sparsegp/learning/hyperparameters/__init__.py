"""Hyperparameters: the objectives they maximise, the optimiser, first values, priors and bounds."""
