"""What each enrichment brings: relevant or noise, on unseen pages of seen sites and on unseen sites.

    python experiments/enriched/run.py                 # all groups with 3 seeds, then without each, seed 1: an hour
    python experiments/enriched/run.py --only pages --groups all     # some ten minutes

One linear model of hashed tokens a vertical (attributes/weights.py) under the protocols `pages` and `sites` (5 seed
sites), over all text nodes of the profile full. A node is relevant where the chance that it is some attribute reaches
the threshold that is best on the validation pages. `all` has all groups of tokens, `-label` all but those of labels,
`path alone` the last four tags and the exact path. Writes results.csv (a line per run and vertical) and results.md;
what is there is not run again.
"""

import argparse
import csv
import os
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed

from edrew_torch.attributes.sites import describe_site
from edrew_torch.attributes.training import LabelledSite, label_site
from edrew_torch.attributes.weights import fit_weights
from edrew_torch.datasets.protocols import SITE_ORDER, fold_of_seed, shuffled_parts
from edrew_torch.datasets.swde import Subset, checksum, read_swde
from edrew_torch.enrich.bags import GROUPS, Bags
from edrew_torch.metrics.statistics import mean_and_spread
from edrew_torch.report import Report, as_markdown, signature

HERE = Path(__file__).parent
DATA = Path(os.environ.get("EDREW_DATA", HERE.parents[2] / "shared" / "data"))
VERTICALS = ("auto", "book", "camera", "job", "movie", "nbaplayer", "restaurant", "university")
COLUMNS = ("protocol", "groups", "seed", "vertical", "correct", "predicted", "true")
NUM_SEED_SITES = 5
MODELS = {"all": (), **{f"-{group}": (group,) for group in GROUPS}}
MODELS["path alone"] = tuple(group for group in GROUPS if group not in ("path", "exact"))
MODELS["-path -exact -names"] = ("path", "exact", "names")


