"""Parts of active-set selection for classification, one row at a time.

``filtering`` is the model so far of one column of labels, by assumed density filtering; ``draws``
chooses the candidates of a step; ``steps`` computes the site of a candidate; ``rank_filter`` skips
copies of active rows. ``selection.active_set`` is the loop.
"""
