"""Tables in files: reading, what becomes of their columns, writing."""
