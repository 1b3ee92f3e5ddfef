"""What a fit reports: progress while it runs, and a history of its phases."""
