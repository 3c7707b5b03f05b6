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
from itertools import product
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from rich.console import Console

from edrew_torch.attributes.model import GROUPS_USED
from edrew_torch.attributes.sites import describe_site
from edrew_torch.attributes.task import read_data
from edrew_torch.attributes.training import LabelledSite, label_site
from edrew_torch.attributes.weights import fit_weights
from edrew_torch.datasets.packs import shared_data
from edrew_torch.datasets.protocols import fold_of_seed, ordered_sites, shuffled_parts
from edrew_torch.datasets.swde import VERTICALS, Subset, checksum, read_swde
from edrew_torch.enrich.bags import GROUPS, Bags
from edrew_torch.measured import Measured
from edrew_torch.metrics.statistics import Counts
from edrew_torch.report import Report, as_markdown, as_rich, percent, signature

HERE = Path(__file__).parent
DATA = shared_data()
MEASURED = Measured(HERE, ("protocol", "groups", "seed", "vertical", "correct", "predicted", "true"))
NUM_SEED_SITES = 5
MODELS = {"all": (), **{f"-{group}": (group,) for group in GROUPS}}
MODELS["path alone"] = tuple(group for group in GROUPS if group not in ("path", "exact"))
MODELS["-path -exact -names"] = ("path", "exact", "names")


def main() -> None:
    """Run what is missing, write, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("pages", "sites"))
    parser.add_argument("--groups", choices=sorted(MODELS), action="append", help="--groups=-label; may be repeated")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="the embedded sample, two models, one seed; prints only")
    arguments = parser.parse_args()
    if arguments.quick:
        run_quick()
        return
    protocols = (arguments.only,) if arguments.only else ("pages", "sites")
    wanted = [("all", seed) for seed in (1, 2, 3)] + [(name, 1) for name in MODELS if name != "all"]
    wanted = [pair for pair in wanted if not arguments.groups or pair[0] in arguments.groups]
    done = {tuple(row.values())[:4] for row in MEASURED.rows()}
    data = checksum(DATA / "swde")
    work = Parallel(n_jobs=arguments.jobs, return_as="generator_unordered")
    for rows in work(delayed(run_vertical)(vertical, protocols, wanted, done) for vertical in VERTICALS):
        MEASURED.add(rows, data)
        MEASURED.write(render())
    MEASURED.write(render())
    print(render())


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
    sites = {}
    for pages in read_swde(DATA / "swde", Subset(verticals=(vertical,))):
        names = vertical, pages[0].site, sorted({name for page in pages for name in page.truth})
        sites[pages[0].site] = label_site(*names, *describe_site(pages, names[2]))
    ordered = [sites[name] for name in ordered_sites(vertical, sites)]
    return [
        (protocol, name, seed, vertical, *score(ordered, protocol, MODELS[name], seed))
        for protocol, name, seed in missing
    ]


def run_quick() -> None:
    """Unseen pages of the sample, with all groups and without those of the text itself."""
    sites, data = read_data("sample", pages=12, groups=GROUPS_USED)
    rows = []
    for vertical in dict.fromkeys(site.together.vertical for site in sites):
        mine = [site.together for site in sites if site.together.vertical == vertical]
        counts = (Counts(*score(mine, "pages", MODELS[name], 1)) for name in ("all", "-text"))
        rows.append((vertical, *(each.f1 for each in counts)))
    sign = signature(data, "pages", [1])
    Console().print(as_rich(Report("F1 of the relevant class", ("vertical", "all", "-text"), tuple(rows), sign)))


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


def render() -> str:
    """F1 of each vertical and their mean, over the seeds; and how much each group brings, as a difference."""
    runs = MEASURED.rows()
    rows = []
    for protocol, name in product(("pages", "sites"), MODELS):
        by_seed = scores_of(runs, protocol, name)
        if not by_seed:
            continue
        whole = [scores for scores in by_seed.values() if len(scores) == len(VERTICALS)]
        cells = [
            percent([scores[vertical] for scores in by_seed.values() if vertical in scores]) for vertical in VERTICALS
        ]
        lost = "-"
        if name != "all" and whole:
            every = scores_of(runs, protocol, "all")["1"]
            lost = f"{100 * (sum(by_seed['1'].values()) - sum(every.values())) / len(VERTICALS):+.1f}"
        rows.append((protocol, name, *cells, percent([sum(scores.values()) / len(scores) for scores in whole]), lost))
    table = Report(
        "F1 of the relevant class over all text nodes, %",
        ("protocol", "groups", *VERTICALS, "mean", "against all, seed 1"),
        tuple(rows),
        MEASURED.signature("pages; sites(k=5)", [int(run["seed"]) for run in runs]),
    )
    return as_markdown(table) + NOTES


def scores_of(runs: list[dict[str, str]], protocol: str, name: str) -> dict[str, dict[str, float]]:
    """F1 by seed and vertical."""
    by_seed: dict[str, dict[str, float]] = {}
    for run in runs:
        if (run["protocol"], run["groups"]) == (protocol, name):
            right, predicted, true = (int(run[each]) for each in ("correct", "predicted", "true"))
            by_seed.setdefault(run["seed"], {})[run["vertical"]] = 2 * right / max(predicted + true, 1)
    return by_seed


NOTES = """
`python experiments/enriched/run.py`. `all` has all groups of tokens with three seeds; `-label` is all but those of
labels, `path alone` the last four tags and the exact path, each with seed 1, and the last column says what it changes
against `all` with the same seed. These are the weights alone, with one threshold on their chance for all sites; the
judge, which compares the nodes of a page, reads them better on unseen sites (experiments/attributes, same measure).
On known sites the path alone is nearly enough, and what the pages of a site tell of each other is in the way. On unseen
sites the text of the node is worth most; labels and names of elements, learnt by heart from five sites, cost the
weights more than they bring at one threshold.
"""


if __name__ == "__main__":
    main()
