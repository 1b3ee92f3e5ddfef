"""The noise of a fit: homoscedastic, Student-t or heteroscedastic; calibrated error bars."""
