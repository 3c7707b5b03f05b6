"""The task `attributes`: labelled data, k seed sites -> a model, scored by attribute and page on all other sites.

    python train.py task=attributes protocol=swde-published data=swde data.root=PATH

All verticals are learnt together: each gives its seed sites, and the judge learns from all of them. Which groups of
tokens are used is a switch (`task.groups`). Reads training.py, datasets/, metrics/; called by train.py.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edrew_torch.attributes.model import GROUPS_USED, AttributeModel
from edrew_torch.attributes.sites import describe_site
from edrew_torch.attributes.training import LabelledSite, fit_model, judged, label_site
from edrew_torch.datasets.load import check_data
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.prepared import Watch
from edrew_torch.datasets.protocols import check_protocol, fold_of_seed, ordered_sites, protocol_label
from edrew_torch.datasets.sample import read_sample
from edrew_torch.datasets.swde import Subset, checksum, read_swde
from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.metrics.attributes import SitePage, SitePages, score_published, score_strict, vertical_table
from edrew_torch.metrics.statistics import Counts
from edrew_torch.report import Report, signature, write_metrics

RULES = {"swde-published": score_published, "swde-strict": score_strict}
MIN_SEED_SITES = 3  # the judge learns from sites that the weights have not seen: they take turns


@dataclass(frozen=True, eq=False)
class SiteData:
    """A site twice, its pages together and each alone, and its truth."""

    together: LabelledSite
    alone: LabelledSite
    pages: SitePages


@dataclass(frozen=True, eq=False)
class Outcome:
    """A trained model and its scores on the sites that it has not seen."""

    model: AttributeModel
    scores: dict[str, dict[str, dict[str, Counts]]]  # vertical -> site -> attribute
    protocol: str
    seed: int
    data: str  # its checksum
    split: str  # the protocol, with its number of seed sites

    @property
    def signature(self) -> str:
        """The line under a table."""
        return signature(self.data, self.split, [self.seed])

    def table(self) -> dict[str, dict[str, float]]:
        """Precision and recall over all pages, and F1 (the mean over attributes and sites), of each vertical; "all"."""
        return vertical_table({vertical: [sites] for vertical, sites in self.scores.items()})

    def report(self) -> Report:
        """The table for people."""
        rows = tuple((name, row["precision"], row["recall"], row["f1"]) for name, row in self.table().items())
        return Report(
            "Attributes by page, on unseen sites", ("vertical", "precision", "recall", "F1"), rows, self.signature
        )

    def metrics(self) -> dict[str, Any]:
        """The content of metrics.json."""
        table = self.table()
        overall = table.pop("all")
        return {
            "protocol": self.protocol,
            "seed": self.seed,
            "overall": overall,
            "mean": overall,
            "verticals": table,
            "baselines": {},
            "data": self.data,
            "split": self.split,
            "signature": self.signature,
        }


def read_data(
    name: str,
    root: str | Path | None = None,
    verticals: Sequence[str] | None = None,
    sites: Sequence[str] | None = None,
    pages: int | None = None,
    seed: int = 1,
    groups: Sequence[str] = GROUPS_USED,
    watch: Watch = iter,
) -> tuple[list[SiteData], str]:
    """Read and label the sites of a data set; and its checksum. `watch` sees the sites go by, for a progress bar."""
    if isinstance(groups, str) or not isinstance(groups, Sequence) or not groups:
        raise BadConfig(f"task.groups must be a list of names, [text,label], not {groups!r}.")
    if unknown := [group for group in groups if group not in GROUPS_USED]:
        raise UnknownName.among("group of tokens", unknown[0], GROUPS_USED)
    check_data(name, root, verticals, sites, pages, seed)
    chosen = tuple(verticals) if verticals is not None else None

    def read_all() -> Iterable[list[DataPage]]:
        if made is not None:
            return made
        return read_swde(Path(root or ""), Subset(chosen, tuple(sites) if sites is not None else None, pages))

    made: list[list[DataPage]] | None = None
    if name == "sample":
        made = list(read_sample(seed, chosen, pages or 30))
        data = f"sample-{seed}"
    else:
        data = checksum(Path(root or ""))
    attributes: dict[str, set[str]] = {}  # a site may lack some that others of its vertical have
    for site in read_all():
        attributes.setdefault(site[0].vertical, set()).update(name for page in site for name in page.truth)
    return [read_site(site, sorted(attributes[site[0].vertical]), groups) for site in watch(read_all())], data


def read_site(pages: list[DataPage], attributes: list[str], groups: Sequence[str] = GROUPS_USED) -> SiteData:
    """Describe and label one site with the attributes of its vertical."""
    names = pages[0].vertical, pages[0].site, attributes
    described = describe_site(pages, names[2])
    together, alone = (label_site(*names, *described, each, groups) for each in (False, True))
    truth = ({name: values for name, values in page.truth.items() if values} for page in pages)
    return SiteData(together, alone, site_pages(together, truth))


def site_pages(site: LabelledSite, truth: Iterable[Mapping[str, Collection[str]]]) -> SitePages:
    """A site as the scores read it, with the true values of each page; a path's number serves as its XPath."""
    pages = (
        SitePage([str(path) for path in page.path.tolist()], page.texts, values)
        for page, values in zip(site.pages, truth, strict=True)
    )
    return SitePages(site.vertical, site.site, site.attributes, tuple(pages))


