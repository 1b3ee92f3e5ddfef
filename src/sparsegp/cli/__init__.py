"""The command line: ``sparsegp fit``, ``predict``, ``info``, ``report``, ``stream``, ``demo``."""
