"""The way through: a source in, a Result out. Each line of a function is one module, in reading order.

    source   ->   page.py   ->   parse/   ->   an extractor   ->   result.py

Read by cli/ and by everyone who imports the package.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from edrew_torch.errors import BadConfig
from edrew_torch.fields.examples import Texts, find_everywhere, find_on_pages
from edrew_torch.fields.field import Field
from edrew_torch.fields.learn import NoFields, learn_from_pages
from edrew_torch.fields.page import FieldPage
from edrew_torch.news.extract import NewsSettings, find_article
from edrew_torch.page import Page, load_page
from edrew_torch.parse import parse_tree
from edrew_torch.records.methods import Settings, find_method, find_regions
from edrew_torch.records.wrapper import Wrapper, make_wrapper
from edrew_torch.result import Result, Value
from edrew_torch.tree import page_title

if TYPE_CHECKING:
    from edrew_torch.extraction import Model

AUTO_TOLERANCE = 0.3  # of a model's predictions that a rule may contradict …
MOST_TOLERANCE = 0.5  # … or, where no rule comes to be, so many: the others are of one mind
MIN_AUTO = 2  # pages
AUTO_SHARE = 0.3  # of the pages on which a model must see an attribute, for a rule to be learnt

Source = str | bytes | Path | Page
Builder = Callable[[list[Value]], Any]


def extract(
    source: Source,
    model: "Model | None" = None,
    vertical: str | None = None,
    min_confidence: float | None = None,
    builder: Builder | None = None,
) -> Any:
    """Return the relevant values of a page, each with its attribute: a Result, or what `builder` makes of the values.

    Without a `model` the embedded one is used; `vertical` spares it finding out what the page is about.

    >>> page = "<title>2011 Arvel Comet</title><h1>2011 Arvel Comet</h1><table><tr><td>MSRP:<td>$32,168</table>"
    >>> [(value.attribute, value.text, value.xpath) for value in extract(page, vertical="auto").values][1:]
    [('price', '$32,168', '/html/body/table/tr/td[2]/text()')]
    """
    return extract_site([source], model, vertical, min_confidence, builder)[0]


def extract_site(
    sources: Sequence[Source],
    model: "Model | None" = None,
    vertical: str | None = None,
    min_confidence: float | None = None,
    builder: Builder | None = None,
) -> list[Any]:
    """The same for pages of one site, used together: what is fixed on them and what varies tells a lot."""
    from edrew_torch.extraction import find_results, load_model, read_page

    chosen = model or load_model()
    check_sources(sources)
    pages = [read_page(source if isinstance(source, Page) else load_page(source)) for source in sources]
    results = find_results(pages, chosen, vertical, min_confidence)
    return [builder(list(result.values)) for result in results] if builder else results


def extract_records(
    source: Source,
    method: str = "auto",
    keep_noise: bool = False,
    settings: Settings | None = None,
) -> Result:
    """Return the lists of records of a page as tables; a page without any has no regions, which is no error.

    >>> page = "<ul>" + "".join(f"<li><a href=/{n}>Tea no. {n}</a> <b>${n}.50</b>" for n in range(1, 9)) + "</ul>"
    >>> region = extract_records(page).regions[0]
    >>> [cell.text for cell in region.rows[0]], region.rows[0][0].href, region.rows[0][1].xpath
    (['Tea no. 1', '$1.50'], '/1', '/html/body/ul/li[1]/b/text()')
    """
    find_method(method, settings)  # before the page is read
    page = source if isinstance(source, Page) else load_page(source)
    tree = parse_tree(page)
    warnings: list[str] = []
    regions = find_regions(tree, method, settings, keep_noise, page.url, warnings)
    return Result(page.source, page.url, regions, warnings=tuple(warnings))


def wrap_pages(
    sources: Sequence[Source],
    method: str = "auto",
    settings: Settings | None = None,
    keep_all: bool = False,
) -> Wrapper:
    """Learn from pages of one template how to read their list; `wrapper_to_json` or `save_wrapper` keeps it.

    >>> def page(*teas):
    ...     return "<ul>" + "".join(f"<li><a href=/{tea}>{tea} tea</a> <b>${len(tea)}.50</b>" for tea in teas) + "</ul>"
    >>> wrapper = wrap_pages([page("green", "black", "white", "mint", "plain", "ginger")])
    >>> (region,) = apply_wrapper(wrapper, page("red", "smoky")).regions
    >>> region.columns
    ('title_href', 'title', 'price')
    >>> [[cell.text for cell in row] for row in region.rows]
    [['/red', 'red tea', '$3.50'], ['/smoky', 'smoky tea', '$5.50']]
    """
    find_method(method, settings)  # before any page is read
    check_sources(sources)
    pages = [source if isinstance(source, Page) else load_page(source) for source in sources]
    return make_wrapper(
        [parse_tree(page) for page in pages], [page.source for page in pages], method, settings, keep_all
    )


def extract_article(source: Source, settings: NewsSettings | None = None) -> Result:
    """Return the title and the paragraphs of a page's article; a page without text has none, which is no error.

    `news.extract.find_article` gives the marked nodes, `news.html.body_html` the HTML of the body.

    >>> page = "<title>Tea | News</title><h1>Tea</h1><p>Tea is dear this year, they say.<p>Cake is not."
    >>> result = extract_article(page)
    >>> result.title, [(paragraph.text, paragraph.xpath) for paragraph in result.paragraphs][0]
    ('Tea', ('Tea is dear this year, they say.', '/html/body/p[1]'))
    """
    settings = settings or NewsSettings()
    settings.trees()  # a model that is not there is told before the page is read
    page = source if isinstance(source, Page) else load_page(source)
    article = find_article(parse_tree(page), settings)
    return Result(page.source, page.url, title=article.title, paragraphs=article.paragraphs, sought=("paragraphs",))


def wrap_examples(
    sources: Sequence[Source],
    examples: Texts | Sequence[Texts],
    tolerance: float = 0.0,
) -> Wrapper:
    """Learn from values known on a few detail pages of a site how to find them on the others.

    `examples` has the texts of each attribute, for all pages at once (a page is labelled where they are found; the
    others help to choose) or one mapping for each page, in which no text means that the page has none. `tolerance` is
    the share of labelled pages on which a rule may be wrong, where labels are not all right.

    >>> def page(name, price):
    ...     return f"<h1>{name}</h1><table><tr><td>Price:<td>{price}<tr><td>Stock:<td>7</table>"
    >>> wrapper = wrap_examples([page("Comet", "$5")], {"price": ["$5"], "model": ["Comet"]})
    >>> [(value.attribute, value.text) for value in apply_wrapper(wrapper, page("Nova", "$7")).values]
    [('price', '$7'), ('model', 'Nova')]
    """
    if not 0 <= tolerance < 1:
        raise BadConfig(f"tolerance is {tolerance}: give a share of the pages, 0 or more and less than 1.")
    check_sources(sources)
    pages = [source if isinstance(source, Page) else load_page(source) for source in sources]
    seen = [FieldPage(parse_tree(page), remembers=True) for page in pages]
    names = [page.source for page in pages]
    if not examples:
        raise BadConfig("there are no examples: give texts of each attribute, {'price': ['$5']}.")
    if isinstance(examples, Mapping):
        known, missed = find_everywhere(seen, names, examples), list[str]()
    else:
        known, missed = find_on_pages(seen, names, examples)
    learnt = learn_from_pages(seen, known, tolerance=tolerance)
    if not learnt.fields:
        raise NoFields(" ".join(learnt.warnings))
    return Wrapper((), tuple(names), (*missed, *learnt.warnings), learnt.fields)


def wrap_site(
    sources: Sequence[Source],
    model: "Model | None" = None,
    vertical: str | None = None,
    tolerance: float = AUTO_TOLERANCE,
) -> Wrapper:
    """Learn from unlabelled detail pages of one site: what the model says of them, where it agrees with itself.

    Its predictions are examples, some of them wrong: a rule may contradict them on the share `tolerance` of the pages.
    A rule is trusted no further than the predictions behind it.
    """
    from edrew_torch.attributes.model import AttributeModel
    from edrew_torch.attributes.values import page_picks
    from edrew_torch.extraction import load_model, read_page

    chosen = model or load_model()
    if not isinstance(chosen, AttributeModel):
        raise BadConfig("wrapping without examples needs a model of attributes; a run of train.py knows none.")
    check_sources(sources)
    if len(sources) < MIN_AUTO:
        raise BadConfig(
            f"wrapping without examples needs {MIN_AUTO} pages of a site, better 20, not {len(sources)}: give more, or "
            "examples."
        )
    pages = [read_page(source if isinstance(source, Page) else load_page(source)) for source in sources]
    descriptions = [page.description for page in pages]
    found = chosen.find(descriptions, vertical)
    examples: list[dict[str, list[int]]] = []
    sure: dict[str, list[float]] = {}
    for each, description in zip(found, descriptions, strict=True):
        given: dict[str, list[int]] = {}
        for place, attribute, confidence in page_picks(each, description):
            given.setdefault(attribute, []).append(int(description.nodes[place]))
            sure.setdefault(attribute, []).append(confidence)
        examples.append(given)
    count = Counter(attribute for given in examples for attribute in given)
    kept = [attribute for attribute, times in count.items() if times >= max(MIN_AUTO, AUTO_SHARE * len(pages))]
    if not kept and all(each.vertical is None for each in found):
        raise NoFields(
            f"the pages seem to be about none of {', '.join(chosen.verticals)}: if they are, name which (vertical), or "
            "give examples of their values."
        )
    if not kept:
        raise NoFields("the model is sure of no attribute on enough of these pages: give examples of their values.")
    seen = [FieldPage(page.tree, remembers=True) for page in pages]
    fields: list[Field] = []
    warnings: list[str] = []
    for name in kept:
        nodes = [{name: given[name]} if name in given else {} for given in examples]
        for allowed in sorted({tolerance, max(tolerance, MOST_TOLERANCE)}):
            learnt = learn_from_pages(seen, nodes, tolerance=allowed)
            if learnt.fields:
                break
        fields += [field.trusted_by(fmean(sure[name])) for field in learnt.fields]
        warnings += learnt.warnings
    if not fields:
        raise NoFields(" ".join(warnings))
    return Wrapper((), tuple(page.page.source for page in pages), tuple(warnings), tuple(fields))


def check_sources(sources: Sequence[Source]) -> None:
    """Raise where one source stands in place of several: a text would be read letter by letter."""
    if isinstance(sources, str | bytes | Path | Page):
        raise BadConfig(f"the pages are one {type(sources).__name__}: give a list of them, [page].")


def apply_wrapper(wrapper: Wrapper, source: Source) -> Result:
    """Read lists and fields of a page as a wrapper says; `match` says how well they fitted, `warnings` what did not."""
    page = source if isinstance(source, Page) else load_page(source)
    tree = parse_tree(page)
    found = wrapper.apply(tree, page.url)
    return Result(
        page.source,
        page.url,
        found.regions,
        found.match,
        found.warnings,
        (page_title(tree) or None) if wrapper.fields else None,
        found.values,
        sought=tuple(kind for kind, has in (("values", wrapper.fields), ("regions", wrapper.lists)) if has),
    )
