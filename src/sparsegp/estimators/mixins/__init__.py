"""What estimators have in common: predictions, files, progress."""
