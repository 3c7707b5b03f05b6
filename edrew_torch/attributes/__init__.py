"""Attributes: which attribute of a page's subject each text node is, or none. model.py is the way in."""