def check_task(protocol: str, num_seed_sites: int, seed: int) -> None:
    """Raise BadConfig where the task cannot be scored so, whatever the data."""
    check_protocol(protocol, seed, num_seed_sites)
    if protocol not in RULES:
        raise BadConfig(f"task attributes is scored by {' or '.join(RULES)}, not by {protocol}: set protocol=…")
    if num_seed_sites < MIN_SEED_SITES:
        raise BadConfig(f"task attributes needs {MIN_SEED_SITES} seed sites or more, not {num_seed_sites}.")


def train_attributes(
    sites: Sequence[SiteData], data: str, protocol: str, num_seed_sites: int, seed: int, watch: Watch = iter
) -> Outcome:
    """Train on the seed sites of every vertical, score on the others; another seed starts at another site."""
    check_task(protocol, num_seed_sites, seed)
    known: list[tuple[LabelledSite, LabelledSite]] = []
    unseen: list[SiteData] = []
    for vertical in dict.fromkeys(site.together.vertical for site in sites):
        of_vertical = {site.together.site: site for site in sites if site.together.vertical == vertical}
        order = ordered_sites(vertical, of_vertical)
        if num_seed_sites >= len(order):
            raise BadConfig(f"{vertical} has {len(order)} sites: {num_seed_sites} seed sites leave none to test.")
        start = fold_of_seed(seed, len(order))
        seeds = {order[(start + step) % len(order)] for step in range(num_seed_sites)}
        known += [(of_vertical[name].together, of_vertical[name].alone) for name in order if name in seeds]
        unseen += [of_vertical[name] for name in order if name not in seeds]
    model = fit_model(known, [], seed, watch)
    scores: dict[str, dict[str, dict[str, Counts]]] = {}
    for site in unseen:
        vertical = site.together.vertical
        chances: list[NDArray[np.floating[Any]]] = list(judged(model, site.together))
        if counts := RULES[protocol](site.pages, chances):
            scores.setdefault(vertical, {})[site.together.site] = counts
    return Outcome(model, scores, protocol, seed, data, protocol_label(protocol, num_seed_sites))


def save_outcome(outcome: Outcome, folder: Path, metrics_file: Path | None = None) -> None:
    """Write the model and its metrics."""
    folder.mkdir(parents=True, exist_ok=True)
    outcome.model.save(folder / "attributes.safetensors")
    write_metrics(outcome.metrics(), folder, metrics_file)
