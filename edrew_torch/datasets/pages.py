"""DataPage: one page of a data set with its ground truth, whatever it was read from.

Made by swde.py and sample.py; read by prepared.py and attributes/.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class DataPage:
    """A page as it is stored, and what is true of it."""

    vertical: str
    site: str
    page_id: str  # four digits in SWDE; a string, so that they stay
    data: bytes
    # attribute -> source texts, entities not decoded; () where the page has none, absent without a truth file
    truth: Mapping[str, tuple[str, ...]]
