"""What a data set holds: which true values are nodes, and how many pages are unique. Read by cli/."""

from edrew_torch import __version__
from edrew_torch.datasets.prepared import PreparedData, count_unique_pages
from edrew_torch.report import Cell, Report

# Thesis, table 4: pages and unique pages of the full data set.
PUBLISHED_UNIQUE = {
    "auto": 192,
    "book": 707,
    "camera": 474,
    "job": 253,
    "movie": 94,
    "nbaplayer": 27,
    "restaurant": 219,
    "university": 146,
}


def coverage_report(data: PreparedData, profile: str) -> Report:
    """Per vertical and attribute: values, found as nodes, missing, found in more than one node."""
    rows: list[tuple[Cell, ...]] = []
    total = [0, 0, 0]
    for name, counts in sorted(data.coverage.items()):
        rows.append((*name.split("/", 1), *_counted(*counts)))
        total = [before + more for before, more in zip(total, counts, strict=True)]
    rows.append(("all", "", *_counted(*total)))
    columns = ("vertical", "attribute", "values", "found", "missing", "ambiguous", "share found")
    return Report(
        f"True values as nodes, profile {profile}", columns, tuple(rows), f"data:{data.checksum}|v:{__version__}"
    )


def _counted(values: int, found: int, ambiguous: int) -> tuple[Cell, ...]:
    return values, found, values - found, ambiguous, found / values if values else None


def unique_report(data: PreparedData, profile: str) -> Report:
    """Per vertical: pages, unique pages, and the thesis' count over the full data set."""
    rows = tuple(
        (vertical, pages, unique, PUBLISHED_UNIQUE.get(vertical) if profile == "thesis" else None)
        for vertical, (pages, unique) in count_unique_pages(data).items()
    )
    columns = ("vertical", "pages", "unique", "thesis, table 4 (full SWDE)")
    return Report(f"Unique pages, profile {profile}", columns, rows, f"data:{data.checksum}|v:{__version__}")
