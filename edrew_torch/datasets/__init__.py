"""Data sets: the embedded sample, SWDE and what has its layout, list pages, articles; and how pages are collected."""
