"""What the product gives on sites that nobody trained on: page by page, a site together, and a wrapper made of it.

    python experiments/attributes/unseen.py       # shared SWDE, some 20 minutes

Trained as the embedded model is (train.py), but without every third site of each vertical; those are the test. The
wrapper is what `edrew wrap --auto` learns of the first 20 pages of a test site, without labels; all three are scored on
its other pages. Also how well confidence is calibrated. Writes unseen.csv and unseen.md beside this file.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from edrew_torch.attributes.model import GROUPS_USED
from edrew_torch.attributes.sites import describe_site
from edrew_torch.attributes.training import fit_model, label_site
from edrew_torch.datasets.labels import normalize
from edrew_torch.datasets.swde import Subset, checksum, read_swde
from edrew_torch.errors import EdrewError
from edrew_torch.extraction import find_results, read_page
from edrew_torch.metrics.statistics import Counts
from edrew_torch.page import Page
from edrew_torch.pipeline import apply_wrapper, wrap_site
from edrew_torch.report import Report, as_markdown, signature
from train import DATA, MOST_PAGES, read_others

HERE = Path(__file__).parent
NUM_AUTO = 20  # pages that a wrapper is learnt from
EVERY = 3
WAYS = ("page by page", "site together", "wrapper of 20 pages")
BINS = np.linspace(0, 1, 11)


def main() -> None:
    """Train, test, write."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    known, unseen = [], []
    place: dict[str, int] = defaultdict(int)
    sites = read_swde(DATA / "swde", Subset(max_pages=MOST_PAGES))
    for pages in track(sites, "Reading sites", total=72, console=Console(stderr=True), transient=True):
        vertical = pages[0].vertical
        place[vertical] += 1
        if place[vertical] % EVERY == 0:
            unseen.append(pages)
            continue
        names = vertical, pages[0].site, sorted({name for page in pages for name in page.truth})
        described = describe_site(pages, names[2])
        known.append(tuple(label_site(*names, *described, alone, GROUPS_USED) for alone in (False, True)))
    model = fit_model(known, read_others(), seed=1)
    del known
    rows, sure = [], []
    for pages in track(unseen, "Testing sites", console=Console(stderr=True), transient=True):
        rows += test_site(model, pages, sure)
    with (HERE / "unseen.csv").open("w", newline="") as out:
        csv.writer(out, lineterminator="\n").writerows(
            [("vertical", "site", "way", "attribute", "correct", "predicted", "true"), *rows]
        )
    write_tables(rows, sure)
    print((HERE / "unseen.md").read_text())


def test_site(model, pages, sure) -> list[tuple]:
    """Counts of each way and attribute over the pages behind the first 20; `sure` gets what was sure, and right."""
    read = [Page.from_bytes(page.data, page.page_id) for page in pages]
    tested, truth = read[NUM_AUTO:], [page.truth for page in pages[NUM_AUTO:]]
    alone = [find_results([read_page(page)], model)[0].values for page in tested]
    together = [result.values for result in find_results([read_page(page) for page in tested], model)]
    try:
        wrapper = wrap_site(read[:NUM_AUTO], model)
        wrapped = [apply_wrapper(wrapper, page).values for page in tested]
    except EdrewError as error:  # nothing learnt: nothing found
        print(pages[0].vertical, pages[0].site, error)
        wrapped = [()] * len(tested)
    rows = []
    names = sorted({name for page in pages for name, values in page.truth.items() if values})
    for way, found in zip(WAYS, (alone, together, wrapped), strict=True):
        for name in names:
            counts = np.zeros(3, dtype=int)
            for values, true in zip(found, truth, strict=True):
                texts = {value.text for value in values if value.attribute == name}
                right = {normalize(value) for value in true.get(name, ())}
                counts += [bool(texts & right), bool(texts), bool(right)]
            rows.append((pages[0].vertical, pages[0].site, way, name, *counts.tolist()))
    for values, true in zip(alone, truth, strict=True):
        for value in values:
            sure.append((value.confidence, value.text in {normalize(each) for each in true.get(value.attribute, ())}))
    return rows


def write_tables(rows, sure) -> None:
    """Mean F1 over attributes, sites, verticals; and confidence against truth."""
    verticals = sorted({row[0] for row in rows})
    table = []
    for way in WAYS:
        means = []
        for vertical in verticals:
            mine = [row for row in rows if row[0] == vertical and row[2] == way]
            by_site = [
                [Counts(*row[4:]).f1 for row in mine if row[1] == site] for site in sorted({row[1] for row in mine})
            ]
            means.append(sum(sum(each) / len(each) for each in by_site) / len(by_site))
        table.append((way, *means, sum(means) / len(means)))
    sign = signature(checksum(DATA / "swde"), "every third site of a vertical unseen", [1])
    parts = [as_markdown(Report("Page F1 on unseen sites", ("way", *verticals, "mean"), tuple(table), sign))]
    confidence, right = np.array(sure).T
    bins = np.clip(np.digitize(confidence, BINS) - 1, 0, 9)
    lines, error = [], 0.0
    for number in range(10):
        here = bins == number
        if here.any():
            lines.append(
                (
                    f"{BINS[number]:.1f}-{BINS[number + 1]:.1f}",
                    int(here.sum()),
                    confidence[here].mean(),
                    right[here].mean(),
                )
            )
            error += here.mean() * abs(confidence[here].mean() - right[here].mean())
    lines.append(("expected calibration error", len(right), None, error))
    columns = ("confidence", "values", "mean confidence", "right")
    parts.append(as_markdown(Report("Confidence of values found page by page", columns, tuple(lines), sign)))
    (HERE / "unseen.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main()
