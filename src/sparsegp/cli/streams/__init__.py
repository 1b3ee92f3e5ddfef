"""``sparsegp stream``: each row of a stream is predicted and then learned."""
