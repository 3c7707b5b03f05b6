"""Train the embedded model of `edrew extract` on the shared SWDE and recipe pages.

    python experiments/attributes/train.py            # 5 minutes on a free core; writes edrew_torch/models/attributes/

The shared articles and lists stand for all that is none of these verticals; a third of the sites with lists
is left out, to see what becomes of such pages.
"""

import argparse
import os
import time
from itertools import groupby
from pathlib import Path

from joblib import Parallel, delayed
from rich.console import Console
from rich.progress import track

from edrew_torch.attributes import task
from edrew_torch.attributes.model import GROUPS_USED
from edrew_torch.attributes.training import LabelledSite, fit_model
from edrew_torch.datasets.articles import read_articles
from edrew_torch.datasets.lists import read_list_pages, sites_for_testing
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.swde import Subset, read_swde
from edrew_torch.enrich.bags import Bags, make_bags
from edrew_torch.enrich.describe import Describer
from edrew_torch.errors import EdrewError
from edrew_torch.extraction import EMBEDDED
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EDREW_DATA", HERE.parents[2] / "shared" / "data"))
MOST_PAGES = 60  # of a site: 30 seen with the others, 30 alone
SEED = 1


def main() -> None:
    """Train and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=EMBEDDED)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    begun = time.perf_counter()
    sites = read_sites(arguments.jobs)
    others = read_others()
    print(f"{len(sites)} sites, {len(others)} other pages after {time.perf_counter() - begun:.0f} s", flush=True)
    model = fit_model(sites, others, SEED)
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


def read_others() -> list[Bags]:
    """Pages of no vertical: articles, and lists (of books, cameras…) of the sites that are for training."""
    pages = []
    for _, group in groupby(read_articles(DATA), key=lambda page: page.set):
        pages += [(page.name, page.data) for page in list(group)[:400]]
    lists = list(read_list_pages(DATA))
    is_tested = sites_for_testing(lists)
    pages += [(page.name, page.data) for page in lists if (page.set, page.site) not in is_tested]
    describer, bags = Describer(), []
    for name, data in pages:
        try:
            tree = parse_tree(Page.from_bytes(data, name))
        except EdrewError:
            continue
        if 0 < len(tree) < 50_000:
            bags.append(make_bags(describer.describe(tree), None, GROUPS_USED))
    return [each for each in bags if len(each)]


if __name__ == "__main__":
    main()
