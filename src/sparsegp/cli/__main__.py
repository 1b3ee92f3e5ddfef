"""``python -m sparsegp.cli`` is ``sparsegp``."""

from sparsegp.cli.main import main

main()
