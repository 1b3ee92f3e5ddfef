"""Rows that come one by one, and a model that predicts and then learns each of them."""
