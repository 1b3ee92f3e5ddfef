"""The estimators: scikit-learn's contract around the fit; no linear algebra in here."""
