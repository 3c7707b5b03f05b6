"""Result: what an extractor found on a page. Every piece of it carries its text, its XPath and a confidence.

    Result(regions=…)     ->  {"source", "regions": [{"content", "confidence", "method", "rows": [[cell, …]]}]}
    Result(values=…)      ->  {"source", "url", "title", "values": [{"text", "attribute", "xpath", "confidence"}]}
    Result(paragraphs=…)  ->  {"source", "title", "text", "paragraphs": [{"text", "xpath"}]}

Made by the extractors, shown by cli/.
"""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Cell:
    """One text node or image of a record, and the link around it."""

    text: str  # of exactly one text node, white space collapsed; "" for an image
    xpath: str
    href: str | None = None  # the address of the link that holds it
    src: str | None = None  # the address of the image

    def as_json(self) -> dict[str, Any]:
        """The cell as the command line prints it; `src` only where it is an image."""
        content = {"text": self.text, "xpath": self.xpath, "href": self.href}
        return content | ({"src": self.src} if self.src is not None else {})


Row = tuple[Cell | None, ...]


@dataclass(frozen=True)
class Region:
    """A list of records as a table: one row a record, one column for what stands at the same place in each."""

    content: bool  # False: a menu, a footer… kept only when all regions are asked for
    confidence: float
    method: str
    rows: tuple[Row, ...]
    columns: tuple[str, ...] = ()  # their names, where a wrapper knows them

    def texts(self) -> list[str]:
        """The text of each record."""
        return [" ".join(cell.text for cell in row if cell and cell.text) for row in self.rows]

    def as_json(self) -> dict[str, Any]:
        """The region as the command line prints it."""
        return {
            "content": self.content,
            "confidence": round(self.confidence, 4),
            "method": self.method,
            **({"columns": list(self.columns)} if self.columns else {}),
            "rows": [[cell.as_json() if cell else None for cell in row] for row in self.rows],
        }

    def as_csv(self) -> str:
        """The texts of the table under the names of its columns, if it has any; of an image its address."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        if self.columns:
            writer.writerow(self.columns)
        for row in self.rows:
            writer.writerow([(cell.text or cell.src or "") if cell else "" for cell in row])
        return out.getvalue()


@dataclass(frozen=True)
class Value:
    """A relevant value: the text of one text node (or attribute), and which attribute of the page's subject it is."""

    text: str  # white space collapsed
    attribute: str | None  # price, isbn_13…; None where what found it knows no attributes
    xpath: str
    confidence: float
    method: str  # the name of what found it

    def as_json(self) -> dict[str, Any]:
        """The value as the command line prints it."""
        return {
            "text": self.text,
            "attribute": self.attribute,
            "xpath": self.xpath,
            "confidence": round(self.confidence, 4),
        }


@dataclass(frozen=True)
class Paragraph:
    """A piece of an article, as a reader sees it: the text of an element, or of a line of it."""

    text: str
    xpath: str


@dataclass(frozen=True)
class Result:
    """What was found on one page; `sought` says which of regions, values and paragraphs it was looked through for."""

    source: str
    url: str | None = None
    regions: tuple[Region, ...] = ()
    match: float | None = None  # how well the page fitted, where a wrapper was applied
    warnings: tuple[str, ...] = ()
    title: str | None = None
    values: tuple[Value, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    sought: tuple[str, ...] = ("regions",)

    @property
    def content(self) -> tuple[Region, ...]:
        """The regions that are content, the surest first."""
        return tuple(sorted((region for region in self.regions if region.content), key=lambda r: -r.confidence))

    @property
    def text(self) -> str:
        """The paragraphs, a blank line between two."""
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)

    def as_json(self) -> str:
        """One compact line."""
        content: dict[str, Any] = {"source": self.source}
        if "values" in self.sought:
            content |= {"url": self.url, "title": self.title, "values": [value.as_json() for value in self.values]}
        if "paragraphs" in self.sought:
            paragraphs = [{"text": each.text, "xpath": each.xpath} for each in self.paragraphs]
            content |= {"title": self.title, "text": self.text, "paragraphs": paragraphs}
        if "regions" in self.sought:
            content["regions"] = [region.as_json() for region in self.regions]
        if self.match is not None:
            content["match"] = round(self.match, 4)
        if self.match is not None or self.warnings:
            content["warnings"] = list(self.warnings)
        return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
