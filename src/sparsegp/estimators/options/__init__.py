"""From the options of an estimator to checked settings of a fit."""
