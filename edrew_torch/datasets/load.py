"""load_data: a data set by name and plain arguments -> PreparedData, with a progress bar. Read by the scripts."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from edrew_torch.datasets.prepared import PreparedData, load_sample, load_swde
from edrew_torch.datasets.prepared import unique_pages as find_unique_pages
from edrew_torch.datasets.swde import Subset
from edrew_torch.errors import BadConfig, UnknownName
from edrew_torch.profile import Profile

DATA = ("sample", "swde")
LABELS = ("all", "canonical")


def load_data(
    name: str,
    profile: Profile,
    *,
    root: str | Path | None = None,
    verticals: Sequence[str] | None = None,
    sites: Sequence[str] | None = None,
    pages: int | None = None,
    seed: int = 1,
    labels: str = "all",
    unique_pages: bool = False,
    cache: str | Path | None = None,
    processes: int | None = None,
) -> PreparedData:
    """Return the data set; `pages` is the number of pages of each site (None: all, 30 of the sample).

    `labels`: "all" nodes that equal a true value are relevant, or only the "canonical" one of each value.
    `unique_pages`: of the pages with one set of reTPS only the first, as in the thesis.
    """
    if name not in DATA:
        raise UnknownName.among("data set", name, DATA)
    if labels not in LABELS:
        raise UnknownName.among("kind of labels", labels, LABELS)
    if pages is not None and pages < 1:
        raise BadConfig(f"pages must be at least 1, not {pages}.")
    chosen = tuple(verticals) if verticals is not None else None
    if name == "sample":
        data = load_sample(profile, seed, chosen, pages or 30, _watch("Preparing sites"))
    elif root is None:
        raise BadConfig("data.root is not set: say where the SWDE root lies (a folder, or its packs).")
    else:
        subset = Subset(chosen, tuple(sites) if sites is not None else None, pages)
        where = Path(cache) if cache else None
        data = load_swde(Path(root), profile, subset, where, processes, _watch("Preparing sites"))
    if unique_pages:
        data = data.with_pages(find_unique_pages(data))
    if labels == "canonical":
        data = data.with_canonical_labels()
    # what a figure is of is more than the files: the line under a table says all of it
    parts = [data.checksum, f"{profile.name}-{profile.threshold}", *([labels] if labels != "all" else [])]
    parts += [",".join(chosen)] if chosen else []
    parts += [",".join(sites)] if sites else []
    parts += [f"{pages}-pages"] if pages else []
    parts += ["unique"] if unique_pages else []
    return replace(data, checksum="/".join(parts))


def _watch(what: str) -> Any:
    def watch(things: Iterable[Any]) -> Iterable[Any]:
        return track(things, what, console=Console(stderr=True), transient=True)

    return watch
