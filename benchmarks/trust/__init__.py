"""Whether more is never worse: more rows, basis vectors or time, and small tables beside rivals."""
