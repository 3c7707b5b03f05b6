"""Pages with an article and what is known of its text: three public sets, each with a truth of its own kind.

    articles/ of the shared data   ->   ArticlePage(set, site, name, data, text | present and absent, title)

| set | truth |
|---|---|
| benchmark | the whole text of the article, made by people |
| readability | the reviewed output of Readability.js: its own idea of an article |
| trafilatura | some segments that belong to the article, some that do not |

Read by experiments/news and by tests; `metrics/words.py` scores.
"""

import gzip
import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from edrew_torch.datasets.packs import pack_members, read_whole
from edrew_torch.errors import BadData
from edrew_torch.parse import parse_tree

SECOND_LEVELS = ("co", "com", "org", "ac", "net", "gov", "edu")  # co.uk, com.br
SETS = ("benchmark", "readability", "trafilatura")
ARCHIVES = {
    "benchmark": "benchmark-html.tar",
    "readability": "readability-test-pages.tar.xz",
    "trafilatura": "trafilatura-pages.tar.xz",
}


@dataclass(frozen=True)
class ArticlePage:
    """A page, the site that it is from, and its truth: the whole text, or segments of it."""

    set: str
    site: str
    name: str
    data: bytes
    text: str | None = None  # of the whole article; None where only segments are known
    present: tuple[str, ...] = ()  # segments of the article
    absent: tuple[str, ...] = ()  # segments of anything else
    title: str | None = None

    @property
    def owner(self) -> str:
        """Who publishes the site, as far as its name tells: pages of one owner are never on two sides of a split.

        >>> [ArticlePage("", site, "", b"").owner for site in ("www.bbc.co.uk", "edition.cnn.com", "herald-sun")]
        ['bbc', 'cnn', 'heraldsun']
        """
        parts = self.site.lower().partition(":")[0].split(".")
        if len(parts) > 1:
            parts.pop()  # the country
        if len(parts) > 1 and parts[-1] in SECOND_LEVELS:
            parts.pop()
        return "".join(filter(str.isalnum, parts[-1]))


def read_articles(root: Path, sets: Collection[str] = SETS) -> Iterator[ArticlePage]:
    """Yield the pages of these sets, set by set, in the order of their archives; `root` holds the folder articles."""
    if unknown := set(sets) - set(SETS):
        raise BadData(f"there is no set of articles named {', '.join(sorted(unknown))}: they are {', '.join(SETS)}.")
    folder = root / "articles"
    for name in SETS:
        if name in sets:
            yield from READERS[name](folder)


def _benchmark(folder: Path) -> Iterator[ArticlePage]:
    truth = json.loads(read_whole(folder / "benchmark-ground-truth.json"))
    for name, data in pack_members(folder / ARCHIVES["benchmark"]):
        key = name.removeprefix("html/").removesuffix(".html.gz")
        entry = truth[key]
        # some addresses of the set have lost their beginning; the page is then a site of its own
        site = urlsplit(entry["url"]).netloc or key
        yield ArticlePage("benchmark", site, key, gzip.decompress(data), entry["articleBody"])


def _readability(folder: Path) -> Iterator[ArticlePage]:
    parts: dict[str, dict[str, bytes]] = {}
    for name, data in pack_members(folder / ARCHIVES["readability"]):
        _, page, file = name.split("/")
        parts.setdefault(page, {})[file] = data
    for page, files in parts.items():
        title = json.loads(files["expected-metadata.json"]).get("title")
        site = page.rstrip("0123456789").rstrip("-")  # nytimes-1, nytimes-2
        yield ArticlePage("readability", site, page, files["source.html"], text_of(files["expected.html"]), title=title)


def _trafilatura(folder: Path) -> Iterator[ArticlePage]:
    truth = json.loads(read_whole(folder / "trafilatura-segments.json"))
    by_file = {entry["file"]: (url, entry) for url, entry in truth.items()}
    for name, data in pack_members(folder / ARCHIVES["trafilatura"]):
        file = name.partition("/")[2]
        url, entry = by_file[file]
        # an archived address holds the real one behind its date
        site = urlsplit(url[url.find("http", 8) :] if "://web.archive.org/" in url else url).netloc or file
        present, absent = tuple(entry["with"]), tuple(entry["without"])
        title = entry.get("title")
        yield ArticlePage("trafilatura", site, file, data, present=present, absent=absent, title=title)


READERS = {"benchmark": _benchmark, "readability": _readability, "trafilatura": _trafilatura}


def text_of(html: bytes) -> str:
    """All text of a piece of HTML, one text node a line."""
    tree = parse_tree(html.decode("utf-8", "replace"))
    return "\n".join(tree.text(node) for node in tree.content.tolist())


def segment_scores(text: str, page: ArticlePage) -> tuple[int, int]:
    """How many segments of the article are in `text`, and how many of the others; white space does not count."""
    given = without_space(text)
    present, absent = ([without_space(each) in given for each in group] for group in (page.present, page.absent))
    return sum(present), sum(absent)


def without_space(text: str) -> str:
    """Return `text` with all white space taken out.

    >>> without_space(" a b\\n")
    'ab'
    """
    return "".join(text.split())
