"""Data sets: the embedded sample, SWDE."""
