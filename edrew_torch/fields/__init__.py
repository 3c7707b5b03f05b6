"""Fields: the values of detail pages, learnt from examples. See learn.py for the way through."""
