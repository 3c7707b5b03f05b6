"""PreparedData: a data set as arrays: distinct reTPS rows, and for each node its page, row, path, attribute and text.

    sites of pages with truth   ->   rows (U, T) distinct; row, page, path, attribute… (N,); a table of pages

Pages repeat themselves: SWDE has some 30 nodes to a distinct row, so what follows works on rows and scatters back.
Made once, in parallel, a site at a time, and kept in a cache; loaded memory-mapped, so that a large data set costs
little memory. Reads swde.py, sample.py, retps.py, labels.py; read by protocols.py, datamodule.py, metrics/.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from edrew_torch import __version__
from edrew_torch.datasets.download import cache_folder
from edrew_torch.datasets.labels import canonical_nodes, collapse, find_values, normalize
from edrew_torch.datasets.pages import DataPage
from edrew_torch.datasets.sample import read_sample
from edrew_torch.datasets.swde import ALL, Subset, checksum, read_swde
from edrew_torch.errors import EdrewError
from edrew_torch.page import Page
from edrew_torch.parse import parse_tree
from edrew_torch.profile import Profile
from edrew_torch.retps import FIBONACCI, HTML_TAGS, RetpsBuilder, Vocabulary
from edrew_torch.tree import Ints, Tree, path_numbers

Watch = Callable[[Iterable[Any]], Iterable[Any]]  # sees sites go by, for a progress bar
FORMAT = 3  # of the cache; another number and old caches are made anew


class PageInfo(NamedTuple):
    """One line of the table of pages."""

    vertical: str
    site: str
    page_id: str
    num_missed: int  # true values that no node holds


@dataclass(frozen=True, eq=False)
class PreparedData:
    """Nodes with content of all pages, in order, as parallel arrays over distinct rows."""

    rows: Ints  # (U, threshold) distinct
    row: Ints  # (N,) the row of each node
    page: Ints  # (N,) index into pages
    attribute: NDArray[np.int16]  # (N,) index into attributes, 0 where the node holds no true value
    canonical: NDArray[np.bool_]  # (N,) the one node of its value whose path recurs over the site
    path: NDArray[np.uint64]  # (N,) the same number for the same XPath
    text_end: NDArray[np.int64]  # (N,) where the normalized text of each node ends in text_bytes
    text_bytes: NDArray[np.uint8]  # UTF-8
    pages: tuple[PageInfo, ...]
    truth: tuple[Mapping[str, Sequence[str]], ...]  # of each page: attribute -> values as in the truth files
    attributes: tuple[str, ...]  # "" first, then "vertical/attribute"
    coverage: dict[str, tuple[int, int, int]]  # "vertical/attribute" -> values, found, found in several nodes
    vocabulary: Vocabulary
    checksum: str  # of the data, as stored

    @property
    def relevant(self) -> NDArray[np.bool_]:
        """(N,) Does the node hold a true value?"""
        return self.attribute > 0

    @property
    def verticals(self) -> tuple[str, ...]:
        """Names of the verticals, in order of first sight."""
        return tuple(dict.fromkeys(page.vertical for page in self.pages))

    def text(self, node: int) -> str:
        """The normalized text of a node."""
        start = int(self.text_end[node - 1]) if node else 0
        return bytes(self.text_bytes[start : self.text_end[node]]).decode()

    def with_canonical_labels(self) -> "PreparedData":
        """The same data, where of several nodes with one value only the canonical one is relevant."""
        return replace(self, attribute=np.where(self.canonical, self.attribute, 0).astype(np.int16))

    def with_pages(self, pages: NDArray[np.intp]) -> "PreparedData":
        """The same data, of these pages alone, in order; `coverage` is still of all."""
        pages = np.unique(pages)
        nodes = self.nodes_of(pages)
        length = np.diff(self.text_end, prepend=0)
        is_kept = np.zeros(len(self.row), dtype=np.bool_)
        is_kept[nodes] = True
        return replace(
            self,
            **{name: getattr(self, name)[nodes] for name in ("row", "attribute", "canonical", "path")},
            page=np.searchsorted(pages, self.page[nodes]).astype(np.int32),
            text_end=np.cumsum(length[nodes]),
            text_bytes=self.text_bytes[np.repeat(is_kept, length)],
            pages=tuple(self.pages[number] for number in pages.tolist()),
            truth=tuple(self.truth[number] for number in pages.tolist()),
        )

    def nodes_of(self, pages: NDArray[np.intp]) -> NDArray[np.intp]:
        """The nodes of these pages, in order."""
        is_chosen = np.zeros(len(self.pages), dtype=np.bool_)
        is_chosen[pages] = True
        return np.flatnonzero(is_chosen[self.page])


ARRAYS = ("rows", "row", "page", "attribute", "canonical", "path", "text_end", "text_bytes")


@dataclass(frozen=True, eq=False)
class _Site:
    """What one worker makes of one site; ids and attribute numbers are its own."""

    arrays: dict[str, NDArray[Any]]
    tags: tuple[str, ...]
    pages: list[PageInfo]
    truth: list[Mapping[str, Sequence[str]]]
    attributes: tuple[str, ...]
    coverage: dict[str, tuple[int, int, int]]


def prepare_site(pages: list[DataPage], profile: Profile) -> _Site:
    """Parse, describe and label the pages of one site."""
    builder = RetpsBuilder(profile)
    attributes = ("", *sorted({f"{page.vertical}/{name}" for page in pages for name in page.truth}))
    number_of = {name: number for number, name in enumerate(attributes)}
    coverage: Counter[tuple[str, int]] = Counter()
    ids, paths, texts, found_values, infos = [], [], [], [], []
    for page in pages:
        tree = _parse(page, profile)
        rows = builder.rows(tree)
        # lxml has decoded the entities: doing it again would turn "&amp;lt;" into a tag
        clean = normalize if profile.parser == "regex" else collapse
        contents = [clean(tree.text(node)) for node in rows.nodes.tolist()]
        found = find_values(contents, page.truth)
        for value in found:
            name = f"{page.vertical}/{value.attribute}"
            coverage[name, 0] += 1
            coverage[name, 1] += bool(value.nodes)
            coverage[name, 2] += len(value.nodes) > 1
        infos.append(PageInfo(page.vertical, page.site, page.page_id, sum(not value.nodes for value in found)))
        ids.append(rows.ids)
        paths.append(path_numbers(tree)[rows.nodes])
        texts.append(contents)
        found_values.append(found)
    count = np.array([len(part) for part in ids], dtype=np.int64)
    first = np.cumsum(count) - count
    attribute = np.zeros(count.sum(), dtype=np.int16)
    canonical = np.zeros(count.sum(), dtype=np.bool_)
    chosen = canonical_nodes([(found, path.tolist()) for found, path in zip(found_values, paths, strict=True)])
    for page, found, start, best in zip(pages, found_values, first, chosen, strict=True):
        for value in reversed(found):  # a node with two values keeps the first attribute
            attribute[[start + node for node in value.nodes]] = number_of[f"{page.vertical}/{value.attribute}"]
        canonical[[start + node for node in best]] = True
    encoded = [text.encode() for contents in texts for text in contents]
    arrays: dict[str, NDArray[Any]] = {
        "ids": np.concatenate(ids),
        "page": np.repeat(np.arange(len(pages)), count),
        "path": np.concatenate(paths),
        "attribute": attribute,
        "canonical": canonical,
        "text_length": np.array([len(text) for text in encoded], dtype=np.int64),
        "text_bytes": np.frombuffer(b"".join(encoded), dtype=np.uint8),
    }
    table = {name: (coverage[name, 0], coverage[name, 1], coverage[name, 2]) for name in attributes[1:]}
    return _Site(arrays, builder.vocabulary.tags, infos, [page.truth for page in pages], attributes, table)


def _parse(page: DataPage, profile: Profile) -> Tree:
    """The tree of a page; an empty one where there is nothing to read: one bad page never loses the others."""
    try:
        return parse_tree(Page.from_bytes(page.data, f"{page.vertical}/{page.site}/{page.page_id}"), profile)
    except EdrewError:
        return parse_tree("", profile)  # its values count as missed


def prepare(
    sites: Iterable[list[DataPage]], profile: Profile, data_checksum: str, processes: int | None = None
) -> PreparedData:
    """Return the prepared data of all sites, each worked on by one process (None: as many as there are cores)."""
    try:
        from joblib import Parallel, delayed  # here: it belongs to the research side
    except ImportError:  # without that this process does it all
        return _merge((prepare_site(site, profile) for site in sites), profile, data_checksum)
    # joblib: works from scripts without a main guard, and reads only so many sites ahead
    work = Parallel(n_jobs=processes or os.cpu_count() or 1, return_as="generator", pre_dispatch="2*n_jobs")
    return _merge(work(delayed(prepare_site)(site, profile) for site in sites), profile, data_checksum)


def _merge(sites: Iterable[_Site], profile: Profile, data_checksum: str) -> PreparedData:
    """Join the sites: one vocabulary, one table of distinct rows, one list of attributes."""
    vocabulary = Vocabulary(profile.keywords)
    row_numbers: dict[bytes, int] = {}
    attributes: dict[str, int] = {"": 0}
    columns: dict[str, list[NDArray[Any]]] = {name: [] for name in ARRAYS[1:]}
    pages: list[PageInfo] = []
    truth: list[Mapping[str, Sequence[str]]] = []
    coverage: dict[str, tuple[int, int, int]] = {}
    num_text_bytes = 0
    for site in sites:
        # ids of the site's own names, in the vocabulary of all
        names = site.tags[1 + len(HTML_TAGS) :]
        num_specials, num_classes = len(vocabulary.specials), len(FIBONACCI)
        translate = np.arange(num_specials + len(site.tags) * num_classes, dtype=np.int32)
        own = vocabulary.tag_ids(names)[:, None] + np.arange(num_classes)
        translate[len(translate) - own.size :] = own.reshape(-1)
        ids = translate[site.arrays["ids"]]
        numbers = [row_numbers.setdefault(line.tobytes(), len(row_numbers)) for line in ids]
        attribute_numbers = np.array([attributes.setdefault(name, len(attributes)) for name in site.attributes])
        columns["row"].append(np.array(numbers, dtype=np.int32))
        columns["page"].append((site.arrays["page"] + len(pages)).astype(np.int32))
        columns["attribute"].append(attribute_numbers[site.arrays["attribute"]].astype(np.int16))
        columns["canonical"].append(site.arrays["canonical"])
        columns["path"].append(site.arrays["path"])
        columns["text_end"].append(np.cumsum(site.arrays["text_length"]) + num_text_bytes)
        columns["text_bytes"].append(site.arrays["text_bytes"])
        num_text_bytes += len(site.arrays["text_bytes"])
        pages += site.pages
        truth += site.truth
        for name, counts in site.coverage.items():
            before = coverage.get(name, (0, 0, 0))
            coverage[name] = (before[0] + counts[0], before[1] + counts[1], before[2] + counts[2])
    vocabulary.is_frozen = True
    rows = np.frombuffer(b"".join(row_numbers), dtype=np.int32).reshape(-1, profile.threshold)
    joined = {name: np.concatenate(parts) for name, parts in columns.items()}
    return PreparedData(
        rows=rows,
        **joined,
        pages=tuple(pages),
        truth=tuple(truth),
        attributes=tuple(attributes),
        coverage=coverage,
        vocabulary=vocabulary,
        checksum=data_checksum,
    )


def load_sample(
    profile: Profile, seed: int = 1, verticals: tuple[str, ...] | None = None, pages: int = 30, watch: Watch = iter
) -> PreparedData:
    """Generate and prepare the embedded sample. Its checksum is of the pages themselves."""
    digest = hashlib.sha256()

    def sites() -> Iterator[list[DataPage]]:
        for site in watch(read_sample(seed, verticals, pages)):
            for page in site:
                digest.update(
                    repr((page.vertical, page.site, page.page_id, page.data, sorted(page.truth.items()))).encode()
                )
            yield site

    data = prepare(sites(), profile, "", processes=1)
    return replace(data, checksum=digest.hexdigest()[:12])


def load_swde(
    root: Path,
    profile: Profile,
    subset: Subset = ALL,
    cache: Path | None = None,
    processes: int | None = None,
    watch: Watch = iter,
) -> PreparedData:
    """Return the prepared data of an SWDE root, from the cache where it has been made before.

    `watch` sees the sites go by (for a progress bar). The key of the cache is all that the arrays depend on.
    """
    data_checksum = checksum(root)
    key = hashlib.sha256(repr((FORMAT, __version__, data_checksum, asdict(profile), asdict(subset))).encode())
    folder = (cache or cache_folder() / "prepared") / key.hexdigest()[:20]
    if not (folder / "meta.json").exists():
        data = prepare(watch(read_swde(root, subset)), profile, data_checksum, processes)
        save_prepared(data, folder)
    return load_prepared(folder, profile)


def save_prepared(data: PreparedData, folder: Path) -> None:
    """Write the arrays of `data` to `folder`, whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    # beside the target, so that the rename below moves nothing; an interrupted run leaves only this one behind
    with tempfile.TemporaryDirectory(prefix=".making-", dir=folder.parent) as name:
        made = Path(name) / "made"
        made.mkdir()
        for array in ARRAYS:
            np.save(made / f"{array}.npy", getattr(data, array), allow_pickle=False)
        meta = {
            "pages": data.pages,
            "truth": data.truth,
            "attributes": data.attributes,
            "coverage": data.coverage,
            "tags": data.vocabulary.tags,
            "checksum": data.checksum,
        }
        (made / "meta.json").write_text(json.dumps(meta))
        shutil.rmtree(folder, ignore_errors=True)
        made.rename(folder)


