"""Learning with neighbours: hyperparameters, kernel family and the number of neighbours."""
