"""Leave-one-out predictions in closed form, measures made of them, and their gradients."""
