"""From rows to a fitted model: hyperparameters by their evidence, a basis, a posterior."""
