"""Enriched nodes: what a model may see of a text node beside its reTPS. describe.py is the way in."""
