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
    if labels not in LABELS:
        raise UnknownName.among("kind of labels", labels, LABELS)
    check_data(name, root, verticals, sites, pages, seed)
    if not isinstance(unique_pages, bool):
        raise BadConfig(f"data.unique_pages must be true or false, not {unique_pages!r}.")
    if processes is not None and not (type(processes) is int and processes >= 1):
        raise BadConfig(f"data.processes must be a whole number from 1 on, or null, not {processes!r}.")
    chosen = tuple(verticals) if verticals is not None else None
    if name == "sample":
        data = load_sample(profile, seed, chosen, pages or 30, _watch("Preparing sites"))
    else:
        subset = Subset(chosen, tuple(sites) if sites is not None else None, pages)
        where = Path(cache) if cache else None
        data = load_swde(Path(root or ""), profile, subset, where, processes, _watch("Preparing sites"))
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


def check_data(name: str, root: object, verticals: object, sites: object, pages: object, seed: object) -> None:
    """Raise where no data set can be had so; every fault is told."""
    if name not in DATA:
        raise UnknownName.among("data set", name, DATA)
    faults = []
    for key, names in (("verticals", verticals), ("sites", sites)):
        is_list = isinstance(names, Sequence) and not isinstance(names, str) and len(names) > 0
        if names is not None and not (is_list and all(isinstance(each, str) for each in names)):  # type: ignore[attr-defined]
            faults.append(f"data.{key} must be a list of names, [auto,book], or null for all, not {names!r}")
    if pages is not None and not (type(pages) is int and pages >= 1):
        faults.append(f"data.pages must be at least 1, a whole number or null, not {pages!r}")
    if type(seed) is not int:
        faults.append(f"data.seed must be a whole number, not {seed!r}")
    if name != "sample" and root is None:
        faults.append("data.root is not set: say where the SWDE root lies (a folder, or its packs)")
    elif name != "sample" and not isinstance(root, str | Path):
        faults.append(f"data.root must be a path, not {root!r}")
    if faults:
        raise BadConfig(f"{'; '.join(faults)}.")


def _watch(what: str) -> Any:
    def watch(things: Iterable[Any]) -> Iterable[Any]:
        return track(things, what, console=Console(stderr=True), transient=True)

    return watch