def load_prepared(folder: Path, profile: Profile) -> PreparedData:
    """Return what `save_prepared` wrote, memory-mapped."""
    meta = json.loads((folder / "meta.json").read_text())
    vocabulary = Vocabulary(profile.keywords, meta["tags"][1:])
    vocabulary.is_frozen = True
    return PreparedData(
        **{name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS},
        pages=tuple(PageInfo(*page) for page in meta["pages"]),
        truth=tuple(meta["truth"]),
        attributes=tuple(meta["attributes"]),
        coverage={name: tuple(counts) for name, counts in meta["coverage"].items()},
        vocabulary=vocabulary,
        checksum=meta["checksum"],
    )


def count_unique_pages(data: PreparedData) -> dict[str, tuple[int, int]]:
    """Return for each vertical its pages and its unique ones: distinct by the set of their reTPS (thesis, table 4)."""
    counts = Counter(page.vertical for page in data.pages)
    unique = Counter(data.pages[number].vertical for number in unique_pages(data))
    return {vertical: (counts[vertical], unique[vertical]) for vertical in data.verticals}


def unique_pages(data: PreparedData) -> NDArray[np.intp]:
    """Return the first page of each distinct set of reTPS, contents left out, in its vertical."""
    ends = np.searchsorted(data.page, np.arange(len(data.pages)), side="right")
    seen: set[tuple[str, bytes]] = set()
    chosen = []
    start = 0
    for number, end in enumerate(ends.tolist()):
        key = (data.pages[number].vertical, hashlib.md5(np.unique(data.row[start:end]).tobytes()).digest())
        if key not in seen:
            seen.add(key)
            chosen.append(number)
        start = end
    return np.array(chosen, dtype=np.intp)
