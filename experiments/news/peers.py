"""Other tools that find the text of an article, those that are installed; each a function of a page's HTML to its text.

    PEERS["trafilatura"](html)   ->   text

`pip install edrew-torch[peers]`. Read by run.py and by benchmarks/news.py.
"""

import importlib
import logging
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version

Extract = Callable[[str], str]
MAX_SECONDS = 20.0  # a tool that needs longer for a page has failed on it


def trafilatura(**settings: bool) -> Extract:
    """Trafilatura, without comments, as the public benchmark has it."""
    from trafilatura import extract

    return lambda html: extract(html, include_comments=False, **settings) or ""


def readability() -> Extract:
    """readability-lxml: the text of the HTML it gives."""
    from lxml.html import fromstring
    from readability import Document

    # a line for each text node: words of two paragraphs must not run together
    return lambda html: "\n".join(fromstring(Document(html).summary(html_partial=True)).itertext())


def resiliparse() -> Extract:
    """The main content by resiliparse."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html: extract_plain_text(html, main_content=True)


def justext() -> Extract:
    """The good paragraphs by jusText, with English stop words: pages in other languages are not its fault."""
    from justext import get_stoplist
    from justext import justext as paragraphs

    words = get_stoplist("English")
    return lambda html: "\n".join(each.text for each in paragraphs(html, words) if not each.is_boilerplate)


def newspaper() -> Extract:
    """The text by newspaper4k, which must not fetch the pictures: without a network it would wait for each."""
    from newspaper import Article, Config

    settings = Config()
    settings.fetch_images = False

    def extract(html: str) -> str:
        article = Article("https://example.org/", config=settings)
        article.download(input_html=html)
        article.parse()
        return str(article.text)

    return extract


def boilerpy() -> Extract:
    """boilerpy3's ArticleExtractor."""
    from boilerpy3.extractors import ArticleExtractor

    extractor = ArticleExtractor(raise_on_failure=False)
    return lambda html: str(extractor.get_content(html))


def goose() -> Extract:
    """The cleaned text by goose3."""
    from goose3 import Goose

    tool = Goose({"enable_image_fetching": False})
    return lambda html: str(tool.extract(raw_html=html).cleaned_text)


MAKERS: dict[str, tuple[str, Callable[[], Extract]]] = {
    "trafilatura": ("trafilatura", trafilatura),
    "trafilatura, precision": ("trafilatura", lambda: trafilatura(favor_precision=True)),
    "trafilatura, fast": ("trafilatura", lambda: trafilatura(fast=True)),
    "readability-lxml": ("readability-lxml", readability),
    "resiliparse": ("resiliparse", resiliparse),
    "jusText": ("justext", justext),
    "boilerpy3": ("boilerpy3", boilerpy),
    "newspaper4k": ("newspaper4k", newspaper),
    "goose3": ("goose3", goose),
}


def find_peers() -> tuple[dict[str, Extract], list[str]]:
    """The tools that are installed, with their versions in their names; and those that are not."""
    logging.disable(logging.CRITICAL)  # several log every page that they cannot read
    warnings.simplefilter("ignore")
    importlib.invalidate_caches()
    found, missing = {}, []
    for name, (package, make) in MAKERS.items():
        try:
            found[f"{name} {version(package)}"] = make()
        except ImportError:  # PackageNotFoundError, too
            missing.append(name)
    return found, missing


def text_or_nothing(extract: Extract, html: str) -> str:
    """The text; "" where the tool fails or takes too long, as the public benchmark counts it."""
    try:
        with at_most(MAX_SECONDS):
            return extract(html) or ""
    except Exception:
        return ""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise TimeoutError where what is done within takes longer; in the main thread."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
