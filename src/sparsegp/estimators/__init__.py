"""The estimators: scikit-learn's API around the fits of ``learning``, without linear algebra."""
