"""Train the embedded model of `edrew extract` on the shared SWDE and recipe pages.

    python experiments/attributes/train.py            # 5 minutes on a free core; writes edrew_torch/models/attributes/
    python experiments/attributes/train.py --score    # the figures of the model's card, a minute; trains nothing

The shared articles and lists stand for all that is none of these verticals; a third of the sites with lists
is left out, to see what becomes of such pages. Six invented sites of each vertical of SWDE are added to what the
weights see; they are not those of the embedded sample, but of the same families of layouts.
"""

import argparse
import time
from itertools import groupby
from pathlib import Path

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track

from edrew_torch.attributes import task
from edrew_torch.attributes.model import GROUPS_USED, AttributeModel
from edrew_torch.attributes.training import LabelledSite, fit_model
from edrew_torch.datasets.articles import read_articles
from edrew_torch.datasets.labels import normalize
from edrew_torch.datasets.lists import read_list_pages, sites_for_testing
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.sample import VERTICALS, SamplePage, generate_sample, read_further
from edrew_torch.datasets.swde import Subset, read_swde
from edrew_torch.enrich.bags import Bags, make_bags
from edrew_torch.enrich.describe import Describer
from edrew_torch.errors import EdrewError
from edrew_torch.extraction import EMBEDDED, find_results, read_page
from edrew_torch.metrics.statistics import Counts
from edrew_torch.page import Page, load_page
from edrew_torch.parse import parse_tree
from edrew_torch.report import Report, as_rich
from edrew_torch.result import Result

HERE = Path(__file__).parent
DATA = shared_data()
MOST_PAGES = 60  # of a site: 30 seen with the others, 30 alone
INVENTED_PAGES = 8  # of a site
SEED = 1


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=EMBEDDED)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--score", action="store_true", help="score the model that is there")
    arguments = parser.parse_args()
    if arguments.score:
        model = AttributeModel.load(arguments.out)
        Console().print(as_rich(score_on_sample(model)))
        print(score_on_lists(model))
        return
    begun = time.perf_counter()
    sites = read_sites(arguments.jobs)
    others, invented = read_others(), read_invented(sites)
    counts = f"{len(sites)} sites, {len(others)} other pages, {len(invented)} invented sites"
    print(f"{counts} after {time.perf_counter() - begun:.0f} s", flush=True)
    model = fit_model(sites, others, SEED, invented=invented)
    model.save(arguments.out)
    size = arguments.out.stat().st_size / 2**20
    print(f"{arguments.out}: {size:.1f} MB after {time.perf_counter() - begun:.0f} s")


def read_sites(jobs: int) -> list[tuple[LabelledSite, LabelledSite]]:
    """Every site twice: its pages together, and each alone."""
    data = [*read_swde(DATA / "swde", Subset(max_pages=MOST_PAGES)), *read_swde(DATA / "recipe")]
    attributes: dict[str, list[str]] = {}
    for pages in data:
        for page in pages:
            attributes[page.vertical] = sorted({*attributes.get(page.vertical, []), *page.truth})
    work = Parallel(n_jobs=jobs, return_as="generator", pre_dispatch="2*n_jobs")
    made = work(delayed(read_site)(pages, attributes[pages[0].vertical]) for pages in data)
    return list(track(made, "Describing sites", total=len(data), console=Console(stderr=True), transient=True))


def read_site(pages: list[DataPage], attributes: list[str]) -> tuple[LabelledSite, LabelledSite]:
    """One site."""
    site = task.read_site(pages, attributes)
    return site.together, site.alone


def read_invented(sites: list[tuple[LabelledSite, LabelledSite]]) -> list[LabelledSite]:
    """Invented sites of the verticals that the embedded sample has too, with the attributes of the real ones."""
    attributes = {site.vertical: list(site.attributes) for site, _ in sites if site.vertical in VERTICALS}
    return [
        task.read_site(pages, names).alone
        for vertical, names in attributes.items()
        for pages in read_further(vertical, INVENTED_PAGES)
    ]


def read_others() -> list[Bags]:
    """Pages of no vertical: articles, and lists (of books, cameras…) of the sites that are for training."""
    pages = []
    for _, group in groupby(read_articles(DATA), key=lambda page: page.set):
        pages += [(page.name, page.data) for page in list(group)[:400]]
    pages += list_pages(tested=False)
    describer, bags = Describer(), []
    for name, data in pages:
        try:
            tree = parse_tree(Page.from_bytes(data, name))
        except EdrewError:
            continue
        if 0 < len(tree) < 50_000:
            bags.append(make_bags(describer.describe(tree), None, GROUPS_USED))
    return [each for each in bags if len(each)]


def list_pages(tested: bool) -> list[tuple[str, bytes]]:
    """Name and bytes of the shared list pages, of the sites for testing or of the others."""
    lists = list(read_list_pages(DATA))
    sites = sites_for_testing(lists)
    return [(page.name, page.data) for page in lists if ((page.set, page.site) in sites) == tested]


def score_on_sample(model: AttributeModel) -> Report:
    """Precision and recall of the distinct values of a page, on pages 11 to 15 of each invented site."""
    rows = []
    for vertical, made in groupby(generate_sample(1, pages=15), key=lambda page: page.vertical):
        alone, together = Counts(0, 0, 0), Counts(0, 0, 0)
        for _, group in groupby(made, key=lambda page: page.site):
            pages = list(group)[10:]
            read = [read_page(load_page(page.html)) for page in pages]
            alone += right_values(pages, [result for page in read for result in find_results([page], model)])
            together += right_values(pages, find_results(read, model, vertical))
        shares = (alone.precision, alone.recall, together.precision, together.recall)
        rows.append((vertical, *(f"{100 * share:.0f}" for share in shares)))
    columns = ("vertical", "alone: precision", "recall", "five together, --vertical: precision", "recall")
    return Report("Values of the embedded sample, %", columns, tuple(rows), "pages 11-15 of each site, sample seed 1")


def right_values(pages: list[SamplePage], results: list[Result]) -> Counts:
    """How many values are right."""
    counts = Counts(0, 0, 0)
    for page, result in zip(pages, results, strict=True):
        found = {(value.attribute, value.text) for value in result.values}
        true = {(name, normalize(text)) for name, texts in page.truth.items() for text in texts}
        counts += Counts(len(found & true), len(found), len(true))
    return counts


def score_on_lists(model: AttributeModel) -> str:
    """What becomes of list pages, which are about none of the verticals; their sites were not trained on."""
    count = taken = num_values = 0
    for name, data in list_pages(tested=True):
        try:
            page = read_page(Page.from_bytes(data, name))
        except EdrewError:
            continue
        values = find_results([page], model)[0].values
        count, taken, num_values = count + 1, taken + bool(values), num_values + len(values)
    return f"List pages of unseen sites: {taken} of {count} give values, {num_values} in all."


if __name__ == "__main__":
    main()
