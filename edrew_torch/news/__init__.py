"""Article text of a page: the plain extractor nce, and a learned step beyond it."""
