"""On-line estimators for rows that are dicts, the interface of river."""
