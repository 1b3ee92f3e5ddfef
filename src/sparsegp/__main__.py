"""``python -m sparsegp`` is the same as ``sparsegp``."""

from sparsegp.cli.main import main

main()