def main() -> None:
    """Run what is missing, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("pages", "sites"))
    parser.add_argument("--groups", choices=sorted(MODELS), nargs="*")
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    protocols = (arguments.only,) if arguments.only else ("pages", "sites")
    wanted = [("all", seed) for seed in (1, 2, 3)] + [(name, 1) for name in MODELS if name != "all"]
    wanted = [pair for pair in wanted if not arguments.groups or pair[0] in arguments.groups]
    done = {tuple(row[:4]) for row in read_rows()}
    work = Parallel(n_jobs=arguments.jobs, return_as="generator_unordered")
    for rows in work(delayed(run_vertical)(vertical, protocols, wanted, done) for vertical in VERTICALS):
        add_rows(rows)
        write_table()
    write_table()
    print((HERE / "results.md").read_text())


def run_vertical(vertical: str, protocols, wanted, done) -> list[tuple]:
    """All runs of one vertical that are not there yet."""
    import torch

    torch.set_num_threads(1)
    missing = [
        (protocol, name, seed)
        for (name, seed), protocol in product(wanted, protocols)
        if (protocol, name, str(seed), vertical) not in done
    ]
    if not missing:
        return []
    sites = []
    for pages in read_swde(DATA / "swde", Subset(verticals=(vertical,))):
        names = vertical, pages[0].site, sorted({name for page in pages for name in page.truth})
        sites.append(label_site(*names, *describe_site(pages, names[2])))
    order = [name for name in SITE_ORDER.get(vertical, []) if name in {site.site for site in sites}]
    sites.sort(key=lambda site: order.index(site.site) if site.site in order else len(order))
    return [
        (protocol, name, seed, vertical, *score(sites, protocol, MODELS[name], seed))
        for protocol, name, seed in missing
    ]


def score(sites: list[LabelledSite], protocol: str, left_out: tuple[str, ...], seed: int) -> tuple[int, int, int]:
    """Right, called and true nodes of the test pages."""
    parts: tuple[list, list, list] = ([], [], [])
    start = fold_of_seed(seed, len(sites))
    for number, site in enumerate(sites):
        pages = list(range(len(site)))
        is_seed = (number - start) % len(sites) < NUM_SEED_SITES
        shares = (0.7, 0.9) if protocol == "pages" else (8 / 9, 1) if is_seed else (0, 0)
        for part, chosen in zip(
            parts, shuffled_parts(pages, f"{seed}/{site.vertical}/{site.site}", shares), strict=True
        ):
            if chosen:
                part.append(nodes_of(site, chosen, left_out))
    train, val, test = parts
    if protocol == "pages":  # all sites are known: what only one of them has is worth knowing
        train = [
            (
                Bags.joined([bags for bags, *_ in train]),
                *(np.concatenate(column) for column in list(zip(*train, strict=True))[1:]),
            )
        ]
    examples = []
    for bags, classes, fixed in train:
        kept = np.flatnonzero(~fixed | (classes > 0))
        examples.append((bags.of(kept), classes[kept]))
    weights = fit_weights(examples, len(sites[0].attributes) + 1, seed)
    least = best_threshold([(relevance(weights, bags, fixed), classes > 0) for bags, classes, fixed in val])
    counts = np.zeros(3, dtype=np.int64)
    for bags, classes, fixed in test:
        called = relevance(weights, bags, fixed) >= least
        counts += [(called & (classes > 0)).sum(), called.sum(), (classes > 0).sum()]
    return tuple(counts.tolist())


def nodes_of(site: LabelledSite, pages: list[int], left_out: tuple[str, ...]) -> tuple:
    """Bags, classes, and what belongs to the template, of some pages."""
    bags = Bags.joined([site.bags[page] for page in pages])
    # without the group `site` nothing is known of the template either
    fixed = np.concatenate([site.fixed[page] & ("site" not in left_out) for page in pages])
    return bags.without(left_out) if left_out else bags, np.concatenate([site.classes[page] for page in pages]), fixed


def relevance(weights, bags: Bags, fixed: np.ndarray) -> np.ndarray:
    """The chance that each node is some attribute."""
    logits = weights.contributions(bags).sum(axis=1) + weights.bias
    chance = 1 - np.exp(logits[:, 0] - np.logaddexp.reduce(logits, axis=1))
    return np.where(fixed, 0.0, chance)


def best_threshold(parts: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """The threshold with the best F1."""
    chance, truth = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = np.argsort(-chance)
    right = np.cumsum(truth[order])
    f1 = 2 * right / (np.arange(1, len(order) + 1) + max(truth.sum(), 1))
    return float(chance[order[f1.argmax()]])


def read_rows() -> list[list[str]]:
    """The lines of results.csv below its head."""
    file = HERE / "results.csv"
    return list(csv.reader(file.open()))[1:] if file.exists() else []


def add_rows(rows: list[tuple]) -> None:
    """Add lines to results.csv."""
    file = HERE / "results.csv"
    is_new = not file.exists()
    with file.open("a", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerows([COLUMNS] if is_new else [])
        writer.writerows(rows)


def write_table() -> None:
    """F1 of each vertical and their mean, over the seeds."""
    runs = read_rows()
    rows = []
    for protocol, name in product(("pages", "sites"), MODELS):
        mine = [run for run in runs if run[:2] == [protocol, name]]
        if not mine:
            continue
        by_seed: dict[str, dict[str, float]] = {}
        for _, _, seed, vertical, correct, predicted, true in mine:
            by_seed.setdefault(seed, {})[vertical] = 2 * int(correct) / max(int(predicted) + int(true), 1)
        whole = [scores for scores in by_seed.values() if len(scores) == len(VERTICALS)]
        cells = [
            shown([scores[vertical] for scores in by_seed.values() if vertical in scores]) for vertical in VERTICALS
        ]
        rows.append((protocol, name, *cells, shown([sum(scores.values()) / len(scores) for scores in whole])))
    sign = signature(checksum(DATA / "swde"), "pages; sites(k=5)", [int(run[2]) for run in runs] or [1])
    table = Report(
        "F1 of the relevant class over all text nodes, %", ("protocol", "groups", *VERTICALS, "mean"), tuple(rows), sign
    )
    (HERE / "results.md").write_text(as_markdown(table))


def shown(figures: list[float]) -> str:
    """Mean and spread."""
    if not figures:
        return "-"
    mean, spread = mean_and_spread(figures)
    return f"{100 * mean:.1f} ± {100 * spread:.1f}" if len(figures) > 1 else f"{100 * mean:.1f}"


if __name__ == "__main__":
    main()
