"""Tables in files: reading, encoding of their columns, writing."""
