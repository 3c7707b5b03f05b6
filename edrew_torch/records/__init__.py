"""Records of list pages: which regions are content, and what their records are."""
