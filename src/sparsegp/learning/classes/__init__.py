"""What classification adds to learning: settings, labels as regression targets."""
